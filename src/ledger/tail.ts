import { PAYMENT_NAMES, type Payment, paymentsThat } from '../charge/payment.ts';
import type { ChargeState } from '../core/charge.ts';
import { DAY_MS } from '../core/time.ts';
import { type Charge, isCharge } from './entry.ts';
import type { Ledger, ListFilter } from './ledger.ts';
import { walkCharges } from './reconcile.ts';
import { openSums, type Sum } from './report.ts';
import { paymentIn } from './transitions.ts';

const UNDECIDED = ['sending', 'unknown'] as const satisfies readonly ChargeState[];
const UNMADE = [...UNDECIDED, 'rejected', 'not_sent', 'not_created'] as const satisfies readonly ChargeState[];

/** State of a charge: its payment, or its ledger state if it was not accepted. */
export type Now = Payment | (typeof UNMADE)[number];

export const stateNow = (charge: Charge): Now => paymentIn(charge) ?? (charge.state as Now);

/** A watched charge, its state, and the time of its last change in milliseconds. */
export interface Watched {
  readonly charge: Charge;
  readonly now: Now;
  readonly at: number;
}

export interface ChargeChange extends Watched {
  /** Undefined if the charge is reported for the first time. */
  readonly before: Now | undefined;
}

/** Selects the charges to watch. */
export interface WatchFilter {
  /** Matches existing charges and those added to the ledger later. */
  readonly filters: readonly Omit<ListFilter, 'limit'>[];
  /** Skip existing charges that are already settled. */
  readonly unsettledOnly: boolean;
}

const UNSETTLED: readonly Now[] = ['open', ...UNDECIDED];
/** States that can still change. Banks may be late, and a charge may have been made after all. */
const LIVE: readonly Now[] = [...UNSETTLED, 'expired', 'not_created'];

/** States in which a charge is over and has brought nothing. */
const FREED: readonly Now[] = [...paymentsThat('frees'), 'rejected', 'not_sent', 'not_created'];

/** Reads this many entries again, since in a shared ledger an entry with a lower number may appear later. */
const OVERLAP = 200;
/** Maximum number of ended charges in memory while every new charge is watched. The most recent ones stay. */
const MOST_ENDED = 200;

/** Reads the state of watched charges from the ledger, again at each call. */
export const openTail = (ledger: Ledger, { filters, unsettledOnly }: WatchFilter, now: () => number) => {
  const live = new Map<string, Watched>();
  /** The most recent last. */
  const ended = new Map<string, Watched>();
  const sums = openSums<Now>([...PAYMENT_NAMES, ...UNMADE]);
  /** Charges that have brought nothing. One counts only while no later charge of its payment request is watched. */
  const freed = new Map<string, Watched>();
  /** The last sequence number of each payment request. */
  const newest = new Map<string, number>();
  /** Parts of the ledger to read next. The first read skips settled charges, since the ledger may hold very many. */
  let parts: WatchFilter['filters'] = unsettledOnly ? [{ payments: ['open'] }, { states: UNDECIDED }] : [{}];
  /** Highest sequence number read, and a time after which new entries begin. A restored ledger gives numbers again. */
  let [last, since] = [0, 0];

  const keep = (one: Watched, before?: Watched): void => {
    if (before !== undefined) sums.add(before.charge, before.now, -1);
    sums.add(one.charge, one.now);
    const { id, about, seq } = one.charge;
    newest.set(about, Math.max(newest.get(about) ?? 0, seq));
    const isLive = LIVE.includes(one.now);
    (isLive ? ended : live).delete(id);
    (isLive ? live : ended).set(id, one);
    freed.delete(id);
    if (FREED.includes(one.now)) freed.set(id, one);
  };

  const take = (read: Charge): ChargeChange[] => {
    const before = live.get(read.id) ?? ended.get(read.id) ?? freed.get(read.id);
    const stands = stateNow(read);
    const [was, is] = [before?.charge.activity, read.activity];
    const isSame = before?.now === stands && was?.uid === is?.uid && was?.status === is?.status;
    // Drops the evidence to save memory: there may be many charges for hours, and it is not shown here.
    const one = { charge: { ...read, evidence: [] }, now: stands, at: isSame ? before.at : now() };
    keep(one, before);
    return isSame ? [] : [{ ...one, before: before?.now }];
  };

  /** Rereads the charges in memory and returns those that changed. Money may go back, or a missing part may come. */
  const reread = async (): Promise<ChargeChange[]> => {
    const found = await ledger.list({ ids: [...live.keys(), ...ended.keys()], oldestFirst: true, limit: -1 });
    return found.filter(isCharge).flatMap(take);
  };

  /** Returns all matching charges at the first read, and later added ones and those that are unsettled again. */
  const added = async (): Promise<ChargeChange[]> => {
    const changes: ChargeChange[] = [];
    const [end] = await ledger.list({ limit: 1 });
    for (const filter of filters.flatMap((one) => parts.map((part) => ({ ...one, ...part })))) {
      for await (const charge of walkCharges(ledger, filter)) {
        const isNews = charge.seq > last || UNSETTLED.includes(stateNow(charge));
        if (isNews && !live.has(charge.id)) changes.push(...take(charge));
      }
    }
    [last, since] = [end?.seq ?? 0, (end?.createdAt ?? 0) + 1];
    parts = [{ after: last - OVERLAP }];
    return changes.sort((a, b) => a.charge.seq - b.charge.seq);
  };

  return {
    /** State for `resume`, as JSON, without old charges that have ended. */
    state: (): string => {
      const isKept = (one: Watched): boolean =>
        UNSETTLED.includes(one.now) || one.charge.createdAt > now() - 8 * DAY_MS;
      return JSON.stringify([last, since, [...live.values()].filter(isKept).map((one) => [one.charge.id, one.now])]);
    },
    /** Goes on where another tail has saved its state. Call it first. */
    resume: async (state: string): Promise<void> => {
      const [after, began, kept] = JSON.parse(state) as [number, number, [string, Now][]];
      parts = [...parts, { after }, { started: { since: began } }];
      for (const [id, then] of kept) {
        const charge = await ledger.get(id);
        if (charge !== undefined && isCharge(charge)) keep({ charge, now: then, at: now() });
      }
    },
    /** Returns the changes since the last call. */
    changes: async (): Promise<ChargeChange[]> => {
      const changes = [...(await reread()), ...(await added())];
      for (const id of unsettledOnly ? [...ended.keys()].slice(0, -MOST_ENDED) : []) ended.delete(id);
      return changes;
    },
    live: (): readonly Watched[] => [...live.values()],
    /** The charges whose payment is open. */
    open: (): readonly Charge[] => [...live.values()].flatMap(({ charge, now }) => (now === 'open' ? [charge] : [])),
    /** Most recent first. */
    ended: (): readonly Watched[] => [...ended.values()].reverse(),
    sums: (): readonly Sum<Now>[] => {
      const replaced = [...freed.values()].filter(({ charge: { about, seq } }) => seq < (newest.get(about) ?? 0));
      for (const { charge, now } of replaced) sums.add(charge, now, -1);
      const all = sums.all();
      for (const { charge, now } of replaced) sums.add(charge, now);
      return all;
    },
  };
};
export type Tail = ReturnType<typeof openTail>;
