import { CHARGE, kindWord, type NextAction, prunedText, readNextAction } from '../core/charge.ts';
import { PayError } from '../core/error.ts';
import { formatMoney } from '../core/money.ts';
import { formatLocal } from '../core/time.ts';
import { type Entry, isCharge, type KeptActivity } from '../ledger/entry.ts';
import type { Refused } from '../ledger/ledger.ts';
import { type Forbidden, isPlan, isSpent, OTHER_PROFILES } from '../ledger/policy.ts';
import { asActivity } from '../ledger/snapshot.ts';
import { REFUSALS, type RefusalReason } from './refusals.ts';
import { findOutStep, paycli } from './words.ts';

const listed = (words: readonly string[]): string => (words.length === 0 ? 'none' : words.join(', '));

const remainingText = (left: bigint, currency: string): string =>
  left > 0n ? `${formatMoney(left, currency)} is left today` : 'nothing is left today';

/** Sentence about a refusal, and advice. */
type Explanation = readonly [what: string, hint: string];

const TOMORROW = 'the next day begins at 00:00 UTC';

const limitWords = (forbidden: Forbidden, kind: string): Explanation => {
  switch (forbidden.why) {
    case 'medium':
      return [`doesn't allow ${forbidden.medium}`, `it allows: ${listed(forbidden.allowed)}`];
    case 'charges':
      return [`limits ${kind}s to ${forbidden.most} a day, and all of them are used today`, TOMORROW];
    case 'currency':
      return [`doesn't allow ${forbidden.currency}`, `it has amounts for: ${listed(forbidden.allowed)}`];
    case 'no_amount':
      return [
        `limits amounts, and the amount of this ${kind} is not known`,
        kind === CHARGE
          ? 'leave out --no-preflight, which skips the look that shows it'
          : 'give its payment request (--ugwo, or the column ugwo), which shows it',
      ];
    case 'unknown_amounts':
      return [
        `limits amounts, and those of ${forbidden.count} ${kind}s of today are not known`,
        kind === CHARGE ? `\`paycli ledger sync\` with their ids finds out; ${TOMORROW}` : TOMORROW,
      ];
    case 'amount': {
      const { currency, most, asked, left } = forbidden;
      const of = kind === CHARGE ? '' : ` of ${kind}s`;
      const more = `allows ${formatMoney(most, currency)}${of} a day; ${remainingText(left, currency)}, and this ${kind} is ${formatMoney(asked, currency)}`;
      return [more, asked > most ? 'it is more than a whole day allows' : TOMORROW];
    }
    case 'unapproved': {
      const { amount, currency } = forbidden.asked;
      const money =
        amount === undefined || currency === undefined ? 'an unknown amount' : formatMoney(amount, currency);
      return [
        `wants another approval: with ${money}, the file comes to more than may be charged`,
        'amounts have changed since the file was checked; run the same command again to have all of them checked, and approved where that is needed',
      ];
    }
  }
};

/** Explains why a policy forbids a charge or a refund, and gives a hint. */
const policyWords = (
  { profile, forbidden }: { readonly profile: string; readonly forbidden: Forbidden },
  kind = CHARGE,
): Explanation => {
  const isOthers = profile === OTHER_PROFILES;
  const [what, hint] = limitWords(forbidden, kind);
  const show = paycli('policy', 'show', ...(isOthers ? ['--others'] : []));
  return [
    `the policy ${isOthers ? 'for all other profiles' : `of profile ${profile}`} ${what}`,
    `${hint}. See ${show}; --again doesn't override this`,
  ];
};

const refusedAction = ({ activity }: Refused): NextAction | undefined =>
  readNextAction({ next_action: activity?.nextAction });

/** Payment details that the customer can still use, one line each. */
const usablePaymentDetails = (refused: Refused): string[] => {
  const { why, moment, left } = refused;
  const action = refusedAction(refused);
  if (action === undefined) return [];
  if (action.kind === 'dial') {
    const isLimited = why === 'other_medium' && left !== undefined;
    return [`dial ${action.code}${isLimited ? `, open until ${formatLocal(moment.at + left, moment.at)}` : ''}`];
  }
  if (action.kind === 'other') return [prunedText(action) ?? action.instruction ?? []].flat();
  const until = action.expiresAt === undefined ? '' : `, until ${formatLocal(action.expiresAt, moment.at)}`;
  const names = [action.bank, action.accountName].filter((name) => name !== '');
  return [...(names.length === 0 ? [] : [names.join(', ')]), `account number ${action.accountNumber}${until}`];
};

/** Medium, with provider and phone where known. */
const mediumText = ({ medium = '', provider, phone }: Entry): string => {
  const whom = [provider, phone].filter((one) => one !== undefined);
  return whom.length === 0 ? medium : `${medium} (${whom.join(', ')})`;
};

/** Names the earlier entry or activity, with its maker and medium where known. */
const entryName = (by: Entry | undefined, activity: KeptActivity | undefined): string => {
  if (by === undefined) return [activity?.uid ?? '', 'not from this ledger'].filter((name) => name !== '').join(', ');
  return `${isCharge(by) ? `by ${mediumText(by)}, ` : ''}${[by.id, activity?.uid].filter((name) => name !== undefined).join(', ')}`;
};

const lookCommand = ({ intent: { about }, activity }: Refused): string =>
  (activity?.uid ?? '') === '' ? paycli('ugwo', 'get', about) : paycli('activity', 'get', about, activity?.uid ?? '');

type Words = (refused: Refused, same: boolean) => Explanation;

const earlier = ({ by, activity }: Pick<Refused, 'by' | 'activity'>): string =>
  `an earlier ${kindWord(by?.kind ?? CHARGE)} (${entryName(by, activity)})`;

const stillPayable: Words = (refused, same) => [
  `${earlier(refused)} can still be paid`,
  `give these details to the customer${same ? ' (--reuse prints them again, exit 0)' : ''}; --again makes a second charge. ` +
    `Check its status: ${lookCommand(refused)}`,
];

const underWay: Words = (refused) => [
  `${earlier(refused)} is still under way`,
  `check its status: ${lookCommand(refused)}; --again makes a second charge`,
];

/** Sentence about an open charge by another medium, and the details that the customer can still use, one line each. */
export const openByOther = (refused: Refused): readonly string[] => {
  const { by, activity } = refused;
  const details = usablePaymentDetails(refused);
  const how = details.length === 0 ? 'is still under way' : 'can still be paid';
  return [`an earlier charge by another medium (${entryName(by, activity)}) ${how}`, ...details];
};

const missingText = ({ intent, by, missing }: Refused): string => {
  if (missing === undefined) return '';
  return `: ${formatMoney(missing, intent.asked?.currency ?? by?.asked?.currency ?? '')} is missing`;
};

/** Words about a charge that is disputed: two commands settle it, and nothing overrides it. */
const disputedWords = ({ by, activity }: Pick<Refused, 'by' | 'activity'>): Explanation => {
  const id = by?.id ?? '';
  return [
    `it was paid (${entryName(by, activity)}), and a later answer shows less money, but not that it is newer`,
    `find out: ${paycli('ledger', 'sync', id)}. If it stays disputed, look at the service's dashboard, then record it: ` +
      `${paycli('ledger', 'resolve', id, '--as', 'paid')}, or \`--as reversed\`; --again doesn't override this`,
  ];
};

const NEW_REQUEST = 'for another payment, make a new payment request';

const WORDS: Readonly<Record<RefusalReason, Words>> = {
  unresolved: ({ by }) => [
    `${earlier({ by, activity: undefined })} may have been made; its result is unknown`,
    `${findOutStep(by?.id ?? '', by?.kind ?? CHARGE)}${by === undefined || isCharge(by) ? "; --again doesn't override this" : ''}`,
  ],
  in_progress: ({ by }) => [
    `another paycli process is ${by === undefined || isCharge(by) ? 'charging it' : `sending a ${kindWord(by.kind)} of it`} right now (${entryName(by, undefined)})`,
    `wait for it, then check: ${paycli('ledger', 'show', by?.id ?? '')}`,
  ],
  disputed: disputedWords,
  refund_open: ({ by }) => [
    `${earlier({ by, activity: undefined })} is not settled yet`,
    `find out: ${paycli('ledger', 'sync')}. If it stays so, look at the service's dashboard, then record it: ` +
      `${paycli('ledger', 'resolve', by?.id ?? '', '--as', 'paid-back')}, or \`--as failed\`; --again doesn't override this`,
  ],
  payable: (refused, same) => {
    const { nextAction = null } = refused.activity ?? {};
    const isKnown = nextAction !== null && prunedText(refusedAction(refused)) === undefined;
    return (isKnown ? stillPayable : underWay)(refused, same);
  },
  unseen: (refused, same) => [
    `the account of ${earlier(refused)} has expired, but may have been paid in time`,
    `check its status: ${lookCommand(refused)}, then run the same command again; ` +
      `${same ? '--reuse does both, ' : ''}--again makes a second charge`,
  ],
  done: ({ by, activity }) => [
    by?.job !== undefined && isPlan(by.job)
      ? `its plan was already carried out (${entryName(by, activity)})`
      : `row ${by?.row} of this file is already charged (${entryName(by, activity)})`,
    `see ${paycli('ledger', 'show', by?.id ?? '')}`,
  ],
  other_medium: (refused) => [
    openByOther(refused)[0] ?? '',
    `check its status: ${lookCommand(refused)}; --again makes a second charge, and the customer may pay both`,
  ],
  processing: ({ intent }) => [
    'a payment is under way (its status is processing), and no charge that paycli knows of explains it',
    `see ${paycli('ugwo', 'get', intent.about)}; --again makes a second charge`,
  ],
  paid: (refused) => {
    const { by, activity } = refused;
    return [
      by === undefined && activity === undefined
        ? 'it is already paid'
        : `it is already paid (${entryName(by, activity)})`,
      `see ${lookCommand(refused)}; ${activity === undefined ? '' : '--reuse prints the payment; '}${NEW_REQUEST}`,
    ];
  },
  underpaid: (refused) => [
    `it is paid in part${missingText(refused)}`,
    `charge what is missing with --remaining; see ${paycli('ugwo', 'get', refused.intent.about)}`,
  ],
  not_underpaid: ({ intent }) => [
    '--remaining charges what is missing after a part was paid, and the service shows no such part',
    `see ${paycli('ugwo', 'get', intent.about)}`,
  ],
  refunded: ({ intent }) => ['it was paid and refunded', `see ${paycli('ugwo', 'get', intent.about)}; ${NEW_REQUEST}`],
  cancelled: ({ intent }) => [
    'it is cancelled',
    `see ${paycli('ugwo', 'get', intent.about)}; --again doesn't override this`,
  ],
  made: ({ by }) => [
    `${earlier({ by, activity: undefined })} was made`,
    `see ${paycli('ledger', 'show', by?.id ?? '')}; --again makes another one`,
  ],
  policy: ({ policy, intent }) =>
    policy === undefined ? ['a policy forbids it', ''] : policyWords(policy, intent.kind),
};

type Other = NonNullable<Refused['ledger']>;

const otherText = ({ name }: Other): string => `with ${name}, which is not in use now`;

const inOther = ({ by, why, intent }: Refused, other: Other): Explanation => [
  `${earlier({ by, activity: undefined })} ${why === 'unresolved' || why === 'in_progress' ? 'may have been made' : 'was made'} ${otherText(other)}`,
  `${other.pushable ? `push it: ${paycli('ledger', 'push')}, then run the same command again` : 'use that ledger for it'}` +
    `${intent.kind === CHARGE && (!other.pushable || REFUSALS[why].passedBy?.includes('--again')) ? '; --again charges it all the same' : ''}`,
];

const notDone = ({ kind, about }: Refused['intent']): string =>
  kind === CHARGE ? `${about} was not charged` : `no ${kindWord(kind)} was sent for ${about}`;

/** Error for a refund or a cancellation while the charge is disputed. `notDone` says that it was not made. */
export const disputedError = (by: Entry, notDone: string): PayError => {
  const [what, hint] = disputedWords({ by, activity: by.activity });
  return new PayError('refused', `${notDone}: ${what}`, { hint, reason: REFUSALS.disputed.short, ledgerId: by.id });
};

/**
 * Error for a refusal by the guard, with the payment details that the customer can still use. Instants are in local
 * time. `same` says that the charge asks the same customer for the same.
 */
export const refusedError = (refused: Refused, same: boolean): PayError => {
  const { why, by, activity, intent, policy, ledger } = refused;
  const [what, hint] = ledger === undefined ? WORDS[why](refused, same) : inOther(refused, ledger);
  const lines = why === 'payable' || why === 'other_medium' ? usablePaymentDetails(refused) : [];
  return new PayError('refused', [`${notDone(intent)}: ${what}`, ...lines].join('\n'), {
    hint,
    reason: ledger === undefined ? REFUSALS[why].short : `made before ${otherText(ledger)}`,
    ...(ledger === undefined && REFUSALS[why].passedBy?.includes('--again') ? { again: true } : {}),
    ...(ledger === undefined && why === 'unresolved' ? { unresolved: true } : {}),
    ...(by === undefined ? {} : { ledgerId: by.id }),
    ...(policy !== undefined && isSpent(policy.forbidden) ? { spent: true } : {}),
    ...(activity === undefined ? {} : { activity: JSON.stringify(asActivity(activity)) }),
  });
};
