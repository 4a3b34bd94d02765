/**
 * Builds everything that ships twice and compares the bytes: in folders with different paths and lengths, with other
 * file times and modes, time zones and languages. Exits with 1 if they differ.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { PROGRAM_HERE } from './pinned.ts';

interface Shipment {
  readonly name: string;
  /** Commands to run in order in a fresh copy of the project. */
  readonly commands: readonly (readonly [file: string, ...args: string[]])[];
  /** Files that they create, relative to the project. */
  readonly file: string;
}

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

const SHIPMENTS: readonly Shipment[] = [
  { name: 'npm package', commands: [['npm', 'pack', '--silent']], file: `paycli-${version}.tgz` },
  {
    name: 'standalone program',
    commands: [['npm', 'run', '--silent', 'build:standalone', '--', '--here']],
    file: PROGRAM_HERE,
  },
];

interface Place {
  readonly folder: string;
  /** Modification time of its files. */
  readonly changed: Date;
  readonly umask: number;
  readonly env: Readonly<Record<string, string>>;
}

/** Two environments that differ in all that a build could depend on. */
const PLACES: readonly Place[] = [
  { folder: 'a', changed: new Date('2001-02-03T04:05:06Z'), umask: 0o022, env: { TZ: 'UTC', LC_ALL: 'C' } },
  {
    folder: join('much', 'further', 'away and with spaces'),
    changed: new Date('2031-12-30T23:59:59Z'),
    umask: 0o077,
    env: { TZ: 'Pacific/Kiritimati', LC_ALL: 'sk_SK.UTF-8' },
  },
];

/** Files that are in the repository or will be. */
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && existsSync(file));

/** Copies them to a new folder. */
const copyTo = (root: string, { folder, changed, umask }: Place): string => {
  process.umask(umask);
  for (const file of files) {
    const copy = join(root, folder, file);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(file, copy);
    utimesSync(copy, changed, changed);
  }
  symlinkSync(resolve('node_modules'), join(root, folder, 'node_modules'), 'junction');
  return join(root, folder);
};

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Checksums of everything that ships, built in one folder. */
const checksumsFrom = (root: string, place: Place): string[] => {
  const cwd = copyTo(root, place);
  // On Windows npm is a script that only a shell can start.
  const shell = process.platform === 'win32';
  return SHIPMENTS.map(({ commands, file }) => {
    for (const [program, ...args] of commands)
      execFileSync(program, args, {
        cwd,
        shell,
        env: { ...process.env, ...place.env },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    return sha256(join(cwd, file));
  });
};

const root = realpathSync(mkdtempSync(join(tmpdir(), 'paycli-twice-')));
try {
  const [here = [], there = []] = PLACES.map((place) => checksumsFrom(root, place));
  for (const [index, { name }] of SHIPMENTS.entries()) {
    const same = here[index] === there[index];
    process.stdout.write(`${here[index]}  ${name}${same ? ', twice the same' : `, and then ${there[index]}`}\n`);
    if (!same) process.exitCode = 1;
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
