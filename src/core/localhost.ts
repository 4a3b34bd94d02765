import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

const HERE = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
] as const satisfies LookupAddress[];

/** What `localhost` is: where no hosts file has it, a name server would say where it leads. */
export const localhost: LookupFunction = (_hostname, options, done) => {
  if (options.all === true) done(null, [...HERE]);
  else done(null, HERE[0].address, HERE[0].family);
};

/** The option of a request that keeps it from asking for `localhost`. */
export const lookupFor = ({ hostname }: URL): { readonly lookup?: LookupFunction } =>
  hostname === 'localhost' ? { lookup: localhost } : {};
