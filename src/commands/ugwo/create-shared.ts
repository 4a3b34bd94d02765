import { option, rarely, repeated } from '../../cli/define.ts';
import { AMOUNT_OPTIONS, asPair, asText } from '../../cli/options.ts';
import { idIn, isId } from '../../core/ids.ts';
import { type Pair, pairsToObject } from '../../core/input.ts';

/** Sets a customer by identifier or by e-mail address. */
const setCustomer = (text: string) => {
  const onye = idIn('ony', text);
  return isId('ony', onye) || !text.includes('@') ? { onye } : { onye_email: text };
};

export const REQUEST_FIELDS = rarely(['metadata'], {
  ...AMOUNT_OPTIONS,
  currency: option('--currency <code>', 'currency, such as NGN', asText),
  customer: option(
    '--customer <onye|email>',
    'customer by ony.… or e-mail; a new e-mail makes a new customer',
    asText,
    { completes: 'onye', property: ['onye', 'onye_email'], value: setCustomer },
  ),
  ref: option('--ref <text>', 'your reference, unique, at most 150 characters', asText, { own: true }),
  description: option('--description <text>', 'what it is for, at most 150 characters', asText),
  checkout: option('--checkout <chk>', 'checkout, chk.…; else the service chooses one', asText, {
    completes: 'checkout',
    value: (text: string) => idIn('chk', text),
  }),
  metadata: repeated('--metadata <k=v>', 'metadata, keys with texts', asPair, {
    column: 'metadata.k',
    value: (pairs: readonly Pair[]) => (pairs.length === 0 ? undefined : pairsToObject(pairs, '--metadata')),
    own: true,
  }),
} as const);
