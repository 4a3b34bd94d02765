import type { OperationId } from '../contract/operations.ts';
import { getActivity } from './activity.ts';
import { charge } from './charge.ts';
import type { Handler } from './handler.ts';
import { listUgwo } from './list.ts';
import { getOnye, updateOnye } from './onye.ts';
import { getUgwo } from './ugwo.ts';

/** The service: does not compile while an operation of the contract has no handler. */
export const handlers: { readonly [K in OperationId]: Handler<K> } = {
  'onye.get': getOnye,
  'onye.update': updateOnye,
  'ugwo.charge': charge,
  'ugwo.get': getUgwo,
  'activity.get': getActivity,
  'ugwo.list': listUgwo,
};
