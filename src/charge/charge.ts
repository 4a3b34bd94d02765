import type { Client } from '../client/client.ts';
import { CHARGE, CHARGE_WRITE, kindWord, REFUND, statusOf, type WriteKind } from '../core/charge.ts';
import { EXIT_CODES, interrupted, PayError } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import { definedIn, valueAt } from '../core/json.ts';
import type { ApiRecord } from '../core/record.ts';
import { shellLine } from '../core/shell.ts';
import { parseInstant, utcAtom } from '../core/time.ts';
import { FRESH_MS, passedSince, serviceClock } from '../ledger/clock.ts';
import {
  digestOf,
  type Entry,
  evidenceOf,
  type Intent,
  type LedgerTarget,
  type Moment,
  type RequestTerms,
  readTerm,
  type StoredOutcome,
} from '../ledger/entry.ts';
import type { BeginOptions, Judged, Ledger, PlannedRows, Refused } from '../ledger/ledger.ts';
import { operatorOf } from '../ledger/sender.ts';
import { hasSameActivities, keptActivity, MOST_AGE_MS, type Snapshot, snapshotOf } from '../ledger/snapshot.ts';
import { findOtherTerms, isOtherMedium, withoutPrivate } from './mediums.ts';
import { type Failed, type Outcome, thrownAs } from './outcome.ts';
import { amountAt, isStepUnreadable, PAYMENTS, paymentShown } from './payment.ts';

/** The client and the ledger of a request, and their place. */
export interface ChargeRun {
  readonly client: Pick<Client, 'write' | 'call' | 'longestWrite' | 'longestAttempt' | 'pace'>;
  readonly ledger: Ledger;
  readonly place: LedgerTarget;
  /** Global options that send another command to the same place. */
  readonly words: readonly string[];
  readonly io: Pick<Io, 'clock' | 'signals'>;
  /** Rows that were judged before. With it, requests are judged and not sent (--dry-run). */
  readonly planned?: PlannedRows | undefined;
}

/** Result of a read before a request is sent; empty if there was none. */
export interface Reading {
  /** Moment before the read. On an old one nothing is sent. */
  readonly since?: Moment | undefined;
  /** Start of the read's last attempt, if there was an earlier one, by this machine's clock. */
  readonly askedAt?: number | undefined;
  /** The payment request. */
  readonly shown?: Snapshot | undefined;
  /** Money that a refund pays back, as far as it is known. */
  readonly asked?: RequestTerms | undefined;
  /** Status of the activity that a refund pays back. */
  readonly paid?: string | undefined;
}

/** Parts of any request under the protocol. */
interface ProtectedRequest {
  /** Sends another one although the first can still be paid or was made. */
  readonly again: boolean;
  /** Row of the file that asks for it. `retry` repeats a row whose last entry failed. */
  readonly row?: { readonly job: string; readonly number: number; readonly retry: boolean };
  readonly tries?: number;
  /** Reads what the request relies on. If it throws, nothing is sent. */
  readonly look?: () => Promise<Reading>;
  /** Called if the guard refuses. Resolves to what a later read has shown, by which the guard decides anew. */
  readonly onRefused?: (refused: Refused) => Promise<Snapshot | undefined>;
  /**
   * Called before sending, if an entry about the same thing is open at another origin. If it throws, nothing is sent.
   */
  readonly onElsewhere?: (entry: Entry) => Promise<void>;
  /** Called just before sending. */
  readonly onSend?: (reading: Reading) => Promise<void>;
}

export interface Sent {
  readonly kind: 'accepted';
  readonly id: string;
  readonly record: ApiRecord;
  /** Oddities of the answer, a sentence each. */
  readonly odd: readonly string[];
  readonly reading: Reading;
  /** Error of the ledger, if it could not store the outcome. */
  readonly unrecorded?: PayError;
}

const failedOutcome = ({ certain, error }: Failed, at: number): StoredOutcome => {
  const { status, exitCode, answer } = error.detail;
  const evidence = evidenceOf('answer', at, {
    message: error.message,
    ...definedIn<unknown>({ status, answer }),
  });
  return { state: certain, exitCode: exitCode ?? EXIT_CODES[error.kind], evidence };
};

/** Hint for an unknown outcome. Only a person can look up other kinds than charges at the service. */
const unknownHint = (id: string, { kind, hint }: WriteKind, words: readonly string[]): string => {
  const command = shellLine(['paycli', 'ledger', 'sync', id, ...words]);
  return kind === CHARGE
    ? `${hint}. Find out: \`${command}\``
    : `${hint}. Look for the ${kindWord(kind)} at the service, then record what you found: \`${shellLine(['paycli', 'ledger', 'resolve', id, '--as', 'created'])}\`, or \`--as not-created\``;
};

/**
 * Stores the outcome. Returns the ledger's error instead of throwing it, and the other charge that the activity already
 * belongs to, if any.
 */
const recordOutcome = async (
  ledger: Ledger,
  id: string,
  outcome: StoredOutcome,
): Promise<{ readonly owner?: Entry; readonly unrecorded?: PayError }> => {
  try {
    const owner = await ledger.record(id, outcome);
    return owner === undefined ? {} : { owner };
  } catch (thrown) {
    if (thrown instanceof PayError) return { unrecorded: thrown };
    throw thrown;
  }
};

/** Error of a request whose read is too old. It is read, checked and sent anew at once. */
export const tooOld = (): PayError =>
  new PayError('not_sent', 'nothing was sent: the last check is too old', {
    hint: 'it is safe to run the same command again',
    resendAfter: 0,
  });

/**
 * Reads, checks and sends a request. Starts again with the read after the wait of a 429, and if the read is too old: the
 * request may have been paid, cancelled or changed meanwhile. `tries` counts the earlier tries.
 */
export const sendAnew = async <T>(
  attempt: (tries: number) => Promise<T>,
  { clock, signals }: Pick<Io, 'clock' | 'signals'>,
): Promise<T> => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt(tries);
    } catch (thrown) {
      const { resendAfter, ledgerId } = thrown instanceof PayError ? thrown.detail : {};
      if (resendAfter === undefined) throw thrown;
      const { stop } = signals;
      await clock.sleep(resendAfter, stop).catch(() => undefined);
      if (stop.aborted) throw interrupted(stop.reason).with(definedIn({ ledgerId }));
    }
  }
};

/** Request other than a charge that must not be made twice. Only a person can resolve an unknown outcome. */
export interface MakeRequest extends ProtectedRequest {
  readonly effect: WriteKind;
  /** Subject of the request. While one about it is unknown, no other is sent. */
  readonly about: string;
  readonly path: string;
  /** JSON. */
  readonly body: string | undefined;
  /** An earlier accepted one blocks this one, unless `again`. */
  readonly once: boolean;
  /** See `BeginOptions`. */
  readonly equalSince?: number | undefined;
  /** Sends it, and starts no attempt when it is overdue. */
  readonly send: (isOverdue: () => boolean) => Promise<Outcome>;
  /** True if an answer says that the request failed after all. */
  readonly isFailed?: ((value: unknown) => boolean) | undefined;
}

/** The part of a request that depends on its kind. */
interface Rules {
  readonly effect: WriteKind;
  readonly intent: Omit<Intent, 'bound' | 'kind' | 'job' | 'row' | keyof LedgerTarget>;
  readonly how: Pick<BeginOptions, 'once' | 'equalSince' | 'shown' | 'remaining' | 'beside'>;
  readonly send: (isOverdue: () => boolean) => Promise<Outcome>;
  /** The outcome to store for an answer. */
  readonly accepted: (record: ApiRecord) => StoredOutcome;
}

const makeRules = (request: MakeRequest, { asked, paid }: Reading, now: () => number): Rules => {
  const { effect, about, path, body, once, equalSince, send, isFailed } = request;
  return {
    effect,
    intent: {
      about,
      path,
      body,
      digest: digestOf(JSON.parse(body ?? '{}')),
      ...(asked && { asked }),
      ...(paid && { evidence: [evidenceOf('paid', now(), { status: paid })] }),
    },
    how: { once, equalSince },
    send,
    accepted: ({ value }) => {
      const [uid, status] = [String(valueAt(value, 'uid')), statusOf(value)];
      const amount = effect.kind === REFUND ? amountAt(value, 'amount') : undefined;
      const evidence = {
        message: `${effect.done}: ${uid}`,
        uid,
        ...definedIn({ status: status || undefined, amount }),
      };
      return {
        state: 'accepted',
        exitCode: isFailed?.(value) === true ? EXIT_CODES.charge_failed : 0,
        evidence: evidenceOf('answer', now(), evidence),
      };
    },
  };
};

type Data = Readonly<Record<string, unknown>>;

/** Charge to be made under the protocol. */
export interface ChargeRequest extends ProtectedRequest, Pick<BeginOptions, 'remaining' | 'beside'> {
  readonly ugwo: string;
  /** Builds `data` of the body, whose expiry may count from now, by the service's clock. */
  readonly data: (now: number) => Data;
  /** Evidence to store with the intent. */
  readonly evidence?: Intent['evidence'] | undefined;
}

const acceptedOutcome = ({ value, servedAt, askedAt }: ApiRecord): StoredOutcome => {
  // Without a `Date`, the creation time of the new activity stands in for the service's clock.
  const serviceTime = servedAt ?? parseInstant(String(valueAt(value, 'created_at')))?.ms;
  const activity = keptActivity(value, definedIn({ servedAt: serviceTime, askedAt }));
  const failed = PAYMENTS[paymentShown(value)].retried;
  const exitCode = isStepUnreadable(value) ? EXIT_CODES.unrecorded : 0;
  return { state: 'accepted', exitCode: failed ? EXIT_CODES.charge_failed : exitCode, activity };
};

/**
 * Largest plausible distance of the activity's creation time from the answer, in milliseconds. Beyond it, the activity
 * was not made now.
 */
const FAR_CREATED_MS = 2 * 3_600_000;

/** Oddities of the activity in the answer. They don't make it another charge's. */
const oddities = ({ value, servedAt }: ApiRecord, data: Data): string[] => {
  const created = parseInstant(String(valueAt(value, 'created_at')))?.ms;
  return [
    ...(isOtherMedium(value, String(data['medium']))
      ? [`the answer looks like another medium than ${String(data['medium'])}`]
      : []),
    ...(servedAt !== undefined && created !== undefined && Math.abs(created - servedAt) > FAR_CREATED_MS
      ? [`the activity says it was made at ${utcAtom(created)}, not now`]
      : []),
  ];
};

/**
 * Pause before the read that settles a 429, in milliseconds. Over one second, since answers are dated to the second.
 */
const LEFT_ALONE_MS = 1100;

/**
 * True if a read after a charge attempt shows no new activity since `before`. Takes no longer than one attempt. False
 * if it can't tell. Stores what the read shows: the next one may show less.
 */
const showsNothingNew = async (
  ugwo: string,
  before: Snapshot | undefined,
  { client, ledger, io: { clock, signals } }: ChargeRun,
): Promise<boolean> => {
  if (before?.activities === undefined) return false;
  try {
    const until = AbortSignal.timeout(client.longestAttempt);
    await clock.sleep(LEFT_ALONE_MS, signals.stop);
    const record = await client.call('ugwo.get', { params: { uid: ugwo } }, until);
    const after = snapshotOf(record.value, record);
    await ledger.observe(after, true);
    return (after.age ?? 0) <= MOST_AGE_MS && hasSameActivities(before, after);
  } catch {
    return false;
  }
};

const chargeRules = (request: ChargeRequest, reading: Reading, run: ChargeRun): Rules => {
  const { ugwo, tries = 0, remaining = false, beside = [] } = request;
  const { shown } = reading;
  const here = run.io.clock.now();
  const now = serviceClock(shown, here);
  const data = request.data(now ?? here);
  return {
    effect: CHARGE_WRITE,
    intent: {
      about: ugwo,
      medium: readTerm(data['medium']) ?? '',
      provider: readTerm(data['provider']),
      phone: readTerm(data['phone']),
      otherTerms: findOtherTerms(data),
      expiresAt: parseInstant(readTerm(data['expires_at']) ?? '')?.ms,
      digest: digestOf(withoutPrivate(data)),
      asked: shown?.asked ?? {},
      ...(request.evidence && { evidence: request.evidence }),
    },
    how: { shown, remaining, beside },
    send: async (isOverdue) => {
      const isNothing = (): Promise<boolean> => showsNothingNew(ugwo, shown, run);
      const body = { type: 'charge', data };
      return run.client.write('ugwo.charge', { params: { ugwoUid: ugwo }, body, now, isOverdue, tries, isNothing });
    },
    accepted: (record) => ({ ...acceptedOutcome(record), odd: oddities(record, data) }),
  };
};

/**
 * Returns a test: true once the read is too old to send by it. Each try doubles the limit: a service may take long to answer,
 * or to connect. No attempt outlives the deadline after which other processes give it up.
 */
const openAge = ({ since, askedAt }: Reading, tries: number, { client, ledger, io }: ChargeRun): (() => boolean) => {
  const start = ledger.moment();
  const from = since ?? start;
  // Failed attempts don't age a read. The ledger's clock may be its server's, and this machine's may have been set.
  const failing = askedAt === undefined ? 0 : askedAt - io.clock.now() + start.at - from.at;
  const spared = Math.min(failing, passedSince(from, start));
  const limit = Math.min(FRESH_MS * 2 ** tries, client.longestWrite - client.longestAttempt);
  return () => passedSince(from, ledger.moment()) - spared > limit;
};

/**
 * Charges, or sends another request that must not be made twice (docs/protocol.md, Order). The intent is on
 * the disk before it is sent, and the outcome before this returns or throws. Throws the error of a request that was not
 * accepted, with the ledger id added. Resolves to the refusal if the guard refuses. A dry run only asks the guard.
 */
export async function charge(
  request: ChargeRequest | MakeRequest,
  run: ChargeRun & { readonly planned: PlannedRows },
): Promise<Judged>;
export async function charge(request: ChargeRequest | MakeRequest, run: ChargeRun): Promise<Sent | Refused>;
export async function charge(request: ChargeRequest | MakeRequest, run: ChargeRun): Promise<Sent | Judged> {
  const { client, ledger, words } = run;
  const { again, row, tries = 0 } = request;
  const { now } = run.io.clock;
  let reading = (await request.look?.()) ?? {};
  for (;;) {
    if (run.planned === undefined) await client.pace?.turn?.();
    const isOverdue = openAge(reading, tries, run);
    if (run.planned === undefined && isOverdue()) throw tooOld();
    const rules = 'ugwo' in request ? chargeRules(request, reading, run) : makeRules(request, reading, now);
    const intent: Intent = {
      ...run.place,
      ...rules.intent,
      operator: operatorOf(ledger),
      kind: rules.effect.kind,
      bound: client.longestWrite,
      job: row?.job,
      row: row?.number,
    };
    const how = { ...rules.how, again, retry: row?.retry === true };
    const started = await (run.planned === undefined
      ? ledger.begin(intent, how)
      : ledger.judge(intent, how, run.planned));
    if (started.kind === 'clear') return started;
    if (started.kind === 'refused') {
      const shown = await request.onRefused?.(started);
      if (shown === undefined) return started;
      reading = { ...reading, shown };
      continue;
    }
    const { id, elsewhere } = started;
    const send = async (): Promise<Outcome> => {
      if (elsewhere !== undefined) await request.onElsewhere?.(elsewhere);
      // A person may have taken long to answer.
      if (elsewhere !== undefined && isOverdue()) throw tooOld();
      await request.onSend?.(reading);
      return rules.send(isOverdue);
    };
    const outcome = await send().catch((thrown: unknown) => thrownAs(thrown, rules.effect));
    const stored = outcome.certain === 'accepted' ? rules.accepted(outcome.record) : failedOutcome(outcome, now());
    const { owner, unrecorded } = await recordOutcome(ledger, id, stored);
    if (outcome.certain === 'accepted') {
      const shared = owner === undefined ? [] : [`the answer names the activity of ${owner.id}, made earlier`];
      const odd = [...(stored.odd ?? []), ...shared];
      return { kind: 'accepted', id, record: outcome.record, reading, odd, ...(unrecorded && { unrecorded }) };
    }
    const { error } = outcome;
    const answer = unrecorded?.detail.answer;
    throw error.with({
      ledgerId: id,
      ...(error.kind === 'unknown' ? { hint: unknownHint(id, rules.effect, words) } : {}),
      // A ledger that can't be written ends the sending.
      ...(unrecorded && { resendAfter: undefined }),
      ...(answer === undefined ? {} : { answer, unrecorded: true }),
    });
  }
}
