/**
 * Builds what ships twice and compares the results byte for byte: in two folders whose paths have nothing in common, not
 * even their length, from files of other times and modes, in other time zones and languages. Ends with 1 where they differ.
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
  /** Run in a fresh copy of the project, one after the other. */
  readonly commands: readonly (readonly [file: string, ...args: string[]])[];
  /** What they made, from the project's folder on. */
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
  /** When its files were changed. */
  readonly changed: Date;
  readonly umask: number;
  readonly env: Readonly<Record<string, string>>;
}

/** Two machines, as far as a build can tell. */
const PLACES: readonly Place[] = [
  { folder: 'a', changed: new Date('2001-02-03T04:05:06Z'), umask: 0o022, env: { TZ: 'UTC', LC_ALL: 'C' } },
  {
    folder: join('much', 'further', 'away and with spaces'),
    changed: new Date('2031-12-30T23:59:59Z'),
    umask: 0o077,
    env: { TZ: 'Pacific/Kiritimati', LC_ALL: 'sk_SK.UTF-8' },
  },
];

/** What is in the repository, and what is about to be. */
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && existsSync(file));

/** A copy of them in a new folder. */
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

/** The checksum of each shipment, built in one place. */
const checksumsFrom = (root: string, place: Place): string[] => {
  const cwd = copyTo(root, place);
  // npm is a script on Windows, which only a shell starts.
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
