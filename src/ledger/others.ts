import type { Entry, Intent } from './entry.ts';
import { guard } from './guard.ts';
import type { BeginOptions, Ledger, Refused } from './ledger.ts';

/** Another ledger that this machine has charged with, before it was told to use this one. */
export interface OtherLedger {
  readonly name: string;
  /** Whether what it holds can be pushed into the one that is in use. */
  readonly pushable: boolean;
  /** What it holds about something. */
  readonly about: (about: string) => Promise<readonly Entry[]>;
}

const MAY_BE_MADE: readonly string[] = ['sending', 'unknown', 'accepted'];

/** What was pushed is known here; and what was begun here since shows that a person has said to continue. */
const isSettled = (theirs: Entry, own: readonly Entry[]): boolean =>
  own.some(
    ({ id, state, createdAt }) => id === theirs.id || (MAY_BE_MADE.includes(state) && createdAt > theirs.createdAt),
  );

const refusedBy = async (
  other: OtherLedger,
  intent: Intent,
  how: BeginOptions,
  ledger: Ledger,
): Promise<Refused | undefined> => {
  const { about, service } = intent;
  const theirs = (await other.about(about)).filter((one) => one.service === service);
  if (theirs.length === 0) return undefined;
  const own = await ledger.list({ about, service, limit: -1 });
  const moment = ledger.moment();
  const left = theirs.filter((one) => !isSettled(one, own));
  const obstacle = guard(left, intent, how, moment);
  // What a look alone has shown stands in the way in this ledger, too.
  return obstacle?.by === undefined ? undefined : { kind: 'refused', intent, moment, ...obstacle, ledger: other };
};

/** A ledger that begins nothing that stands in the way in another one, unless it is told to go on with `again`. */
export const withOthers = (ledger: Ledger, others: () => Promise<readonly OtherLedger[]>): Ledger => ({
  ...ledger,
  begin: async (intent, how) => {
    for (const other of how.again ? [] : await others()) {
      const refused = await refusedBy(other, intent, how, ledger);
      if (refused !== undefined) return refused;
    }
    return ledger.begin(intent, how);
  },
});
