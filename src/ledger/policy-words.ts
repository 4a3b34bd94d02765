import { formatMoney } from '../core/money.ts';
import { type Forbidden, OTHERS } from './policy.ts';

const listed = (words: readonly string[]): string => (words.length === 0 ? 'none' : words.join(', '));

const leftText = (left: bigint, currency: string): string =>
  left > 0n ? `${formatMoney(left, currency)} is left today` : 'nothing is left today';

const TOMORROW = 'the next day begins at 00:00 UTC';

const wordsOf = (forbidden: Forbidden): readonly [what: string, hint: string] => {
  switch (forbidden.why) {
    case 'medium':
      return [`doesn't allow ${forbidden.medium}`, `it allows: ${listed(forbidden.allowed)}`];
    case 'charges':
      return [`allows ${forbidden.most} a day, and all of them are used today`, TOMORROW];
    case 'currency':
      return [`doesn't allow ${forbidden.currency}`, `it has amounts for: ${listed(forbidden.allowed)}`];
    case 'no_amount':
      return [
        'limits amounts, and the amount of this charge is not known',
        'leave out --no-preflight, which skips the look that shows it',
      ];
    case 'unknown_amounts':
      return [
        `limits amounts, and those of ${forbidden.count} charges of today are not known`,
        `\`paycli ledger refresh\` with their ids finds out; ${TOMORROW}`,
      ];
    case 'amount': {
      const { currency, most, asked, left } = forbidden;
      const more = `allows ${formatMoney(most, currency)} a day; ${leftText(left, currency)}, and this charge is ${formatMoney(asked, currency)}`;
      return [more, asked > most ? 'it is more than a whole day allows' : TOMORROW];
    }
  }
};

/** Why a policy forbids a charge, and what to do. `command` makes a command for the same place. */
export const policyWords = (
  { profile, forbidden }: { readonly profile: string; readonly forbidden: Forbidden },
  command: (...words: readonly string[]) => string,
): readonly [what: string, hint: string] => {
  const isOthers = profile === OTHERS;
  const [what, hint] = wordsOf(forbidden);
  const show = command('policy', 'show', ...(isOthers ? ['--others'] : []));
  return [
    `the policy ${isOthers ? 'for all other profiles' : `of profile ${profile}`} ${what}`,
    `${hint}. See ${show}; --again doesn't override this`,
  ];
};
