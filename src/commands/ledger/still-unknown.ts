import { firstFew } from '../../core/bounds.ts';
import { countText, kindWord } from '../../core/charge.ts';
import { LOCAL_PROFILE } from '../../core/data-files.ts';
import { shellLine } from '../../core/shell.ts';
import { formatLocal, MINUTE_MS } from '../../core/time.ts';
import type { Entry } from '../../ledger/entry.ts';
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
  /** Command that checks again. */
  readonly again: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** True for a run with --local. */
  readonly local: boolean;
}

const idsText = (entries: readonly Entry[]): string =>
  firstFew(
    entries.map(({ id }) => id),
    3,
  );

/** Time at which a check can settle all of them. Rounded up to the minute, since no seconds are shown. */
const lastCheck = (left: readonly StillUnknown[]): number =>
  Math.ceil(Math.max(...left.map(({ again = 0 }) => again)) / MINUTE_MS) * MINUTE_MS;

const resolveCommand = (id: string): string => shellLine(['paycli', 'ledger', 'resolve', id, '--as', 'created']);

const showCommand = (id: string): string => shellLine(['paycli', 'ledger', 'show', id]);

const byHandCommand = ({ entry: { id } }: StillUnknown): string => `\`${resolveCommand(id)}\`, or \`--as not-created\``;

const byHand = (one: StillUnknown): string =>
  `check the payment request in the service's dashboard, then run ${byHandCommand(one)}`;

const elsewhere = (one: StillUnknown, local: boolean): string => {
  const { service, origin, profile } = one.entry;
  if (profile === LOCAL_PROFILE && !local) return 'practice; run `paycli ledger sync --local`';
  // An emulator is identified by its key and not by an origin. Once its data is created anew, that emulator no longer
  // exists.
  if (!service.includes('://')) return `sent to an emulator whose data is not in use here; run ${byHandCommand(one)}`;
  const where = profile === undefined ? ['--base-url', origin] : ['--profile', profile];
  return `sent to ${origin}; run \`${shellLine(['paycli', 'ledger', 'sync', ...where])}\``;
};

/** Next step for charges that are unknown for the same reason. `first` is the first of them. */
const NEXT: Readonly<
  Record<StillUnknown['why'], (first: StillUnknown, all: readonly StillUnknown[], run: Leaving) => string>
> = {
  not_yet: (_first, all, { again, now }) =>
    `no activity found yet; run \`${again}\` again at ${formatLocal(lastCheck(all), now)}`,
  several: ({ entry, reason }) =>
    `${reason}; see \`${showCommand(entry.id)}\`, then run \`${resolveCommand(entry.id)} --activity act.…\``,
  doubtful: (first, all, { again, now }) =>
    first.again === undefined
      ? `${first.reason}; see \`${showCommand(first.entry.id)}\`, then run ${byHandCommand(first)}`
      : `${first.reason}. Run \`${again}\` again at ${formatLocal(lastCheck(all), now)}. If it is still unknown, ${byHand(first)}`,
  unlisted: (first) => `this proves nothing (${first.reason}); ${byHand(first)}`,
  unreadable: ({ reason }, _all, { again }) => `${reason}; run \`${again}\` again`,
  sending: () => 'another process is still sending it; wait until it ends',
  elsewhere: (first, _all, { local }) => elsewhere(first, local),
  unseen: (first) => `look for the ${kindWord(first.entry.kind)} at the service, then run ${byHandCommand(first)}`,
};

/** One line for each reason: the ids, and the next step. */
export const unknownLines = (left: readonly StillUnknown[], run: Leaving): string[] => {
  const groups = new Map<string, [StillUnknown, ...StillUnknown[]]>();
  for (const one of left) {
    // Each has activities of its own, which a person has to look at.
    const own = one.why === 'several' || one.why === 'doubtful' ? one.entry.id : '';
    const key =
      one.why === 'elsewhere'
        ? elsewhere(one, run.local)
        : `${one.why} ${one.entry.kind} ${one.again === undefined} ${own}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()].map(
    (group) => `${idsText(group.map(({ entry }) => entry))}: ${NEXT[group[0].why](group[0], group, run)}`,
  );
};

/** One line for the entries that were unknown and were made, and one for those that were not made. */
export const resolvedLines = (entries: readonly Entry[], show: (id: string) => string): string[] => {
  const not = entries.filter(({ state }) => state === 'not_created');
  const made = entries.filter((entry) => !not.includes(entry));
  const were = (some: readonly Entry[]): string => `${countText(some)} ${some.length === 1 ? 'was' : 'were'}`;
  const [first] = made;
  return [
    ...(first === undefined ? [] : [`No longer unknown: ${were(made)} made (${idsText(made)}). See ${show(first.id)}`]),
    ...(not.length === 0 ? [] : [`No longer unknown: ${were(not)} not made (${idsText(not)}).`]),
  ];
};
