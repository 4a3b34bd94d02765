import { hash } from 'node:crypto';
import { join } from 'node:path';
import { SHADOW_FILE_START } from '../../core/data-files.ts';
import { PayError } from '../../core/error.ts';
import { openDatabase, openReadOnly } from '../../database/open.ts';
import type { Entry } from '../entry.ts';
import { expireStale } from '../guard.ts';
import type { Ledger } from '../ledger.ts';
import { leftBeside, type Unfinished } from '../local/emergency.ts';
import { checkAccess, patiently } from '../local/file.ts';
import { ledgerOver, readOnly } from '../open.ts';
import { takeIn } from '../outcome.ts';
import { type KnownOptions, type ServerClock, type SharedLedgerOptions, sharedBackend } from './backend.ts';
import { type Handshake, handshake } from './handshake.ts';
import { type Access, DATABASE_LIMITS, openSession, type Session, sharedError } from './session.ts';
import { openOtherShadow, restoreLost, SHADOW_FILE, type Shadow, shadowIn, shadowPaths } from './shadow.ts';
import { CLOCK, connectionBy } from './transaction.ts';

/** One file per address. It detects an address that leads to another ledger than before. */
export const shadowPath = (folder: string, { host, port, database }: Access['address']): string =>
  join(folder, `${SHADOW_FILE_START}${hash('sha256', JSON.stringify([host, port, database])).slice(0, 12)}.sqlite`);

const serverClock = (now: () => number): ServerClock => {
  let ahead = 0;
  return {
    set: (at) => {
      ahead = at - now();
    },
    now: () => now() + ahead,
  };
};

const refuseOtherDatabase = (known: string | undefined, { ledger }: Handshake, name: string, path: string): void => {
  if (known !== undefined && known !== ledger) {
    throw new PayError('ledger', `${name} has another ledger than the one this machine used there before`, {
      hint: `charges that it doesn't know could be made again. If the change is intended, first check the charges made from here, then remove ${path}`,
    });
  }
};

/** Intents of this machine in a ledger, under any of its addresses: it may have been restored at another one. */
const allStarted = (ledger: string, folder: string): Entry[] =>
  shadowPaths(folder).flatMap((path) => {
    const shadow = openOtherShadow(path);
    try {
      return shadow.ledger() === ledger ? shadow.all() : [];
    } finally {
      shadow.close();
    }
  });

const openShadow = (path: string, options: KnownOptions): { shadow: Shadow; left: Unfinished } => {
  checkAccess(path);
  return openDatabase(path, SHADOW_FILE, (db) => {
    checkAccess(path);
    const left = leftBeside(db, path, options);
    return { shadow: shadowIn(db, path), left };
  });
};

/** Opens verified connections: they lead to the right ledger, which knows this machine's intents. */
const opener = (options: KnownOptions, shadow: Shadow, path: string, clock: ServerClock) => {
  const { access, folder, clockSql, limits } = options;
  const { name } = access.address;
  const plain = (): Promise<Session> => openSession(access, limits);
  /** Other processes of this machine write to the shadow, too. */
  const patient = <T>(work: () => T): Promise<T> => patiently(work, options.lockWait, options.lockWait.leave);
  let isTidy = false;
  /** Runs once per process, and does not wait for a lock. */
  const forgetOld = (at: number): void => {
    if (isTidy) return;
    isTidy = true;
    try {
      shadow.forgetOld(at);
    } catch {
      // The next process does it.
    }
  };
  let greeting: Handshake | undefined;
  const open = async (): Promise<Session> => {
    const session = await plain();
    try {
      const mine = await patient(shadow.last);
      greeting = await handshake(session, name, clockSql(), mine, limits.connect, plain);
      clock.set(greeting.at);
      const { ledger, server, knows } = greeting;
      const known = shadow.ledger();
      refuseOtherDatabase(known, greeting, name, path);
      if (known === undefined) shadow.belongsTo(ledger);
      if (shadow.server() !== server || mine.some((id) => !knows.has(id))) {
        await restoreLost(session, await patient(() => allStarted(ledger, folder)), greeting.at);
        await patient(() => shadow.isKnownTo(server));
      }
      forgetOld(greeting.at);
      return session;
    } catch (thrown) {
      await session.close();
      throw thrown;
    }
  };
  return { open, greeting: () => greeting };
};

/**
 * Opens a team's shared ledger. Throws a `ledger` error if it can't be used: no connection, no tables yet, another
 * version, or another ledger than before.
 */
export const openSharedLedger = async (given: SharedLedgerOptions): Promise<Ledger> => {
  const options: KnownOptions = { clockSql: () => CLOCK, limits: DATABASE_LIMITS, ...given };
  const { access, folder, now, clean, lockWait } = options;
  const { name } = access.address;
  const path = shadowPath(folder, access.address);
  const { shadow, left } = await patiently(() => openShadow(path, options), lockWait, lockWait.stop);
  const clock = serverClock(now);
  const { open, greeting } = opener(options, shadow, path, clock);
  const connection = connectionBy(open, lockWait);
  try {
    await connection.use(async () => undefined, { limit: 0, until: lockWait.stop });
    const backend = sharedBackend({
      ...options,
      ...{ connection, shadow, path, clock, dead: left.senders },
      server: () => greeting()?.server ?? '',
      key: greeting()?.key ?? '',
      account: greeting()?.account ?? '',
    });
    const known = await takeIn(backend, left.lines);
    // Expire stale entries before the file is removed: without it, a sender that ended before its intent was in the
    // shadow is not known to have run here.
    if (left.senders.length > 0) await expireStale(backend);
    left.remove(known);
    return ledgerOver(backend, clean);
  } catch (thrown) {
    await connection.close();
    shadow.close();
    throw sharedError(thrown, name);
  }
};

/** Opens a team's shared ledger only to read it. Writes neither to it nor to this machine's copy of its intents. */
export const openSharedToRead = async (given: SharedLedgerOptions): Promise<Ledger> => {
  const options: KnownOptions = { clockSql: () => CLOCK, limits: DATABASE_LIMITS, ...given };
  const { access, folder, now, clean, lockWait, limits, clockSql } = options;
  const { name } = access.address;
  const path = shadowPath(folder, access.address);
  checkAccess(path);
  const shadow = openReadOnly(path, SHADOW_FILE, (db, closed): Shadow => {
    const opened = shadowIn(db, path);
    const close = (): void => {
      opened.close();
      closed();
    };
    return { ...opened, close };
  });
  const clock = serverClock(now);
  const plain = (): Promise<Session> => openSession(access, limits);
  let greeting: Handshake | undefined;
  const open = async (): Promise<Session> => {
    const session = await plain();
    try {
      greeting = await handshake(session, name, clockSql(), [], limits.connect, plain);
      clock.set(greeting.at);
      refuseOtherDatabase(shadow.ledger(), greeting, name, path);
      return session;
    } catch (thrown) {
      await session.close();
      throw thrown;
    }
  };
  const connection = connectionBy(open, lockWait);
  try {
    await connection.use(async () => undefined, { limit: 0, until: lockWait.stop });
    const { server = '', key = '', account = '' } = greeting ?? {};
    const shared = { ...options, connection, shadow, path, clock, dead: [], server: () => server, key, account };
    return ledgerOver(readOnly(sharedBackend(shared)), clean);
  } catch (thrown) {
    await connection.close();
    shadow.close();
    throw sharedError(thrown, name);
  }
};
