import { createHash } from 'node:crypto';
import { LOCAL_KEY_PREFIX } from '../core/secret.ts';
import type { Place } from './ledger.ts';

const WORKSPACE = /^[sp]k\.([A-Za-z0-9]{4})\./;
const NAME_LENGTH = 12;

/**
 * What a service is called in the ledger. An emulator is known by its key, which is kept with its data: its port is another
 * one at each start.
 */
const serviceOf = (origin: string, key: string): string =>
  key.startsWith(LOCAL_KEY_PREFIX)
    ? `emulator ${createHash('sha256').update(key).digest('hex').slice(0, NAME_LENGTH)}`
    : origin;

/** The service that a run speaks to, as the ledger keeps it: never the key, only what names its workspace. */
export const placeOf = (origin: string, key: string, profile: string | undefined): Place => ({
  service: serviceOf(origin, key),
  origin,
  workspace: WORKSPACE.exec(key)?.[1],
  profile,
});
