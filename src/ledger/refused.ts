import { PayError } from '../core/error.ts';
import { readNextAction } from '../core/next-action.ts';
import { shellLine } from '../core/shell.ts';
import { formatLocal } from '../core/time.ts';
import { payableFor } from './guard.ts';
import { asActivity } from './kept.ts';
import type { Begun, Charge, Moment, Refusal } from './ledger.ts';

type Refused = Extract<Begun, { readonly kind: 'refused' }>;

/** What the customer can still use, in one line a piece. */
const stillUsable = (charge: Charge, moment: Moment): string[] => {
  const { activity } = charge;
  const action = readNextAction({ next_action: activity?.nextAction });
  if (action === undefined) return [];
  if (action.kind === 'dial') return [`dial ${action.code}`];
  if (action.kind === 'other') return action.instruction === undefined ? [] : [action.instruction];
  const left = charge.told === undefined ? undefined : payableFor(charge, moment);
  const expires = left === undefined ? action.expiresAt : moment.at + left;
  const until = expires === undefined ? '' : `, until ${formatLocal(expires, moment.at)}`;
  return [`${action.bank}, ${action.accountName}`, `account number ${action.accountNumber}${until}`];
};

/** The medium, and with whom. */
const howOf = ({ medium, provider, phone }: Charge): string => {
  const whom = [provider, phone].filter((one) => one !== undefined);
  return whom.length === 0 ? medium : `${medium} (${whom.join(', ')})`;
};

type Command = (...words: readonly string[]) => string;

const howItStands = ({ ugwo, activity }: Charge, command: Command): string =>
  activity === undefined ? command('ugwo', 'get', ugwo) : command('activity', 'get', ugwo, activity.uid);

/** The names of an earlier charge; which activity it is may not be known. */
const nameOf = ({ id, activity }: Charge): string => (activity === undefined ? id : `${id}, ${activity.uid}`);

type Words = (by: Charge, command: Command, same: boolean) => readonly [what: string, hint: string];

const stillPayable: Words = (by, command, same) => [
  `an earlier charge by ${howOf(by)} (${nameOf(by)}) can still be paid`,
  `pass that on to the customer; ${same ? '--reuse prints it again and exits 0, ' : ''}--again makes a second charge all ` +
    `the same. How it stands by now: ${howItStands(by, command)}`,
];

const underWay: Words = (by, command) => [
  `an earlier charge by ${howOf(by)} (${nameOf(by)}) is still under way, as far as is known here`,
  `see how it stands by now: ${howItStands(by, command)}; --again makes a second charge all the same`,
];

/** What stands in the way, and what to do about it. */
const WORDS: Readonly<Record<Refusal, Words>> = {
  unresolved: (by, command) => [
    `an earlier charge by ${howOf(by)} (${by.id}) may have been made, and nobody knows yet`,
    `find out first: ${command('ledger', 'reconcile', by.id)}; --again does not override this`,
  ],
  in_progress: (by, command) => [
    `another paycli is charging it by ${howOf(by)} right now (${by.id})`,
    `wait for it, then look: ${command('ledger', 'show', by.id)}`,
  ],
  payable: (by, command, same) =>
    by.activity?.nextAction === undefined || by.activity.nextAction === null
      ? underWay(by, command, same)
      : stillPayable(by, command, same),
  done: (by, command) => [
    `its row ${by.row} of this file has been charged already (${nameOf(by)})`,
    `look at it with ${command('ledger', 'show', by.id)}`,
  ],
  paid: (by, command) => [
    `it has been paid, by ${howOf(by)} (${nameOf(by)})`,
    `look at it with ${howItStands(by, command)}; --reuse prints it, --again makes a second charge all the same`,
  ],
};

/**
 * The guard's no, with what the customer can still use. Instants in local time. `words` are the
 * global options that send another command to the same place; `same` says that it asks the same customer for the same.
 */
export const refusedError = ({ why, by, moment }: Refused, words: readonly string[], same: boolean): PayError => {
  const command: Command = (...given) => `\`${shellLine(['paycli', ...given, ...words])}\``;
  const [what, hint] = WORDS[why](by, command, same);
  const lines = why === 'payable' ? stillUsable(by, moment) : [];
  return new PayError('refused', [`${by.ugwo} was not charged: ${what}`, ...lines].join('\n'), {
    hint,
    ledgerId: by.id,
    ...(by.activity === undefined ? {} : { activity: JSON.stringify(asActivity(by.activity)) }),
  });
};
