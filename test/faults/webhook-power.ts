import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fromNpm } from '../../scripts/from-npm.ts';
import { bunHere } from '../../scripts/pinned.ts';
import { openQueue } from '../../src/webhook/queue.ts';
import { RUNTIME } from '../support/built.ts';
import { foldersGoTo } from '../support/memory.ts';
import type { Figure, Part } from './part.ts';
import { type Recorded, Recorder } from './recording.ts';
import { ACKNOWLEDGED_FIRST, bundleDriver, NORMAL, OFF, type Sabotage } from './sabotage.ts';
import { type Finding, integrityOf, type Replay, type Replayed, replay } from './states.ts';
import { callsOf, strangersIn, trace } from './strace.ts';
import { seed } from './torture.ts';

/*
 * Power loss of a listener: its writes, syncs and answers are recorded, and the power is lost at every moment. An
 * event that was acknowledged to its sender must be in the queue.
 */

const QUEUE = 'home/webhooks.db';

const record = async (
  folder: string,
  { events, lanes, sabotage }: { readonly events: number; readonly lanes: number; readonly sabotage?: Sabotage },
): Promise<readonly Recorded[]> => {
  const driver = join(folder, 'driver.mjs');
  await bundleDriver(driver, sabotage, 'webhook-driver.ts');
  const [root, traces] = [mkdtempSync(join(folder, 'root-')), mkdtempSync(join(folder, 'traces-'))];
  const [recorder, prefix] = [new Recorder(root), join(traces, 'call')];
  const runtime = RUNTIME === 'node' ? process.execPath : await fromNpm(bunHere());
  const command = [runtime, driver, join(root, 'home'), String(events), String(lanes)];
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  const ended = await trace(command, { env, prefix, texts: true });
  if (ended.code !== 0) throw new Error(`ended with ${ended.code}: ${ended.stderr}`);
  if (strangersIn(prefix, root) > 0) throw new Error('a thread other than the main one touches the queue');
  recorder.take(callsOf(prefix));
  for (const done of [traces, root]) rmSync(done, { recursive: true, force: true });
  return recorder.recorded;
};

const inspect: Replay['inspect'] = async (path, { acknowledged }) => {
  // Nothing was promised yet, and there may be no folder.
  if (acknowledged.size === 0) return [];
  try {
    const queue = openQueue(join(path, '..'), process.geteuid?.());
    const lost = [...acknowledged].filter((uid) => queue.find(uid) === undefined);
    queue.close();
    const integrity = integrityOf(path);
    return [
      ...(integrity === 'ok' ? [] : [{ kind: 'unusable', what: integrity } as const]),
      ...lost.map((what): Finding => ({ kind: 'lost event', what })),
    ];
  } catch (thrown) {
    return [{ kind: 'unusable', what: String(thrown) }];
  }
};

const SABOTAGES: readonly (readonly [Sabotage, Finding['kind']])[] = [
  [NORMAL, 'lost event'],
  // Without any sync the result is more often no database than one without the event.
  [OFF, 'unusable'],
  [ACKNOWLEDGED_FIRST, 'lost event'],
];

const described = ({ states, found, examples }: Replayed): string =>
  `${[...found].map(([kind, count]) => `${kind} in ${count}`).join(', ') || 'nothing found'} of ${states} states ${examples.join('; ')}`;

export const webhookPower: Part = async ({ short, folder, say }) => {
  mkdirSync(folder, { recursive: true });
  const [figures, failures]: [Figure[], string[]] = [[], []];
  const run = async (name: string, sabotage: Sabotage | undefined, size: { events: number; lanes: number }) => {
    const recorded = await record(folder, { ...size, ...(sabotage === undefined ? {} : { sabotage }) });
    const acknowledged = recorded.filter(({ kind }) => kind === 'acknowledged').length;
    if (acknowledged !== size.events) throw new Error(`the recording shows ${acknowledged} of ${size.events} answers`);
    const states = mkdtempSync(join(foldersGoTo(), 'paycli-states-'));
    const points = [...recorded.keys()];
    const random = sabotage === undefined && !short ? 8 : 1;
    const result = await replay({ recorded, points, random, seed, file: QUEUE, inspect, folder: states });
    say(`webhooks, power loss, ${name}: ${described(result)}`);
    figures.push({ name: `webhooks, power loss, ${name}: states`, value: result.states });
    figures.push({
      name: `webhooks, power loss, ${name}: states with a loss`,
      value: Math.max(0, ...result.found.values()),
    });
    return result;
  };
  for (const size of short
    ? [{ events: 6, lanes: 2 }]
    : [
        { events: 12, lanes: 1 },
        { events: 40, lanes: 8 },
      ]) {
    const result = await run(`${size.events} events, ${size.lanes} at a time`, undefined, size);
    if (result.found.size > 0) failures.push(`webhooks, power loss, seed ${seed}: ${described(result)}`);
  }
  for (const [sabotage, finding] of SABOTAGES) {
    const result = await run(`sabotaged (${sabotage.name})`, sabotage, { events: 6, lanes: 2 });
    if (!result.found.has(finding)) failures.push(`webhooks, power loss: ${sabotage.name} is not caught`);
  }
  return { figures, failures };
};
