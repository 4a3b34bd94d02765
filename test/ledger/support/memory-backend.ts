import { isDeepStrictEqual } from 'node:util';
import { PAYMENTS, type Payment } from '../../../src/charge/payment.ts';
import { CHARGE, type RowCounts, rowStateOf } from '../../../src/core/charge.ts';
import { PayError, reasonOf } from '../../../src/core/error.ts';
import type { Backend, Query } from '../../../src/ledger/backend.ts';
import { type Entry, isInScope, type Sender } from '../../../src/ledger/entry.ts';
import { endIn } from '../../../src/ledger/guard.ts';
import type { Job, KeptUpdate } from '../../../src/ledger/job.ts';
import {
  type Allowance,
  type AllowanceOf,
  type Approval,
  isCounted,
  isPlan,
  type KeptPolicy,
  limitsOf,
  NO_TOTAL,
  OTHER_PROFILES,
  type Policy,
  type Total,
  withRow,
} from '../../../src/ledger/policy.ts';
import { pruned } from '../../../src/ledger/pruned.ts';
import { entryRow } from '../../../src/ledger/rows.ts';
import { isDisputed, moneyKnown, paymentIn } from '../../../src/ledger/transitions.ts';

const isFree = (payment: Payment | undefined): boolean => payment !== undefined && PAYMENTS[payment].frees;

const MAY_STAND: readonly string[] = ['sending', 'unknown', 'accepted'];

/** True if pruning would change the row of an entry. A made charge is final once it is paid or has failed. */
export const isPrunable = (entry: Entry): boolean =>
  !['sending', 'unknown'].includes(entry.state) &&
  PAYMENTS[paymentIn(entry) ?? 'failed'].final &&
  entry.refund?.state !== 'refund_open' &&
  !isDeepStrictEqual(entryRow(pruned(entry, '')), entryRow(entry));

const isIn = (value: number, [first, last]: readonly [number, number]): boolean => value >= first && value <= last;

const isAsked = (charge: Entry, query: Query): boolean => {
  const { id, ids, activities, states, job, rows, about, earlier: standing, before, after, started: begun } = query;
  const { activity, state, seq, asked } = charge;
  const { kind, payments, ref, customer, email, paidTwice, disputed, operator, accountDigest, pspReference } = query;
  const payment = paymentIn(charge) ?? charge.refund?.state;
  return (
    (kind === undefined || charge.kind === kind) &&
    (payments === undefined || (payment !== undefined && payments.includes(payment))) &&
    (query.prunable !== true || isPrunable(charge)) &&
    (email === undefined || asked?.email === email) &&
    (paidTwice !== true || charge.money?.isPaidTwice === true) &&
    (disputed !== true || isDisputed(charge)) &&
    (operator === undefined || charge.operator === operator) &&
    (accountDigest === undefined || charge.money?.accountDigest === accountDigest) &&
    (pspReference === undefined || charge.money?.pspReference === pspReference) &&
    (ref === undefined || asked?.ref === ref) &&
    (customer === undefined || asked?.customer === customer) &&
    (id === undefined || charge.id === id) &&
    (ids === undefined || ids.includes(charge.id)) &&
    (activities === undefined || (activity !== undefined && activities.includes(activity.uid))) &&
    (states === undefined || states.includes(state)) &&
    isInScope(query)(charge) &&
    (job === undefined || charge.job === job) &&
    (rows === undefined || (charge.row !== undefined && isIn(charge.row, rows))) &&
    (about === undefined || charge.about === about) &&
    (standing === undefined || (charge.about === standing && MAY_STAND.includes(state))) &&
    charge.createdAt >= (begun?.since ?? -Infinity) &&
    charge.createdAt < (begun?.until ?? Infinity) &&
    (before === undefined || seq < before) &&
    (after === undefined || seq > after)
  );
};

const ORDERS: Readonly<Record<NonNullable<Query['order']>, (a: Entry, b: Entry) => number>> = {
  oldest: (a, b) => a.seq - b.seq,
  newest: (a, b) => b.seq - a.seq,
  row: (a, b) => (a.row ?? 0) - (b.row ?? 0) || a.seq - b.seq,
  time: (a, b) => a.createdAt - b.createdAt,
};

const countsOf = (states: readonly string[]): RowCounts =>
  Object.fromEntries([...new Set(states)].map((state) => [state, states.filter((one) => one === state).length]));

const newestFirst = (jobs: readonly Job[]): Job[] => [...jobs].reverse();

/** State shared by several processes. */
export const memoryStore = (first: readonly Entry[] = []) => ({
  charges: new Map(first.map((charge) => [charge.id, charge])),
  jobs: new Map<string, Job>(),
  updates: new Map<string, KeptUpdate>(),
  policies: new Map<string, KeptPolicy>(),
  approvals: new Map<string, Approval>(),
  /** The owners of slices, by job and slice. */
  leases: new Map<string, Sender>(),
});
export type MemoryStore = ReturnType<typeof memoryStore>;

/** The backend contract in its simplest form: nothing is persistent and nothing fails. */
export const memoryBackend = (
  world: Pick<Backend, 'moment' | 'self' | 'hasEnded'>,
  { charges, jobs, updates, policies, approvals, leases }: MemoryStore,
): Backend => {
  const find = (query: Query): Entry[] => {
    const found = [...charges.values()].filter((one) => isAsked(one, query)).sort(ORDERS[query.order ?? 'oldest']);
    const { limit = -1 } = query;
    return limit < 0 ? found : found.slice(0, limit);
  };
  const write = (charge: Entry): void => {
    charges.set(charge.id, charge.seq === 0 ? { ...charge, seq: charges.size + 1 } : charge);
  };
  const held = (profile: string): Allowance['kept'][] => {
    const kept = policies.get(profile);
    return kept?.policy === undefined ? [] : [{ ...kept, policy: kept.policy }];
  };
  const counts = (one: Entry, kind = 'charge'): boolean =>
    one.kind === kind && MAY_STAND.includes(one.state) && (kind === 'charge' ? !isFree(paymentIn(one)) : !endIn(one));
  const chargedOf = (job: string): Total =>
    find({ job })
      .filter((one) => counts(one))
      .reduce((total, { asked = {} }) => withRow(total, asked), NO_TOTAL);
  const spentBy = ({ kind, profile, since }: AllowanceOf, policy: Policy): Total => {
    const amounts = new Map(Object.keys(limitsOf(policy, kind).sums ?? {}).map((currency) => [currency, 0n]));
    const counting = [...charges.values()].filter(
      (one) => counts(one, kind) && one.profile === profile && one.createdAt >= since,
    );
    let unknown = 0;
    for (const { asked: { amount, currency } = {} } of counting) {
      if (amount === undefined || currency === undefined) unknown += 1;
      else if (amounts.has(currency)) amounts.set(currency, (amounts.get(currency) ?? 0n) + BigInt(amount));
    }
    return { rows: counting.length, amounts, unknown };
  };
  const allowance = (of: AllowanceOf): Allowance | undefined => {
    const [kept] = [...held(of.profile ?? OTHER_PROFILES), ...held(OTHER_PROFILES)];
    if (kept === undefined) return undefined;
    const { job } = of;
    const file =
      job === undefined || kept.policy.approveAbove === undefined
        ? undefined
        : { charged: chargedOf(job), approval: approvals.get(job) };
    return { kept, spent: isCounted(kept.policy, of.kind) ? spentBy(of, kept.policy) : NO_TOTAL, file };
  };
  const updatesOf = (job: string): KeptUpdate[] =>
    [...updates.values()].filter((one) => one.job === job).sort((a, b) => a.row - b.row);
  const leasesOf = (job: string): [string, Sender][] => [...leases].filter(([key]) => key.startsWith(`${job} `));
  return {
    ...world,
    now: () => world.moment().at,
    key: 'key',
    slack: 0,
    read: async (query) => find(query),
    count: async (query) => find(query).length,
    sum: async ({ time, period, by, unit, ...scope }, begin) => {
      const isPaidTime = time === 'paid_at';
      const timeOf = (one: Entry): number => (isPaidTime ? moneyKnown(one)?.paidAt : one.createdAt) ?? Number.NaN;
      const isTaken = (one: Entry): boolean => isPaidTime && paymentIn(one) === 'reversed';
      const isMeant = (one: Entry): boolean =>
        (time === 'open' && paymentIn(one) === 'open') ||
        isTaken(one) ||
        (time !== 'open' && timeOf(one) >= (period.since ?? -Infinity) && timeOf(one) < (period.until ?? Infinity));
      const meant = find({ kind: CHARGE }).filter(isInScope(scope)).filter(isMeant);
      const columnsOf = (one: Entry) => {
        const { pspReference, accountDigest } = moneyKnown(one) ?? {};
        const columns = { ...one, ugwo: one.about, ref: one.asked?.ref };
        return { ...columns, psp_reference: pspReference, account_digest: accountDigest };
      };
      const keyOf = (one: Entry): string => JSON.stringify([one.about, paymentIn(one)]);
      const last = new Map(meant.map((one) => [keyOf(one), one]));
      const twice = new Map(
        find({ kind: CHARGE })
          .filter((one) => moneyKnown(one)?.isPaidTwice === true)
          .map((one) => [one.about, one]),
      );
      const excessOf = (one: Entry): number | undefined => {
        const { payment, received = 0, refunded = 0, isPaidTwice, excess } = moneyKnown(one) ?? {};
        if (isPaidTwice === true) return twice.get(one.about) === one ? excess : undefined;
        const over = received - refunded - (one.asked?.amount ?? Infinity);
        return payment === 'overpaid' && over > 0 ? over : undefined;
      };
      const partsOf = ({ about }: Entry): number =>
        find({ kind: CHARGE })
          .filter((one) => time === 'open' && one.about === about)
          .filter((one) => ['underpaid', 'partially_refunded'].includes(paymentIn(one) ?? ''))
          .map((one) => ({ received: moneyKnown(one)?.received ?? 0, asked: one.asked?.amount ?? 0 }))
          .reduce((all, { received, asked }) => (received < asked ? all + received : all), 0);
      const taker = begin();
      taker.take(
        meant.map((one) => {
          const { amount, currency } = one.asked ?? {};
          const { payment, received } = moneyKnown(one) ?? {};
          const all = columnsOf(one);
          const isWhole = payment === 'paid' && received === amount && moneyKnown(one)?.isPaidTwice !== true;
          const count =
            payment === undefined || isWhole || isTaken(one) || by.includes('id') || last.get(keyOf(one)) === one
              ? 1
              : 0;
          const excess = excessOf(one);
          return {
            ...Object.fromEntries(by.map((name) => [name, all[name]])),
            ...{ state: one.state, payment, currency, count, charges: 1 },
            at: unit === 0 ? 0 : Math.floor(timeOf(one) / unit) * unit,
            money: isTaken(one) ? one.money : undefined,
            amount: amount === undefined ? undefined : BigInt(count === 0 ? 0 : amount - partsOf(one)),
            withoutAmount: amount === undefined ? count : 0,
            received: received === undefined ? undefined : BigInt(received),
            withoutReceived: received === undefined ? 1 : 0,
            excess: { count: excess === undefined ? 0 : 1, amount: excess === undefined ? undefined : BigInt(excess) },
          };
        }),
      );
      return taker.end();
    },
    inspect: async (begin) => {
      const taker = begin();
      taker.take(find({}));
      return { faults: [], seen: taker.end() };
    },
    change: async (_purpose, about, decide, of) => {
      const { result, write: written = [] } = decide(about.map(find), of && allowance(of));
      for (const charge of written) write(charge);
      return result;
    },
    jobs: {
      open: async (job, now) => {
        const { createdAt } = jobs.get(job.id) ?? { createdAt: now };
        jobs.set(job.id, { ...job, createdAt, runAt: now });
      },
      adjust: async (id, adjustments) => {
        const job = jobs.get(id);
        if (job !== undefined) jobs.set(id, { ...job, adjustments });
      },
      endPlans: async (before) => {
        const old = [...jobs.values()].filter(({ id, createdAt }) => isPlan(id) && createdAt < before);
        for (const one of old) {
          if (find({ job: one.id, order: 'row' }).length + updatesOf(one.id).length > 0)
            jobs.set(one.id, { ...one, name: '' });
          else jobs.delete(one.id);
        }
      },
      get: async (id) => jobs.get(id),
      list: async ({ before, limit, workspace }) => {
        const isMeant = ({ id }: Job): boolean => (find({ job: id })[0]?.workspace ?? workspace) === workspace;
        const all = newestFirst([...jobs.values()]).filter((job) => workspace === undefined || isMeant(job));
        const older = all.slice(all.findIndex(({ id }) => id === before) + 1);
        return limit < 0 ? older : older.slice(0, limit);
      },
      charged: async (job) => chargedOf(job),
      chargeTally: async (job) => {
        const last = new Map(find({ job, order: 'row' }).map((charge) => [charge.row, charge]));
        return countsOf([...last.values()].map((charge) => rowStateOf(charge.state, endIn(charge))));
      },
      updateTally: async (job) => countsOf(updatesOf(job).map(({ state }) => state)),
      sendingUpdates: async (job) => updatesOf(job).filter(({ state }) => state === 'sending'),
      updates: async (job, from, to) => updatesOf(job).filter(({ row }) => isIn(row, [from, to])),
      change: async (_purpose, { job, row }, decide) => {
        const { result, write: written } = decide(updates.get(`${job} ${row}`));
        if (written !== undefined) updates.set(`${job} ${row}`, written);
        return result;
      },
      lease: async (job, slice) => {
        const key = `${job} ${slice}`;
        const owner = leases.get(key) ?? world.self;
        if (owner.pid !== world.self.pid && !world.hasEnded(owner, false, undefined)) return false;
        leases.set(key, world.self);
        return true;
      },
      release: async (job) => {
        for (const [key] of leasesOf(job).filter(([, { pid }]) => pid === world.self.pid)) leases.delete(key);
      },
      workers: async (job) => {
        const pids = leasesOf(job).map(([, { pid }]) => pid);
        return [...new Set(pids)].map((pid) => ({
          worker: String(pid),
          slices: pids.filter((one) => one === pid).length,
        }));
      },
    },
    policies: {
      allowance: async (of) => allowance(of),
      list: async () => [...policies.keys()].sort().flatMap(held),
      set: async (profile, change) => {
        const kept = { profile, ...change(policies.get(profile)?.policy) };
        policies.set(profile, kept);
        return kept;
      },
      approval: async (job) => approvals.get(job),
      waiting: async (since) =>
        [...approvals.values()].filter(({ approvedBy, askedAt }) => approvedBy === undefined && askedAt >= since),
      approve: async (approval) => void approvals.set(approval.job, approval),
    },
    reserve: () => undefined,
    keepInEmergency: (_line, thrown) => new PayError('unrecorded', reasonOf(thrown), { cause: thrown }),
    close: async () => undefined,
  };
};
