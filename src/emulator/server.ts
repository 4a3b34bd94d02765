import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { reasonOf, usageError } from '../core/error.ts';
import { respondTo, type Service } from './answer.ts';
import { makeApp } from './app.ts';
import { deliver } from './delivery/deliver.ts';
import { withFaults } from './faults.ts';
import { refusal } from './refusal.ts';
import type { RunningEmulator } from './room.ts';

const HOST = '127.0.0.1';

type Listener = Parameters<typeof getRequestListener>[0];

const listen = (server: Server, port: number): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (thrown: NodeJS.ErrnoException) => {
    const why = thrown.code === 'EADDRINUSE' ? 'is already in use' : `cannot be used: ${reasonOf(thrown)}`;
    const hint = 'Choose another with --port, or leave it out to take any free one.';
    reject(usageError(`port ${port} ${why}`, { hint, cause: thrown }));
  });
  server.listen({ port, host: HOST }, resolve);
  return promise;
};

const stop = async (server: Server): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
};

/** Puts the service on a port of this machine alone; it takes the store over and closes it in the end. */
export const serve = async (
  opened: Omit<Service, 'closing'>,
  port: number,
  delivers: boolean,
): Promise<RunningEmulator> => {
  const closing = new AbortController();
  const service: Service = { ...opened, closing: closing.signal };
  const listener = getRequestListener(withFaults(service, makeApp(service).fetch) as Listener, {
    // The program around it keeps its own Request and Response.
    overrideGlobalObjects: false,
    errorHandler: (thrown) => respondTo(refusal(400, `the request cannot be read: ${reasonOf(thrown)}`), service),
  });
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  try {
    await listen(server, port);
  } catch (thrown) {
    service.store.close();
    throw thrown;
  }
  const delivering = delivers ? deliver(service) : undefined;
  let closed: Promise<void> | undefined;
  return {
    origin: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    key: service.store.key,
    publicKey: service.store.setting('public_key') ?? '',
    controlToken: service.store.setting('control_token') ?? '',
    close: () => {
      closing.abort();
      closed ??= Promise.all([stop(server), delivering])
        .then(() => undefined)
        .finally(() => service.store.close());
      return closed;
    },
  };
};
