import { type DeliveryRule, type FaultRule, isDeliveryRule } from '../../contract/fault-rule.ts';
import { machineValue } from '../../core/charge.ts';
import { parseIfJson, valueAt } from '../../core/json.ts';
import type { Executed } from '../request-log.ts';

/** The rules behind the service's codes, in the words of its contract. */
const MEANINGS: Readonly<Record<string, string>> = {
  ugwo_processed: 'a payment request that is paid takes no further charge',
  ugwo_cancelled: 'a payment request that is cancelled takes no charge',
  'workspace.error.balance_too_low': 'metadata.emulate asks for 402: the workspace has no balance',
  'ugwo.error.not_found': 'no payment request has this identifier',
  'activity.error.not_found': 'this payment request has no such activity',
  'onye.error.not_found': 'no customer has this identifier',
  'checkout.error.not_found': 'no checkout has this identifier',
  'checkout.error.medium_not_found': 'the checkout does not offer this medium',
  'nzube.onye.error.email_already_exists': 'an e-mail address belongs to one customer',
  'nzube.ugwo.error.ref_already_exists': 'a reference belongs to one payment request',
  'nzube.ugwo.error.not_cancellable': 'only a payment request that nothing was paid on can be cancelled',
  'nzube.ugwo.error.currency_not_allowed': 'the workspace does not take this currency',
  'nzube.refund.error.activity_not_paid': 'only what is paid can be refunded',
  'nzube.refund.error.refund_amount_too_high': 'a refund gives back at most what is left of the payment',
  'nzube.refund.error.refund_amount_too_low': 'a refund has a least amount',
  'nzube.refund.error.missing_destination': 'a bank transfer is refunded to an account that must be named',
};

const meant = (code: string): string => (Object.hasOwn(MEANINGS, code) ? `${code}: ${MEANINGS[code]}` : code);

/** The broken rules, as either dialect writes them: a field, and what is wrong with it. */
const brokenIn = (problem: unknown): readonly string[] => {
  const errors = valueAt(problem, 'errors');
  if (!Array.isArray(errors)) return [];
  return errors.map(
    (one: unknown) => `${machineValue(valueAt(one, 'field'))}: ${meant(machineValue(valueAt(one, 'message')))}`,
  );
};

/** Lists the rules that a refused request has broken; empty if it was not refused. */
export const refusedBy = ({ status, text }: Executed): readonly string[] => {
  if (status < 400) return [];
  const problem = parseIfJson(text);
  const broken = brokenIn(problem);
  const message = machineValue(valueAt(problem, 'detail')) || machineValue(valueAt(problem, 'message'));
  return broken.length > 0 ? broken : [meant(message)];
};

const effectOf = ({ status, retry_after, reset, cut, bad_json, delay }: FaultRule): string => {
  const late = delay === undefined ? '' : `${delay} late`;
  const what = [
    reset === true ? 'connection reset' : '',
    status === undefined
      ? ''
      : `answered with ${status}${retry_after === undefined ? '' : `, Retry-After: ${retry_after}`}`,
    cut === undefined ? '' : `answer cut off behind ${cut} bytes`,
    bad_json === true ? 'answer that is not JSON' : '',
  ];
  return [late, ...what].filter((words) => words !== '').join(', ');
};

/** Describes the effect of a rule on an event; a rule has one effect. */
const deliveryWords = ({ twice, late, out_of_order, signature, cut, slow }: DeliveryRule): string => {
  if (twice === true) return 'sent twice';
  if (late !== undefined) return `sent ${late} late`;
  if (out_of_order === true) return 'sent behind the one that follows';
  if (signature !== undefined) return `${signature === 'none' ? 'no' : 'wrong'} signature`;
  if (cut !== undefined) return `cut off behind ${cut} bytes`;
  return slow === undefined ? 'never sent' : `takes ${slow} to be sent`;
};

/** Describes the effect of a fault rule. */
export const faultWords = (rule: FaultRule | DeliveryRule): string => {
  if (isDeliveryRule(rule)) return deliveryWords(rule);
  const replaces = rule.status !== undefined || rule.reset === true;
  const when = rule.when === 'after' ? ', after it was executed' : ', in place of executing it';
  return `${effectOf(rule)}${replaces ? when : ''}`;
};

/** Describes the requests or events that a rule applies to. */
export const scopeWords = (rule: FaultRule | DeliveryRule): string => {
  const { share, times } = rule;
  const which = isDeliveryRule(rule)
    ? `event ${rule.event}`
    : `${rule.method ?? 'any method'} ${rule.path ?? 'on any path'}`;
  const part = share === undefined ? '' : `, a share of ${share}`;
  return `${which}${part}${times === undefined ? '' : `, ${times === 1 ? 'once' : `${times} times`}`}`;
};
