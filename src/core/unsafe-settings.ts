import { debuglog } from 'node:util';
import { PayError } from './error.ts';
import type { Env } from './io.ts';
import { isLoopback } from './origin.ts';

/** Whether certificates are verified. Only for this machine may the usual variable turn it off; `what` would be sent. */
export const verifies = (origin: string, env: Env, what: string): boolean => {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return true;
  if (isLoopback(origin)) return false;
  throw new PayError('auth', `NODE_TLS_REJECT_UNAUTHORIZED=0 would send ${what} to anyone who answers`, {
    hint: 'unset it; to trust a certificate authority of your own, name its file in NODE_EXTRA_CA_CERTS',
  });
};

/** Throws where Node itself prints what a stream reads (NODE_DEBUG=stream), a secret too, before anything is read of it. */
export const refuseStreamLog = (what: string): void => {
  if (!debuglog('stream').enabled) return;
  throw new PayError('auth', `NODE_DEBUG would print ${what}, so it was not read`, {
    hint: 'unset NODE_DEBUG; --debug shows the requests without secrets',
  });
};
