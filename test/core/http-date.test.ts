import { expect, it } from 'vitest';
import { httpDate } from '../../src/core/time.ts';

it.each([
  ['Fri, 20 Nov 2026 13:05:00 GMT', Date.UTC(2026, 10, 20, 13, 5)],
  ['Thu, 29 Feb 2024 23:59:59 GMT', Date.UTC(2024, 1, 29, 23, 59, 59)],
  ['a month in other letters', Date.UTC(2026, 10, 20, 13, 5), 'Fri, 20 NOV 2026 13:05:00 GMT'],
  ['a day of the week that is another', Date.UTC(2026, 10, 20, 13, 5), 'Mon, 20 Nov 2026 13:05:00 GMT'],
])('%s is a date', (text, ms, written = text) => {
  expect(httpDate(written)).toBe(ms);
});

it.each([
  ['31 February, which Date.parse takes for 3 March', 'Tue, 31 Feb 2026 13:05:00 GMT'],
  ['29 February of a common year', 'Sun, 29 Feb 2026 13:05:00 GMT'],
  ['an hour 24', 'Fri, 20 Nov 2026 24:00:00 GMT'],
  ['the year 26, which Date.parse takes for 2026', 'Fri, 20 Nov 0026 13:05:00 GMT'],
  ['the year 1, which Date.parse takes for 2001', 'Mon, 01 Jan 0001 00:00:00 GMT'],
  ['a month that there is not', 'Fri, 20 Foo 2026 13:05:00 GMT'],
  ['a minute 60', 'Fri, 20 Nov 2026 13:60:00 GMT'],
  ['a second 60', 'Sat, 31 Dec 2016 23:59:60 GMT'],
  ['another form', 'Sunday, 06-Nov-94 08:49:37 GMT'],
  ['a third form', 'Fri Nov 20 10:00:30 2026'],
  ['a date behind a word', 'on Fri, 20 Nov 2026 10:00:30 GMT'],
  ['a date in another zone', 'Fri, 20 Nov 2026 10:00:30 GMT+0100'],
  ['nothing', ''],
])('%s is none', (_what, text) => {
  expect(httpDate(text)).toBeUndefined();
});
