import type { Clock } from '../../core/io.ts';

const TERMINAL_EVERY_MS = 1000;
const PIPE_EVERY_MS = 30_000;
/** In a pipe there is a line at each tenth, too, but no sooner after the one before than this. */
const STEPS = 10;
const STEP_PAUSE_MS = 1000;

export interface RedrawOptions {
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
