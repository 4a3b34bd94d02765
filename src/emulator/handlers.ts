import type { OperationId } from '../contract/operations.ts';
import { getActivity } from './activity.ts';
import { charge } from './charge.ts';
import { getCheckout, listCheckouts, listProviders } from './checkout.ts';
import { SHAPES, type Shape } from './dialect.ts';
import type { Handler } from './handler.ts';
import { createOnye, deleteOnye, getOnye, listOnye, updateOnye } from './onye.ts';
import { createRefund } from './refund.ts';
import { cancelUgwo, createUgwo, getUgwo, listUgwo } from './ugwo.ts';

/** How an operation is answered, and how that answer is written in the live dialect. */
export interface Handling<K extends OperationId> {
  readonly handle: Handler<K>;
  readonly shape: Shape;
}

/** The service: does not compile while an operation of the contract has no handler. */
export const handlers: { readonly [K in OperationId]: Handling<K> } = {
  'onye.create': { handle: createOnye, shape: SHAPES.customer },
  'onye.get': { handle: getOnye, shape: SHAPES.customer },
  'onye.list': { handle: listOnye, shape: SHAPES.customers },
  'onye.update': { handle: updateOnye, shape: SHAPES.customer },
  'onye.delete': { handle: deleteOnye, shape: SHAPES.customer },
  'ugwo.create': { handle: createUgwo, shape: SHAPES.ugwo },
  'ugwo.get': { handle: getUgwo, shape: SHAPES.ugwo },
  'ugwo.list': { handle: listUgwo, shape: SHAPES.ugwos },
  'ugwo.cancel': { handle: cancelUgwo, shape: SHAPES.ugwo },
  'ugwo.charge': { handle: charge, shape: SHAPES.activity },
  'activity.get': { handle: getActivity, shape: SHAPES.activity },
  'checkout.list': { handle: listCheckouts, shape: SHAPES.checkouts },
  'checkout.get': { handle: getCheckout, shape: SHAPES.checkout },
  'checkout.providers': { handle: listProviders, shape: SHAPES.providers },
  'refund.create': { handle: createRefund, shape: SHAPES.refund },
};
