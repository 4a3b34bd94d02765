import { CHARGE, kindWord } from '../core/charge.ts';
import { commandLine, type TargetOptions } from '../core/input.ts';
import { formatMoney, SMALLEST_REFUND } from '../core/money.ts';
import { shellLine } from '../core/shell.ts';
import type { Balance } from './payment.ts';

/** Amount without its currency: `1,900.00`. */
const bareAmount = (minor: number, currency: string): string => formatMoney(minor, currency).slice(currency.length + 1);

/** `NGN 400.00 of 900.00` */
export const partText = (received: number, asked: number, currency: string): string =>
  `${formatMoney(received, currency)} of ${bareAmount(asked, currency)}`;

/**
 * Words of the command that pays back `minor` of an activity, or all of it; undefined for less than the smallest refund.
 * They name the payment request, since the ledger may not know the activity.
 */
export const refundWords = (
  ugwo: string | undefined,
  activity: string,
  minor: number | undefined,
  currency: string,
): string[] | undefined => {
  const part = minor === undefined ? [] : ['--amount', bareAmount(minor, currency).replaceAll(',', '')];
  return (minor ?? Infinity) < (SMALLEST_REFUND.get(currency) ?? 1)
    ? undefined
    : ['refund', 'create', activity, ...(ugwo === undefined ? [] : ['--ugwo', ugwo]), ...part];
};

/** Sentence about a payment request that was paid twice or overpaid, with the commands that pay the excess back. */
export const paidTwiceText = (
  ugwo: string,
  { asked = 0, excess = 0, surplus, isPaidTwice }: Pick<Balance, 'asked' | 'excess' | 'surplus' | 'isPaidTwice'>,
  currency: string,
  place: TargetOptions,
): string => {
  // Several parts may bring too much, too.
  const what = `${isPaidTwice && excess >= asked ? 'paid twice' : 'overpaid'}: ${formatMoney(excess, currency)} too much came`;
  if (surplus.length === 0) return what;
  const commands = surplus.flatMap(({ activity, amount }) => {
    const words = refundWords(ugwo, activity, amount, currency);
    return words === undefined ? [] : commandLine(place, ...words);
  });
  return commands.length === 0
    ? `${what}; it can't be refunded, since a refund is at least ${formatMoney(SMALLEST_REFUND.get(currency) ?? 0, currency)}`
    : `${what}; pay it back with: ${commands.join(' and ')}`;
};

/** Sentence about a charge of the rest that asks for another sum; `asked` is undefined if it doesn't say for how much. */
export const otherSumText = (missing: number, asked: number | undefined, currency: string): string => {
  const rest = `${formatMoney(missing, currency)} is missing`;
  return asked === undefined
    ? `${rest}; the answer doesn't say how much this charge asks for, so tell the customer`
    : `${rest}, but this charge asks for ${formatMoney(asked, currency)}; tell the customer to pay what is missing`;
};

/** The last commits that read ledgers of the versions that were never released. */
const SETTLE =
  'first settle it with the last commit that reads it (2696dc9e, or 4181737e if that one refuses it, too): run `paycli ledger sync` there until `paycli ledger list ' +
  '--all-profiles --state unknown` is empty and no emergency file is left beside it. Then';

/** Next steps after an error of a ledger, by what has to be done. */
export const NEXT_STEP = {
  init: 'run `paycli ledger init`',
  initAsOwner: 'run `paycli ledger init` once, as the owner of the database',
  grant: "ask the ledger's owner for an operator's rights (`ledger init --operator NAME`)",
  awaitMigration:
    'once `paycli ledger migrate` has ended, run the same command again with the new paycli; nothing was sent',
  migrateAsOwner: 'run `paycli ledger migrate` once, as the owner of the database',
  reach: 'check that the database runs and can be reached, then run the same command again',
  useNewer: 'use the newer paycli; nothing was changed',
  replaceRecord:
    'copy it, check that `paycli ledger list --all-profiles` shows every charge made from this machine, then move it away',
  settleFile: `${SETTLE} keep it elsewhere, with highest-charge, and start a new one, which knows none of its charges and files`,
  settleShared: `${SETTLE} keep it, and make one in another database with \`paycli ledger init\`, which knows none of its charges and files`,
  settleRecord: `${SETTLE} keep it elsewhere`,
  upgradeFile: 'run `paycli ledger list` once, which brings it up to date; nothing was sent or changed',
  reportMissed:
    'the guard had let it pass, and the ledger held it back: report this as a bug in paycli, and see `paycli ledger list --state unknown`',
  removePolicy: (...names: readonly string[]) =>
    `remove one: ${names.map((name) => `\`${shellLine(['paycli', 'policy', 'remove', name])}\``).join(' or ')}; nothing was changed`,
  // Anybody who can edit a ledger file could approve there.
  share: 'only a shared ledger knows who approves: see `paycli help docs team`',
} as const;

/** A quoted command of paycli for a hint, which gets the target of its run when it is printed (`aimed`). */
export const paycli = (...words: readonly string[]): string => `\`${shellLine(['paycli', ...words])}\``;

/** Step that settles an unknown outcome. Only a person can look up other kinds than charges at the service. */
export const findOutStep = (id: string, kind: string): string =>
  kind === CHARGE
    ? `find out: ${paycli('ledger', 'sync', id)}`
    : `look for the ${kindWord(kind)} at the service, then record what you found: ${paycli('ledger', 'resolve', id, '--as', 'created')}, or \`--as not-created\``;
