import { debuglog } from 'node:util';
import { PayError } from './error.ts';

/** Throws where Node itself prints what a stream reads (NODE_DEBUG=stream), a secret too, before anything is read of it. */
export const refuseStreamLog = (what: string): void => {
  if (!debuglog('stream').enabled) return;
  throw new PayError('auth', `NODE_DEBUG would print ${what}, so it was not read`, {
    hint: 'unset NODE_DEBUG; --debug shows the requests without secrets',
  });
};
