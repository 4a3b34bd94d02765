import { join } from 'node:path';
import { CANARY } from '../support/canary.ts';

export interface Surroundings {
  readonly home: string;
  /** Where the compile cache is, except for tests of one run, which share theirs. */
  readonly folder: string;
  readonly origin: string;
}

export const environmentOf = ({ home, folder, origin }: Surroundings): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  PAYCLI_HOME: home,
  XDG_CACHE_HOME: join(process.env['PAYCLI_TEST_RUN'] ?? folder, 'cache'),
  PAYCLI_BASE_URL: origin,
  PAYCLI_SECRET_KEY: CANARY,
});
