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
