/** Wine with a Windows of its own, in the cache of the tests. */
import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE } from '../from-npm.ts';
import { PRIMITIVES } from './primitives.ts';

/** Programs of Wine, and the environment that they need. */
export interface Wine {
  readonly loader: string;
  readonly server: string;
  readonly env: Readonly<Record<string, string>>;
}

const run = promisify(execFile);

/** Debian's packages: Wine, and the two libraries without which it doesn't start. */
const PACKAGES = ['libwine', 'wine64', 'libunwind8', 'libz-mingw-w64'];

const LIBRARIES = 'lib/x86_64-linux-gnu';
const DEBIAN = join(CACHE, 'wine');
const PREFIX = join(CACHE, 'wine-prefix');

const ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  // Wine links the folders of the home into its Windows.
  HOME: CACHE,
  // The language of names of files.
  LC_ALL: 'C.UTF-8',
  WINEPREFIX: PREFIX,
  WINEDEBUG: '-all',
  // Neither .NET nor a browser, which Wine would ask to download, nor entries in a menu.
  WINEDLLOVERRIDES: 'mscoree=;mshtml=;winemenubuilder.exe=',
};

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Path of the first of these programs that is installed. */
const find = (...names: readonly string[]): string | undefined => {
  const folders = ENVIRONMENT.PATH.split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
};

const installed = (): Wine | undefined => {
  const [loader, server] = [find('wine64', 'wine'), find('wineserver')];
  return loader === undefined || server === undefined ? undefined : { loader, server, env: ENVIRONMENT };
};

const unpackInto = async (folder: string): Promise<void> => {
  await run('apt-get', ['download', ...PACKAGES], { cwd: folder });
  for (const file of readdirSync(folder)) {
    await run('dpkg-deb', ['--extract', file, '.'], { cwd: folder });
    rmSync(join(folder, file));
  }
  const inUsr = (path: string): string => join(folder, 'usr', path);
  // As the package's script does when it is installed: Wine's own libraries find only what is marked as one of them.
  const zlib = readFileSync(inUsr('x86_64-w64-mingw32/lib/zlib1.dll'));
  zlib.write('Wine builtin DLL\0', 0x40);
  writeFileSync(inUsr(`${LIBRARIES}/wine/x86_64-windows/zlib1.dll`), zlib);
  // In place of a script that looks for the server outside.
  renameSync(inUsr('lib/wine/wineserver64'), inUsr('lib/wine/wineserver'));
};

/** Runs `fill` on a new folder, which gets its name when it is complete. */
const filled = async (folder: string, fill: (made: string) => Promise<void>): Promise<void> => {
  if (existsSync(folder)) return;
  const made = `${folder}-new`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  await fill(made);
  renameSync(made, folder);
};

const MISSING = `Wine is missing, and the tests of Windows need it. Install it, on Debian with: apt-get install wine
With \`apt-get update\` alone, \`npm run test:windows\` downloads Debian's packages into node_modules/.cache by itself.`;

const unpacked = async (): Promise<Wine> => {
  await filled(DEBIAN, unpackInto).catch((thrown: Error) => {
    throw new Error(`${MISSING}\nThis time the download failed: ${thrown.message.trim()}`);
  });
  const programs = join(DEBIAN, 'usr/lib/wine');
  return {
    loader: join(programs, 'wine64'),
    server: join(programs, 'wineserver'),
    env: { ...ENVIRONMENT, LD_LIBRARY_PATH: join(DEBIAN, 'usr', LIBRARIES) },
  };
};

/** Creates the Windows of the tests: version 10, which Node asks for. */
const fillPrefix =
  ({ loader, server, env }: Wine) =>
  async (made: string): Promise<void> => {
    const options = { env: { ...env, WINEPREFIX: made } };
    // Its exit code is a failure, since Wine has no part for 32 bits here.
    await run(loader, ['wineboot', '--init'], options).catch(() => undefined);
    await run(loader, ['winecfg', '-v', 'win10'], options);
    // The server writes the registry when it ends.
    await run(server, ['--wait'], options);
    const library = join(made, 'drive_c/windows/system32', PRIMITIVES.name);
    if (!existsSync(library)) writeFileSync(library, PRIMITIVES.bytes());
  };

/** Finds Wine, or downloads it into the cache; throws with advice if neither is possible. */
export const openWine = async (): Promise<Wine> => {
  const wine = installed() ?? (await unpacked());
  await filled(PREFIX, fillPrefix(wine));
  return wine;
};

/** Ends every program under Wine, and Wine's own. */
export const endWine = async ({ server, env }: Wine): Promise<void> => {
  // Fails if none runs.
  await run(server, ['--kill'], { env }).catch(() => undefined);
  await run(server, ['--wait'], { env }).catch(() => undefined);
};
