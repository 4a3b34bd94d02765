import { PAYMENTS, paymentShown } from '../../../src/charge/payment.ts';
import { CHARGE } from '../../../src/core/charge.ts';
import { Redactor } from '../../../src/core/secret.ts';
import type { Charge, Entry, Intent, Moment, Money, Sender, UptimeReading } from '../../../src/ledger/entry.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { ledgerOver } from '../../../src/ledger/open.ts';
import { wasSeenExpired } from '../../../src/ledger/transitions.ts';
import { memoryBackend, memoryStore } from './memory-backend.ts';

export const UGWO = 'ugw.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
/** 2026-11-20T12:00:00Z */
export const SENT = Date.UTC(2026, 10, 20, 12);

const TERMS = { kind: CHARGE, medium: 'ussd', provider: 'gtb', phone: undefined } as const;

export const intent = (some: Partial<Intent> = {}): Intent => ({
  service: 'https://pay.example',
  origin: 'https://pay.example',
  workspace: 'AbCd',
  profile: 'shop',
  about: UGWO,
  ...TERMS,
  digest: '00',
  bound: 30_000,
  ...some,
});

/** The monotonic time on a machine whose clock was always right. */
export const markAt = (at: number, boot = 'this boot'): UptimeReading => ({ boot, uptime: at - SENT + 86_400_000 });

/** A time on a machine whose clock is `ahead`. */
export const momentAt = (at: number, ahead = 0, boot?: string): Moment => ({ at: at + ahead, mark: markAt(at, boot) });

const SENDER: Sender = { pid: 4711, boot: 'this boot pid:[1]', started: '100' };

const begunFrom = ({ bound: _bound, ...terms }: Intent): Omit<Intent, 'bound'> => terms;

/** The money that a charge's activity shows by its status and its expiry. */
export const moneyOf = (one: Charge): Money | undefined => {
  if (one.state !== 'accepted' || one.activity === undefined) return undefined;
  const shown = paymentShown(one.activity);
  const payment = shown === 'open' && wasSeenExpired(one) ? 'expired' : shown;
  const { brings } = PAYMENTS[payment];
  const received = brings ? one.asked?.amount : 0;
  const refunded = payment === 'refunded' ? received : payment === 'partially_refunded' ? undefined : 0;
  const paidAt = brings ? one.recordedAt : undefined;
  return { payment, received, receivedAssumed: brings, refunded, paidAt, readAt: one.told?.at ?? one.recordedAt };
};

/** An unknown charge, sent at SENT and given up ten seconds later. */
export const charge = (some: Partial<Charge> = {}): Charge => {
  const one: Charge = {
    ...begunFrom(intent()),
    ...TERMS,
    deadline: SENT + 30_000,
    id: 'chg-000000000001',
    seq: 1,
    state: 'unknown',
    job: undefined,
    row: undefined,
    money: undefined,
    createdAt: SENT,
    sender: SENDER,
    begun: markAt(SENT),
    took: 10_000,
    told: undefined,
    recordedAt: SENT + 10_000,
    exitCode: 6,
    activity: undefined,
    evidence: [],
    ...some,
  };
  return 'money' in some ? one : { ...one, money: moneyOf(one) };
};

/** A ledger in memory, where no process ever dies. */
export const memoryLedger = (
  first: readonly Entry[] = [],
  now: () => number = () => SENT,
  clean = (text: string): string => new Redactor().cleanAll(text),
): Ledger => {
  const world = { moment: () => momentAt(now()), self: SENDER, hasEnded: () => false };
  return ledgerOver(memoryBackend(world, memoryStore(first)), clean);
};
