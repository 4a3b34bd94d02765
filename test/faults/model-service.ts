import { formatDateAtom } from '../../src/core/time.ts';

/** How the service of one run behaves, and how its clock runs. */
export interface Rules {
  /** How far its clock is ahead of the true time, in milliseconds. */
  readonly skew: number;
  /** Whether its answers have a date. */
  readonly dated: boolean;
  /** How far its front end, which writes `Date`, is ahead of its clock, in milliseconds. */
  readonly front: number;
  /** Whether an activity without further customer action loses its next action, and so its medium. */
  readonly forgets: boolean;
}

export const MEDIUMS = ['bank_transfer', 'ussd', 'mobile_money'] as const;
export type Medium = (typeof MEDIUMS)[number];

/** An activity as the service knows it. */
export interface Made {
  readonly uid: string;
  readonly ugwo: string;
  readonly medium: Medium;
  /** By the service's clock. */
  readonly createdAt: number;
  /** By the service's clock; only an account expires. */
  readonly expiresAt: number | undefined;
  /** When lists begin to show it, in true time. */
  readonly visibleAt: number;
  status: 'requires_action' | 'successful' | 'failed';
}

const ACCOUNT_LIFE_MS = 15 * 60_000;

const atom = (ms: number): string => formatDateAtom({ ms, offset: 60 });

const headersOf = ({ medium, expiresAt }: Made): Record<string, string> => {
  if (medium === 'ussd') return { ussd: '*737*000*5000#' };
  if (medium === 'mobile_money') return {};
  const account = { bank_name: 'Wema Bank', account_name: 'Paycli Test', account_number: '0123456789' };
  return { ...account, expires_at: atom(expiresAt ?? 0) };
};

/** The simulated service: its activities are the truth. `now` is the true time. */
export const simulatedService = (rules: Rules, now: () => number) => {
  const made: Made[] = [];
  const clock = (): number => now() + rules.skew;
  return {
    made,
    clock,
    /** Its `Date` header. */
    date: (): number | undefined => (rules.dated ? Math.floor((clock() + rules.front) / 1000) * 1000 : undefined),
    make: (ugwo: string, medium: Medium, status: Made['status'], visibleAfter: number): Made => {
      const activity: Made = {
        uid: `act.AbCd.${String(made.length + 1).padStart(24, '0')}`,
        ugwo,
        medium,
        createdAt: clock(),
        // Its stated expiry is exact, to the second.
        expiresAt: medium === 'bank_transfer' ? Math.floor((clock() + ACCOUNT_LIFE_MS) / 1000) * 1000 : undefined,
        visibleAt: now() + visibleAfter,
        status,
      };
      made.push(activity);
      return activity;
    },
    /** An activity in an answer. */
    wire: (activity: Made): Record<string, unknown> => ({
      uid: activity.uid,
      status: activity.status,
      next_action:
        rules.forgets && activity.status !== 'requires_action'
          ? null
          : { type: 'user_action', instruction: 'Pay.', headers: headersOf(activity) },
      created_at: atom(activity.createdAt),
    }),
    /** Whether the customer can still pay it. */
    payable: ({ status, expiresAt }: Made): boolean =>
      status === 'requires_action' && clock() < (expiresAt ?? Number.POSITIVE_INFINITY),
  };
};
