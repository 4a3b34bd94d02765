import type { ChargeState } from '../../core/charge.ts';
import type { Charge } from '../../ledger/entry.ts';
import type { Ledger, ListFilter } from '../../ledger/ledger.ts';
import type { Payment, Sum } from '../../ledger/report.ts';
import type { LedgerRoom } from '../../ledger/room.ts';

const UNDECIDED = ['sending', 'unknown'] as const satisfies readonly ChargeState[];
const UNMADE = [...UNDECIDED, 'rejected', 'not_sent', 'not_created'] as const satisfies readonly ChargeState[];

/** How a charge stands: what has become of its money, or its state where it was not accepted. */
export type Now = Payment | (typeof UNMADE)[number];

/** A charge that is watched, and since when it stands so. */
export interface Watched {
  readonly charge: Charge;
  readonly now: Now;
  readonly at: number;
}

export interface ChargeChange extends Watched {
  /** Undefined where it is told for the first time. */
  readonly before: Now | undefined;
}

/** Which charges are watched. */
export interface WatchFilter {
  /** Those that belong to it, and all that are added to the ledger later. */
  readonly filters: readonly Omit<ListFilter, 'limit'>[];
  /** Of those that are there already only the ones that are not settled. */
  readonly unsettledOnly: boolean;
}

const UNSETTLED: readonly Now[] = ['open', ...UNDECIDED];
/** What may still become something else. Banks may be late: what has expired can be paid. */
const LIVE: readonly Now[] = [...UNSETTLED, 'expired'];

/** Where many share a ledger, an earlier place in it may be seen later. */
const OVERLAP = 200;
/** So many that have come to their end are remembered: those that did so last. */
const MOST_ENDED = 200;

/** Reads in the ledger again and again how charges stand by now. */
export const openTail = (
  ledger: Ledger,
  protocol: LedgerRoom,
  { filters, unsettledOnly }: WatchFilter,
  now: () => number,
) => {
  const live = new Map<string, Watched>();
  const ended: Watched[] = [];
  const sums = protocol.openSums<Now>([...protocol.PAYMENTS, ...UNMADE]);
  /** The last place that was read; undefined before the first time. */
  let last: number | undefined;

  const keep = (one: Watched, before: Watched | undefined): void => {
    if (before === undefined) sums.add(one.charge, one.now);
    else sums.move(one.charge, before.now, one.now, before.charge);
    if (LIVE.includes(one.now)) live.set(one.charge.id, one);
    else {
      live.delete(one.charge.id);
      ended.unshift(one);
      ended.splice(MOST_ENDED);
    }
  };

  const take = (read: Charge, before: Watched | undefined): ChargeChange[] => {
    const stands = protocol.paymentOf(read, ledger.moment()) ?? (read.state as Now);
    const isSame = before?.now === stands && before.charge.activity?.status === read.activity?.status;
    // There may be many of them for hours, and what was seen of each is not told here.
    const one = { charge: { ...read, evidence: [] }, now: stands, at: isSame ? before.at : now() };
    keep(one, before);
    return isSame ? [] : [{ ...one, before: before?.now }];
  };

  /** What has become of those that are live. */
  const reread = async (): Promise<ChargeChange[]> => {
    const all = [...live.values()].map(({ charge }) => charge);
    const activities = all.flatMap(({ activity }) => activity?.uid ?? []);
    const accepted = await ledger.list({ activities, oldestFirst: true, limit: -1 });
    const others = all.filter(({ activity }) => activity === undefined).map(({ id }) => ledger.get(id));
    const found = [...accepted, ...(await Promise.all(others))];
    return found.flatMap((one) => {
      const before = one && live.get(one.id);
      return before !== undefined && protocol.isCharge(one as Charge) ? take(one as Charge, before) : [];
    });
  };

  /** Whether one that is not live is told of: at the start, or because it is new. */
  const isNew = ({ seq }: Charge, stands: Now): boolean =>
    (last === undefined ? !unsettledOnly : seq > last) || UNSETTLED.includes(stands);

  /** The first time all there are, later what was added. */
  const added = async (): Promise<ChargeChange[]> => {
    const changes: ChargeChange[] = [];
    // Of all that there ever were, those alone are read that can be unsettled.
    const parts = last === undefined && unsettledOnly ? [{ unfinished: true }, { states: UNDECIDED }] : [{}];
    const after = Math.max(0, (last ?? 0) - OVERLAP);
    let highest = (await ledger.list({ limit: 1 }))[0]?.seq ?? 0;
    for (const filter of filters.flatMap((one) => parts.map((part) => ({ ...one, ...part, after })))) {
      for await (const charge of protocol.chargesOf(ledger, filter)) {
        const stands = protocol.paymentOf(charge, ledger.moment()) ?? (charge.state as Now);
        if (!live.has(charge.id) && isNew(charge, stands)) changes.push(...take(charge, undefined));
        highest = Math.max(highest, charge.seq);
      }
    }
    last = highest;
    return changes.sort((a, b) => a.charge.seq - b.charge.seq);
  };

  return {
    /** What has changed since the last time. */
    changes: async (): Promise<ChargeChange[]> => [...(await reread()), ...(await added())],
    live: (): readonly Watched[] => [...live.values()],
    /** The latest first. */
    ended: (): readonly Watched[] => ended,
    sums: (): readonly Sum<Now>[] => sums.all(),
  };
};
export type Tail = ReturnType<typeof openTail>;
