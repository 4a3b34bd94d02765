import type { Thing } from '../../contract/proof.ts';
import { machineValue } from '../../core/medium.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { removeRecord } from '../remove.ts';
import { onyeView } from './view.ts';

export const view = onyeView;

const nameOf = ({ uid, email, first_name, last_name }: Thing): string => {
  const name = [first_name, last_name].map(machineValue).filter((part) => part !== '');
  const address = machineValue(email);
  return [...name, ...(address === '' ? [] : [`<${address}>`]), uid].join(' ');
};

/** Deletes a customer (public material, Customers). */
export const run = ({ uid }: { readonly uid: string }, deps: Deps): Promise<Result> =>
  removeRecord(
    {
      read: 'onye.get',
      remove: 'onye.delete',
      uid,
      view,
      question: (customer) => [nameOf(customer), 'Delete this customer and all that is stored with it, for good?'],
      typed: ({ email, uid: own }) => machineValue(email) || own,
      done: 'The customer was deleted; payment requests keep it.',
    },
    deps,
  );
