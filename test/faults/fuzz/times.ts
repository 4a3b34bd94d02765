import fc from 'fast-check';
import {
  durationWord,
  formatDateAtom,
  formatDuration,
  formatLocal,
  formatLocalFull,
  parseDuration,
  parseInstant,
  readInstant,
} from '../../../src/core/time.ts';
import { mutatedText } from './mutate.ts';
import { TIMES } from './seeds.ts';
import { must, mustEqual, target } from './target.ts';

const ATOM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/;
const LOCAL = /^(?:\d{4,5}-\d\d-\d\d )?\d\d:\d\d$/;
const YEAR_1 = Date.parse('0001-01-01T00:00:00Z');
const A_DAY = 24 * 60;

const two = (value: number): string => String(value).padStart(2, '0');
const number = fc.oneof(fc.nat(31), fc.nat(99));
/** The right format, with any numbers. */
const form = fc
  .tuple(fc.nat(9999), number, number, number, number, number, number, number)
  .chain(([year, month, day, hour, minute, second, hours, minutes]) =>
    fc
      .constantFrom('Z', 'z', '', `+${two(hours)}:${two(minutes)}`, `-${two(hours)}${two(minutes)}`)
      .map(
        (zone) =>
          `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}${zone}`,
      ),
  );

const text = fc.oneof(mutatedText(TIMES, 3), form);

/** The digits of date and time in the text. */
const digitsOf = (written: string): string => written.replaceAll(/\D/g, '').slice(0, 14);

const holdsInstant = (written: string): void => {
  const instant = parseInstant(written);
  if (instant === undefined) return;
  const { ms, offset } = instant;
  must(Number.isSafeInteger(ms) && Math.abs(offset) < A_DAY, () => `read as ${ms} with the offset ${offset}`);
  const atom = formatDateAtom(instant);
  must(ATOM.test(atom), () => `written as ${atom}`);
  // Without seconds there are twelve digits before the offset.
  const count = /T\d\d:\d\d(?=[^:])/i.test(written) ? 12 : 14;
  mustEqual(digitsOf(atom).slice(0, count), digitsOf(written).slice(0, count), 'its digits');
  const again = parseInstant(atom);
  must(again?.ms === Math.floor(ms / 1000) * 1000 && again.offset === offset, () => `${atom} is another moment`);
  must(ATOM.test(formatDateAtom({ ms, offset: 0 })), () => `in UTC written as ${formatDateAtom({ ms, offset: 0 })}`);
};

const holdsShown = (written: string, now: number): void => {
  const ms = readInstant(written);
  if (ms === undefined) return;
  must(Number.isSafeInteger(ms), () => `read as ${ms}`);
  // In a zone west of UTC the first hours of the year 0 belong to the year before.
  if (ms < YEAR_1) return;
  for (const local of [formatLocal(ms, now), formatLocalFull(ms)]) must(LOCAL.test(local), () => `shown as ${local}`);
};

const holdsDuration = (written: string): void => {
  const span = parseDuration(written);
  if (span === undefined) return;
  must(Number.isSafeInteger(span) && span >= 0, () => `a span of ${span}`);
  must(parseDuration(durationWord(span)) === span, () => `${durationWord(span)} is another span`);
  must(!/NaN|Infinity|undefined/.test(formatDuration(span)), () => formatDuration(span));
};

/** A parsed time is the written time, and is formatted back; any other text is rejected. */
export const times = target(
  'times',
  () => fc.tuple(fc.oneof(text, mutatedText(['90s', '10m', '999999h', '0s'], 2)), fc.integer()),
  ([written, now]) => {
    holdsInstant(written);
    holdsShown(written, now);
    holdsDuration(written);
  },
);
