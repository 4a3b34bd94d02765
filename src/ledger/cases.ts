/** Cases: what waits for a person, by rules of money, and the command that settles it. The caller has read the facts. */

import { isUndecided, isUnpaid, sum } from '../charge/payment.ts';
import { partText, refundWords } from '../charge/words.ts';
import { counted } from '../core/bounds.ts';
import { kindWord } from '../core/charge.ts';
import { canBeName } from '../core/ids.ts';
import { formatMoney, sumsText } from '../core/money.ts';
import { statusWord } from '../core/status.ts';
import { formatDuration, formatLocal, MINUTE_MS } from '../core/time.ts';
import { codeOpenFor, payableFor } from './clock.ts';
import { type Charge, type Entry, isCharge, type LedgerTarget, type Moment, type RequestTerms } from './entry.ts';
import { hasFailed } from './guard.ts';
import type { Job } from './job.ts';
import type { ListFilter } from './ledger.ts';
import { type Approval, isPlan, PLAN_VALID_MS } from './policy.ts';
import type { Shared } from './share.ts';
import { isDisputed, moneyKnown, paymentIn } from './transitions.ts';

/** Something that waits for a person. Instants are milliseconds since the epoch. */
export interface Case extends Pick<RequestTerms, 'ref' | 'amount' | 'currency'> {
  readonly kind: CaseKind;
  /** Owner of the entry or the job; undefined for webhooks, which belong to the machine. */
  readonly owner?: Pick<LedgerTarget, 'profile' | 'origin'>;
  readonly ugwo?: string | undefined;
  readonly since: number;
  readonly what: string;
  /** Words of the command that settles it; undefined if nothing can be done. */
  readonly words: readonly string[] | undefined;
  /** True if it needs a person; the others are only shown. */
  readonly isDue: boolean;
}

/**
 * Facts about a charge's payment request, from all its charges, newest first, and the accepted refunds of their
 * activities.
 */
export const requestSeen = (charge: Entry, all: readonly Entry[], refunds: readonly Entry[]) => {
  const made = Map.groupBy(
    refunds.filter((one) => !hasFailed(one)),
    ({ about }) => about,
  );
  /** Sums of refunds that no answer shows yet, by activity. A refund without an amount pays everything back. */
  const unseen = new Map(
    [...made].map(([activity, some]) => {
      const one = all.find((other) => other.activity?.uid === activity);
      const shown = (one && moneyKnown(one)?.refunded) ?? 0;
      return [activity, Math.max(0, sum(some.map(({ asked }) => asked?.amount ?? Infinity)) - shown)];
    }),
  );
  const allUnseen = sum([...unseen.values()]);
  const read = all.map(moneyKnown);
  const { asked: { amount = Infinity } = {} } = charge;
  /** Money that came, also by an activity that is not in the ledger. Without a known amount, the ledger alone tells. */
  const came = Math.max(
    sum(read.map((one) => one?.received ?? 0)),
    amount - (moneyKnown(charge)?.missing ?? amount) || 0,
  );
  /** The part of it that has not gone back. */
  const kept = came - sum(read.map((one) => one?.refunded ?? 0)) - allUnseen;
  return { charge, all, unseen, allUnseen, kept, overpaid: kept - amount };
};
export type RequestSeen = ReturnType<typeof requestSeen>;

/** An open charge, and the state of its message. */
interface OpenCharge extends Shared {
  readonly charge: Charge;
}

/** Facts that the rules judge, by their subject. */
interface CaseFacts {
  readonly request: RequestSeen;
  /** A refund, the charge that it pays back, and later refunds of the same activity. */
  readonly refund: { readonly refund: Entry; readonly charge: Entry | undefined; readonly later: readonly Entry[] };
  readonly outcome: Entry;
  readonly approval: { readonly approval: Approval; readonly job: Job; readonly operator: string };
  /** Number of waiting webhooks, and the first one. */
  readonly queue: {
    readonly count: number;
    readonly first: { readonly attempts: number; readonly receivedAt: number } | undefined;
  };
  readonly message: OpenCharge;
  readonly account: OpenCharge;
}

interface Rule<Facts> {
  readonly test: (facts: Facts, now: Moment) => boolean;
  readonly cases: (facts: Facts, now: Moment) => readonly Omit<Case, 'kind'>[];
}

/** Time before its end from which an account is shown. */
const SOON_MS = 5 * MINUTE_MS;

const sinceText = (ms: number, { at }: Moment): string => `since ${formatLocal(ms, at)}`;

/** A case of an entry, with what it asked. */
const ofEntry = (entry: Entry) => {
  const { amount, currency, ref } = entry.asked ?? {};
  const what = amount === undefined ? '' : formatMoney(amount, currency ?? '');
  const ugwo = isCharge(entry) ? entry.about : undefined;
  return { owner: entry, ugwo, ref, amount, currency, since: entry.createdAt, what, isDue: true };
};

/** A case of a refund, with the payment request whose money should go back. */
const ofRefund = ({ refund, charge }: CaseFacts['refund']) => {
  const since = refund.refund?.at ?? refund.createdAt;
  return { ...ofEntry(refund), ugwo: charge?.about, ref: charge?.asked?.ref, since };
};

/** Names the payment request by its ref, if that is a plain word: people know it, and a narrow terminal shows it whole. */
const chargeWords = ({ about, asked: { ref = '' } = {} }: Entry, ...more: readonly string[]): string[] => {
  const isName = /^\w[\w-]*$/.test(ref) && canBeName('ugw', ref);
  return ['ugwo', 'charge', isName ? ref : about, ...more];
};

/** True if a payment request lacks money, and nothing brings it any more. */
const lacksMoney = ({ charge, all, kept, overpaid }: RequestSeen, now: Moment): boolean => {
  const { payment, missing } = moneyKnown(charge) ?? {};
  const isOver = overpaid >= 0 || missing === 0 || (payment === 'underpaid' && kept <= 0);
  if (isOver || !isUnpaid(charge.state, payment)) return false;
  const mayBePaid = (one: Entry): boolean => paymentIn(one) === 'open' && (payableFor(one, now) ?? 1) > 0;
  return !all.some((one) => one.money?.requestStatus === 'cancelled' || isUndecided(one.state) || mayBePaid(one));
};

/** Words of the command that charges what a payment request lacks. */
const missingWords = ({ charge, kept }: RequestSeen): string[] =>
  chargeWords(charge, ...(kept > 0 ? ['--remaining'] : []));

/** Words of the command that shares the message of an open charge. */
const shareWords = (charge: Charge, share = ['--share']): string[] => {
  const { medium, provider } = charge;
  const by = provider === undefined ? [] : ['--provider', provider];
  return chargeWords(charge, '--medium', medium, ...by, '--reuse', ...share);
};

/** Milliseconds that the customer still has to pay an open charge, at most; zero or less if the time is over. */
const timeLeft = ({ charge }: OpenCharge, now: Moment): number => {
  const left = payableFor(charge, now) ?? Infinity;
  return (codeOpenFor(charge, now) ?? left) <= 0 ? 0 : left;
};

type RuleTable = { readonly [Subject in keyof CaseFacts]: Readonly<Record<string, Rule<CaseFacts[Subject]>>> };
/** Selects the entries that may be a case: of all, or of those that started since a moment. */
type Filters = Readonly<Record<string, { readonly filter: (since: number) => Partial<ListFilter> }>>;

/** Kinds of cases by their subject, the gravest first. Of one subject, the first whose test holds decides. */
export const CASE_RULES = {
  request: {
    disputed: {
      filter: () => ({ disputed: true }),
      test: ({ all }) => all.some(isDisputed),
      cases: ({ all }) =>
        all.filter(isDisputed).map((entry) => {
          const { payment = 'open', at: since = entry.createdAt } = entry.money?.disputed ?? {};
          const what = `was paid, then shown as ${statusWord(payment)}`;
          return { ...ofEntry(entry), since, what, words: ['ledger', 'sync', entry.id] };
        }),
    },
    paid_twice: {
      filter: () => ({ paidTwice: true }),
      test: ({ all }) => all.some(({ money }) => money?.isPaidTwice),
      /** A case for each activity that can pay back some of the excess. */
      cases: ({ charge, all, unseen, allUnseen }) => {
        const twice = all.find(({ money }) => money?.isPaidTwice) ?? charge;
        const { excess = 0, surplus = [], paidAt: since = twice.createdAt } = twice.money ?? {};
        const currency = twice.asked?.currency ?? '';
        const left = excess - allUnseen;
        const text = (amount: number): string => `${formatMoney(amount, currency)} excess`;
        const cases = surplus.flatMap(({ activity, amount: brought }) => {
          const amount = Math.min(brought - (unseen.get(activity) ?? 0), left);
          const words = refundWords(twice.about, activity, amount, currency);
          return words === undefined ? [] : { ...ofEntry(twice), amount, since, what: text(amount), words };
        });
        if (cases.length > 0 || left <= 0) return cases;
        const what = `${text(left)}, can't be refunded`;
        return [{ ...ofEntry(twice), amount: left, since, what, words: undefined, isDue: false }];
      },
    },
    overpaid: {
      filter: (since) => ({ payments: ['overpaid', 'partially_refunded'], started: { since } }),
      test: ({ charge, overpaid }) => {
        const { payment, refunded } = moneyKnown(charge) ?? {};
        const isPartBack = payment === 'partially_refunded' && refunded !== undefined;
        return (payment === 'overpaid' || isPartBack) && overpaid > 0;
      },
      cases: ({ charge, overpaid: amount }) => {
        const currency = charge.asked?.currency ?? '';
        const again = paymentIn(charge) === 'overpaid' ? [] : '--again';
        const words = refundWords(charge.about, charge.activity?.uid ?? '', amount, currency)?.concat(again);
        const isDue = words !== undefined;
        const what = `${formatMoney(amount, currency)} too much${isDue ? '' : ", can't be refunded"}`;
        return [{ ...ofEntry(charge), amount, since: charge.money?.paidAt ?? charge.createdAt, what, words, isDue }];
      },
    },
    underpaid: {
      filter: (since) => ({ payments: ['underpaid'], started: { since } }),
      test: (request, now) => paymentIn(request.charge) === 'underpaid' && lacksMoney(request, now),
      cases: (request) => {
        const { charge, kept } = request;
        const { amount: asked, currency = '' } = charge.asked ?? {};
        const part = asked === undefined ? {} : { amount: asked - kept, what: partText(kept, asked, currency) };
        const since = charge.money?.paidAt ?? charge.createdAt;
        return [{ ...ofEntry(charge), ...part, since, words: missingWords(request) }];
      },
    },
    reversed: {
      filter: (since) => ({ payments: ['reversed'], started: { since } }),
      // Of a charge that never brought money, only its next command is asked for.
      test: lacksMoney,
      cases: (request) => {
        const { charge } = request;
        const since = charge.money?.reversed?.at ?? charge.money?.readAt ?? charge.createdAt;
        return [{ ...ofEntry(charge), since, words: missingWords(request) }];
      },
    },
  },
  refund: {
    refund_disputed: {
      filter: () => ({ payments: ['refund_disputed'] }),
      test: ({ refund }) => refund.refund?.state === 'refund_disputed',
      cases: (facts) => [{ ...ofRefund(facts), words: ['refund', 'get', facts.refund.id] }],
    },
    refund_failed: {
      filter: (since) => ({ payments: ['refund_failed'], started: { since } }),
      // A later refund was sent in its place.
      test: ({ later }) => !later.some(({ state }) => state === 'accepted' || isUndecided(state)),
      cases: (facts) => {
        const { about, asked: { amount, currency = '' } = {} } = facts.refund;
        return [{ ...ofRefund(facts), words: refundWords(facts.charge?.about, about, amount, currency) }];
      },
    },
  },
  outcome: {
    unknown: {
      test: ({ state }) => isUndecided(state),
      cases: (entry, now) => {
        const [since, own] = [sinceText(entry.createdAt, now), ofEntry(entry)];
        // `ledger sync` settles charges alone.
        return isCharge(entry)
          ? [{ ...own, what: since, words: ['ledger', 'sync'] }]
          : [{ ...own, what: `${kindWord(entry.kind)} ${since}`, words: ['ledger', 'show', entry.id] }];
      },
    },
  },
  approval: {
    approval: {
      test: ({ approval: { job, askedAt } }, now) => !isPlan(job) || now.at <= askedAt + PLAN_VALID_MS,
      cases: ({ approval: { job: id, total, askedBy, askedAt: since }, job, operator }) => {
        const [[currency, amount] = [], ...others] = total.amounts;
        const single = others.length > 0 || amount === undefined ? {} : { amount: Number(amount), currency };
        const what = `${sumsText(total.amounts) ?? counted(total.rows, 'row')}, by ${askedBy}`;
        const [ref, words] = [isPlan(id) ? 'plan' : job.name, ['approve', id]];
        // Another person has to give it.
        const isDue = isPlan(id) || askedBy !== operator;
        return [{ owner: job, ref, since, ...single, what, words, isDue }];
      },
    },
  },
  queue: {
    webhooks: {
      // A listener forwards an event at once.
      test: ({ first }, { at }) => first !== undefined && (first.attempts > 0 || at - first.receivedAt >= MINUTE_MS),
      cases: ({ count, first }, now) => {
        const since = first?.receivedAt ?? now.at;
        const words = ['webhook', 'events', 'list', '--state', 'waiting'];
        return [{ since, what: `${counted(count, 'waits', 'wait')} ${sinceText(since, now)}`, words, isDue: true }];
      },
    },
  },
  message: {
    not_shared: {
      test: (open, now) => open.why !== undefined && timeLeft(open, now) > 0,
      cases: ({ charge, shared, why = '' }) => {
        // No program gets a message twice: only a person can tell the customer then.
        const [what, share] = shared === 'no' ? [why, ['--share-with', 'PROGRAM']] : [`may be shared: ${why}`];
        return [{ ...ofEntry(charge), what, words: shareWords(charge, share) }];
      },
    },
  },
  account: {
    expires_soon: {
      test: (open, now) => timeLeft(open, now) > 0 && timeLeft(open, now) <= SOON_MS,
      cases: (open, now) => {
        const what = `in ${formatDuration(timeLeft(open, now))}`;
        return [{ ...ofEntry(open.charge), what, words: shareWords(open.charge), isDue: false }];
      },
    },
  },
} as const satisfies RuleTable & { readonly request: Filters; readonly refund: Filters };

type CaseKind = { [Subject in keyof CaseFacts]: keyof (typeof CASE_RULES)[Subject] }[keyof CaseFacts];

/** All kinds of cases, the gravest first. */
export const CASES = Object.values(CASE_RULES).flatMap(Object.keys) as CaseKind[];

/** Judges facts by the rules of their subject. */
export const judgeCases = <Subject extends keyof CaseFacts>(
  subject: Subject,
  facts: CaseFacts[Subject],
  now: Moment,
): Case[] => {
  const rules: RuleTable[Subject] = CASE_RULES[subject];
  const [kind, rule] = Object.entries<Rule<CaseFacts[Subject]>>(rules).find(([, { test }]) => test(facts, now)) ?? [];
  return (rule?.cases(facts, now) ?? []).map((found) => ({ ...found, kind: kind as CaseKind }));
};
