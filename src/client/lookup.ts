import { lookup as ask } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { localhost } from '../core/localhost.ts';

/** As the system does, but for `localhost`. */
export const lookup: LookupFunction = (hostname, options, done) =>
  (hostname === 'localhost' ? localhost : ask)(hostname, options, done);
