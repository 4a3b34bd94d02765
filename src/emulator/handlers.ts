import type { OperationId } from '../contract/operations.ts';
import { getActivity } from './activity.ts';
import { charge } from './charge.ts';
import { getCheckout, listCheckouts, listProviders } from './checkout.ts';
import type { Handler } from './handler.ts';
import { createOnye, deleteOnye, getOnye, listOnye, updateOnye } from './onye.ts';
import { createRefund } from './refund.ts';
import { cancelUgwo, createUgwo, getUgwo, listUgwo } from './ugwo.ts';

/** The service: does not compile while an operation of the contract has no handler. */
export const handlers: { readonly [K in OperationId]: Handler<K> } = {
  'onye.create': createOnye,
  'onye.get': getOnye,
  'onye.list': listOnye,
  'onye.update': updateOnye,
  'onye.delete': deleteOnye,
  'ugwo.create': createUgwo,
  'ugwo.get': getUgwo,
  'ugwo.list': listUgwo,
  'ugwo.cancel': cancelUgwo,
  'ugwo.charge': charge,
  'activity.get': getActivity,
  'checkout.list': listCheckouts,
  'checkout.get': getCheckout,
  'checkout.providers': listProviders,
  'refund.create': createRefund,
};
