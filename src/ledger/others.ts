import { batching } from '../core/async.ts';
import { elapsed } from './clock.ts';
import { type Entry, type Intent, MAY_BE_MADE } from './entry.ts';
import { guard } from './guard.ts';
import type { BeginOptions, BeginResult, Ledger, Refused } from './ledger.ts';
import { cleanerFor } from './redaction.ts';

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
  const about = cleanerFor(intent, ledger.clean)(intent.about);
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
 * Makes a ledger refuse an intent if an entry of another ledger of this machine blocks it. The look at the others and the
 * write are one step among all processes: they hold the lock alone. As long as there is no other ledger, they share the
 * lock, so that processes with the same ledger don't wait for each other.
 */
export const withOthers = (
  ledger: Ledger,
  others: () => Promise<readonly OtherLedger[]>,
  lock: LedgersLock,
): Ledger => {
  const { begin, judge } = ledger;
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
          resolve((await refusedIn(found, intent, how)) ?? (await begin(intent, how)));
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
  // A copy would open the parts of the ledger that are opened on first use.
  return Object.assign(ledger, {
    begin: (intent, how) => new Promise((resolve, reject) => start({ intent, how, resolve, reject })),
    judge: async (intent, how, plan) => (await refusedIn(await others(), intent, how)) ?? judge(intent, how, plan),
  } satisfies Pick<Ledger, 'begin' | 'judge'>);
};
