import { sum } from '../charge/payment.ts';
import { isTakenUp, type RowCounts } from '../core/charge.ts';
import { idProblem } from '../core/ids.ts';
import type { Backend, Decision } from './backend.ts';
import { cleaned, withoutNumbers } from './entry.ts';
import { expireStale, isStale, readResolved } from './guard.ts';
import type { Jobs, KeptUpdate, Update } from './job.ts';
import type { Ledger } from './ledger.ts';
import { STALE } from './transitions.ts';

const withoutEmptyCounts = (counts: RowCounts): RowCounts =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

/** Without the identifier checks, any text may stand in place of an identifier. */
const keptOnye = (onye: string, clean: (text: string) => string): string =>
  idProblem('ony', onye) === undefined ? onye : withoutNumbers(clean(onye));

const mayBegin = ({ state }: Update, { retry, looked }: Parameters<Jobs['beginUpdate']>[1]): boolean =>
  isTakenUp(state, retry) || (looked && state === 'unknown');

/** Jobs and their rows, over a backend. */
export const jobsOver = (backend: Backend, clean: (text: string) => string): Jobs => {
  const { jobs, self, moment } = backend;

  /** An update whose process has died counts as unknown. That is written when it is next started or settled. */
  const asItStands = (update: KeptUpdate): KeptUpdate =>
    isStale(update, backend) ? { ...update, state: 'unknown', message: STALE } : update;

  const updateTally = async (job: string): Promise<RowCounts> => {
    const { sending = 0, unknown = 0, ...others } = await jobs.updateTally(job);
    if (sending === 0) return { ...others, unknown };
    const dead = (await jobs.sendingUpdates(job)).filter((one) => asItStands(one).state === 'unknown').length;
    return { ...others, sending: sending - dead, unknown: unknown + dead };
  };

  return {
    ...jobs,
    open: async (job, atOnce) => {
      backend.reserve(atOnce);
      await jobs.open({ ...job, name: clean(job.name) }, moment().at);
    },
    tally: async ({ id, kind }) => {
      if (kind === 'update') return withoutEmptyCounts(await updateTally(id));
      await expireStale(backend);
      return withoutEmptyCounts(await jobs.chargeTally(id));
    },
    entries: (job, first, last) => readResolved(backend, { job, rows: [first, last], order: 'row' }),
    updates: async (job, first, last) => (await jobs.updates(job, first, last)).map(asItStands),
    beginUpdate: ({ job, row, onye, bound }, how) =>
      jobs.change('intent', { job, row }, (found): Decision<KeptUpdate, boolean> => {
        if (found !== undefined && !mayBegin(asItStands(found), how)) return { result: false };
        const started = {
          job,
          row,
          onye: keptOnye(onye, clean),
          deadline: moment().at + bound + backend.slack,
          sender: self,
        };
        return { write: { ...started, state: 'sending', exitCode: undefined, message: undefined }, result: true };
      }),
    settleUpdate: ({ job, row }, outcome) => {
      // The service's message may repeat the sent data.
      const { state, exitCode, message } = cleaned(outcome, (text) => withoutNumbers(clean(text)));
      return jobs.change('outcome', { job, row }, (found) => ({
        ...(found === undefined ? {} : { write: { ...found, state, exitCode, message } }),
        result: undefined,
      }));
    },
  };
};

/** Number of rows of a job that were ever started; 0 for an unknown job. */
export const countStartedRows = async ({ jobs }: Ledger, id: string): Promise<number> => {
  const job = await jobs.get(id);
  const counts = job === undefined ? {} : await jobs.tally(job);
  return sum(Object.values(counts));
};
