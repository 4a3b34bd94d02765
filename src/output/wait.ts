import type { Io } from '../core/io.ts';
import type { ApiRecord } from '../core/record.ts';
import type { Result, ResultNotices, Waited, Waiting } from '../core/result.ts';
import { statusWord } from '../core/status.ts';
import { visible } from '../core/text.ts';
import { SECOND_MS, twoDigits } from '../core/time.ts';
import { openStatusLine } from './status-line.ts';
import type { Styles } from './style.ts';
import { shorten, widthOf } from './text.ts';

/** `12:31`, or `1:02:31` from an hour on. */
const clockText = (ms: number): string => {
  const seconds = Math.max(0, Math.ceil(ms / SECOND_MS));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours === 0
    ? `${minutes}:${twoDigits(seconds % 60)}`
    : `${hours}:${twoDigits(minutes)}:${twoDigits(seconds % 60)}`;
};

/** The line at the instant `now`, in at most `width` columns: leaves out the least important parts first. */
const countdownText = ({ status, until, failing }: Waiting, now: number, width: number, ellipsis = '…'): string => {
  const left = clockText(until - now);
  const state = status === undefined ? '' : `${visible(statusWord(status))}, `;
  const trouble = failing ? '; the last read failed' : '';
  const texts = [
    `${state}waiting${trouble}; ${left} left, Ctrl-C stops waiting`,
    `${state}waiting${trouble}; ${left} left`,
    `${state}${left} left`,
    left,
  ];
  return shorten(texts.find((text) => widthOf(text) <= width) ?? left, width, ellipsis);
};

/** A line on stderr that is rewritten again and again, and erased at the end. */
interface Countdown {
  readonly tell: (waiting: Waiting) => void;
  /** Erases the line; nothing is written afterwards. */
  end(): Promise<void>;
}

/** Counts down on a terminal that can rewrite a line; prints nothing anywhere else, or with `quiet`. */
export const openCountdown = (
  { stderr, clock, env, redactor }: Pick<Io, 'stderr' | 'clock' | 'env' | 'redactor'>,
  styles: Styles,
  quiet: boolean,
): Countdown => {
  const line = openStatusLine({ stderr, env, redactor }, styles, quiet);
  if (!line.rewrites) return { tell: () => undefined, end: async () => undefined };
  const over = new AbortController();
  let waiting: Waiting | undefined;
  let shown = '';
  const draw = async (): Promise<void> => {
    if (waiting === undefined || over.signal.aborted) return;
    const text = countdownText(waiting, clock.ticks(), line.width, styles.ellipsis);
    if (text === shown) return;
    shown = text;
    await line.show(text);
  };
  const tick = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await draw();
      const left = (waiting?.until ?? 0) - clock.ticks();
      // Wakes when the displayed second ends.
      await clock.sleep(left > 0 ? (left % SECOND_MS) + 1 : SECOND_MS, over.signal).catch(() => undefined);
    }
  };
  let ticking: Promise<void> | undefined;
  return {
    tell: (state) => {
      // Secrets are removed before the line is cut to its width.
      waiting = { ...state, status: state.status === undefined ? undefined : redactor.cleanAll(state.status) };
      if (ticking === undefined) ticking = tick();
      else void draw();
    },
    end: async () => {
      over.abort();
      await ticking;
      await line.clear();
    },
  };
};

export type WaitResult = Extract<Result, { kind: 'wait' }>;

interface WaitShow {
  /** True if a person watches: the known record is shown at once, and at the end only its changes. */
  readonly watched: boolean;
  readonly countdown: Countdown;
  /** Shows a record; `before` is the record that was shown already. */
  readonly show: (record: ApiRecord, before: ApiRecord | undefined) => Promise<void>;
}

/**
 * Shows a wait, and returns its failure and notice. The earlier record is shown even where the wait rejects: it may be
 * the only message about a completed write.
 */
export const showWait = async (
  { record, wait }: WaitResult,
  { watched, countdown, show }: WaitShow,
): Promise<ResultNotices> => {
  if (watched && record !== undefined) await show(record, undefined);
  let waited: Waited | undefined;
  let failure: unknown;
  try {
    waited = await wait(countdown.tell);
    failure = waited.failure;
  } catch (thrown) {
    failure = thrown;
  } finally {
    await countdown.end();
  }
  const last = waited?.record ?? record;
  const before = watched ? record : undefined;
  if (last !== undefined && last !== before) await show(last, before);
  return { failure, notice: waited?.notice };
};
