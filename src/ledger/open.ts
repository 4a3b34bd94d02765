import { batching } from '../core/async.ts';
import { CHARGE, isTakenUp, type RowCounts } from '../core/charge.ts';
import { idProblem } from '../core/ids.ts';
import { pick } from '../core/json.ts';
import type { Backend, Decision, EmergencyLine, Query } from './backend.ts';
import { elapsed } from './clock.ts';
import { cleaned, type Entry, type Intent, MAY_BE_MADE, withoutNumbers } from './entry.ts';
import { begin, expireStale, guard, isStale, judgeIntent, readResolved } from './guard.ts';
import type { Jobs, KeptUpdate, Update } from './job.ts';
import type { BeginOptions, BeginResult, Ledger, Refused } from './ledger.ts';
import { noteEvidence, observe, observeRefund, record, resolveCharge, settleCharge, settleRefund } from './outcome.ts';
import { Redaction, wordOf } from './redaction.ts';
import { STALE } from './transitions.ts';
import { prunable, pruneEntries, verifyEntries } from './upkeep.ts';

const withoutEmptyCounts = (counts: RowCounts): RowCounts =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

/** Without the identifier checks, any text may stand in place of an identifier. */
const keptOnye = (onye: string, clean: (text: string) => string): string =>
  idProblem('ony', onye) === undefined ? onye : withoutNumbers(clean(onye));

const mayBegin = ({ state }: Update, { retry, looked }: Parameters<Jobs['beginUpdate']>[1]): boolean =>
  isTakenUp(state, retry) || (looked && state === 'unknown');

/** Jobs and their rows, over a backend. */
const jobsOver = (backend: Backend, clean: (text: string) => string): Jobs => {
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
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
};

/** An emergency line must name its subject without the help of the ledger. */
const lineOf = (
  id: string,
  intent: Intent | undefined,
): Pick<EmergencyLine, 'ledger_id' | 'about' | 'kind' | 'ugwo' | 'medium'> =>
  intent === undefined || intent.kind === CHARGE
    ? { ledger_id: id, ugwo: intent?.about ?? '', medium: intent?.medium ?? '' }
    : { ledger_id: id, kind: intent.kind, about: intent.about };

/** Works on many entries at once, after those of dead processes have become unknown. */
const settledIn = (backend: Backend): Pick<Ledger, 'sum' | 'prunable' | 'prune'> => ({
  sum: async (query, begin) => {
    await expireStale(backend);
    return backend.sum(query, begin);
  },
  prunable: async (before, scope = {}) => {
    await expireStale(backend);
    return prunable(backend, before, scope);
  },
  prune: async (before, scope = {}, stop) => {
    await expireStale(backend);
    const count = await pruneEntries(backend, before, scope, stop);
    return { count, compacted: (await backend.compact?.()) ?? true };
  },
});

/**
 * Applies the ledger's rules to a backend. Everything stored goes through `clean`, which removes the known secrets from
 * a text. This happens here, above every backend.
 */
export const ledgerOver = (backend: Backend, clean: (text: string) => string): Ledger => {
  /** Intents that this process is sending. */
  const open = new Map<string, Intent>();

  const redaction = new Redaction(backend.key, clean);
  const read = (query: Query): Promise<readonly Entry[]> => readResolved(backend, query);

  return {
    moment: backend.moment,
    account: backend.account,
    clean,
    digest: redaction.digest,
    begin: async (intent, how) => {
      const kept = redaction.intent(intent);
      const started = await begin(backend, kept, how);
      // Only to clean the answer. An emergency line has the rest as it is stored.
      if (started.kind === 'begun') open.set(started.id, { ...kept, ...pick(intent, ['phone', 'otherTerms']) });
      return started;
    },
    judge: (intent, how, plan) => judgeIntent(backend, redaction.intent(intent), how, plan),
    record: async (id, given) => {
      const intent = open.get(id);
      open.delete(id);
      const outcome = redaction.outcome(given, intent ?? {});
      return record(backend, id, intent?.about ?? '', outcome).catch((thrown: unknown) => {
        throw backend.keepInEmergency({ ...lineOf(id, intent), recorded_at: backend.moment().at, ...outcome }, thrown);
      });
    },
    resolve: (id, resolution) =>
      resolveCharge(backend, id, { ...resolution, evidence: cleaned(resolution.evidence, clean) }, (charge) =>
        resolution.activity === undefined ? undefined : redaction.activity(resolution.activity, charge),
      ),
    settle: (id, as, evidence) => settleCharge(backend, id, as, cleaned(evidence, clean)),
    note: (id, evidence, may) => noteEvidence(backend, id, cleaned(evidence, clean), may),
    self: backend.self,
    hasEnded: (sender, overdue) => backend.hasEnded(sender, overdue, undefined),
    observe: (shown, wait = false) =>
      observe(backend, { ...shown, asked: cleaned(shown.asked, clean) }, redaction.activity, wait),
    observeRefund: (...shown) => observeRefund(backend, ...shown),
    settleRefund: (id, state, said) => settleRefund(backend, id, state, cleaned(said, clean)),
    jobs: jobsOver(backend, clean),
    policies: backend.policies,
    unknown: () => read({ states: ['unknown'] }),
    get: async (id) => (await read({ id }))[0],
    list: ({ oldestFirst, ...filter }) => read({ ...filter, order: oldestFirst === true ? 'oldest' : 'newest' }),
    ...settledIn(backend),
    rename: async (...names) => (await backend.rename?.(...names)) ?? 0,
    verify: (stop) => verifyEntries(backend, stop),
    owned: async (activities) => {
      const owners = await read({ activities });
      return new Set(owners.flatMap(({ activity }) => activity?.uid ?? []));
    },
    close: backend.close,
  };
};

/** Ledger that this machine used before it was configured to use the current one. */
export interface OtherLedger {
  readonly name: string;
  /** True if its contents can be pushed into the current ledger. */
  readonly pushable: boolean;
  /** Lists its entries about a subject. */
  readonly about: (about: string) => Promise<readonly Entry[]>;
}

/**
 * True if the entry was pushed, or if an entry was started with this machine's file since: a person chose to continue.
 * In a shared ledger a later entry may be anybody's, who knew nothing of this one. Only the monotonic clock shows the
 * order: wall clocks may be set, and two ledgers may have those of two machines.
 */
const isSettled = (theirs: Entry, own: readonly Entry[], isShared: boolean): boolean =>
  own.some(
    ({ id, state, begun }) =>
      id === theirs.id || (!isShared && MAY_BE_MADE.includes(state) && (elapsed(theirs.begun, begun) ?? 0) > 0),
  );

const refusedByOther = async (
  other: OtherLedger,
  intent: Intent,
  how: BeginOptions,
  ledger: Ledger,
): Promise<Refused | undefined> => {
  // Nobody can look up the outcome of another shared ledger's entries here, so only --again overrides them.
  if (how.again && !other.pushable) return undefined;
  const { service } = intent;
  const about = wordOf(intent, ledger.clean)(intent.about);
  const theirs = (await other.about(about)).filter((one) => one.service === service);
  if (theirs.length === 0) return undefined;
  const own = await ledger.list({ about, service, limit: -1 });
  const moment = ledger.moment();
  const left = theirs.filter((one) => !isSettled(one, own, ledger.account !== undefined));
  const obstacle = guard(left, intent, how, moment);
  // Obstacles without an entry come from a read, and block the intent in this ledger, too.
  return obstacle?.by === undefined ? undefined : { kind: 'refused', intent, moment, ...obstacle, ledger: other };
};

/** Takes the lock of all ledgers of this machine. Resolves to what releases it. */
export type LedgersLock = (how: 'shared' | 'alone') => Promise<() => void>;

interface WaitingBegin {
  readonly intent: Intent;
  readonly how: BeginOptions;
  readonly resolve: (started: BeginResult) => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * Ledger that refuses an intent if an entry of another ledger of this machine blocks it. The look at the others and the
 * write are one step among all processes: they hold the lock alone. As long as there is no other ledger, they share the
 * lock, so that processes with the same ledger don't wait for each other.
 */
export const withOthers = (
  ledger: Ledger,
  others: () => Promise<readonly OtherLedger[]>,
  lock: LedgersLock,
): Ledger => {
  const refusedIn = async (
    found: readonly OtherLedger[],
    intent: Intent,
    how: BeginOptions,
  ): Promise<Refused | undefined> => {
    for (const other of found) {
      const refused = await refusedByOther(other, intent, how, ledger);
      if (refused !== undefined) return refused;
    }
    return undefined;
  };
  let isAlone = true;
  const hold = async () => {
    for (;;) {
      const release = await lock(isAlone ? 'shared' : 'alone');
      try {
        const found = await others();
        if (found.length === 0 || !isAlone) return { found, release };
        isAlone = false;
      } catch (thrown) {
        release();
        throw thrown;
      }
      release();
    }
  };
  const startAll = async (waiting: WaitingBegin[]): Promise<void> => {
    const batch = waiting.splice(0);
    try {
      const { found, release } = await hold();
      const started = batch.map(async ({ intent, how, resolve, reject }) => {
        try {
          resolve((await refusedIn(found, intent, how)) ?? (await ledger.begin(intent, how)));
        } catch (thrown) {
          reject(thrown);
        }
      });
      const over = Promise.all(started).then(release);
      // Without others, the next intents need not wait for these.
      if (!isAlone) await over;
    } catch (thrown) {
      for (const { reject } of batch) reject(thrown);
    }
  };
  // The ledger waits itself for more writes. An intent that came a turn later would miss the sync of the outcome that
  // the row before it writes in this turn.
  const start = batching(startAll, { waits: false });
  return {
    ...ledger,
    begin: (intent, how) => new Promise((resolve, reject) => start({ intent, how, resolve, reject })),
    judge: async (intent, how, plan) =>
      (await refusedIn(await others(), intent, how)) ?? ledger.judge(intent, how, plan),
  };
};

/** Storage that is only read: a rule decides, and what it would write is dropped. Nothing can be started. */
export const readOnly = (backend: Backend): Backend => ({
  ...backend,
  change: async (purpose, about, decide) => {
    if (purpose === 'intent') throw new Error('nothing is sent with a ledger that is only read');
    return decide(await Promise.all(about.map(backend.read))).result;
  },
});
