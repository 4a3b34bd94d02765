import type { Resource } from '../../contract/proof.ts';
import { machineValue } from '../../core/charge.ts';
import type { ListInput } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import { type ListOf, listRecords } from '../list.ts';
import { getRecord, removeRecord } from '../record.ts';
import type { Run } from '../run.ts';
import { onyeView } from './view.ts';

/** Reads a customer (docs/service.md, Customers). */
export const getCustomer = ({ uid }: { readonly uid: string }, run: Run): Promise<Result> =>
  getRecord('onye.get', { uid }, onyeView, run);

/** Neither the order of customers is documented, nor that a reference is unique. */
const ONYE: ListOf = {
  operation: 'onye.list',
  path: ['onye', 'list'],
  records: 'customers',
  view: onyeView,
  newestFirst: false,
  uniqueRef: false,
};

/** Lists customers (docs/service.md, Lists). */
export const listCustomers = (input: ListInput, run: Run): Promise<Result> => listRecords(ONYE, input, run);

const customerName = ({ uid, email, first_name, last_name }: Resource): string => {
  const name = [first_name, last_name].map(machineValue).filter((part) => part !== '');
  const address = machineValue(email);
  return [...name, ...(address === '' ? [] : [`<${address}>`]), uid].join(' ');
};

/** Deletes a customer (docs/service.md, Customers). */
export const deleteCustomer = ({ uid }: { readonly uid: string }, run: Run): Promise<Result> =>
  removeRecord(
    {
      read: 'onye.get',
      remove: 'onye.delete',
      uid,
      view: onyeView,
      question: (customer) => [
        customerName(customer),
        'Delete this customer and all that is stored with it, for good?',
      ],
      typed: ({ email, uid: own }) => machineValue(email) || own,
      done: 'The customer was deleted; payment requests keep it.',
    },
    run,
  );
