import { createHash } from 'node:crypto';
import { isLoopback } from '../core/origin.ts';
import { LOCAL_KEY_PREFIX } from '../core/secret.ts';
import type { Place } from './entry.ts';

const WORKSPACE = /^[sp]k\.([A-Za-z0-9]{4})\./;
const NAME_LENGTH = 12;
const EMULATOR = 'emulator ';

/** All names of this machine mean one host. */
const oneName = (origin: string): string => {
  if (!isLoopback(origin)) return origin;
  const url = new URL(origin);
  url.hostname = '127.0.0.1';
  return url.origin;
};

/**
 * What a service is called in the ledger. An emulator is known by its key, which is kept with its data: its port is another
 * one at each start.
 */
const serviceOf = (origin: string, key: string): string =>
  key.startsWith(LOCAL_KEY_PREFIX)
    ? EMULATOR + createHash('sha256').update(key).digest('hex').slice(0, NAME_LENGTH)
    : oneName(origin);

/** Whether a service is an emulator: the same identifiers are made by many of them. */
export const isEmulator = (service: string): boolean => service.startsWith(EMULATOR);

/** The service that a run speaks to, as the ledger keeps it: never the key, only what names its workspace. */
export const placeOf = (origin: string, key: string, profile: string | undefined): Place => ({
  service: serviceOf(origin, key),
  origin,
  workspace: WORKSPACE.exec(key)?.[1],
  profile,
});

/** Which entries and files are meant: all where it says nothing. */
export interface Scope {
  readonly service?: string | undefined;
  /** Of this workspace, as far as it is known of them. */
  readonly workspace?: string | undefined;
  readonly profile?: string | undefined;
  /** Those of this profile are left out. */
  readonly otherThan?: string | undefined;
}

/** Whether an entry is meant. */
export const isIn =
  ({ service, workspace, profile, otherThan }: Scope) =>
  (entry: Place): boolean =>
    (service ?? entry.service) === entry.service &&
    (workspace ?? entry.workspace) === (entry.workspace ?? workspace) &&
    (profile ?? entry.profile) === entry.profile &&
    (otherThan === undefined || otherThan !== entry.profile);
