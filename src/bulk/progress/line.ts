import { formatDuration } from '../../core/duration.ts';
import type { RowCounts } from '../../core/row.ts';

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
