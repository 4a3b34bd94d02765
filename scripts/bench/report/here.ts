import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { bunHere } from '../../pinned.ts';
import { missingStandalone, toolVersions } from '../run/tools.ts';

/** What the figures depend on, from src to the benches themselves. */
const MEASURED = ['src', 'bin', 'scripts', 'package.json', 'package-lock.json'];

const git = (...args: readonly string[]): string => execFileSync('git', [...args], { encoding: 'utf8' }).trim();

export const commitHere = (): string => {
  const changed = git('status', '--porcelain', '--', ...MEASURED) !== '';
  return `${git('log', '-1', '--format=%h')}${changed ? ' with changes' : ''}`;
};

/** How it was started. */
export const commandHere = (): string => {
  const program = process.env['npm_lifecycle_event'] === 'bench' ? 'npm run bench --' : 'node scripts/bench/bench.ts';
  return [program, ...process.argv.slice(2)].join(' ');
};

/** Asked before the run: whatever else the machine is busy with is in the figures. */
export const machineHere = (): string => {
  const all = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${process.platform} ${process.arch}, ${all.length} × ${all[0]?.model}, ${memory} GB, load ${loadavg()[0]?.toFixed(1)} before the run`;
};

export const programsHere = (): Readonly<Record<string, string>> => ({
  Node: process.versions.node,
  ...(missingStandalone() === undefined ? { Bun: bunHere().version } : {}),
  ...toolVersions(),
});
