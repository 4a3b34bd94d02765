import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Part, PartOptions, PartResult } from './part.ts';
import { SABOTAGES } from './shared/sabotages.ts';
import { SUITES } from './shared/suites.ts';

type Options = Pick<PartOptions, 'short' | 'folder'>;

/** Runs a suite in its own process, sabotaged if a name is given. */
const inProcess = async (suite: string, { short, folder }: Options, sabotage?: string): Promise<PartResult> => {
  const own = join(folder, (sabotage ?? suite).replaceAll(' ', '-'));
  mkdirSync(own);
  const args = [suite, short ? 'short' : 'full', own, ...(sabotage === undefined ? [] : [sabotage])];
  // Shared server files are created once, in a folder that the servers' user can read.
  const env = { ...process.env, PAYCLI_TEST_RUN: join(folder, 'servers') };
  const child = fork(join(import.meta.dirname, 'shared/run.ts'), args, { env });
  const ended = once(child, 'exit').then(([code]): PartResult => {
    return { figures: [], failures: [`${sabotage ?? suite}: it ended with ${code}`] };
  });
  const told = once(child, 'message').then(([result]) => result as PartResult);
  const result = await Promise.race([told, ended]);
  if (child.connected) child.disconnect();
  return result;
};

/** Returns each sabotage that was not detected. */
const sabotage = async (folder: string): Promise<PartResult> => {
  const failures: string[] = [];
  for (const { sabotage, by } of SABOTAGES) {
    const seen = await inProcess(by, { short: true, folder }, sabotage.name);
    if (seen.failures.length === 0) failures.push(`nobody noticed: ${sabotage.name}`);
  }
  return { figures: [{ name: 'sabotages of a shared ledger', value: SABOTAGES.length }], failures };
};

/**
 * All faults of a ledger in PostgreSQL; unless `short`, then the same on sabotaged programs, which must be detected.
 */
export const shared: Part = async ({ short, folder, say }) => {
  chmodSync(folder, 0o711);
  const all: PartResult[] = [];
  for (const suite of [...Object.keys(SUITES), 'failover']) {
    say(`shared: ${suite}`);
    all.push(await inProcess(suite, { short, folder }));
  }
  if (!short) {
    say('shared: sabotages');
    all.push(await sabotage(folder));
  }
  return { figures: all.flatMap(({ figures }) => figures), failures: all.flatMap(({ failures }) => failures) };
};
