import type { Io } from '../core/io.ts';
import type { Machine } from './machine.ts';
import { openStore } from './store.ts';
import { choose, defaultName, find, type PlaceGiven } from './target.ts';

/** The shared ledger of a profile. */
export interface ProfileLedger {
  readonly profile: string;
  readonly url: string;
  readonly command: readonly string[] | undefined;
}

/** The ledger in the run's profile, or in the default one; undefined when it has none. */
export const profileLedger = (
  asked: PlaceGiven,
  io: Io,
  folder: string,
  machine: Machine,
): ProfileLedger | undefined => {
  const content = openStore(folder, machine, io.redactor).read();
  const { name } = choose(asked, io.env);
  if (name === undefined && defaultName(content) === undefined) return undefined;
  const { name: profile, stored } = find(content, name);
  const { ledger: url, ledger_password_command: command } = stored;
  return url === undefined ? undefined : { profile, url, command };
};
