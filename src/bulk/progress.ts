import type { Clock } from '../core/io.ts';
import type { RowCounts } from '../core/row.ts';
import { formatDuration } from '../core/time.ts';
import type { CounterValues } from './counters.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

/** How far a run is. Instants are by the clock that nobody sets. */
export interface Progress {
  /** How many rows have an end, those of earlier runs included. */
  readonly done: number;
  /** How many of them had it before this run: they say nothing about its speed. */
  readonly before?: number;
  readonly total?: number | undefined;
  readonly tally: RowCounts;
  readonly startedAt: number;
  readonly now: number;
  /** The columns that the line has on a terminal. */
  readonly width?: number | undefined;
}

const COUNT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Where it is, and where the end is known, how far: 100% is for the end alone. */
const placeText = ({ done, total }: Progress): string => {
  if (total === undefined) return COUNT.format(done);
  const share = total === 0 ? 100 : Math.min(100, Math.floor((done * 100) / total));
  return `${COUNT.format(done)} of ${COUNT.format(total)} (${share}%)`;
};

/** Rows a millisecond; undefined as long as nothing can be said. */
const speedOf = ({ done, before = 0, startedAt, now }: Progress): number | undefined => {
  const elapsed = now - startedAt;
  return elapsed < SECOND_MS || done <= before ? undefined : (done - before) / elapsed;
};

/** `48/s`, `4.8/s`, or `12/min` where it is less than one in a second. */
const rateText = (speed: number): string => {
  const rate = speed * SECOND_MS;
  if (rate < 1) return `${Math.max(1, Math.round(speed * MINUTE_MS))}/min`;
  return rate < 9.95 ? `${rate.toFixed(1)}/s` : `${COUNT.format(rate)}/s`;
};

const leftText = ({ done, total }: Progress, speed: number): string | undefined => {
  if (total === undefined || done >= total) return undefined;
  return `${formatDuration(Math.max(SECOND_MS, (total - done) / speed))} left`;
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
 * How far a run is, in one line: `1,234 of 10,000 (12%), 48/s, 3 min left; 1,200 accepted, 30 failed, 4 unknown`. In at
 * most `width` columns: what matters least is left out first.
 */
export const progressLine = (progress: Progress): string => {
  const { tally, width = Infinity } = progress;
  const place = placeText(progress);
  const speed = speedOf(progress);
  const rate = speed === undefined ? undefined : rateText(speed);
  const left = speed === undefined ? undefined : leftText(progress, speed);
  const counts = tallyText(tally);
  // How many are well is plain from how many are done.
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
/** In a pipe there is a line at each tenth, too, but no sooner after the one before than this. */
const STEPS = 10;
const STEP_PAUSE_MS = 1000;

interface RedrawOptions {
  readonly clock: Pick<Clock, 'ticks' | 'sleep'>;
  readonly isTerminal: boolean;
  /** Shows how far it is; must not reject. Not called again before it is done. */
  readonly show: () => Promise<void>;
}

const stepOf = (done: number, total: number | undefined): number =>
  total === undefined ? 0 : Math.floor((done * STEPS) / total);

/**
 * On a terminal a line every second, even when nothing moves. In a pipe a line every 30 seconds and at each tenth of the
 * way, but none at the end: a summary follows.
 */
export const openRedraw = ({ clock, isTerminal, show }: RedrawOptions) => {
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
    /** So many of the rows are done. */
    tell: (done: number, total?: number): void => {
      step = stepOf(done, total);
      if (over.signal.aborted || step <= shownStep || step >= STEPS) return;
      if (clock.ticks() - shownAt >= STEP_PAUSE_MS) void drawOnce();
    },
    /** Nothing is shown afterwards. */
    end: async (): Promise<void> => {
      over.abort();
      await showing;
    },
  };
};

/** A line that says how far it is. */
interface Line {
  readonly rewrites: boolean;
  readonly width: number;
  show(text: string): Promise<void>;
  clear(): Promise<void>;
}

/** Tells on a line, now and then (see openRedraw), how far a job is, in the phases that it goes through. */
export const showProgress = (line: Line, clock: Pick<Clock, 'ticks' | 'sleep'>) => {
  let text = (): string => '';
  let phase = '';
  let startedAt = 0;
  /** In a pipe it is said once that others are waited for: they are looked at several times in a second. */
  let told = false;
  let redraw: ReturnType<typeof openRedraw> | undefined;

  const enter = (name: string): void => {
    if (name !== phase) startedAt = clock.ticks();
    phase = name;
    redraw ??= openRedraw({ clock, isTerminal: line.rewrites, show: () => line.show(text()) });
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
      if (told && !line.rewrites) return;
      told = true;
      await line.show(
        `waiting for ${rows} ${rows === 1 ? 'row' : 'rows'} that another paycli process is sending; Ctrl-C stops waiting`,
      );
    },
    /** What the charges of a file have come to so far. */
    following: (how: () => string): void => tell('following', 0, undefined, how),
    /** Takes the line away; the next phase shows it again. */
    end: async (): Promise<void> => {
      await redraw?.end();
      redraw = undefined;
      phase = '';
      await line.clear();
    },
  };
};
export type ShowProgress = ReturnType<typeof showProgress>;
