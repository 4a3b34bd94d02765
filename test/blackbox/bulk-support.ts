import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ugwoOf, uidOf } from '../support/ids.ts';
import { inProcess } from '../support/in-process.ts';
import type { Ended, RunOptions } from '../support/program.ts';
import { newFolder, paycli } from '../support/program.ts';
import type { Answer, Seen, Service } from '../support/service.ts';
import { ACTIVITY, json, serveBy } from '../support/service.ts';

export { reportOf } from '../support/report.ts';
export { ugwoOf, uidOf as activityOf };

/** The number of the payment request in the URL. */
export const numberIn = ({ url }: Seen): number => Number(/ugw\.AbCd\.(\d+)/.exec(url)?.[1] ?? Number.NaN);

/** The service's answer to a charge of this payment request. */
export const charged = (number: number, more: Readonly<Record<string, unknown>> = {}): Answer =>
  json(200, { ...ACTIVITY, uid: uidOf(number), ...more });

/** Charges every payment request, except those with an answer in `others`. */
export const serveCharges = (others: Readonly<Record<number, Answer>> = {}): Promise<Service> =>
  serveBy((seen) => others[numberIn(seen)] ?? charged(numberIn(seen)));

/** The number of charges sent per payment request. */
export const postsOf = ({ seen }: Pick<Service, 'seen'>): Record<number, number> => {
  const posts: Record<number, number> = {};
  for (const one of seen.filter(({ method }) => method === 'POST'))
    posts[numberIn(one)] = (posts[numberIn(one)] ?? 0) + 1;
  return posts;
};

export const once = (...numbers: readonly number[]): Record<number, number> =>
  Object.fromEntries(numbers.map((number) => [number, 1]));

/** Writes a file in a new folder. */
export const fileOf = (text: string | Uint8Array, name = 'charges.csv'): string => {
  const path = join(newFolder('bulk'), name);
  writeFileSync(path, text);
  return path;
};

export const csvOf = (header: string, ...rows: readonly string[]): string => [header, ...rows, ''].join('\n');

/** Writes a file that charges these payment requests by USSD. */
export const ussdFile = (...numbers: readonly number[]): string =>
  fileOf(csvOf('ugwo,medium,provider', ...numbers.map((number) => `${ugwoOf(number)},ussd,gtb`)));

/** The arguments of a run that charges this file. */
export const charging = (file: string, ...more: readonly string[]): string[] => [
  ...['ugwo', 'charge', '--from', file, '--json'],
  ...more,
];

/** Runs in this process, unless `cwd` is set. Concurrent runs must start the program instead. */
export const chargeFrom = (file: string, options: RunOptions, ...more: readonly string[]): Promise<Ended> =>
  (options.cwd === undefined ? inProcess : paycli)(charging(file, ...more), options);

export type Summary = Readonly<Record<string, unknown>>;
export const summaryOf = ({ stdout }: Ended): Summary => JSON.parse(stdout) as Summary;

export const reportPath = (name = 'result.csv'): string => join(newFolder('report'), name);
