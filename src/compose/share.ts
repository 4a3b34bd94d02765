import { balanceOf, missingPart, requestFacts } from '../charge/payment.ts';
import type { Client } from '../client/client.ts';
import type { Run } from '../commands/run.ts';
import { textAt } from '../core/charge.ts';
import { usageError } from '../core/error.ts';
import { formatMoney } from '../core/money.ts';
import type { Message, PassOn, ShareOptions, ShareStep } from '../core/result.ts';
import { isTimeZone } from '../core/settings.ts';
import { readInputBytes } from './run.ts';

const MOST_TEMPLATE_BYTES = 64 * 1024;

/** Texts of a payment request for a template, apart from the names of others that it refers to. */
export const factsIn = (request: unknown) => ({
  ref: textAt(request, 'ref'),
  first_name: textAt(request, 'onye.first_name') || textAt(request, 'onye_nzube.first_name'),
  merchant: textAt(request, 'checkout.uid'),
});
type Names = Partial<ReturnType<typeof factsIn>> & {
  readonly amount?: string | undefined;
  readonly rest?: string | undefined;
};

/** Opens the writer of messages to customers. Throws if an option is not valid. */
export const openMessages = async ({ shareTemplate: file, shareZone: zone }: ShareOptions, run: Run) => {
  const { shareMessage, Template } = await import('../output/share.ts');
  if (zone !== undefined && !isTimeZone(zone)) {
    throw usageError(`--share-zone: "${zone}" is not a time zone, such as Africa/Lagos`);
  }
  const template =
    file === undefined ? undefined : new Template(await readInputBytes(run, file, MOST_TEMPLATE_BYTES), file);
  const write = (step: ShareStep): Message => {
    const message = shareMessage({ ...step, zone, template });
    return 'text' in message ? { text: run.io.redactor.clean(message.text) } : message;
  };
  const merchants = new Map<string, string>();
  return {
    template,
    write,
    /** Names of a payment request for the template, which alone decides if its checkout is read. */
    namesIn: async (request: unknown, client: Client) => {
      const names = factsIn(request);
      const uid = names.merchant;
      if (template?.wants('merchant') && uid !== '' && !merchants.has(uid)) {
        merchants.set(uid, textAt((await client.call('checkout.get', { params: { uid } })).value, 'name'));
      }
      const [facts, currency] = [requestFacts(request), textAt(request, 'currency')];
      const textOf = (minor: number | undefined) => (minor && currency ? formatMoney(minor, currency) : undefined);
      // A template may need the sum, which an activity may lack.
      const amount = template && textOf(balanceOf(facts).missing);
      return { ...names, merchant: merchants.get(uid) ?? '', amount, rest: textOf(missingPart(facts)) };
    },
    /** Prints the message in place of a record. */
    printing: (how: ShareOptions, names: Names): PassOn => ({
      ...how,
      write: ({ amount = names.amount, others, ...step }) =>
        write({ ...step, amount: names.rest ?? amount, others: { ...others, ...names } }),
    }),
  };
};
