import type { Clock } from '../../core/io.ts';
import type { Counted } from '../sending/tally.ts';
import { progressLine } from './line.ts';
import { openRedraw } from './redraw.ts';

/** A line that says how far it is. */
export interface Line {
  readonly rewrites: boolean;
  readonly width: number;
  show(text: string): Promise<void>;
  clear(): Promise<void>;
}

/** Tells how far a job is, in the phases that it goes through. */
export interface ShowProgress {
  readonly reading: (done: number) => void;
  readonly checking: (done: number, total: number) => void;
  readonly working: (counted: Counted, total: number) => void;
  readonly waiting: (rows: number) => Promise<void>;
  /** What the charges of a file have come to so far. */
  readonly following: (how: () => string) => void;
  /** Takes the line away; the next phase shows it again. */
  end(): Promise<void>;
}

/** Shows progress on a line, now and then (see openRedraw). */
export const showProgress = (line: Line, clock: Pick<Clock, 'ticks' | 'sleep'>): ShowProgress => {
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
  const lineOf = (done: number, total: number | undefined, tally: Counted['counts'], before = 0): string =>
    progressLine({ done, before, total, tally, startedAt, now: clock.ticks(), width: line.width });

  return {
    reading: (done) => tell('reading', done, undefined, () => `reading: ${lineOf(done, undefined, {})}`),
    checking: (done, total) => tell('checking', done, total, () => `checking: ${lineOf(done, total, {})}`),
    working: ({ done, skipped, counts }, total) =>
      tell('working', done, total, () => lineOf(done, total, counts, skipped)),
    waiting: async (rows) => {
      enter('working');
      if (told && !line.rewrites) return;
      told = true;
      await line.show(
        `waiting for ${rows} ${rows === 1 ? 'row' : 'rows'} that another paycli process is sending; Ctrl-C stops waiting`,
      );
    },
    following: (how) => tell('following', 0, undefined, how),
    end: async () => {
      await redraw?.end();
      redraw = undefined;
      phase = '';
      await line.clear();
    },
  };
};
