import { countText, kindWord } from '../../core/effect.ts';
import { PayError } from '../../core/error.ts';
import { LOCAL_PROFILE } from '../../core/local.ts';
import { shellLine } from '../../core/shell.ts';
import { formatLocal } from '../../core/time.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Why } from '../../ledger/reconcile.ts';

/** What is still unknown, and why. */
export interface StillUnknown {
  readonly charge: Entry;
  /** `unseen`: it is no charge, and the service does not show what became of it. */
  readonly why: Why | 'sending' | 'elsewhere' | 'unseen';
  /** The end of a sentence about it. */
  readonly reason?: string;
  /** When another look can settle it, in milliseconds. */
  readonly again?: number;
}

/** The run that leaves something unknown. */
export interface Leaving {
  /** What it has looked at. */
  readonly looked: readonly Entry[];
  /** The command that looks again. */
  readonly again: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** It looks at practice. */
  readonly local: boolean;
}

/** More names than these on a line are not read. */
const MOST_NAMED = 3;

const namesOf = (left: readonly StillUnknown[]): string => {
  const names = left.slice(0, MOST_NAMED).map(({ charge }) => charge.id);
  return left.length > names.length ? `${names.join(', ')} and ${left.length - names.length} more` : names.join(', ');
};

const MINUTE_MS = 60_000;

/** When a look can settle all of them, up to the next minute since no seconds are shown. */
const lastOf = (left: readonly StillUnknown[]): number =>
  Math.ceil(Math.max(...left.map(({ again = 0 }) => again)) / MINUTE_MS) * MINUTE_MS;

const byHandCommand = ({ charge: { id } }: StillUnknown): string =>
  `\`paycli ledger resolve ${id} --as created\`, or \`--as not-created\``;

const byHand = (one: StillUnknown): string =>
  `check the payment request in the service's dashboard, then run ${byHandCommand(one)}`;

const elsewhere = (one: StillUnknown, local: boolean): string => {
  const { service, origin, profile } = one.charge;
  if (profile === LOCAL_PROFILE && !local) return 'is practice: run `paycli ledger reconcile --local`';
  // Named by its key and not by an origin: an emulator, which is gone once its data was made anew.
  if (!service.includes('://'))
    return `belongs to an emulator whose data is not in use here; run ${byHandCommand(one)}`;
  const where = profile === undefined ? ['--base-url', origin] : ['--profile', profile];
  return `belongs to ${origin}: run \`${shellLine(['paycli', 'ledger', 'reconcile', ...where])}\``;
};

/** What to do next about charges that are left for the same cause, the first of which is `first`. */
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

/** The end of a reconciliation that leaves something unknown: exit 6, with what to do next for each cause. */
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
