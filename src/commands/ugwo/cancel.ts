import type { Thing } from '../../contract/proof.ts';
import { machineValue } from '../../core/medium.ts';
import { formatMoney } from '../../core/money.ts';
import { valueAt } from '../../core/path.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { removeRecord } from '../remove.ts';
import { wholeUgwoView } from './view.ts';

export const view = wholeUgwoView;

const textAt = (request: Thing, path: string): string => machineValue(valueAt(request, path));

const moneyOf = (request: Thing): string => formatMoney(textAt(request, 'amount'), textAt(request, 'currency'));

/** What of a payment request tells a person that it is the right one. */
const described = (request: Thing): string => {
  const words = ['ref', 'description', 'onye.email'].map((path) => textAt(request, path));
  return [moneyOf(request), ...words, request.uid].filter((part) => part !== '').join(', ');
};

/** Cancels a payment request (public material, Payment requests). */
export const run = ({ uid }: { readonly uid: string }, deps: Deps): Promise<Result> =>
  removeRecord(
    {
      read: 'ugwo.get',
      remove: 'ugwo.cancel',
      uid,
      view,
      question: (request) => [described(request), 'Cancel this payment request? It can never be paid afterwards.'],
      typed: (request) => moneyOf(request) || request.uid,
      done: 'The payment request was cancelled.',
    },
    deps,
  );
