import { symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fromNpm } from '../../scripts/from-npm.ts';
import { NODE_FOR_WINE } from '../../scripts/pinned.ts';
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

/**
 * Programs that append their standard input to a file, and end with 3 if an argument says so, or says so for once: a
 * script of Node, and a batch file that runs it. Their paths have blanks, a letter with an accent, and what means
 * something to cmd.exe.
 */
export const newPrograms = async () => {
  const folder = newFolder("A & B's Ádá (1)");
  const [script, batch, sent] = [join(folder, 'send it.js'), join(folder, 'send it.cmd'), join(folder, 'sent.txt')];
  const node = process.platform === 'win32' ? process.execPath : await fromNpm(NODE_FOR_WINE);
  // A junction, which needs no rights.
  symlinkSync(dirname(node), join(folder, 'bin'), 'junction');
  const lines = [
    "const { appendFileSync, existsSync, readFileSync } = require('node:fs');",
    "const sent = require('node:path').join(__dirname, 'sent.txt');",
    'const [, , how, often] = process.argv;',
    `process.exitCode = how === 'fail & "end"' && (often !== 'once' || !existsSync(sent)) ? 3 : 0;`,
    'appendFileSync(sent, readFileSync(0));',
  ];
  writeFileSync(script, lines.join('\n'));
  writeFileSync(batch, '@echo ref: %PAYCLI_REF%.\r\n@"%~dp0bin\\node.exe" "%~dp0send it.js" %*\r\n');
  const quoted = (path: string): string => `"${onDrive(path)}"`;
  return {
    folder,
    sent,
    named: {
      script: quoted(script),
      node: `${quoted(join(folder, 'bin', 'node.exe'))} ${quoted(script)}`,
      bare: `${quoted(join(folder, 'bin', 'node'))} ${quoted(script)}`,
      batch: quoted(batch),
    },
  };
};
