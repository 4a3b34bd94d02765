import { PayError } from '../core/error.ts';
import { readNextAction } from '../core/next-action.ts';
import { formatLocal } from '../core/time.ts';
import { asActivity } from './kept.ts';
import type { Begun, Charge, Refusal } from './ledger.ts';

type Refused = Extract<Begun, { readonly kind: 'refused' }>;

/** What the customer can still use, in one line a piece. */
const stillUsable = ({ activity }: Charge, now: number): string[] => {
  const action = readNextAction({ next_action: activity?.nextAction });
  if (action === undefined) return [];
  if (action.kind === 'dial') return [`dial ${action.code}`];
  if (action.kind === 'other') return action.instruction === undefined ? [] : [action.instruction];
  const until = action.expiresAt === undefined ? '' : `, until ${formatLocal(action.expiresAt, now)}`;
  return [`${action.bank}, ${action.accountName}`, `account number ${action.accountNumber}${until}`];
};

const look = ({ ugwo, activity }: Charge): string => `\`paycli activity get ${ugwo} ${activity?.uid}\``;

const WORDS: Readonly<Record<Refusal, (by: Charge) => { readonly what: string; readonly hint: string }>> = {
  unresolved: ({ id, medium }) => ({
    what: `an earlier charge by ${medium} (${id}) may have been made, and nobody knows yet`,
    hint: `find out first: \`paycli ledger reconcile ${id}\`; --again does not override this`,
  }),
  in_progress: ({ id, medium }) => ({
    what: `another paycli is charging it by ${medium} right now (${id})`,
    hint: `wait for it, then look: \`paycli ledger show ${id}\``,
  }),
  payable: (by) => ({
    what: `an earlier charge by ${by.medium} (${by.id}, ${by.activity?.uid}) can still be paid`,
    hint:
      'pass that on to the customer; --reuse prints it again and exits 0, --again makes a second charge all the same. ' +
      `How it stands by now: ${look(by)}`,
  }),
  paid: (by) => ({
    what: `it has been paid, by ${by.medium} (${by.id}, ${by.activity?.uid})`,
    hint: `look at it with ${look(by)}; --reuse prints it, --again makes a second charge all the same`,
  }),
};

/** The guard's no, with what the customer can still use. Instants in local time; `now` in milliseconds. */
export const refusedError = ({ why, by }: Refused, now: number): PayError => {
  const { what, hint } = WORDS[why](by);
  const lines = why === 'payable' ? stillUsable(by, now) : [];
  return new PayError('refused', [`${by.ugwo} was not charged: ${what}`, ...lines].join('\n'), {
    hint,
    ledgerId: by.id,
    ...(by.activity === undefined ? {} : { activity: JSON.stringify(asActivity(by.activity)) }),
  });
};
