/** Lets an intent pass an obstacle: an option, or a person's yes to a charge beside one by another medium. */
export type Override = '--again' | '--remaining' | 'yes';

/** A reason why paycli refuses an intent. */
interface Refusal {
  /** Short words, for the summary of many rows. */
  readonly short: string;
  /** Absent if nothing lets the intent pass. */
  readonly passedBy?: readonly Override[];
  /** Statuses in which a payment request is refused for this reason, in words (docs/service.md, Payment requests). */
  readonly statuses?: Readonly<Record<string, string>>;
  /** The customer may still pay what stands in the way, or nobody knows. */
  readonly mayBePaid?: true;
  /** An equal charge takes what stands in the way as its own: a row of another file, or --reuse. */
  readonly isReusable?: true;
}

/** Reasons after which a charge may exist, or its money is in doubt: nothing overrides them. */
type Unsafe = 'unresolved' | 'in_progress' | 'disputed' | 'refund_open';

/**
 * All reasons, the gravest first. Reasons that nothing overrides come before the others. Of a payment request that was paid
 * in part, an account that is open for the rest counts first: the customer needs no other. Their words are in refused.ts.
 */
const REASONS = {
  /** The file's row has its charge. */
  done: { short: 'charged before' },
  unresolved: { short: 'an earlier one is unknown', mayBePaid: true },
  in_progress: { short: 'another process is sending it', mayBePaid: true },
  /** It was paid, and a later reading shows less, but not that it is newer. */
  disputed: { short: 'paid, and a later answer shows less' },
  /** Nothing shows yet how an earlier refund ended, or what is shown doesn't agree. */
  refund_open: { short: 'an earlier refund is open' },
  cancelled: { short: 'cancelled', statuses: { cancelled: 'is cancelled' } },
  refunded: {
    short: 'paid and refunded',
    statuses: { partially_refunded: 'is already paid and partly refunded', refunded: 'is already paid and refunded' },
  },
  paid: { short: 'already paid', statuses: { ugwo_successful: 'is already paid' }, isReusable: true },
  /** Only the rest was to be charged, and no part is paid. */
  not_underpaid: { short: 'not paid in part' },
  /** An earlier charge by the same medium. */
  payable: {
    short: 'an earlier charge can still be paid',
    passedBy: ['--again'],
    mayBePaid: true,
    isReusable: true,
  },
  underpaid: { short: 'paid in part: --remaining charges what is missing', passedBy: ['--remaining'] },
  other_medium: {
    short: 'a charge by another medium can still be paid',
    passedBy: ['--again', 'yes'],
    mayBePaid: true,
  },
  /** Nothing that is known explains the request's status. */
  processing: { short: 'a payment is under way', passedBy: ['--again'] },
  /** Its account has expired, and nobody has read since then whether it was paid in time. */
  unseen: {
    short: 'an earlier account has expired, but may have been paid in time',
    passedBy: ['--again'],
    isReusable: true,
  },
  /** An equal object was made. */
  made: { short: 'made before', passedBy: ['--again'] },
  policy: { short: 'a policy forbids it' },
} as const satisfies Readonly<Record<string, Refusal>> &
  Readonly<Record<Unsafe, Refusal & { readonly passedBy?: never }>>;

export type RefusalReason = keyof typeof REASONS;
export const REFUSALS: Readonly<Record<RefusalReason, Refusal>> = REASONS;

const GRAVITY = Object.keys(REASONS) as readonly RefusalReason[];

/** Place among all reasons: 0 is the gravest. */
export const gravityOf = (why: RefusalReason): number => GRAVITY.indexOf(why);

/** Refusal of a payment request by its status; undefined if its status says nothing against a charge. */
export const refusalByStatus = (
  status: string,
): { readonly why: RefusalReason; readonly words: string } | undefined => {
  for (const why of GRAVITY) {
    const { statuses = {} } = REFUSALS[why];
    const words = Object.hasOwn(statuses, status) ? statuses[status] : undefined;
    if (words !== undefined) return { why, words };
  }
  return undefined;
};
