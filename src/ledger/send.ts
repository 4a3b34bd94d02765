import {
  CHARGE,
  CHARGE_WRITE,
  isStepUnreadable,
  kindWord,
  mayBeDone,
  paymentStatusOf,
  statusOf,
  type WriteKind,
} from '../core/charge.ts';
import { EXIT_CODES, outcomeOf, PayError, reasonOf } from '../core/error.ts';
import { isAnyId } from '../core/ids.ts';
import { valueAt } from '../core/json.ts';
import type { ApiRecord } from '../core/record.ts';
import { shellLine } from '../core/shell.ts';
import { parseInstant, utcAtom } from '../core/time.ts';
import { elapsed } from './clock.ts';
import {
  type ChargeTerms,
  type Entry,
  evidenceOf,
  type Intent,
  type LedgerTarget,
  type Moment,
  type Outcome,
} from './entry.ts';
import type { BeginOptions, Ledger, Refused } from './ledger.ts';
import { isOtherMedium } from './match.ts';
import { cleaned, digestOf, lastDigits, phoneDigestOf, withoutNumbers, withoutPhone } from './privacy.ts';
import { refusedError } from './refused.ts';
import { keptActivity, type Snapshot } from './snapshot.ts';

/** Options of any request under the protocol. */
interface SendOptions {
  readonly place: LedgerTarget;
  /** Longest time that the sending can take, in milliseconds. */
  readonly bound: number;
  /** Longest time of one attempt within it, in milliseconds. */
  readonly attempt: number;
  /** Global options that send another command to the same place. */
  readonly words: readonly string[];
  /** Sends another one although the first can still be paid, was paid or was made. */
  readonly again: boolean;
  /** Row of the file that asks for it. `retry` repeats a row whose last entry failed. */
  readonly row?: { readonly job: string; readonly number: number; readonly retry: boolean };
  /** Start of the read that the request relies on. A process that was suspended since then sends nothing. */
  readonly since?: Moment;
}

export interface SendDeps {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * Sends the request once, and starts no attempt when it is overdue. Throws a PayError whose kind says what is
   * certain.
   */
  readonly send: (overdue: () => boolean) => Promise<ApiRecord>;
  /**
   * Called before sending, if an entry about the same thing is open at another origin. If it throws, nothing is sent.
   */
  readonly elsewhere?: (entry: Entry) => Promise<void>;
  /** Called with the error, if any, before the outcome is written, so that the next row can start. */
  readonly judged?: (error: PayError | undefined) => void;
}

interface Sent {
  readonly kind: 'accepted';
  readonly id: string;
  readonly record: ApiRecord;
  /** Oddities of the answer, a sentence each. */
  readonly odd: readonly string[];
  /** Other charge that the activity already belongs to, if any. */
  readonly owner?: Entry;
  /** Error of the ledger, if it could not store the outcome. */
  readonly unrecorded?: PayError;
}

/** Converts any failure to a PayError that says what is certain. */
const asJudged = (thrown: unknown, effect: WriteKind): PayError => {
  if (thrown instanceof PayError && (thrown.kind === 'unknown' || outcomeOf(thrown) !== 'unknown')) return thrown;
  return new PayError('unknown', `${mayBeDone(effect)}: ${reasonOf(thrown)}`, { cause: thrown });
};

/** Stored length of an answer that proves nothing, in characters. */
const LONGEST_ANSWER = 2000;
/** Length that is cleaned before the cut. A number or a key cut in two would not be recognized. */
const LOOKED_THROUGH = 4 * LONGEST_ANSWER;

const answerKept = (answer: string, clean: (text: string) => string): string =>
  clean(answer.slice(0, LOOKED_THROUGH)).slice(0, LONGEST_ANSWER);

const failedOutcome = (error: PayError, at: number, clean: (text: string) => string): Outcome => {
  const { status, exitCode, answer } = error.detail;
  const evidence = evidenceOf('answer', at, {
    message: clean(error.message),
    ...(status === undefined ? {} : { status }),
    ...(answer === undefined ? {} : { answer: answerKept(answer, clean) }),
  });
  return { state: outcomeOf(error), exitCode: exitCode ?? EXIT_CODES[error.kind], evidence };
};

/** Hint for an unknown outcome. Only a person can look up other kinds than charges at the service. */
const unknownHint = (id: string, { kind, hint }: WriteKind, words: readonly string[]): string => {
  const command = shellLine(['paycli', 'ledger', 'reconcile', id, ...words]);
  return kind === CHARGE
    ? `${hint}. Find out: \`${command}\``
    : `${hint}. Look for the ${kindWord(kind)} at the service, then record what you found: \`paycli ledger resolve ${id} --as created\`, or \`--as not-created\``;
};

/** Stores the outcome. Returns the ledger's error instead of throwing it. */
const note = async (ledger: Ledger, id: string, outcome: Outcome): Promise<Pick<Sent, 'owner' | 'unrecorded'>> => {
  try {
    const owner = await ledger.record(id, outcome);
    return owner === undefined ? {} : { owner };
  } catch (thrown) {
    if (thrown instanceof PayError) return { unrecorded: thrown };
    throw thrown;
  }
};

/** True once an attempt could outlive the deadline after which other processes give it up. */
const overdueSince =
  (ledger: Ledger, { bound, attempt }: SendOptions, begun: Moment) =>
  (): boolean => {
    const now = ledger.moment();
    const passed = Math.max(now.at - begun.at, elapsed(begun.mark, now.mark) ?? 0);
    return passed + attempt > bound;
  };

/**
 * Sends one request under the protocol (charge-protocol, The order of things). The intent is on the disk before `send`
 * is called, and the outcome before this returns or throws. Rethrows what `send` threw, with the ledger id added. Sends
 * nothing if the guard refuses. `accepted` returns the outcome to store for an answer.
 */
const sendOnce = async (
  ledger: Ledger,
  sending: SendOptions & { readonly effect: WriteKind },
  intent: Omit<Intent, 'bound' | 'kind' | 'job' | 'row' | keyof LedgerTarget>,
  how: Pick<BeginOptions, 'once' | 'shown'>,
  { now, send, clean, ...world }: SendDeps & Pick<Ledger, 'clean'>,
  accepted: (record: ApiRecord) => Outcome,
): Promise<Sent | Refused> => {
  const { place, effect, bound, words } = sending;
  const overdue = overdueSince(ledger, sending, sending.since ?? ledger.moment());
  const { again, row } = sending;
  const wanted = { ...place, ...intent, kind: effect.kind, bound, job: row?.job, row: row?.number };
  const begun = await ledger.begin(wanted, { ...how, again, retry: row?.retry === true });
  if (begun.kind === 'refused') return begun;
  const { id, elsewhere } = begun;
  let record: ApiRecord;
  try {
    if (elsewhere !== undefined) await world.elsewhere?.(elsewhere);
    record = await send(overdue);
  } catch (thrown) {
    const error = asJudged(thrown, effect);
    world.judged?.(error);
    const { unrecorded } = await note(ledger, id, failedOutcome(error, now(), clean));
    const answer = unrecorded?.detail.answer;
    const named = error.kind === 'unknown' ? { ledgerId: id, hint: unknownHint(id, effect, words) } : { ledgerId: id };
    throw error.with(answer === undefined ? named : { ...named, answer, unrecorded: true });
  }
  world.judged?.(undefined);
  const outcome = accepted(record);
  return { kind: 'accepted', id, record, odd: outcome.odd ?? [], ...(await note(ledger, id, outcome)) };
};

/** Request other than a charge that must not be made twice. */
interface MakeRequest extends SendOptions {
  readonly effect: WriteKind;
  /** Subject of the request. While one about it is unknown, no other is sent. */
  readonly about: string;
  readonly path: string;
  /** JSON. */
  readonly body: string | undefined;
  /** An earlier accepted one blocks this one, unless `again`. */
  readonly once: boolean;
  /** True if an answer says that the request failed after all. */
  readonly isFailed?: ((value: unknown) => boolean) | undefined;
}

/** Body for storage, without keys. Texts that may be a phone or account number show their last digits only. */
const bodyKept = (body: string, clean: (text: string) => string): string => {
  const masked: unknown = JSON.parse(body, (_name, value) =>
    typeof value === 'string' && !isAnyId(value) ? withoutNumbers(value) : value,
  );
  return JSON.stringify(cleaned(masked, clean));
};

const make = (ledger: Ledger, request: MakeRequest, world: SendDeps): Promise<Sent | Refused> => {
  const { effect, about, path, body, once, isFailed } = request;
  const clean = (text: string): string => withoutNumbers(ledger.clean(text));
  const kept = { about: ledger.clean(about), path: ledger.clean(path), body: body && bodyKept(body, ledger.clean) };
  const intent = { ...kept, digest: digestOf(JSON.parse(body ?? '{}')) };
  return sendOnce(ledger, request, intent, { once }, { ...world, clean }, ({ value }) => {
    const [uid, status] = [String(valueAt(value, 'uid')), statusOf(value)];
    return {
      state: 'accepted',
      exitCode: isFailed?.(value) === true ? EXIT_CODES.charge_failed : 0,
      evidence: evidenceOf('answer', world.now(), {
        message: `${effect.done}: ${uid}`,
        uid,
        ...(status === '' ? {} : { status }),
      }),
    };
  });
};

/** Makes an object under the protocol. Throws if the guard refuses. Only a person can resolve an unknown outcome. */
export const makeOnce = async (ledger: Ledger, request: MakeRequest, world: SendDeps): Promise<Sent> => {
  const made = await make(ledger, request, world);
  if (made.kind === 'refused') throw refusedError(made, request.words, false);
  return made;
};

/** Makes the object of a file's row. Returns the earlier entry if the row has made it already. */
export const makeRow = async (
  ledger: Ledger,
  request: MakeRequest,
  world: SendDeps,
): Promise<Sent | { readonly kind: 'kept'; readonly entry: Entry }> => {
  const made = await make(ledger, request, world);
  if (made.kind === 'accepted') return made;
  if (made.why === 'done' && made.by !== undefined) return { kind: 'kept', entry: made.by };
  throw refusedError(made, request.words, false);
};

/** Charge to be made under the protocol. */
export interface ChargeRequest extends SendOptions {
  readonly ugwo: string;
  /** `data` of the body, already validated. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Result of a read of the payment request just before; undefined if there was none. */
  readonly shown?: Snapshot | undefined;
}

export type Charged = Omit<Sent, 'owner'> | Refused;

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : String(value));

const intentOf = (
  { ugwo, data, shown }: ChargeRequest,
  { digest }: Pick<Ledger, 'digest'>,
  clean: (text: string) => string,
): ChargeTerms & Pick<Intent, 'about' | 'digest'> => ({
  about: clean(ugwo),
  medium: clean(textOf(data['medium']) ?? ''),
  provider: data['provider'] === undefined ? undefined : clean(String(data['provider'])),
  phone: data['phone'] === undefined ? undefined : lastDigits(String(data['phone'])),
  phoneDigest: data['phone'] === undefined ? undefined : phoneDigestOf(String(data['phone']), digest),
  expiresAt: parseInstant(textOf(data['expires_at']) ?? '')?.ms,
  digest: digestOf(data),
  asked: cleaned(shown?.asked ?? {}, clean),
});

/** Service's clock at the answer. Without a `Date`, the creation time of the new activity stands in. */
const toldAt = ({ value, servedAt }: ApiRecord): number | undefined =>
  servedAt ?? parseInstant(String(valueAt(value, 'created_at')))?.ms;

const acceptedOutcome = (record: ApiRecord, clean: (text: string) => string): Outcome => {
  const kept = keptActivity(record.value, toldAt(record));
  const failed = paymentStatusOf(kept.status) === 'failed';
  const activity = { ...kept, nextAction: cleaned(kept.nextAction, clean) };
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

/** Makes one charge under the protocol (see `sendOnce`). */
export const chargeOnce = async (ledger: Ledger, request: ChargeRequest, world: SendDeps): Promise<Charged> => {
  const { data, shown } = request;
  const phone = textOf(data['phone']);
  const clean = (text: string): string => withoutPhone(ledger.clean(text), phone);
  const intent = intentOf(request, ledger, clean);
  const sending = { ...request, effect: CHARGE_WRITE };
  const sent = await sendOnce(ledger, sending, intent, { shown }, { ...world, clean }, (record) => ({
    ...acceptedOutcome(record, clean),
    odd: oddities(record, data),
  }));
  if (sent.kind === 'refused') return sent;
  const { owner, ...made } = sent;
  const shared = owner === undefined ? [] : [`the answer names the activity of ${owner.id}, made earlier`];
  return { ...made, odd: [...made.odd, ...shared] };
};
