/**
 * Builds standalone programs from dist/, which must exist: `dist/paycli` for this machine, and one per system in
 * dist/standalone/, with manual pages and checksums. `--here` builds for this machine only.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { fromNpm } from './from-npm.ts';
import { manuals } from './manuals.ts';
import { BUN, BUNS, bunFor, bunHere, HERE, PROGRAM_HERE } from './pinned.ts';
import { tarOf } from './tar.ts';

const FOLDER = join('dist', 'standalone');
const MANUALS = 'paycli-man.tar.gz';
const ENTRY = join('scripts', 'standalone.js');

const COMPILE = [
  ...['build', ENTRY, '--compile', '--bytecode', '--minify', '--format=esm'],
  // Keep chunks separate: loading everything at once makes the start slower.
  '--splitting',
  // Read no configuration from the working folder.
  ...['dotenv', 'bunfig', 'tsconfig', 'package-json'].map((what) => `--no-compile-autoload-${what}`),
];

const ABOUT_BUN = `A standalone program is paycli and Bun ${BUN} in one file. Bun is under the MIT license. It links JavaScriptCore and
other parts of WebKit statically, which are under the GNU Lesser General Public License, version 2, and other
libraries, which its own LICENSE.md names. To use paycli with a Bun or a JavaScriptCore that you have changed, run
\`npm run build:standalone\` in paycli's project with that Bun in place of the pinned one; the npm package runs on
Node.js, without Bun.
`;

const nameFor = (machine: string): string => `paycli-${machine}${machine.startsWith('windows') ? '.exe' : ''}`;

/** First bytes of each system's executables. */
const BEGINNINGS: Readonly<Record<string, string>> = { linux: '\x7fELF', darwin: '\xcf\xfa\xed\xfe', windows: 'MZ' };

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const checkMade = (machine: string, bytes: Buffer): void => {
  const wanted = BEGINNINGS[machine.split('-')[0] ?? ''] ?? '';
  if (bytes.toString('latin1', 0, wanted.length) !== wanted)
    throw new Error(`what was made for ${machine} is no program of it`);
};

/** Compiles the program for a system with this machine's Bun. Returns its checksum. */
const make = async (bun: string, machine: string): Promise<string> => {
  const file = join(FOLDER, nameFor(machine));
  const target = [`--target=bun-${machine}`, `--compile-executable-path=${await fromNpm(bunFor(machine))}`];
  const { PATH, HOME, SystemRoot } = process.env;
  await promisify(execFile)(bun, [...COMPILE, ...target, `--outfile=${file}`], { env: { PATH, HOME, SystemRoot } });
  const bytes = readFileSync(file);
  checkMade(machine, bytes);
  return sha256(bytes);
};

const { values } = parseArgs({ options: { here: { type: 'boolean', default: false } } });
if (BUNS[HERE] === undefined && values.here) {
  process.stdout.write(`there is no Bun for ${HERE}: no standalone program is made\n`);
  process.exit();
}
const bun = await fromNpm(bunHere());
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const sums: string[] = [];
for (const machine of values.here ? [HERE] : Object.keys(BUNS)) {
  sums.push(`${await make(bun, machine)}  ${nameFor(machine)}\n`);
}
const pages = tarOf(await manuals());
writeFileSync(join(FOLDER, MANUALS), pages);
sums.push(`${sha256(pages)}  ${MANUALS}\n`);
writeFileSync(join(FOLDER, 'SHA256SUMS'), sums.join(''));
writeFileSync(
  join(FOLDER, 'LICENSES.txt'),
  `${ABOUT_BUN}\n${readFileSync(join('dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8')}`,
);
copyFileSync(join(FOLDER, nameFor(HERE)), PROGRAM_HERE);
process.stdout.write(sums.join(''));
