import { memo } from '../core/async.ts';
import { CHARGE } from '../core/charge.ts';
import { pick } from '../core/json.ts';
import type { Backend, EmergencyLine, Query } from './backend.ts';
import { cleaned, type Entry, type Intent } from './entry.ts';
import { begin, expireStale, judgeIntent, readResolved } from './guard.ts';
import { jobsOver } from './jobs.ts';
import type { Ledger } from './ledger.ts';
import { noteEvidence, observe, observeRefund, record, resolveCharge, settleCharge, settleRefund } from './outcome.ts';
import { Redaction } from './redaction.ts';
import { prunable, pruneEntries, verifyEntries } from './upkeep.ts';

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
  const jobs = memo(() => jobsOver(backend, clean));

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
    get jobs() {
      return jobs();
    },
    get policies() {
      return backend.policies;
    },
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

/** Storage that is only read: a rule decides, and what it would write is dropped. Nothing can be started. */
export const readOnly = (backend: Backend): Backend => ({
  ...backend,
  change: async (purpose, about, decide) => {
    if (purpose === 'intent') throw new Error('nothing is sent with a ledger that is only read');
    return decide(await Promise.all(about.map(backend.read))).result;
  },
});
