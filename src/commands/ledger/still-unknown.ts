import { firstFew } from '../../core/bounds.ts';
import { countText, kindWord } from '../../core/charge.ts';
import { LOCAL_PROFILE } from '../../core/data-files.ts';
import { commandLine, ownerTarget } from '../../core/input.ts';
import { formatLocal, MINUTE_MS } from '../../core/time.ts';
import type { Entry, LedgerTarget } from '../../ledger/entry.ts';
import type { UnknownReason } from '../../ledger/reconcile.ts';

/** An entry that is still unknown, and the reason. */
export interface StillUnknown {
  readonly entry: Entry;
  /** `unseen`: it is not a charge, and the service does not show its outcome. */
  readonly why: UnknownReason | 'sending' | 'elsewhere' | 'unseen';
  /** Reason in words, as the end of a sentence. */
  readonly reason?: string;
  /** Time at which another check can settle it, in milliseconds since the epoch. */
  readonly again?: number;
}

/** The run that leaves entries unknown. */
export interface Leaving {
  /** Formats a `paycli ledger` command for the same place. */
  readonly command: (...words: readonly string[]) => string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly place: LedgerTarget;
}

const idsText = (entries: readonly Entry[]): string =>
  firstFew(
    entries.map(({ id }) => id),
    3,
  );

/** Time at which a check can settle all of them. Rounded up to the minute, since no seconds are shown. */
const lastCheck = (left: readonly StillUnknown[]): number =>
  Math.ceil(Math.max(...left.map(({ again = 0 }) => again)) / MINUTE_MS) * MINUTE_MS;

const byHandCommand = ({ entry: { id } }: StillUnknown, { command }: Leaving): string =>
  `\`${command('resolve', id, '--as', 'created')}\`, or \`--as not-created\``;

const byHand = (one: StillUnknown, run: Leaving): string =>
  `check the payment request in the service's dashboard, then run ${byHandCommand(one, run)}`;

const elsewhere = (one: StillUnknown, run: Leaving): string => {
  const { service, origin, profile } = one.entry;
  if (profile === LOCAL_PROFILE && run.place.profile !== LOCAL_PROFILE)
    return 'practice; run `paycli ledger sync --local`';
  // An emulator is identified by its key and not by an origin. Once its data is created anew, that emulator no longer
  // exists.
  if (!service.includes('://'))
    return `sent to an emulator whose data is not in use here; run ${byHandCommand(one, run)}`;
  const target = ownerTarget(one.entry);
  // The run's own profile has another origin now, or another key.
  return (profile === undefined ? origin === run.place.origin : profile === run.place.profile)
    ? `sent to ${origin}: set PAYCLI_SECRET_KEY to the key of that time, then run \`${commandLine({ ...target, baseUrl: origin }, 'ledger', 'sync')}\``
    : `sent to ${origin}; run \`${commandLine(target, 'ledger', 'sync')}\``;
};

/** Next step for charges that are unknown for the same reason. `first` is the first of them. */
const NEXT: Readonly<
  Record<StillUnknown['why'], (first: StillUnknown, all: readonly StillUnknown[], run: Leaving) => string>
> = {
  not_yet: (_first, all, { command, now }) =>
    `no activity found yet; run \`${command('sync')}\` again at ${formatLocal(lastCheck(all), now)}`,
  several: ({ entry: { id }, reason }, _all, { command }) =>
    `${reason}; see \`${command('show', id)}\`, then run \`${command('resolve', id, '--as', 'created')} --activity act.…\``,
  doubtful: (first, all, run) =>
    first.again === undefined
      ? `${first.reason}; see \`${run.command('show', first.entry.id)}\`, then run ${byHandCommand(first, run)}`
      : `${first.reason}. Run \`${run.command('sync')}\` again at ${formatLocal(lastCheck(all), run.now)}. If it is still unknown, ${byHand(first, run)}`,
  unlisted: (first, _all, run) => `this proves nothing (${first.reason}); ${byHand(first, run)}`,
  unreadable: ({ reason }, _all, { command }) => `${reason}; run \`${command('sync')}\` again`,
  sending: () => 'another process is still sending it; wait until it ends',
  elsewhere: (first, _all, run) => elsewhere(first, run),
  unseen: (first, _all, run) =>
    `look for the ${kindWord(first.entry.kind)} at the service, then run ${byHandCommand(first, run)}`,
};

/** One line for each reason: the ids, and the next step. */
export const unknownLines = (left: readonly StillUnknown[], run: Leaving): string[] => {
  const groups = new Map<string, [StillUnknown, ...StillUnknown[]]>();
  for (const one of left) {
    // Each has activities of its own, which a person has to look at.
    const own = one.why === 'several' || one.why === 'doubtful' ? one.entry.id : '';
    const key =
      one.why === 'elsewhere' ? elsewhere(one, run) : `${one.why} ${one.entry.kind} ${one.again === undefined} ${own}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()].map(
    (group) => `${idsText(group.map(({ entry }) => entry))}: ${NEXT[group[0].why](group[0], group, run)}`,
  );
};

/** One line for the entries that were unknown and were made, and one for those that were not made. */
export const resolvedLines = (entries: readonly Entry[], { command }: Leaving): string[] => {
  const not = entries.filter(({ state }) => state === 'not_created');
  const made = entries.filter((entry) => !not.includes(entry));
  const were = (some: readonly Entry[]): string => `${countText(some)} ${some.length === 1 ? 'was' : 'were'}`;
  const [first] = made;
  return [
    ...(first === undefined
      ? []
      : [`No longer unknown: ${were(made)} made (${idsText(made)}). See \`${command('show', first.id)}\``]),
    ...(not.length === 0 ? [] : [`No longer unknown: ${were(not)} not made (${idsText(not)}).`]),
  ];
};
