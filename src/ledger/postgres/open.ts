import { hash } from 'node:crypto';
import { join } from 'node:path';
import { attempt } from '../../core/async.ts';
import { SHADOW_FILE_START } from '../../core/data-files.ts';
import { PayError } from '../../core/error.ts';
import { openDatabase, openReadOnly } from '../../database/open.ts';
import type { Backend } from '../backend.ts';
import type { Entry, Sender } from '../entry.ts';
import { expireStale } from '../guard.ts';
import type { Ledger } from '../ledger.ts';
import { leftBeside, type Unfinished } from '../local/emergency.ts';
import { checkAccess, patiently } from '../local/file.ts';
import { ledgerOver, readOnly } from '../open.ts';
import { takeIn } from '../outcome.ts';
import { type KnownOptions, type ServerClock, type SharedLedgerOptions, sharedBackend } from './backend.ts';
import { type Handshake, handshake, ledgerErrorOf } from './handshake.ts';
import { checkVersion } from './schema.ts';
import { type Access, DATABASE_LIMITS, openSession, type Session } from './session.ts';
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

/** Opening of a ledger: its shadow, and what is to be done beside the handshake. */
interface Opening {
  readonly shadow: Shadow;
  /** Path of the shadow. */
  readonly path: string;
  readonly dead: readonly Sender[];
  /** Intents of this machine that the server must know. */
  readonly mine: () => Promise<readonly string[]>;
  /** Called on each new connection that leads to the right ledger. */
  readonly greeted: (session: Session, greeting: Handshake, mine: readonly string[]) => Promise<void>;
  /** Called once the ledger can be used. */
  readonly ready: (backend: Backend) => Promise<Backend>;
}

const openOver = async (options: KnownOptions, { mine, greeted, ready, ...opening }: Opening): Promise<Ledger> => {
  const { access, clockSql, limits, lockWait, clean, now } = options;
  const { name } = access.address;
  const { shadow, path } = opening;
  const clock = serverClock(now);
  const plain = (): Promise<Session> => openSession(access, limits);
  let greeting: Handshake | undefined;
  const open = async (): Promise<Session> => {
    const session = await plain();
    try {
      const asked = await mine();
      const isFirst = greeting === undefined;
      greeting = await handshake(session, name, clockSql(), asked, limits.connect, plain);
      // Outcomes of what this process has sent are stored in a newer ledger, too. It begins nothing there.
      if (isFirst) checkVersion(name, greeting.version);
      clock.set(greeting.at);
      refuseOtherDatabase(shadow.ledger(), greeting, name, path);
      await greeted(session, greeting, asked);
      return session;
    } catch (thrown) {
      await session.close();
      throw thrown;
    }
  };
  const connection = connectionBy(open, lockWait);
  try {
    await connection.use(async () => undefined, { limit: 0, until: lockWait.stop });
    const { key = '', account = '' } = greeting ?? {};
    const server = (): string => greeting?.server ?? '';
    const backend = sharedBackend({ ...options, ...opening, connection, clock, server, key, account });
    return ledgerOver(await ready(backend), clean);
  } catch (thrown) {
    await connection.close();
    shadow.close();
    throw await ledgerErrorOf(thrown, access, limits);
  }
};

const withDefaults = (given: SharedLedgerOptions): KnownOptions => ({
  clockSql: () => CLOCK,
  limits: DATABASE_LIMITS,
  ...given,
});

/**
 * Opens a team's shared ledger. Throws a `ledger` error if it can't be used: no connection, no tables yet, another
 * version, or another ledger than before.
 */
export const openSharedLedger = async (given: SharedLedgerOptions): Promise<Ledger> => {
  const options = withDefaults(given);
  const { access, folder, lockWait, limits } = options;
  const path = shadowPath(folder, access.address);
  const { shadow, left } = await patiently(() => openShadow(path, options), lockWait, lockWait.stop);
  /** Other processes of this machine write to the shadow, too. */
  const patient = <T>(work: () => T): Promise<T> => patiently(work, lockWait, lockWait.leave);
  /** Old copies are removed once per process, without waiting for a lock. If it fails, the next process does it. */
  let isTidy = false;
  const greeted: Opening['greeted'] = async (session, { ledger, server, knows, at }, mine) => {
    if (shadow.ledger() === undefined) shadow.belongsTo(ledger);
    if (shadow.server() !== server || mine.some((id) => !knows.has(id))) {
      await restoreLost(session, await patient(() => allStarted(ledger, folder)), at, limits.read);
      await patient(() => shadow.isKnownTo(server));
    }
    if (!isTidy) attempt(() => shadow.forgetOld(at));
    isTidy = true;
  };
  const ready: Opening['ready'] = async (backend) => {
    const known = await takeIn(backend, left.lines);
    // Expire stale entries before the file is removed: without it, a sender that ended before its intent was in the
    // shadow is not known to have run here.
    if (left.senders.length > 0) await expireStale(backend);
    left.remove(known);
    return backend;
  };
  return openOver(options, { shadow, path, dead: left.senders, mine: () => patient(shadow.last), greeted, ready });
};

/** Opens a team's shared ledger only to read it. Writes neither to it nor to this machine's copy of its intents. */
export const openSharedToRead = async (given: SharedLedgerOptions): Promise<Ledger> => {
  const options = withDefaults(given);
  const path = shadowPath(options.folder, options.access.address);
  checkAccess(path);
  const shadow = openReadOnly(path, SHADOW_FILE, (db, closed): Shadow => {
    const opened = shadowIn(db, path);
    const close = (): void => {
      opened.close();
      closed();
    };
    return { ...opened, close };
  });
  const nothing = { dead: [], mine: async () => [], greeted: async () => undefined };
  return openOver(options, { shadow, path, ...nothing, ready: async (backend) => readOnly(backend) });
};
