import { subscribe } from 'node:diagnostics_channel';

/**
 * What proves that a request was not sent. No error code does: one ECONNRESET looks like another. undici publishes the
 * moment in which it hands a request to a connected socket; only when that moment never came is "not sent" certain.
 */
export interface HandOver {
  readonly method: string;
  readonly path: string;
  /** The request was seen being made, so that its hand-over can't have been missed. */
  traced: boolean;
  handedOver: boolean;
}

interface Published {
  readonly request: { readonly method: string; readonly path: string };
}

const marks = new WeakMap<object, HandOver>();
let making: HandOver | undefined;

// A CONNECT to a proxy may be made in the same turn; method and path tell the marked request from it.
subscribe('undici:request:create', (message) => {
  const { request } = message as Published;
  if (making === undefined || request.method !== making.method || request.path !== making.path) return;
  making.traced = true;
  marks.set(request, making);
});

subscribe('undici:client:sendHeaders', (message) => {
  const mark = marks.get((message as Published).request);
  if (mark !== undefined) mark.handedOver = true;
});

export const newMark = (method: string, path: string): HandOver => ({ method, path, traced: false, handedOver: false });

/** Runs `dispatch`, which must make its request before it returns, and ties that request to the mark. */
export const withMark = <T>(mark: HandOver, dispatch: () => T): T => {
  making = mark;
  try {
    return dispatch();
  } finally {
    making = undefined;
  }
};

/** True only when it is proven that no byte of the request left. */
export const provenNotSent = (mark: HandOver): boolean => mark.traced && !mark.handedOver;
