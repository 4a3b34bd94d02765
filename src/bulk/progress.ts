import { counted } from '../core/bounds.ts';
import type { RowCounts } from '../core/charge.ts';
import type { Clock } from '../core/io.ts';
import { formatDuration, MINUTE_MS, SECOND_MS } from '../core/time.ts';
import type { CounterValues } from './counters.ts';

/** The progress of a run. Instants are monotonic ticks. */
interface Progress {
  /** Rows with a result, those of earlier runs included. */
  readonly done: number;
  /** Rows among them with a result from before this run: they don't count for its speed. */
  readonly before?: number;
  readonly total?: number | undefined;
  readonly tally: RowCounts;
  readonly startedAt: number;
  readonly now: number;
  /** The columns available on a terminal. */
  readonly width?: number | undefined;
}

const COUNT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** The position; with a percentage if the total is known. 100% is shown only at the end. */
const placeText = ({ done, total }: Progress): string => {
  if (total === undefined) return COUNT.format(done);
  const share = total === 0 ? 100 : Math.min(100, Math.floor((done * 100) / total));
  return `${COUNT.format(done)} of ${COUNT.format(total)} (${share}%)`;
};

/** The speed as `48/s`, `4.8/s`, or `12/min` below one per second, and the time that is left, as far as they are known. */
const speedTexts = ({ done, before = 0, total, startedAt, now }: Progress): readonly [rate?: string, left?: string] => {
  const elapsed = now - startedAt;
  if (elapsed < SECOND_MS || done <= before) return [];
  const rate = ((done - before) / elapsed) * SECOND_MS;
  const left =
    total === undefined || done >= total ? undefined : Math.max(SECOND_MS, ((total - done) / rate) * SECOND_MS);
  const perSecond = rate < 9.95 ? rate.toFixed(1) : COUNT.format(rate);
  const text = rate < 1 ? `${Math.max(1, Math.round((rate * MINUTE_MS) / SECOND_MS))}/min` : `${perSecond}/s`;
  return left === undefined ? [text] : [text, `${formatDuration(left)} left`];
};

const tallyText = (tally: RowCounts): string =>
  Object.entries(tally)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${COUNT.format(count)} ${state.replaceAll('_', ' ')}`)
    .join(', ');

const joined = (parts: readonly (string | undefined)[], tally: string): string => {
  const place = parts.filter((part) => part !== undefined).join(', ');
  return tally === '' ? place : `${place}; ${tally}`;
};

/**
 * The progress in one line: `1,234 of 10,000 (12%), 48/s, 3 min left; 1,200 accepted, 30 failed, 4 unknown`. Fits into
 * `width` columns: leaves out the least important parts first.
 */
const progressLine = (progress: Progress): string => {
  const { tally, width = Infinity } = progress;
  const place = placeText(progress);
  const [rate, left] = speedTexts(progress);
  const counts = tallyText(tally);
  // The accepted count follows from the done count.
  const { accepted: _, ...others } = tally;
  const troubles = tallyText(others);
  const lines = [
    joined([place, rate, left], counts),
    joined([place, left], counts),
    joined([place], counts),
    joined([place, left], troubles),
    joined([place], troubles),
    joined([place, left], ''),
    place,
  ];
  const short = COUNT.format(progress.done);
  return lines.find((line) => line.length <= width) ?? (short.length <= width ? short : '');
};

const TERMINAL_EVERY_MS = 1000;
const PIPE_EVERY_MS = 30_000;
/** In a pipe, a line is also printed at each tenth, but at least this many milliseconds after the previous line. */
const STEPS = 10;
const STEP_PAUSE_MS = 1000;

/**
 * Redraws every second on a terminal, even when nothing moves. In a pipe, prints a line every 30 seconds and at each
 * tenth, but none at the end, where a summary follows. `show` must not reject, and is not called again before it has
 * resolved.
 */
const openRedraw = (clock: Pick<Clock, 'ticks' | 'sleep'>, isTerminal: boolean, show: () => Promise<void>) => {
  const every = isTerminal ? TERMINAL_EVERY_MS : PIPE_EVERY_MS;
  const over = new AbortController();
  let shownAt = clock.ticks();
  let [step, shownStep] = [0, 0];
  let showing: Promise<void> | undefined;

  const draw = async (): Promise<void> => {
    shownAt = clock.ticks();
    shownStep = step;
    await show();
    showing = undefined;
  };
  const drawOnce = (): Promise<void> => {
    showing ??= draw();
    return showing;
  };
  const redraw = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const wait = shownAt + every - clock.ticks();
      if (wait <= 0) await drawOnce();
      else await clock.sleep(Math.ceil(wait), over.signal).catch(() => undefined);
    }
  };
  void redraw();

  return {
    /** Reports that `done` rows are done. */
    tell: (done: number, total?: number): void => {
      step = total === undefined ? 0 : Math.floor((done * STEPS) / total);
      if (over.signal.aborted || step <= shownStep || step >= STEPS) return;
      if (clock.ticks() - shownAt >= STEP_PAUSE_MS) void drawOnce();
    },
    /** Stops redrawing; waits for a draw in progress. */
    end: async (): Promise<void> => {
      over.abort();
      await showing;
    },
  };
};

/** A status line for progress. */
interface Line {
  readonly rewrites: boolean;
  readonly width: number;
  show(text: string): Promise<void>;
  clear(): Promise<void>;
}

/** Shows the progress of a job on a line (see openRedraw), through its phases. */
export const showProgress = (line: Line, clock: Pick<Clock, 'ticks' | 'sleep'>) => {
  let text = (): string => '';
  let phase = '';
  let startedAt = 0;
  /**
   * True once the waiting was printed in a pipe: the rows of other processes are checked several times, and one line is
   * enough.
   */
  let isSaid = false;
  let redraw: ReturnType<typeof openRedraw> | undefined;

  const enter = (name: string): void => {
    if (name !== phase) startedAt = clock.ticks();
    phase = name;
    redraw ??= openRedraw(clock, line.rewrites, () => line.show(text()));
  };
  const tell = (name: string, done: number, total: number | undefined, how: () => string): void => {
    enter(name);
    text = how;
    redraw?.tell(done, total);
  };
  const lineOf = (done: number, total: number | undefined, tally: CounterValues['counts'], before = 0): string =>
    progressLine({ done, before, total, tally, startedAt, now: clock.ticks(), width: line.width });

  return {
    reading: (done: number): void => tell('reading', done, undefined, () => `reading: ${lineOf(done, undefined, {})}`),
    checking: (done: number, total: number): void =>
      tell('checking', done, total, () => `checking: ${lineOf(done, total, {})}`),
    working: ({ done, skipped, counts }: CounterValues, total: number): void =>
      tell('working', done, total, () => lineOf(done, total, counts, skipped)),
    waiting: async (rows: number): Promise<void> => {
      enter('working');
      if (isSaid && !line.rewrites) return;
      isSaid = true;
      await line.show(
        `waiting for ${counted(rows, 'row')} that another paycli process is sending; Ctrl-C stops waiting`,
      );
    },
    /** Shows the outcomes of a file's charges so far. */
    following: (how: () => string): void => tell('following', 0, undefined, how),
    /** Clears the line; the next phase shows it again. */
    end: async (): Promise<void> => {
      await redraw?.end();
      redraw = undefined;
      phase = '';
      await line.clear();
    },
  };
};
export type ShowProgress = ReturnType<typeof showProgress>;
