import { standingOf } from '../core/charge.ts';
import { PayError, reasonOf } from '../core/error.ts';
import { EXIT_CODES } from '../core/exit.ts';
import { isStepUnreadable } from '../core/next-action.ts';
import { valueAt } from '../core/path.ts';
import type { Received } from '../core/received.ts';
import { shellLine } from '../core/shell.ts';
import { formatDateAtom, parseInstant } from '../core/time.ts';
import { elapsed } from './clock.ts';
import { evidenceOf } from './evidence.ts';
import { isOtherMedium } from './fits.ts';
import { keptActivity } from './kept.ts';
import type { Charge, Intent, Ledger, Moment, Outcome, Place, Refused } from './ledger.ts';
import { cleaned, digestOf, lastDigits, phoneDigestOf, withoutPhone } from './private.ts';
import type { Shown } from './shown.ts';

/** A charge to be made under the protocol. */
export interface ChargeRequest {
  readonly place: Place;
  readonly ugwo: string;
  /** `data` of the body, checked already. */
  readonly data: Readonly<Record<string, unknown>>;
  /** How long its sending can take at the longest, in milliseconds. */
  readonly bound: number;
  /** How long one attempt can take of that. */
  readonly attempt: number;
  /** Makes a second charge where the first can still be paid, or was paid. */
  readonly again: boolean;
  /** The row of a file that it is made for; `retry` makes it again where nothing came of it. */
  readonly row?: { readonly job: string; readonly number: number; readonly retry: boolean };
  /** The global options that send another command to the same place. */
  readonly words: readonly string[];
  /** What a look at the payment request has shown just now; undefined where none could be had. */
  readonly shown?: Shown | undefined;
  /** When that look was asked for: a process that stood still since sends nothing. */
  readonly since?: Moment;
}

export interface ChargeWorld {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Takes the known secrets out of a text. */
  readonly clean: (text: string) => string;
  /** Sends it, once; begins no attempt when it is overdue. Throws a PayError whose kind says what is certain. */
  readonly send: (overdue: () => boolean) => Promise<Received>;
  /** Told before anything is sent that the same payment request is open at another origin; what it throws keeps it from being sent. */
  readonly elsewhere?: (charge: Charge) => Promise<void>;
  /** Told what was thrown, or that nothing was, before that is noted: others may take its place meanwhile. */
  readonly judged?: (error: PayError | undefined) => void;
}

export type Charged =
  /** `unrecorded` is there when the ledger could not note it. */
  | {
      readonly kind: 'accepted';
      readonly id: string;
      readonly record: Received;
      /** What is odd about it, a sentence each. */
      readonly odd: readonly string[];
      readonly unrecorded?: PayError;
    }
  | Refused;

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : String(value));

const intentOf = (
  { place, ugwo, data, bound, row, shown }: ChargeRequest,
  { digest }: Pick<Ledger, 'digest'>,
  clean: (text: string) => string,
  now: number,
): Intent => ({
  ...place,
  ugwo: clean(ugwo),
  medium: clean(textOf(data['medium']) ?? ''),
  provider: data['provider'] === undefined ? undefined : clean(String(data['provider'])),
  phone: data['phone'] === undefined ? undefined : lastDigits(String(data['phone'])),
  phoneDigest: data['phone'] === undefined ? undefined : phoneDigestOf(String(data['phone']), digest),
  expiresAt: parseInstant(textOf(data['expires_at']) ?? '')?.ms,
  digest: digestOf(data),
  deadline: now + bound,
  job: row?.job,
  row: row?.number,
  asked: cleaned(shown?.asked ?? {}, clean),
});

/** What of a failed charge is certain. Whatever is not named here may have been made. */
const stateOf = ({ kind, detail }: PayError): Outcome['state'] => {
  switch (kind) {
    case 'rejected':
      return 'rejected';
    case 'auth':
      return detail.status === undefined ? 'not_sent' : 'rejected';
    case 'not_sent':
    case 'usage':
    case 'interrupted':
      return 'not_sent';
    default:
      return 'unknown';
  }
};

/** A failure of any kind as one that says what is certain. */
const asJudged = (thrown: unknown): PayError => {
  if (thrown instanceof PayError && (thrown.kind === 'unknown' || stateOf(thrown) !== 'unknown')) return thrown;
  return new PayError('unknown', `the charge may have been made: ${reasonOf(thrown)}`, { cause: thrown });
};

/** Just made, it says by itself what the service's clock showed, where the answer does not. */
const toldAt = ({ value, servedAt }: Received): number | undefined =>
  servedAt ?? parseInstant(String(valueAt(value, 'created_at')))?.ms;

const acceptedOutcome = (record: Received, clean: (text: string) => string): Outcome => {
  const kept = keptActivity(record.value, toldAt(record));
  const failed = standingOf(kept.status) === 'failed';
  const activity = { ...kept, nextAction: cleaned(kept.nextAction, clean) };
  const exitCode = isStepUnreadable(record.value) ? EXIT_CODES.unrecorded : 0;
  return { state: 'accepted', exitCode: failed ? EXIT_CODES.charge_failed : exitCode, activity };
};

/** So much is kept of an answer that proves nothing. */
const LONGEST_ANSWER = 2000;
/** Looked through beyond that, since a number or a key that the cut has gone through is known to nobody. */
const LOOKED_THROUGH = 4 * LONGEST_ANSWER;

const answerKept = (answer: string, clean: (text: string) => string): string =>
  clean(answer.slice(0, LOOKED_THROUGH)).slice(0, LONGEST_ANSWER);

const failedOutcome = (error: PayError, at: number, clean: (text: string) => string): Outcome => {
  const { status, exitCode, answer } = error.detail;
  const evidence = evidenceOf('answer', at, {
    message: error.message,
    ...(status === undefined ? {} : { status }),
    ...(answer === undefined ? {} : { answer: answerKept(answer, clean) }),
  });
  return { state: stateOf(error), exitCode: exitCode ?? EXIT_CODES[error.kind], evidence };
};

const unknownHint = (id: string, words: readonly string[]): string => {
  const command = shellLine(['paycli', 'ledger', 'reconcile', id, ...words]);
  return `don't run it again until you know, or the customer may pay twice. Find out: \`${command}\``;
};

const named = (error: PayError, id: string, words: readonly string[]): PayError =>
  error.with({ ledgerId: id, ...(error.kind === 'unknown' ? { hint: unknownHint(id, words) } : {}) });

interface Noted {
  /** The other charge that the activity belongs to, where there is one. */
  readonly owner?: Charge;
  /** What could not be noted. */
  readonly unrecorded?: PayError;
}

/** Notes what became of a charge. */
const note = async (ledger: Ledger, id: string, outcome: Outcome): Promise<Noted> => {
  try {
    const owner = await ledger.record(id, outcome);
    return owner === undefined ? {} : { owner };
  } catch (thrown) {
    if (thrown instanceof PayError) return { unrecorded: thrown };
    throw thrown;
  }
};

/** An activity that says it was made so long before or after the answer, in milliseconds, was not made now. */
const FAR_MS = 2 * 3_600_000;

/** What is odd about the activity that answers a charge, and does not make it another's. */
const oddities = ({ value, servedAt }: Received, data: ChargeRequest['data']): string[] => {
  const created = parseInstant(String(valueAt(value, 'created_at')))?.ms;
  return [
    ...(isOtherMedium(value, String(data['medium']))
      ? [`the answer looks like another medium than ${String(data['medium'])}`]
      : []),
    ...(servedAt !== undefined && created !== undefined && Math.abs(created - servedAt) > FAR_MS
      ? [`the activity says it was made at ${formatDateAtom({ ms: created, offset: 0 })}, not now`]
      : []),
  ];
};

/** Whether an attempt that is begun now may last beyond what others wait for before they take the sending for ended. */
const overdueSince =
  (ledger: Ledger, { bound, attempt }: ChargeRequest, begun: Moment) =>
  (): boolean => {
    const now = ledger.moment();
    const passed = Math.max(now.at - begun.at, elapsed(begun.mark, now.mark) ?? 0);
    return passed + attempt > bound;
  };

/**
 * One charge under the protocol (charge-protocol, The order of things): the intent is on the disk before `send` is called,
 * and what became of it before this returns or throws. What `send` threw is thrown on, with the charge's name in the
 * ledger; where the guard refuses, nothing is sent.
 */
export const chargeOnce = async (ledger: Ledger, request: ChargeRequest, world: ChargeWorld): Promise<Charged> => {
  const { now, send } = world;
  const phone = textOf(request.data['phone']);
  const clean = (text: string): string => withoutPhone(world.clean(text), phone);
  const overdue = overdueSince(ledger, request, request.since ?? ledger.moment());
  const intent = intentOf(request, ledger, clean, now());
  const { again, row, shown } = request;
  const begun = await ledger.begin(intent, { again, retry: row?.retry === true, shown });
  if (begun.kind === 'refused') return begun;
  const { id, elsewhere } = begun;
  let record: Received;
  try {
    if (elsewhere !== undefined) await world.elsewhere?.(elsewhere);
    record = await send(overdue);
  } catch (thrown) {
    const error = asJudged(thrown);
    world.judged?.(error);
    const { unrecorded } = await note(ledger, id, cleaned(failedOutcome(error, now(), clean), clean));
    const answer = unrecorded?.detail.answer;
    throw named(answer === undefined ? error : error.with({ answer, unrecorded: true }), id, request.words);
  }
  world.judged?.(undefined);
  const odd = oddities(record, request.data);
  const noted = await note(ledger, id, { ...acceptedOutcome(record, clean), odd });
  const { owner, unrecorded } = noted;
  const shared = owner === undefined ? [] : [`the answer names the activity of ${owner.id}, made earlier`];
  return {
    kind: 'accepted',
    id,
    record,
    odd: [...odd, ...shared],
    ...(unrecorded === undefined ? {} : { unrecorded }),
  };
};
