import type { Tower } from '../../bulk/pacing/run.ts';
import type { Worker } from '../../bulk/trade.ts';
import type { Client } from '../../client/client.ts';
import { PayError, reasonOf } from '../../core/error.ts';
import { EXIT_CODES } from '../../core/exit.ts';
import { isTakenUp } from '../../core/row.ts';
import type { ColumnFault, Settled, Worked } from '../../core/row-end.ts';
import { workedWith } from '../../core/row-end.ts';
import type { JobRow, Jobs, Update, UpdateOutcome } from '../../ledger/job.ts';
import type { Deps } from '../deps.ts';
import type { MetaChange } from './meta.ts';
import { customerToMerge, mergedBody, metaOf, readCustomer } from './meta.ts';
import type { FileOfUpdates } from './spec.ts';
import { isApplied, isMerged } from './update-seen.ts';

/** A row as an update. */
export interface UpdateItem {
  readonly uid: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What is changed of the metadata besides, which a read must show first. */
  readonly change?: MetaChange;
}

/** What updating the customers of a job needs. */
export interface UpdateWork {
  readonly job: string;
  readonly file: FileOfUpdates;
  readonly client: Client;
  readonly jobs: Jobs;
  readonly deps: Deps;
  /** An error about a row, whose violations name the column or the flag behind each property. */
  readonly naming: (thrown: unknown) => unknown;
  /** What the ledger could not take (exit 7). */
  readonly unrecorded: PayError[];
}

const kept = ({ state, exitCode, message }: Update): Settled => ({ state, exitCode, fields: {}, error: message });

const isUnknown = ({ state }: Pick<Settled, 'state'>): boolean => state === 'unknown';

/** Another process has taken it up. */
const ELSEWHERE: Worked = { state: 'sending', fields: {} };

const ACCEPTED: UpdateOutcome = { state: 'accepted', exitCode: 0 };

const outcomeOf = ({ state, exitCode, error }: Settled): UpdateOutcome => ({
  state: state === 'rejected' || state === 'not_sent' ? state : 'unknown',
  exitCode: exitCode ?? EXIT_CODES.unknown,
  ...(error === undefined ? {} : { message: error }),
});

/** What the ledger could not take; the next run looks at the customer, so that nothing is lost. */
const unnoted = (thrown: unknown): PayError =>
  new PayError('unrecorded', `couldn't save the result of a row in the ledger: ${reasonOf(thrown)}`, {
    hint: 'fix the ledger, then run the same command again: it checks rows whose result is unknown',
    cause: thrown,
  });

const settled = async (
  of: JobRow,
  worked: Worked,
  outcome: UpdateOutcome,
  { jobs, unrecorded }: UpdateWork,
): Promise<Worked> => {
  try {
    await jobs.settleUpdate(of, outcome);
    return worked;
  } catch (thrown) {
    const stops = unnoted(thrown);
    unrecorded.push(stops);
    return { ...worked, stops };
  }
};

const send = async (
  { uid, body }: Omit<UpdateItem, 'change'>,
  of: JobRow,
  tower: Tower,
  work: UpdateWork,
): Promise<Worked> => {
  try {
    await work.client.call('onye.update', { params: { uid }, body, slowDown: tower.slowDown });
  } catch (thrown) {
    const worked = workedWith(work.naming(thrown), { ...work.file.bulk, begun: true });
    tower.landed(worked.stops);
    return settled(of, worked, outcomeOf(worked), work);
  }
  tower.landed(undefined);
  const noted = await settled(of, { state: 'accepted', fields: {} }, ACCEPTED, work);
  if (noted.stops === undefined) work.deps.io.flight.accepted -= 1;
  return noted;
};

const SEEN: UpdateOutcome = { ...ACCEPTED, message: 'seen in a read' };
const NOTHING: UpdateOutcome = { ...ACCEPTED, message: 'nothing to change' };

/**
 * Whether the customer shows all that an update of unknown end would have changed. A look that failed says nothing, whatever
 * the service answered: the row is as unknown as it was.
 */
const look = async ({ uid, body }: UpdateItem, work: UpdateWork): Promise<'applied' | 'not applied' | Worked> => {
  try {
    return isApplied((await readCustomer(uid, work.client)).exact, body) ? 'applied' : 'not applied';
  } catch (thrown) {
    if (thrown instanceof PayError && thrown.kind === 'interrupted') throw thrown;
    return { ...workedWith(thrown, work.file.bulk), state: 'unknown' };
  }
};

type Begin = (looked: boolean) => Promise<boolean>;

/**
 * The rules of a PATCH: absolute values are sent again only where nothing of them was sent, or where a read shows that they
 * were not applied (charge-protocol, What proves that nothing was sent).
 */
const setRow = async (item: UpdateItem, of: JobRow, begin: Begin, tower: Tower, work: UpdateWork): Promise<Worked> => {
  if (await begin(false)) return send(item, of, tower, work);
  const [before] = await work.jobs.updates(of.job, of.row, of.row);
  if (before === undefined || !isUnknown(before)) return before === undefined ? ELSEWHERE : kept(before);
  const seen = await look(item, work);
  if (seen !== 'applied' && seen !== 'not applied') return seen;
  if (seen === 'applied') return settled(of, { state: 'accepted', fields: {} }, SEEN, work);
  return (await begin(true)) ? send(item, of, tower, work) : ELSEWHERE;
};

type MergeItem = UpdateItem & { readonly change: MetaChange };

/** What a customer shows, and what is to be sent of it. */
interface Read {
  readonly customer: unknown;
  readonly body: UpdateItem['body'];
}

/** What a read failed with; nothing is sent then, and the row is as it was. */
const unread = (thrown: unknown, wasUnknown: boolean, { file }: UpdateWork): Worked => {
  if (!(thrown instanceof PayError) || thrown.kind === 'interrupted') throw thrown;
  const worked = workedWith(thrown, file.bulk);
  if (wasUnknown) return { ...worked, state: 'unknown' };
  return thrown.kind === 'rejected' ? worked : { ...worked, state: 'not_sent', slowDown: 0 };
};

const readToMerge = async (
  { uid, body, change }: MergeItem,
  wasUnknown: boolean,
  work: UpdateWork,
): Promise<Read | Worked> => {
  try {
    const { exact } = await customerToMerge(uid, work.client);
    return { customer: exact, body: mergedBody(body, exact, change) };
  } catch (thrown) {
    return unread(thrown, wasUnknown, work);
  }
};

/**
 * Reads before the row is begun, so that a failed read leaves no trace. The same read tells of an update of unknown end
 * whether it was applied.
 */
const mergeRow = async (item: MergeItem, of: JobRow, begin: Begin, tower: Tower, work: UpdateWork): Promise<Worked> => {
  const [before] = await work.jobs.updates(of.job, of.row, of.row);
  const wasUnknown = before !== undefined && isUnknown(before);
  const read = await readToMerge(item, wasUnknown, work);
  if (!('customer' in read)) return read;
  const { customer, body } = read;
  const isThere = isMerged(metaOf(customer) ?? {}, item.change) && isApplied(customer, item.body);
  if (wasUnknown && isThere) return settled(of, { state: 'accepted', fields: {} }, SEEN, work);
  if (!(await begin(wasUnknown))) return ELSEWHERE;
  if (Object.keys(body).length > 0) return send({ uid: item.uid, body }, of, tower, work);
  return settled(of, { state: 'accepted', fields: {} }, NOTHING, work);
};

const updateRow = async (item: UpdateItem, row: number, tower: Tower, work: UpdateWork): Promise<Worked> => {
  const { client, jobs, job, file, deps } = work;
  const of = { job, row };
  const begin: Begin = (looked) => {
    const deadline = deps.io.clock.now() + client.longestWrite;
    return jobs.beginUpdate({ ...of, onye: item.uid, deadline }, { retry: file.bulk.retryFailed, looked });
  };
  const { change } = item;
  return change === undefined
    ? setRow(item, of, begin, tower, work)
    : mergeRow({ ...item, change }, of, begin, tower, work);
};

const workOn = async (...[item, row, tower, work]: Parameters<typeof updateRow>): Promise<Worked> => {
  try {
    return await updateRow(item, row, tower, work);
  } catch (thrown) {
    return workedWith(work.naming(thrown), work.file.bulk);
  }
};

/** What keeps a customer from being updated, looked for before anything is sent (--check). */
export const checkOnye =
  (client: Client) =>
  async ({ uid }: UpdateItem): Promise<readonly ColumnFault[]> => {
    try {
      await client.call('onye.get', { params: { uid } });
      return [];
    } catch (thrown) {
      if (!(thrown instanceof PayError) || thrown.kind !== 'rejected') throw thrown;
      return [{ column: 'uid', what: thrown.message }];
    }
  };

/** Updates the customers of a job, each row once; one whose end is unknown is looked at before it is sent again. */
export const updateWorker = (work: UpdateWork): Worker<UpdateItem> => ({
  earlier: async (first, last) =>
    new Map((await work.jobs.updates(work.job, first, last)).map((update) => [update.row, kept(update)])),
  takesUp: (end) => isUnknown(end) || isTakenUp(end, work.file.bulk.retryFailed),
  work: (item, row, tower) => workOn(item, row, tower, work),
});
