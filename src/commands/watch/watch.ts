import { usageError } from '../../core/error.ts';
import { placeWords } from '../../core/place-words.ts';
import type { ReceivedPage } from '../../core/received.ts';
import type { Ending, Result } from '../../core/result.ts';
import type { Charge } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Scope } from '../../ledger/place.ts';
import type { Deps } from '../deps.ts';
import { sumsText } from '../sums.ts';
import { boardOf, recordOf } from './board.ts';
import { endFailure, stoppedBy } from './ended.ts';
import type { Feed } from './feed.ts';
import { openFeed } from './feed.ts';
import type { WatchInput } from './spec.ts';
import type { Chosen, Tail, Watched } from './tail.ts';
import { openTail } from './tail.ts';
import { changesView } from './view.ts';

export const view = changesView;

/** So often the ledger is read, in milliseconds; one that takes long is read more seldom. */
const EVERY_MS = 1000;
const SHARE_OF_TIME = 20;

/** Which charges are meant; a usage error for those that the ledger does not know. */
const chosen = async ({ ugwos, job }: WatchInput, ledger: Ledger, here: Scope): Promise<Chosen> => {
  if (job !== undefined) {
    const found = await ledger.jobs.get(job);
    if (found === undefined) {
      throw usageError(`no job "${job}" in the ledger`, { hint: 'see them all: `paycli ledger jobs --all-profiles`' });
    }
    if (found.service !== here.service) {
      throw usageError(`${job} was sent to another service, ${found.origin}`, {
        hint: 'name its profile with --profile, or use --local',
      });
    }
    return { filters: [{ job }], unsettledOnly: false };
  }
  if (ugwos.length === 0) return { filters: [here], unsettledOnly: true };
  for (const about of new Set(ugwos)) {
    const [found] = await ledger.list({ ...here, about, limit: 1 });
    if (found === undefined) {
      throw usageError(`no charge of ${about} in the ledger`, {
        hint: 'to wait for an activity that was made elsewhere: `paycli activity wait`',
      });
    }
  }
  return { filters: [...new Set(ugwos)].map((about) => ({ ...here, about })), unsettledOnly: false };
};

/** Nothing is to be waited for: what is unknown is for a person to find out. */
const isFinal = ({ now }: Watched): boolean => now !== 'open' && now !== 'sending';

/** Why a watch has ended. */
interface Over {
  final?: true;
  fault?: unknown;
}

/** The changes, a page each time the ledger was read; ends when nothing more is to come, or by a signal. */
async function* changesOf(
  { untilFinal, limit = Number.POSITIVE_INFINITY }: WatchInput,
  { io: { clock, signals } }: Deps,
  tail: Tail,
  feed: Feed,
  over: Over,
): AsyncGenerator<ReceivedPage> {
  const until = clock.ticks() + limit;
  const ends = AbortSignal.any([signals.stop, feed.broken]);
  try {
    while (!ends.aborted) {
      const began = clock.ticks();
      const changes = await tail.changes();
      if (changes.length > 0) feed.moved();
      yield { records: changes.map(recordOf), cursor: undefined, nextCursor: null };
      const left = until - clock.ticks();
      if (untilFinal && (left <= 0 || tail.live().every(isFinal))) {
        over.final = true;
        return;
      }
      feed.begin();
      const pause = Math.max(EVERY_MS, (clock.ticks() - began) * SHARE_OF_TIME);
      await clock.sleep(Math.min(pause, left), ends).catch(() => undefined);
    }
  } finally {
    over.fault = await feed.end();
  }
}

/** Shows how charges stand, and each change; reads, and nothing else. */
export const run = async (input: WatchInput, deps: Deps): Promise<Result> => {
  const { io } = deps;
  const [ledger, protocol, { service, workspace }] = [await deps.ledger(), await deps.protocol(), await deps.place()];
  const here = { service, workspace };
  const [bulk, webhooks, { data }] = [await deps.bulk(), await deps.webhooks(), await deps.folders()];
  const tail = openTail(ledger, protocol, await chosen(input, ledger, here), io.clock.now);
  const openHere = (): Charge[] =>
    tail.live().flatMap(({ charge, now }) => (now === 'open' && protocol.isIn(here)(charge) ? [charge] : []));
  const isTold = (): boolean => webhooks.isListening(data, service);
  const { notice } = deps;
  const feed = openFeed({ ledger, protocol, bulk, io, isTold, notice, client: () => deps.client('read') }, openHere);
  const over: Over = {};
  const ended = (): Ending => {
    const sums = tail.sums();
    const notice = sums.length === 0 ? 'No charge is open.' : sumsText(sums);
    if (over.fault !== undefined) return { notice, failure: over.fault };
    if (over.final !== true)
      return io.signals.stop.aborted ? { notice, failure: stoppedBy(io.signals.stop.reason) } : {};
    const failure = endFailure(sums, bulk.gravest, placeWords(deps.globals));
    return failure === undefined ? { notice } : { failure };
  };
  return {
    kind: 'live',
    pages: changesOf(input, deps, tail, feed, over),
    view: changesView,
    board: (rows) => boardOf(tail, feed.word(), rows),
    ended,
  };
};
