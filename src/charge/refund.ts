/**
 * Refunds: what became of money that goes back, as far as records of the service prove it. Only this file maps a status
 * of the service to a refund.
 */

/**
 * Refunds that the service has accepted. A failure is known only from the refund's own record: the answer to its request,
 * or a signed event that names it. A refund is disputed if the service has shown it as failed and as paid back, or if
 * more went back than came.
 */
export const REFUND_STATES = ['refund_open', 'paid_back', 'refund_failed', 'refund_disputed'] as const;
export type RefundState = (typeof REFUND_STATES)[number];

/** Last thing that is known of a refund. */
export interface RefundFacts {
  readonly state: RefundState;
  /** Its identifier at the service, if an answer has shown it. */
  readonly uid: string | undefined;
  /** Moment at which this state was seen first, in milliseconds. */
  readonly at: number;
}

/** One of the refunds of an activity. The amount is in the minor unit, and undefined for the whole payment. */
interface RefundSeen extends Pick<RefundFacts, 'state'> {
  readonly amount: number | undefined;
  /** A read before it was sent showed that nothing had gone back: what goes back from then on may be its money. */
  readonly isFirst: boolean;
}

/** True if nothing of a paid activity in this status has gone back. */
export const isWhole = (status: string): boolean => status === 'successful';

const OWN = new Map<string, RefundState>([
  ['successful', 'paid_back'],
  ['failed', 'refund_failed'],
]);

/** The state that a refund's own record shows. An unrecognized status may still become anything. */
export const refundShown = (status: string): RefundState => OWN.get(status) ?? 'refund_open';

/** The sum of refunds; undefined if one pays back the whole payment. */
export const sumOfRefunds = (refunds: readonly Pick<RefundSeen, 'amount'>[]): number | undefined =>
  refunds.reduce<number | undefined>(
    (sum, { amount }) => (sum === undefined || amount === undefined ? undefined : sum + amount),
    0,
  );

/**
 * The state of a refund after its own record was read. `others`: the other refunds of its activity. `received`: what the
 * activity brought.
 */
export const afterRecord = (
  refund: RefundSeen,
  shown: RefundState,
  others: readonly RefundSeen[],
  received: number | undefined,
): RefundState => {
  const { state } = refund;
  if (shown === 'refund_open' || shown === state) return state;
  const back = [refund, ...others.filter((one) => one.state === 'paid_back')];
  const sum = sumOfRefunds(back.map(({ amount = received }) => ({ amount })));
  const isTooMuch = shown === 'paid_back' && received !== undefined && sum !== undefined && sum > received;
  return state !== 'refund_open' || isTooMuch ? 'refund_disputed' : shown;
};

/**
 * The states of an activity's refunds after the activity was read, in their order. It shows whether all, some or none of
 * its money went back, and never how much or which refund failed. A part never proves a refund of all of it, nor one that
 * was sent after another part had gone back: the service's dashboard refunds, too.
 */
export const afterActivity = (
  status: string,
  received: number | undefined,
  refunds: readonly RefundSeen[],
): readonly RefundState[] => {
  const unfailed = refunds.filter(({ state }) => state !== 'refund_failed');
  const sum = sumOfRefunds(unfailed);
  const isFirst = unfailed.length === 1 && unfailed[0]?.isFirst === true;
  const isPart = isFirst && sum !== undefined && sum < (received || Infinity);
  const isAll = sum === undefined ? isFirst : sum === received;
  const proves = status === 'refunded' ? isAll : status === 'partially_refunded' && isPart;
  const isBack = status === 'refunded' || status === 'partially_refunded';
  return refunds.map(({ state }, at) => {
    if (state === 'refund_open' && proves) return 'paid_back';
    // Nothing else explains that money went back.
    return isBack && unfailed.length === 0 && at === refunds.length - 1 ? 'refund_disputed' : state;
  });
};
