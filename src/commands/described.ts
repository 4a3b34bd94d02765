import { bothUnits } from '../core/amount.ts';
import { machineValue } from '../core/medium.ts';

/** `NGN 5,000.00 (500000 kobo) for ada@example.com, Order 7`: what is asked of whom. */
export const described = (body: Readonly<Record<string, unknown>>): string => {
  const text = (name: string): string => machineValue(body[name]);
  const money = bothUnits(Number(body['amount']), text('currency'));
  const customer = text('onye') || text('onye_email');
  return [customer === '' ? money : `${money} for ${customer}`, text('ref'), text('description')]
    .filter((part) => part !== '')
    .join(', ');
};
