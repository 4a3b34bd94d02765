/**
 * A process of a team: it charges over a shared ledger, as the process of a machine with that name, and stops itself where it
 * is told to.
 */
import { Socket } from 'node:net';
import pg from 'pg';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { openSharedLedger } from '../../../src/ledger/postgres/open.ts';
import { addressOf } from '../../../src/ledger/postgres/url.ts';
import { isGoneAnywhere, thisSender } from '../../../src/ledger/sender.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import type { ChargeEnd, Limits } from '../charger.ts';
import { chargeAt } from '../charger.ts';

/** Where a member stops itself: it has looked at the payment request; its transaction has its locks; its intent is committed; its connection to the service stands. */
export type StopAt = 'looked' | 'locked' | 'begun' | 'connected';

export interface Order {
  /** The ledger's address. */
  readonly url: string;
  /** The name of the machine, and its folder. */
  readonly machine: string;
  readonly folder: string;
  readonly origin: string;
  /** Charged one after the other. */
  readonly ugwos: readonly string[];
  readonly limits: Limits;
  /** So much clocks may run apart, in milliseconds. */
  readonly slack?: number;
  readonly stopAt?: StopAt;
}

const stopHere = (): void => void process.kill(process.pid, 'SIGSTOP');

/** Once the server has answered what takes the locks of an intent. */
const stopWhenLocked = (): void => {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: Parameters<typeof query>) {
    const asked = query.apply(this, args) as unknown as Promise<unknown>;
    const [{ text }] = args as unknown as [{ text: string }];
    return text.includes('pg_advisory_xact_lock') ? asked.finally(stopHere) : asked;
  } as typeof query;
};

const stopWhenConnected = (origin: string): void => {
  const { connect } = Socket.prototype;
  const port = Number(new URL(origin).port);
  Socket.prototype.connect = function (this: Socket, ...args: Parameters<typeof connect>) {
    this.once('connect', () => {
      if (this.remotePort === port) stopHere();
    });
    return connect.apply(this, args);
  } as typeof connect;
};

/** The look before the charge has its own connection, which is no place to stop at. */
const stopping = (ledger: Ledger, { stopAt, origin }: Order): Ledger => ({
  ...ledger,
  begin: async (...args) => {
    if (stopAt === 'looked') stopHere();
    if (stopAt === 'locked') stopWhenLocked();
    const begun = await ledger.begin(...args);
    if (stopAt === 'begun') stopHere();
    if (stopAt === 'connected') stopWhenConnected(origin);
    return begun;
  },
});

const chargeAll = async (order: Order): Promise<readonly ChargeEnd[]> => {
  const { url, machine, folder, origin, ugwos, limits, slack = 0 } = order;
  const self = { ...thisSender(), boot: machine };
  const { path: _path, ...options } = ledgerOptions('', { self });
  const ledger = await openSharedLedger({
    ...{ ...options, folder, slack },
    access: { address: addressOf(url), password: async () => undefined },
    isGone: (sender, overdue) => isGoneAnywhere(sender, self, overdue),
    worker: machine,
  });
  const watched = order.stopAt === undefined ? ledger : stopping(ledger, order);
  const ends: ChargeEnd[] = [];
  for (const ugwo of ugwos) ends.push(await chargeAt(origin, watched, ugwo, limits));
  await ledger.close();
  return ends;
};

process.on('message', (order: Order) => {
  chargeAll(order)
    .catch((thrown: unknown): ChargeEnd[] => [{ kind: 'threw', exitCode: -1, id: undefined, message: String(thrown) }])
    .then((ends) => process.send?.(ends));
});
process.send?.('ready');
