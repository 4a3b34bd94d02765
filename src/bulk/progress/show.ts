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
  const lineOf = (done: number, total: number | undefined, tally: Counted['counts'], before = 0): string =>
    progressLine({ done, before, total, tally, startedAt, now: clock.ticks(), width: line.width });

  return {
    reading: (done: number): void => tell('reading', done, undefined, () => `reading: ${lineOf(done, undefined, {})}`),
    checking: (done: number, total: number): void =>
      tell('checking', done, total, () => `checking: ${lineOf(done, total, {})}`),
    working: ({ done, skipped, counts }: Counted, total: number): void =>
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
