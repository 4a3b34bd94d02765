import { existsSync, readFileSync } from 'node:fs';
import { usageError } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import { type Folders, type Machine, realMachine } from './machine.ts';
import type { ProfileLedger } from './profiles.ts';
import type { DatabaseUser } from './secrets.ts';
import type { ServiceFlags } from './target.ts';

/** Location of a team's shared ledger as configured, and the source of its password. */
export interface LedgerSetting {
  readonly url: string;
  /** `PAYCLI_LEDGER`, or the profile. */
  readonly from: string;
  /** Called at each connection; undefined if there is no password. */
  readonly password: (asked: DatabaseUser) => Promise<string | undefined>;
}

/** The ledger of the profile. Profiles without any are not parsed: that would slow down the start of every command. */
const ledgerInProfile = async (
  { profile, baseUrl }: ServiceFlags,
  io: Io,
  { config }: Folders,
  machine: Machine,
): Promise<ProfileLedger | undefined> => {
  const file = `${config}/config.json`;
  if (!existsSync(file) || !readFileSync(file, 'latin1').includes('"ledger"')) return undefined;
  return (await import('./profiles.ts')).profileLedger({ profile, baseUrl }, io, config, machine);
};

/**
 * The shared ledger that the environment or the profile names; undefined if the ledger is a file of this machine. A
 * practice run (`local`) uses a shared ledger only if the environment names it.
 */
export const ledgerSetting = async (
  asked: ServiceFlags & { readonly local: boolean },
  io: Io,
  folders: Folders,
  machine: Machine = realMachine,
): Promise<LedgerSetting | undefined> => {
  const set = (url: string, from: string, command?: readonly string[]): LedgerSetting => ({
    url,
    from,
    password: async (user) => (await import('./secrets.ts')).ledgerPassword(user, command, io, machine),
  });
  const url = io.env['PAYCLI_LEDGER'];
  if (url === '') {
    throw usageError('PAYCLI_LEDGER is empty', { hint: 'set it to postgres://USER@HOST/DATABASE, or unset it' });
  }
  if (url !== undefined) return set(url, 'PAYCLI_LEDGER');
  const stored = asked.local ? undefined : await ledgerInProfile(asked, io, folders, machine);
  return stored && set(stored.url, `the profile ${stored.profile}`, stored.command);
};
