import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { reasonOf, usageError } from '../core/error.ts';
import { memo } from '../core/memo.ts';
import { nowOf, respondTo, type Service } from './answer.ts';
import { makeApp } from './app.ts';
import { CONSOLE, consolePath } from './console-path.ts';
import { deliver } from './delivery/deliver.ts';
import { type Fetch, withFaults } from './faults.ts';
import { withExecuted, withRecords } from './recorded.ts';
import { refusal } from './refusal.ts';
import { openRequestLog, type RequestLog } from './request-log.ts';
import type { ConsoleOptions, RunningEmulator } from './room.ts';

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

/** The service with its console, which is loaded when somebody opens it. */
const withConsole = (service: Service, requests: RequestLog, options: ConsoleOptions): Fetch => {
  const app = makeApp(service).fetch as Fetch;
  const seen = withRecords(requests, withFaults(service, withExecuted(requests, app)));
  const console = memo(async () => (await import('./console/open.ts')).openConsole(service, requests, app, options));
  return async (request, env) =>
    env.incoming.url?.startsWith(CONSOLE) === true ? (await console())(request, env) : seen(request, env);
};

/** Puts the service on a port of this machine alone; it takes the store over and closes it in the end. */
export const serve = async (
  opened: Omit<Service, 'closing' | 'requests'>,
  port: number,
  {
    delivers = false,
    console,
  }: { readonly delivers?: boolean | undefined; readonly console?: ConsoleOptions | undefined },
): Promise<RunningEmulator> => {
  const closing = new AbortController();
  const plain: Service = { ...opened, closing: closing.signal };
  const requests = console && openRequestLog(() => nowOf(plain), plain.clock.ticks);
  const service: Service = { ...plain, ...(requests === undefined ? {} : { requests }) };
  const answer =
    requests === undefined || console === undefined
      ? withFaults(service, makeApp(service).fetch as Fetch)
      : withConsole(service, requests, console);
  const listener = getRequestListener(answer as Listener, {
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
  const origin = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    key: service.store.key,
    publicKey: service.store.setting('public_key') ?? '',
    controlToken: service.store.setting('control_token') ?? '',
    console: console && `${origin}${consolePath(service.store)}`,
    close: () => {
      closing.abort();
      closed ??= Promise.all([stop(server), delivering])
        .then(() => undefined)
        .finally(() => service.store.close());
      return closed;
    },
  };
};
