import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { memo } from '../core/async.ts';
import { reasonOf, usageError } from '../core/error.ts';
import { makeApp } from './app.ts';
import { deliver } from './deliver.ts';
import { withFaults } from './faults.ts';
import { CONSOLE, consolePath } from './guard.ts';
import { type Answering, askedOf, type HttpAnswer, type HttpRequest, send } from './http.ts';
import { openRequestLog, type RequestLog, withExecuted, withRecords } from './request-log.ts';
import type { ConsoleOptions, RunningEmulator } from './room.ts';
import { nowOf, refusal, respondTo, type Service } from './service.ts';

const HOST = '127.0.0.1';

/** Returns the host for the addresses that a browser on this machine uses. */
const nameOf = (host: string): string => {
  if (['0.0.0.0', '::'].includes(host)) return HOST;
  return host.includes(':') ? `[${host}]` : host;
};

const listen = (server: Server, port: number, host: string): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'EADDRINUSE' && host !== HOST)
      return reject(usageError(`--host: ${host} cannot be listened on: ${reasonOf(thrown)}`, { cause: thrown }));
    const why = thrown.code === 'EADDRINUSE' ? 'is already in use' : `cannot be used: ${reasonOf(thrown)}`;
    const hint = 'Choose another with --port, or leave it out to take any free one.';
    reject(usageError(`port ${port} ${why}`, { hint, cause: thrown }));
  });
  server.listen({ port, host }, resolve);
  return promise;
};

const stop = async (server: Server): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
};

/** Adds the console to the service; it is loaded when somebody opens it. */
const withConsole = (service: Service, requests: RequestLog, options: ConsoleOptions): Answering => {
  const app = makeApp(service);
  const seen = withRecords(requests, withFaults(service, withExecuted(requests, app)));
  const console = memo(async () => (await import('./console/open.ts')).openConsole(service, requests, options));
  return async (asked) => (CONSOLE === `/${asked.segments[1]}/` ? (await console())(asked) : seen(asked));
};

/** Answer for when even the data can't be read. */
const BROKEN: HttpAnswer = {
  status: 500,
  headers: { 'content-type': 'text/plain' },
  text: 'the data cannot be read\n',
};

/** Answers every request on a connection, including invalid ones. */
const listener = (service: Service, answering: Answering): RequestListener => {
  const told = (thrown: unknown): HttpAnswer => {
    try {
      return respondTo(thrown, service);
    } catch {
      return BROKEN;
    }
  };
  const answerTo = async (incoming: IncomingMessage): Promise<HttpAnswer | undefined> => {
    let asked: HttpRequest;
    try {
      asked = askedOf(incoming);
    } catch (thrown) {
      return told(refusal(400, `the request cannot be read: ${reasonOf(thrown)}`));
    }
    return answering(asked).catch(told);
  };
  return (incoming, outgoing) => {
    const { socket } = incoming;
    void answerTo(incoming)
      .then((answer) => send(answer, socket, outgoing))
      .catch(() => socket.destroy());
  };
};

/** Starts the service on a port, by default on 127.0.0.1 only. Takes over the store and closes it at the end. */
export const serve = async (
  opened: Omit<Service, 'closing' | 'requests'>,
  port: number,
  {
    host = HOST,
    delivers = false,
    console,
  }: {
    readonly host?: string | undefined;
    readonly delivers?: boolean | undefined;
    readonly console?: ConsoleOptions | undefined;
  },
): Promise<RunningEmulator> => {
  const closing = new AbortController();
  const requests = console && openRequestLog(() => nowOf(opened), opened.clock.ticks);
  const service: Service = { ...opened, closing: closing.signal, requests };
  const answer =
    requests === undefined || console === undefined
      ? withFaults(service, makeApp(service))
      : withConsole(service, requests, console);
  const server = createServer(listener(service, answer));
  try {
    await listen(server, port, host);
  } catch (thrown) {
    service.store.close();
    throw thrown;
  }
  const delivering = delivers ? deliver(service) : undefined;
  const origin = `http://${nameOf(host)}:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    key: service.store.key,
    publicKey: service.store.setting('public_key') ?? '',
    controlToken: service.store.setting('control_token') ?? '',
    console: console && `${origin}${consolePath(service.store)}`,
    close: memo(async () => {
      closing.abort();
      await Promise.all([stop(server), delivering]).finally(() => service.store.close());
    }),
  };
};
