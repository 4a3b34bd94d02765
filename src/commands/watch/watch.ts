import { gravest } from '../../bulk/row-end.ts';
import { endKindOf, PAYMENTS, type Payment } from '../../charge/payment.ts';
import { foldersOf } from '../../compose/run.ts';
import { grouped } from '../../core/bounds.ts';
import { type ErrorKind, EXIT_CODES, interrupted, PayError, usageError } from '../../core/error.ts';
import type { ApiPage } from '../../core/record.ts';
import type { Board, Result, ResultNotices } from '../../core/result.ts';
import { statusWord } from '../../core/status.ts';
import { isInScope, type Scope } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Sum } from '../../ledger/report.ts';
import { type Now, openTail, type Tail, type Watched, type WatchFilter } from '../../ledger/tail.ts';
import { boardView, changeRecord, changesView } from '../../records/change.ts';
import { isListening } from '../../webhook/queue.ts';
import { paymentSumsText, sumMoney } from '../record.ts';
import type { Run } from '../run.ts';
import { Feed } from './feed.ts';
import type { Hook } from './hook.ts';
import type { WatchInput } from './spec.ts';

/** A line for each currency: `3 open NGN 15,000.00, 12 paid NGN 60,000.00`. */
const sumLines = (sums: readonly Sum<Now>[]): string[] => {
  const words = (sum: Sum<Now>): string =>
    [grouped(sum.count), statusWord(sum.payment), sumMoney(sum)].filter((part) => part !== undefined).join(' ');
  return [...Map.groupBy(sums, ({ currency }) => currency).values()].map((some) => some.map(words).join(', '));
};

/** Lines around the rows: the header, its rule, and the line that counts the omitted rows. */
const LINES_AROUND_ROWS = 3;

/** Order of the rows: changed and ended charges first, the latest change at the top; then open ones. */
const boardOrder = (tail: Tail): Watched[] => {
  const isOpen = ({ now }: Watched): number => Number(now === 'open');
  return [...tail.live(), ...tail.ended()].sort((a, b) => isOpen(a) - isOpen(b) || b.at - a.at);
};

/** Builds the live table for a terminal with `rows` lines. */
const boardOf = (tail: Tail, feed: string | undefined, rows: number): Board => {
  const all = boardOrder(tail);
  const sums = sumLines(tail.sums());
  const words = [...(sums.length === 0 ? ['No charge is open.'] : sums), ...(feed === undefined ? [] : [feed])];
  const room = Math.max(1, rows - words.length - LINES_AROUND_ROWS);
  const more = all.length - Math.min(room, all.length);
  return {
    view: boardView,
    records: all.slice(0, room).map(changeRecord),
    below: [...(more > 0 ? [`and ${grouped(more)} more`] : []), ...words],
  };
};

/** Kind of error that a charge without a payment stands for. */
const UNMADE_KINDS = {
  unknown: 'unknown',
  rejected: 'rejected',
  not_sent: 'not_sent',
  not_created: 'not_sent',
  sending: 'pending',
} as const satisfies Record<Exclude<Now, Payment>, ErrorKind>;

/** Error of a watch with --until-final: the most serious kind. Undefined if the exit code is 0. */
export const endFailure = (sums: readonly Sum<Now>[]): PayError | undefined => {
  const kinds = sums.flatMap(({ payment: now, short }): ErrorKind | readonly [] => {
    if (now in PAYMENTS) return endKindOf(now as Payment, short) ?? [];
    return UNMADE_KINDS[now as keyof typeof UNMADE_KINDS];
  });
  const code = gravest(kinds.map((kind) => EXIT_CODES[kind]));
  const kind = kinds.find((one) => EXIT_CODES[one] === code);
  if (kind === undefined) return undefined;
  const detail = kind === 'unknown' ? { hint: 'find out: `paycli ledger sync`' } : {};
  return new PayError(kind, `not every charge is paid: ${paymentSumsText(sums)}`, detail);
};

/** Milliseconds between reads of the ledger. A read that takes long is followed by a longer pause. */
const EVERY_MS = 1000;
const SHARE_OF_TIME = 20;

/** Builds the filter for the chosen charges. Throws a usage error for those that the ledger does not know. */
const filterFor = async ({ ugwos, job }: WatchInput, ledger: Ledger, here: Scope): Promise<WatchFilter> => {
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

/** True if waiting is pointless. A person has to settle an unknown charge. */
const isFinal = ({ now }: Watched): boolean => now !== 'open' && now !== 'sending';

interface WatchEnd {
  final?: true;
  fault?: unknown;
  /** Events wait for the program of --exec. */
  untold?: PayError | undefined;
}

/** Yields the changes, one page per ledger read. Ends once nothing can change any more, or on a signal. */
async function* changesOf(
  { untilFinal, waitTimeout = Number.POSITIVE_INFINITY }: WatchInput,
  { io: { clock, signals } }: Run,
  tail: Tail,
  hook: Hook | undefined,
  feed: Feed,
  over: WatchEnd,
): AsyncGenerator<ApiPage> {
  const until = clock.ticks() + waitTimeout;
  const ends = AbortSignal.any([signals.stop, feed.broken]);
  try {
    while (!ends.aborted) {
      const began = clock.ticks();
      const changes = await (hook ?? tail).changes();
      if (changes.length > 0) feed.onChange();
      yield { records: changes.map(changeRecord), cursor: undefined, nextCursor: null };
      const left = until - clock.ticks();
      if (untilFinal && (left <= 0 || tail.live().every(isFinal))) {
        over.final = true;
        return;
      }
      feed.start();
      const pause = Math.max(EVERY_MS, (clock.ticks() - began) * SHARE_OF_TIME);
      await clock.sleep(Math.min(pause, left), ends).catch(() => undefined);
    }
  } finally {
    over.fault = await feed.end();
    over.untold = await hook?.end(over.final === true);
  }
}

/** Shows the charges and each change. Only reads. */
export const watch = async (input: WatchInput, run: Run): Promise<Result> => {
  const { io } = run;
  const [ledger, { service, workspace }] = [await run.ledger(), await run.target()];
  const here = { service, workspace };
  const { data } = await foldersOf(run);
  const filter = await filterFor(input, ledger, here);
  const tail = openTail(ledger, filter, io.clock.now);
  const hook =
    input.exec === undefined ? undefined : await (await import('./hook.ts')).openHook(tail, filter, input, run);
  const listens = (): boolean => isListening(data, service);
  const feed = new Feed({ ledger, io, isListening: listens, notice: run.say, client: () => run.client('read') }, () =>
    tail.open().filter(isInScope(here)),
  );
  const over: WatchEnd = {};
  const ended = (): ResultNotices => {
    const sums = tail.sums();
    const notice = sums.length === 0 ? 'No charge is open.' : paymentSumsText(sums);
    if (over.fault !== undefined) return { notice, failure: over.fault };
    const { stop } = io.signals;
    if (over.final !== true) {
      if (!stop.aborted) return {};
      const { detail } = interrupted(stop.reason);
      return { notice, failure: new PayError('interrupted', 'stopped watching; nothing was changed', detail) };
    }
    const failure = endFailure(sums) ?? over.untold;
    return failure === undefined ? { notice } : { failure };
  };
  return {
    kind: 'live',
    pages: changesOf(input, run, tail, hook, feed, over),
    view: changesView,
    board: (rows) => boardOf(tail, feed.statusLine(), rows),
    ended,
  };
};
