import { join, resolve } from 'node:path';
import { CANARY } from '../support/canary.ts';

/** The built program, where no test of vitest runs it. */
export const PROGRAM: readonly string[] = [process.execPath, resolve('bin/paycli.js')];

export interface Surroundings {
  readonly home: string;
  /** Where the compile cache is. */
  readonly folder: string;
  readonly origin: string;
}

export const environmentOf = ({ home, folder, origin }: Surroundings): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  PAYCLI_HOME: home,
  XDG_CACHE_HOME: join(folder, 'cache'),
  PAYCLI_BASE_URL: origin,
  PAYCLI_SECRET_KEY: CANARY,
});
