import type { Client } from '../../client/client.ts';
import { countText, kindWord } from '../../core/charge.ts';
import { LOCAL_PROFILE } from '../../core/data-files.ts';
import { interrupted, PayError } from '../../core/error.ts';
import { targetFlags } from '../../core/input.ts';
import type { Result } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import { formatLocal } from '../../core/time.ts';
import { type Charge, type Entry, isCharge, isIn, type LedgerTarget } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RequestRead } from '../../ledger/match.ts';
import { reconcile, type Why } from '../../ledger/reconcile.ts';
import { snapshotOf } from '../../ledger/snapshot.ts';
import type { Deps } from '../deps.ts';
import { pageOf } from '../list.ts';
import { find, recorderOf } from './entries.ts';
import { listView } from './view.ts';

/** An entry that is still unknown, and the reason. */
export interface StillUnknown {
  readonly charge: Entry;
  /** `unseen`: it is not a charge, and the service does not show its outcome. */
  readonly why: Why | 'sending' | 'elsewhere' | 'unseen';
  /** Reason in words, as the end of a sentence. */
  readonly reason?: string;
  /** Time at which another check can settle it, in milliseconds since the epoch. */
  readonly again?: number;
}

/** The run that left entries unknown. */
export interface Leaving {
  /** The checked entries. */
  readonly looked: readonly Entry[];
  /** Command that checks again. */
  readonly again: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** True for a run with --local. */
  readonly local: boolean;
}

/** Maximum number of ids on a line; nobody reads more. */
const MOST_NAMED = 3;

const namesOf = (left: readonly StillUnknown[]): string => {
  const names = left.slice(0, MOST_NAMED).map(({ charge }) => charge.id);
  return left.length > names.length ? `${names.join(', ')} and ${left.length - names.length} more` : names.join(', ');
};

const MINUTE_MS = 60_000;

/** Time at which a check can settle all of them. Rounded up to the minute, since no seconds are shown. */
const lastOf = (left: readonly StillUnknown[]): number =>
  Math.ceil(Math.max(...left.map(({ again = 0 }) => again)) / MINUTE_MS) * MINUTE_MS;

const byHandCommand = ({ charge: { id } }: StillUnknown): string =>
  `\`paycli ledger resolve ${id} --as created\`, or \`--as not-created\``;

const byHand = (one: StillUnknown): string =>
  `check the payment request in the service's dashboard, then run ${byHandCommand(one)}`;

const elsewhere = (one: StillUnknown, local: boolean): string => {
  const { service, origin, profile } = one.charge;
  if (profile === LOCAL_PROFILE && !local) return 'is practice: run `paycli ledger reconcile --local`';
  // An emulator is identified by its key and not by an origin. Once its data is created anew, that emulator no longer
  // exists.
  if (!service.includes('://'))
    return `belongs to an emulator whose data is not in use here; run ${byHandCommand(one)}`;
  const where = profile === undefined ? ['--base-url', origin] : ['--profile', profile];
  return `belongs to ${origin}: run \`${shellLine(['paycli', 'ledger', 'reconcile', ...where])}\``;
};

/** Next step for charges that are unknown for the same reason. `first` is the first of them. */
const NEXT: Readonly<
  Record<StillUnknown['why'], (first: StillUnknown, all: readonly StillUnknown[], run: Leaving) => string>
> = {
  not_yet: (_first, all, { again, now }) =>
    `no activity found yet; run \`${again}\` again at ${formatLocal(lastOf(all), now)}`,
  several: ({ charge, reason }) =>
    `${reason}; see \`paycli ledger show ${charge.id}\`, then run \`paycli ledger resolve ${charge.id} --as created --activity act.…\``,
  doubtful: (first, all, { again, now }) =>
    first.again === undefined
      ? `${first.reason}; see \`paycli ledger show ${first.charge.id}\`, then run ${byHandCommand(first)}`
      : `${first.reason}; run \`${again}\` again at ${formatLocal(lastOf(all), now)}; if that says the same, ${byHand(first)}`,
  unlisted: (first) => `this proves nothing (${first.reason}); ${byHand(first)}`,
  unreadable: ({ reason }, _all, { again }) => `${reason}; run \`${again}\` again`,
  sending: () => 'another process is still sending it; wait until it ends',
  elsewhere: (first, _all, { local }) => elsewhere(first, local),
  unseen: (first) => `look for the ${kindWord(first.charge.kind)} at the service, then run ${byHandCommand(first)}`,
};

const groupsOf = (left: readonly StillUnknown[], local: boolean): StillUnknown[][] => {
  const groups = new Map<string, StillUnknown[]>();
  for (const one of left) {
    const key =
      one.why === 'elsewhere' ? elsewhere(one, local) : `${one.why} ${one.charge.kind} ${one.again === undefined}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
};

/** Error of a reconciliation that left entries unknown: exit 6, with the next step for each reason. */
export const leftError = (left: readonly StillUnknown[], run: Leaving): PayError => {
  const message =
    run.looked.length === 1
      ? `${left[0]?.charge.id} is still ${left[0]?.why === 'sending' ? 'being sent' : 'unknown'}`
      : `${left.length} of ${countText(run.looked)} ${left.length === 1 ? 'is' : 'are'} still unknown`;
  const lines = groupsOf(left, run.local).flatMap((group) =>
    group[0] === undefined ? [] : [`${namesOf(group)}: ${NEXT[group[0].why](group[0], group, run)}`],
  );
  const only = left.length === 1 ? left[0] : undefined;
  return new PayError('unknown', message, {
    hint: lines.join('\n'),
    ...(only === undefined ? {} : { ledgerId: only.charge.id }),
  });
};

interface Input {
  readonly ids: readonly string[];
  readonly allProfiles: boolean;
}

/** Kind of the skipped unknown charges (practice, real, or of other profiles), and the option that includes them. */
const othersOf = (others: readonly Entry[], local: boolean): readonly [kind: string, option: string] => {
  if (others.every(({ profile }) => profile === LOCAL_PROFILE)) return ['practice', 'with --local'];
  return local ? ['real', 'without --local'] : ['other', 'with --all-profiles'];
};

/** Notice about skipped unknown charges; undefined if there are none to mention. */
const othersText = (here: number, others: readonly Entry[], local: boolean): string | undefined => {
  const { length } = others;
  if (length === 0) return here > 0 ? undefined : 'No charge is unknown.';
  const [kind, option] = othersOf(others, local);
  return here > 0
    ? `${length} more ${length === 1 ? 'is' : 'are'} unknown: run again ${option}.`
    : `No charge is unknown, except ${length} ${kind} ${length === 1 ? 'charge' : 'charges'}: run again ${option}.`;
};

/**
 * Entries to check: the named ones, each once, or all unknown ones in scope. Does not read the profile if nothing is
 * unknown.
 */
const chosen = async (ledger: Ledger, { ids, allProfiles }: Input, deps: Deps): Promise<readonly Entry[]> => {
  if (ids.length > 0) return Promise.all([...new Set(ids)].map((id) => find(ledger, id)));
  const all = await ledger.unknown();
  const scope = allProfiles || all.length === 0 ? {} : await deps.scope();
  const isMeant = isIn(scope);
  const charges = all.filter(isMeant);
  const others = all.filter((entry) => !isMeant(entry));
  const text = othersText(charges.length, others, deps.globals.local);
  if (text !== undefined) await deps.notice(text);
  return charges;
};

/** Converts a failed read, which says nothing about the charge, so that the other charges are still checked. */
const asUnavailable = (thrown: unknown): RequestRead => {
  if (!(thrown instanceof PayError) || !['read_failed', 'rejected'].includes(thrown.kind)) throw thrown;
  const { status } = thrown.detail;
  return { unavailable: thrown.message, ...(status === undefined ? {} : { status }) };
};

const lookWith =
  (client: Client) =>
  async ({ about }: Charge): Promise<RequestRead> => {
    try {
      const record = await client.call('ugwo.get', { params: { uid: about } });
      return snapshotOf(record.value, record);
    } catch (thrown) {
      return asUnavailable(thrown);
    }
  };

/** An entry after its check. */
interface Reconciled {
  readonly charge: Entry;
  readonly left?: StillUnknown;
}

/** Checks one entry per call. Opens the profile and the client only for the first unknown entry. */
const looker = (ledger: Ledger, deps: Deps) => {
  let [place, client] = [undefined as LedgerTarget | undefined, undefined as Client | undefined];
  return async (charge: Entry): Promise<Reconciled> => {
    if (charge.state === 'sending') return { charge, left: { charge, why: 'sending' } };
    if (charge.state !== 'unknown') return { charge };
    place ??= await deps.place();
    const { service, workspace } = place;
    if (!isIn({ service, workspace })(charge)) return { charge, left: { charge, why: 'elsewhere' } };
    if (!isCharge(charge)) return { charge, left: { charge, why: 'unseen' } };
    client ??= await deps.client('read');
    const { charge: now, left } = await reconcile(ledger, charge, lookWith(client));
    return left === undefined ? { charge: now } : { charge: now, left: { charge: now, ...left } };
  };
};

/**
 * Checks all charges in turn. After an error, resolves to those already checked, which are in the ledger, and the
 * error.
 */
const lookAtAll = async (
  charges: readonly Entry[],
  look: (charge: Entry) => Promise<Reconciled>,
  stop: AbortSignal,
): Promise<{ readonly looked: readonly Reconciled[]; readonly broken?: PayError }> => {
  const looked: Reconciled[] = [];
  try {
    for (const charge of charges) looked.push(await look(charge));
    return { looked };
  } catch (thrown) {
    if (!(thrown instanceof PayError) || looked.length === 0) throw thrown;
    const isStopped = thrown.kind === 'interrupted';
    return { looked, broken: isStopped ? interrupted(stop.reason, 'what is shown here is in the ledger') : thrown };
  }
};

/** Settles unknown entries, as far as the service shows their outcome. */
export const run = async (input: Input, deps: Deps): Promise<Result> => {
  const ledger = await deps.ledger();
  const charges = await chosen(ledger, input, deps);
  if (charges.length > 1) await deps.notice(`Checking ${charges.length} payment requests.`);
  const look = looker(ledger, deps);
  // Checks all before the first is printed, since the exit code covers all.
  const { looked, broken } = await lookAtAll(charges, look, deps.io.signals.stop);
  const record = await recorderOf(deps);
  const left = looked.flatMap((one) => one.left ?? []);
  const again = shellLine(['paycli', 'ledger', 'reconcile', ...targetFlags(deps.globals)]);
  const unknown =
    left.length === 0
      ? undefined
      : leftError(left, { looked: charges, again, now: deps.io.clock.now(), local: deps.globals.local });
  const failure = broken ?? unknown;
  return {
    kind: 'list',
    pages: pageOf(looked.map(({ charge }) => record(charge))),
    view: listView,
    toldEmpty: true,
    ...(failure === undefined ? {} : { failure }),
  };
};
