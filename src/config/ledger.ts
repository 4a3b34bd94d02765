import { existsSync, readFileSync } from 'node:fs';
import { usageError } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import type { Folders } from './folders.ts';
import type { DatabaseUser } from './ledger-password.ts';
import type { ProfileLedger } from './ledger-profile.ts';
import { type Machine, thisMachine } from './machine.ts';
import type { PlaceGiven } from './target.ts';

/** Where the ledger is that a team shares, as it was set, and who knows its password. */
export interface LedgerSetting {
  readonly url: string;
  /** `PAYCLI_LEDGER`, or the profile. */
  readonly from: string;
  /** Asked at each connection; undefined where there is none. */
  readonly password: (asked: DatabaseUser) => Promise<string | undefined>;
}

/** The profiles are not parsed where none of them can say anything: that would cost every start of a command its time. */
const storedBy = async (
  { profile, baseUrl }: PlaceGiven,
  io: Io,
  { config }: Folders,
  machine: Machine,
): Promise<ProfileLedger | undefined> => {
  const file = `${config}/config.json`;
  if (!existsSync(file) || !readFileSync(file, 'latin1').includes('"ledger"')) return undefined;
  return (await import('./ledger-profile.ts')).profileLedger({ profile, baseUrl }, io, config, machine);
};

/**
 * The shared ledger that environment or profile name; undefined where the ledger is a file of this machine. What is only
 * practised (`local`) goes to a shared one only where the environment says so.
 */
export const ledgerSetting = async (
  asked: PlaceGiven & { readonly local: boolean },
  io: Io,
  folders: Folders,
  machine: Machine = thisMachine,
): Promise<LedgerSetting | undefined> => {
  const set = (url: string, from: string, command?: readonly string[]): LedgerSetting => ({
    ...{ url, from },
    password: async (user) => (await import('./ledger-password.ts')).ledgerPassword(user, command, io, machine),
  });
  const url = io.env['PAYCLI_LEDGER'];
  if (url === '') {
    throw usageError('PAYCLI_LEDGER is empty', { hint: 'set it to postgres://USER@HOST/DATABASE, or unset it' });
  }
  if (url !== undefined) return set(url, 'PAYCLI_LEDGER');
  const stored = asked.local ? undefined : await storedBy(asked, io, folders, machine);
  return stored && set(stored.url, `the profile ${stored.profile}`, stored.command);
};
