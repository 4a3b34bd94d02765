import { type Client, createClient } from '../../src/client/client.ts';
import { openTransport, type Transport } from '../../src/client/transport.ts';
import { EXIT_CODES, PayError } from '../../src/core/error.ts';
import type { Clock } from '../../src/core/io.ts';
import { ledgerTargetOf } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { hasProcessEnded, thisSender } from '../../src/ledger/sender.ts';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { CANARY } from '../support/canary.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { sendOnce } from '../support/outcome.ts';
import { lookedAt } from './looking.ts';

/** The result of a charge, as from a run of the program. */
export interface ChargeEnd {
  /** `accepted`, `refused`, `unrecorded`, or the kind of the error. */
  readonly kind: string;
  readonly exitCode: number;
  /** The charge's ID in the ledger; for a refused charge, the ID of the charge that blocks it. */
  readonly id: string | undefined;
  readonly message: string;
}

const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((done, fail) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      fail(signal.reason);
    });
  });

/** A clock with real times for attempts, but without pauses between them. */
const REAL: Clock = { now: Date.now, ticks: () => performance.now(), sleep };
const HURRIED: Clock = { now: Date.now, ticks: () => performance.now(), sleep: (_ms, signal) => sleep(0, signal) };

const silent = (): void => undefined;

const transportTo = (origin: string): Transport =>
  openTransport({
    credentials: { origin, key: CANARY },
    env: {},
    clock: REAL,
    userAgent: 'paycli/test',
    debug: silent,
    clean: (text) => text,
  });

const clientOver = (transport: Transport, origin: string, timeout: number): Client =>
  createClient({
    transport,
    origin,
    clock: HURRIED,
    random: () => 0,
    signals: { stop: new AbortController().signal, leave: new AbortController().signal },
    timeout,
    debug: silent,
    notice: silent,
    flight: { open: 0, accepted: 0 },
    validate: true,
  });

/** The real ledger in a file. */
export const openRealLedger = (path: string): Promise<Ledger> => {
  const self = thisSender();
  return openLedger(
    ledgerOptions(path, { self, hasEnded: (sender, overdue) => hasProcessEnded(sender, self, overdue) }),
  );
};

/** The timeouts in milliseconds of each attempt of the check (undefined: no check) and of the charge. */
export interface Limits {
  readonly look: number | undefined;
  readonly charge: number;
  /** The limit of the whole sending; by default the client's. */
  readonly bound?: number;
}

/** The result of a charge that threw, unless that is a bug. */
export const endOfError = (thrown: unknown): ChargeEnd => {
  if (!(thrown instanceof PayError)) throw thrown;
  const { kind, detail, message } = thrown;
  return { kind, exitCode: detail.exitCode ?? EXIT_CODES[kind], id: detail.ledgerId, message };
};

const LONG_MS = 20_000;

/**
 * Checks and charges by bank transfer through the real client and a ledger; `known` is the ledger's name for the
 * service.
 */
export const chargeAt = async (
  origin: string,
  ledger: Ledger,
  ugwo: string,
  { look, charge: timeout, bound }: Limits = { look: LONG_MS, charge: LONG_MS },
  known = origin,
): Promise<ChargeEnd> => {
  const transport = transportTo(origin);
  const client = clientOver(transport, origin, timeout);
  const data = { medium: 'bank_transfer' };
  const place = ledgerTargetOf(known, CANARY, 'test');
  const limits = { longestWrite: bound ?? client.longestWrite, longestAttempt: timeout };
  const send = (isOverdue: () => boolean) =>
    client.write('ugwo.charge', { params: { ugwoUid: ugwo }, body: { type: 'charge', data }, isOverdue });
  try {
    const shown = look === undefined ? undefined : await lookedAt(ugwo, clientOver(transport, origin, look), ledger);
    const charged = await sendOnce(
      { client: limits, ledger, place },
      { ugwo, data, again: false, shown },
      { now: Date.now, send },
    );
    if (charged.kind === 'refused') {
      return { kind: 'refused', exitCode: EXIT_CODES.refused, id: charged.by?.id, message: charged.why };
    }
    const { id, unrecorded } = charged;
    if (unrecorded === undefined) return { kind: 'accepted', exitCode: 0, id, message: '' };
    return { kind: 'unrecorded', exitCode: EXIT_CODES.unrecorded, id, message: unrecorded.message };
  } catch (thrown) {
    return endOfError(thrown);
  } finally {
    await transport.close();
  }
};
