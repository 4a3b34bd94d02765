import { join } from 'node:path';
import { newFolder } from '../support/program.ts';

/** A path as Windows writes it: Wine shows the root folder as drive Z. */
export const onDrive = (path: string): string =>
  process.platform === 'win32' ? path : `Z:${path.replaceAll('/', '\\')}`;

/** A user's folders in place of PAYCLI_HOME. */
export const newUser = () => {
  const home = newFolder('user');
  const [roaming, local] = [join(home, 'Roaming'), join(home, 'Local')];
  return {
    config: join(roaming, 'paycli', 'Config'),
    data: join(local, 'paycli', 'Data'),
    env: { PAYCLI_HOME: undefined, APPDATA: onDrive(roaming), LOCALAPPDATA: onDrive(local) },
  };
};
