/**
 * A process that charges, with a ledger of this machine, or with a shared one as a process of the named machine. It stops
 * itself at the given point. Run by node or by bun.
 */

import { Socket } from 'node:net';
import pg from 'pg';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { type ChargeEnd, chargeAt, type Limits, openRealLedger } from './charger.ts';
import { type Machine, openOn } from './shared/on-machine.ts';

/**
 * Where a process stops itself: after its check; when its transaction has the locks; when its intent is committed;
 * when it is connected to the service.
 */
export type StopAt = 'looked' | 'locked' | 'begun' | 'connected';

/** Where the ledger is: a file, or a shared one. */
type Place = { readonly path: string } | Machine;

export type Order = Place & {
  readonly origin: string;
  /** The service's name for the others, if it differs from the name here. */
  readonly known?: string;
  /** Charged in sequence. */
  readonly ugwos: readonly string[];
  readonly limits?: Limits;
  readonly stopAt?: StopAt | undefined;
};

/** Begins a charge without sending it. */
export type Opening = Place & { readonly begins: string };

const open = (place: Place): Promise<Ledger> => ('path' in place ? openRealLedger(place.path) : openOn(place));

const stopHere = (): void => void process.kill(process.pid, 'SIGSTOP');

/** Stops after the server has granted the locks of an intent; the next attempt continues. */
const stopWhenLocked = (): void => {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: Parameters<typeof query>) {
    const asked = query.apply(this, args) as unknown as Promise<unknown>;
    const [{ text }] = args as unknown as [{ text: string }];
    if (!text.includes('pg_advisory_xact_lock')) return asked;
    pg.Client.prototype.query = query;
    return asked.finally(stopHere);
  } as typeof query;
};

const stopWhenConnected = (origin: string): void => {
  const { connect } = Socket.prototype;
  const port = Number(new URL(origin).port);
  Socket.prototype.connect = function (this: Socket, ...args: Parameters<typeof connect>) {
    this.once('connect', () => {
      if (this.remotePort !== port) return;
      Socket.prototype.connect = connect;
      stopHere();
    });
    return connect.apply(this, args);
  } as typeof connect;
};

/** The check before the charge has its own connection, where it does not stop. */
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

const chargeAll = async (ledger: Ledger, order: Order): Promise<readonly ChargeEnd[]> => {
  const watched = order.stopAt === undefined ? ledger : stopping(ledger, order);
  const ends: ChargeEnd[] = [];
  const { origin, known, limits } = order;
  for (const ugwo of order.ugwos) ends.push(await chargeAt(origin, watched, ugwo, limits, known));
  return ends;
};

const beginOne = async (ledger: Ledger, ugwo: string): Promise<readonly ChargeEnd[]> => {
  const place = { service: 'here', origin: 'https://here.example', workspace: undefined, profile: undefined };
  const asked = { amount: 500_000, currency: 'NGN' };
  const rest = { medium: 'ussd', provider: 'gtb', phone: undefined, asked, digest: '', bound: 60_000 };
  const { kind } = await ledger.begin({ ...place, ...rest, kind: 'charge', about: ugwo }, { again: false });
  return [{ kind, exitCode: 0, id: undefined, message: '' }];
};

const obey = async (order: Order | Opening): Promise<readonly ChargeEnd[]> => {
  const ledger = await open(order);
  const ends = await ('begins' in order ? beginOne(ledger, order.begins) : chargeAll(ledger, order));
  await ledger.close();
  return ends;
};

process.on('message', (order: Order | Opening) => {
  obey(order)
    .catch((thrown: unknown): ChargeEnd[] => [{ kind: 'threw', exitCode: -1, id: undefined, message: String(thrown) }])
    .then((ends) => process.send?.(ends));
});
process.send?.('ready');
