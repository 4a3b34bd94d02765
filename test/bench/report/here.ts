import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { BUNS } from '../../../scripts/pinned.ts';
import { missingStandalone, toolVersions } from '../run/tools.ts';

/** What the figures depend on, from src to the benches themselves. */
const MEASURED = ['src', 'bin', 'scripts', 'test/bench', 'package.json', 'package-lock.json'];

const git = (...args: readonly string[]): string => execFileSync('git', [...args], { encoding: 'utf8' }).trim();

export const commitHere = (): string => {
  const changed = git('status', '--porcelain', '--', ...MEASURED) !== '';
  return `${git('log', '-1', '--format=%h')}${changed ? ' with changes' : ''}`;
};

export const machineHere = (): string => {
  const all = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${process.platform} ${process.arch}, ${all.length} × ${all[0]?.model}, ${memory} GB`;
};

export const programsHere = (): Readonly<Record<string, string>> => ({
  Node: process.versions.node,
  ...(missingStandalone() === undefined ? { Bun: BUNS['linux-x64']?.version ?? '' } : {}),
  ...toolVersions(),
});
