import type { Ledger } from '../../../src/ledger/ledger.ts';
import { openSharedLedger } from '../../../src/ledger/postgres/open.ts';
import { DATABASE_LIMITS, type DatabaseLimits } from '../../../src/ledger/postgres/session.ts';
import { parseAddress } from '../../../src/ledger/postgres/url.ts';
import { mayHaveEnded, thisSender } from '../../../src/ledger/sender.ts';
import { ledgerOptions } from '../../support/ledger.ts';

/** A machine of a team, and how it reaches the ledger. */
export interface Machine {
  readonly url: string;
  /** The server's name in the machine's own network. */
  readonly host?: string;
  /** Its identity: for other machines only the server's clock tells what has ended. */
  readonly machine: string;
  /** Its own folder. */
  readonly folder: string;
  /** The tolerated clock difference in milliseconds; 0 by default. */
  readonly slack?: number;
  readonly waits?: DatabaseLimits | undefined;
}

/** The ledger as opened by this process on the machine. */
export const openOn = ({
  url,
  host,
  machine,
  folder,
  slack = 0,
  waits = DATABASE_LIMITS,
}: Machine): Promise<Ledger> => {
  const self = { ...thisSender(), boot: machine };
  const { path: _path, ...options } = ledgerOptions('', { self });
  const address = parseAddress(url);
  return openSharedLedger({
    ...{ ...options, folder, slack, limits: waits },
    access: { address: { ...address, host: host ?? address.host }, password: async () => undefined },
    hasEnded: (sender, overdue) => mayHaveEnded(sender, self, overdue),
    worker: machine,
  });
};
