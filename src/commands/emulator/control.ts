import { reasonOf, usageError } from '../../core/error.ts';
import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import { utcAtom } from '../../core/time.ts';
import type { Deps } from '../deps.ts';
import { onePage } from '../one-page.ts';
import type { ClockInput, FaultsInput } from './control-spec.ts';
import { opened } from './opened.ts';
import type { SeedInput, SettleInput } from './spec.ts';
import { clockView, faultView, resetView, seededView, settledView } from './view.ts';

/** Adds records to the emulator's data, whether it is running or not. */
export const seed = async ({ customers, ugwo, data }: SeedInput, deps: Deps): Promise<Result> => {
  const { file, emulator, clock } = await opened(data, deps);
  const added = await emulator.seed({ file, clock, customers, ugwo });
  return { kind: 'record', record: madeHere({ ...added, data: file }), view: seededView };
};

/** Removes every record after a confirmation. */
export const reset = async ({ data }: { readonly data?: string }, deps: Deps): Promise<Result> => {
  const { file, emulator } = await opened(data, deps);
  await deps.confirm([`Remove every record from ${file}?`], 'refuse');
  await emulator.reset({ file });
  return { kind: 'record', record: madeHere({ data: file }), view: resetView };
};

/** Ends an open activity, now or later. */
export const settle = async ({ activity: uid, as, after, amount, data }: SettleInput, deps: Deps): Promise<Result> => {
  const { file, emulator, clock } = await opened(data, deps);
  const { activity, due } = await emulator.settle({ file, clock, activity: uid, as, after, amount });
  const when = due === undefined ? {} : { due: utcAtom(due) };
  return { kind: 'record', record: madeHere({ ...activity, ...when }), view: settledView };
};

/** Shows or moves the emulator's clock. */
export const moveClock = async ({ by, data }: ClockInput, deps: Deps): Promise<Result> => {
  const { file, emulator, clock } = await opened(data, deps);
  const state = await emulator.clock({ file, clock, ...(by === undefined ? {} : { by }) });
  return { kind: 'record', record: madeHere(state), view: clockView };
};

/** The JSON of a file, `-` for standard input; whether it holds rules is the emulator's to say. */
export const readRules = async (path: string, { source }: Deps): Promise<unknown> => {
  const text = await source(path === '-' ? { kind: 'stdin' } : { kind: 'file', path });
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw usageError(`${path} is not JSON: ${reasonOf(thrown)}`);
  }
};

/** Shows the rules for faults, or puts others in their place. */
export const faults = async ({ from, clear, data }: FaultsInput, deps: Deps): Promise<Result> => {
  const { file, emulator } = await opened(data, deps);
  const rules = clear ? { rules: [] } : from === undefined ? undefined : await readRules(from, deps);
  const kept = await emulator.faults({ file, ...(rules === undefined ? {} : { rules }) });
  const shown = kept.map(({ rule, seen, fired }) => ({ ...rule, seen, fired }));
  if (clear) await deps.notice('All faults were cleared.');
  return { kind: 'list', pages: onePage(shown), view: faultView, ...(clear ? { toldEmpty: true } : {}) };
};

/** Prints the contract. */
export const openapi = async (_input: unknown, deps: Deps): Promise<Result> => ({
  kind: 'text',
  text: await (await deps.emulator()).openapi(),
});
