import type { Client } from '../client/client.ts';
import { CHARGE, CHARGE_WRITE, kindWord, statusOf, type WriteKind } from '../core/charge.ts';
import { EXIT_CODES, interrupted, PayError } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import { definedIn, valueAt } from '../core/json.ts';
import type { ApiRecord } from '../core/record.ts';
import { shellLine } from '../core/shell.ts';
import { parseInstant, utcAtom } from '../core/time.ts';
import { FRESH_MS, passedSince } from '../ledger/clock.ts';
import {
  type ChargeTerms,
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
import { keptActivity, type Snapshot } from '../ledger/snapshot.ts';
import { findOtherTerms, isOtherMedium, withoutPrivate } from './mediums.ts';
import { type Failed, type Outcome, thrownAs } from './outcome.ts';
import { isStepUnreadable, PAYMENTS, paymentShown } from './payment.ts';

/** The sender of requests: its client, its ledger, and the place of both. */
export interface LedgerContext {
  /** Longest time of a sending, and of one attempt within it, in milliseconds. */
  readonly client: Pick<Client, 'longestWrite' | 'longestAttempt' | 'pace'>;
  readonly ledger: Ledger;
  readonly place: LedgerTarget;
  /** Global options that send another command to the same place. */
  readonly words: readonly string[];
}

/** Options of any request under the protocol. */
interface SendOptions {
  /** Sends another one although the first can still be paid or was made. */
  readonly again: boolean;
  /** Row of the file that asks for it. `retry` repeats a row whose last entry failed. */
  readonly row?: { readonly job: string; readonly number: number; readonly retry: boolean };
  /** Moment before the read that the request relies on, if there was one. On an old one nothing is sent. */
  readonly since?: Moment | undefined;
  /** Start of the read's last attempt, if there was an earlier one, by this machine's clock. */
  readonly askedAt?: number | undefined;
  /** Number of earlier tries. */
  readonly tries?: number;
}

export interface SendDeps {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Sends the request once, and starts no attempt when it is overdue. */
  readonly send: (overdue: () => boolean) => Promise<Outcome>;
  /**
   * Called before sending, if an entry about the same thing is open at another origin. If it throws, nothing is sent.
   */
  readonly elsewhere?: (entry: Entry) => Promise<void>;
}

export interface Sent {
  readonly kind: 'accepted';
  readonly id: string;
  readonly record: ApiRecord;
  /** Oddities of the answer, a sentence each. */
  readonly odd: readonly string[];
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
const note = async (
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
 * Reads, checks and sends a request. Does all of it anew after the wait of a 429, and where the read is too old: the
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
export interface MakeRequest extends SendOptions {
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
  /** Money that it pays back, as far as it is known. */
  readonly asked?: RequestTerms | undefined;
  /** True if an answer says that the request failed after all. */
  readonly isFailed?: ((value: unknown) => boolean) | undefined;
}

/** The part of a request that depends on its kind: the intent, and the outcome to store for an answer. */
interface Rules {
  readonly effect: WriteKind;
  readonly intent: Omit<Intent, 'bound' | 'kind' | 'job' | 'row' | keyof LedgerTarget>;
  readonly how: Pick<BeginOptions, 'once' | 'equalSince' | 'shown' | 'remaining' | 'beside'>;
  readonly accepted: (record: ApiRecord) => StoredOutcome;
}

const makeRules = (request: MakeRequest, now: () => number): Rules => {
  const { effect, about, path, body, once, equalSince, asked, isFailed } = request;
  return {
    effect,
    intent: { about, path, body, digest: digestOf(JSON.parse(body ?? '{}')), ...(asked && { asked }) },
    how: { once, equalSince },
    accepted: ({ value }) => {
      const [uid, status] = [String(valueAt(value, 'uid')), statusOf(value)];
      return {
        state: 'accepted',
        exitCode: isFailed?.(value) === true ? EXIT_CODES.charge_failed : 0,
        evidence: evidenceOf('answer', now(), {
          message: `${effect.done}: ${uid}`,
          uid,
          ...(status === '' ? {} : { status }),
        }),
      };
    },
  };
};

/** Charge to be made under the protocol. */
export interface ChargeRequest extends SendOptions, Pick<BeginOptions, 'remaining' | 'beside'> {
  readonly ugwo: string;
  /** `data` of the body, already validated. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Result of a read of the payment request just before; undefined if there was none. */
  readonly shown?: Snapshot | undefined;
}

const intentOf = ({
  ugwo,
  data,
  shown,
}: ChargeRequest): Omit<ChargeTerms, 'termsDigest'> & Pick<Intent, 'about' | 'digest' | 'otherTerms'> => ({
  about: ugwo,
  medium: readTerm(data['medium']) ?? '',
  provider: readTerm(data['provider']),
  phone: readTerm(data['phone']),
  otherTerms: findOtherTerms(data),
  expiresAt: parseInstant(readTerm(data['expires_at']) ?? '')?.ms,
  digest: digestOf(withoutPrivate(data)),
  asked: shown?.asked ?? {},
});

/** Service's clock at the answer. Without a `Date`, the creation time of the new activity stands in. */
const serviceTimeAt = ({ value, servedAt }: ApiRecord): number | undefined =>
  servedAt ?? parseInstant(String(valueAt(value, 'created_at')))?.ms;

const acceptedOutcome = (record: ApiRecord): StoredOutcome => {
  const servedAt = serviceTimeAt(record);
  const { askedAt } = record;
  const activity = keptActivity(record.value, definedIn({ servedAt, askedAt }));
  const failed = PAYMENTS[paymentShown(record.value)].retried;
  const exitCode = isStepUnreadable(record.value) ? EXIT_CODES.unrecorded : 0;
  return { state: 'accepted', exitCode: failed ? EXIT_CODES.charge_failed : exitCode, activity };
};

/**
 * Largest plausible distance of the activity's creation time from the answer, in milliseconds. Beyond it, the activity
 * was not made now.
 */
const FAR_MS = 2 * 3_600_000;

/** Oddities of the activity in the answer. They don't make it another charge's. */
const oddities = ({ value, servedAt }: ApiRecord, data: ChargeRequest['data']): string[] => {
  const created = parseInstant(String(valueAt(value, 'created_at')))?.ms;
  return [
    ...(isOtherMedium(value, String(data['medium']))
      ? [`the answer looks like another medium than ${String(data['medium'])}`]
      : []),
    ...(servedAt !== undefined && created !== undefined && Math.abs(created - servedAt) > FAR_MS
      ? [`the activity says it was made at ${utcAtom(created)}, not now`]
      : []),
  ];
};

const chargeRules = (request: ChargeRequest): Rules => {
  const { data, shown, remaining = false, beside = [] } = request;
  return {
    effect: CHARGE_WRITE,
    intent: intentOf(request),
    how: { shown, remaining, beside },
    accepted: (record) => ({ ...acceptedOutcome(record), odd: oddities(record, data) }),
  };
};

const wantedBy = (
  { client, place, ledger }: LedgerContext,
  { row }: SendOptions,
  { effect, intent }: Rules,
): Intent => ({
  ...place,
  ...intent,
  operator: operatorOf(ledger),
  kind: effect.kind,
  bound: client.longestWrite,
  job: row?.job,
  row: row?.number,
});

/** Judges a request as `sendOnce` would, and neither sends nor writes anything. */
export const judgeOnce = (
  context: LedgerContext,
  request: ChargeRequest | MakeRequest,
  plan: PlannedRows,
): Promise<Judged> => {
  const { ledger } = context;
  const { again, row } = request;
  const rules = 'ugwo' in request ? chargeRules(request) : makeRules(request, () => ledger.moment().at);
  return ledger.judge(wantedBy(context, request, rules), { ...rules.how, again, retry: row?.retry === true }, plan);
};

/**
 * Sends one request under the protocol (charge-protocol, The order of things). The intent is on the disk before `send`
 * is called, and the outcome before this returns or throws. Throws the error of a write that was not accepted, with the ledger id added. Sends
 * nothing if the guard refuses.
 */
export const sendOnce = async (
  context: LedgerContext,
  request: ChargeRequest | MakeRequest,
  { now, send, ...world }: SendDeps,
): Promise<Sent | Refused> => {
  const { client, ledger, words } = context;
  const { again, row, tries = 0 } = request;
  await client.pace?.turn?.();
  const { since = ledger.moment(), askedAt } = request;
  // Failed attempts don't age a read. The ledger's clock may be its server's, and this machine's may have been set.
  const start = ledger.moment();
  const failing = askedAt === undefined ? 0 : askedAt - now() + start.at - since.at;
  const spared = Math.min(failing, passedSince(since, start));
  const age = (): number => passedSince(since, ledger.moment()) - spared;
  // After each try the read may be twice as old, so that a service that takes long to answer can be used.
  const mostAge = FRESH_MS * 2 ** tries;
  // A read gets no older than three connections take.
  const used = request.since === undefined ? Infinity : 2 * FRESH_MS + 3 * client.longestAttempt;
  // An attempt must not outlive the deadline after which other processes give it up.
  const overdue = (): boolean => age() + client.longestAttempt > Math.min(client.longestWrite, used);
  if (age() > mostAge) throw tooOld();
  const rules = 'ugwo' in request ? chargeRules(request) : makeRules(request, now);
  const { effect, how, accepted } = rules;
  const begun = await ledger.begin(wantedBy(context, request, rules), { ...how, again, retry: row?.retry === true });
  if (begun.kind === 'refused') return begun;
  const { id, elsewhere } = begun;
  let outcome: Outcome;
  try {
    if (elsewhere !== undefined) {
      await world.elsewhere?.(elsewhere);
      // A person may have taken long to answer.
      if (age() > mostAge) throw tooOld();
    }
    outcome = await send(overdue);
  } catch (thrown) {
    outcome = thrownAs(thrown, effect);
  }
  if (outcome.certain !== 'accepted') {
    const { error } = outcome;
    const { unrecorded } = await note(ledger, id, failedOutcome(outcome, now()));
    const answer = unrecorded?.detail.answer;
    const named = {
      ledgerId: id,
      ...(error.kind === 'unknown' ? { hint: unknownHint(id, effect, words) } : {}),
      // A ledger that can't be written ends the sending.
      ...(unrecorded && { resendAfter: undefined }),
    };
    throw error.with(answer === undefined ? named : { ...named, answer, unrecorded: true });
  }
  const { record } = outcome;
  const stored = accepted(record);
  const { owner, ...noted } = await note(ledger, id, stored);
  const shared = owner === undefined ? [] : [`the answer names the activity of ${owner.id}, made earlier`];
  return { kind: 'accepted', id, record, odd: [...(stored.odd ?? []), ...shared], ...noted };
};
