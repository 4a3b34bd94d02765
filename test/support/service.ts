import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';

/** A request as received by a test service. */
export interface Seen {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Connections are counted from 1. */
  readonly connection: number;
}

/** How a test answers one request. */
export type Answer = (seen: Seen, response: ServerResponse, socket: Socket) => void;

export interface Service {
  readonly origin: string;
  readonly seen: readonly Seen[];
  /** The checks of payment requests before charges, which the service answers itself: they are open. */
  readonly looks: readonly Seen[];
  /** Resolves when this many requests have come. */
  came(count: number): Promise<void>;
  /** The number of connections, used or not. */
  connections(): number;
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

const LOOK = /^\/v1\/ugwo\/(ugw\.[^/?]+)$/;

/** An open payment request, for the check before a charge. */
const openRequest: Answer = ({ url }, response) => {
  const uid = LOOK.exec(url)?.[1];
  const text = JSON.stringify({ ...ugwo(1), uid, checkout: { uid: 'chk.AbCd.1' }, activities: [] });
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);
};

/** `asked`: the test answers the reads of payment requests itself. */
export interface ServeOptions {
  readonly looks?: 'open' | 'asked';
}

/**
 * A real HTTP service on loopback that answers with `answer`; a request without an answer is recorded as unexpected.
 */
const listen = async (answer: (seen: Seen, turn: number) => Answer | undefined, { looks = 'open' }: ServeOptions) => {
  const seen: Seen[] = [];
  const looked: Seen[] = [];
  const numbers = new Map<Socket, number>();
  const news = new EventEmitter().setMaxListeners(0);
  const unexpected: string[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    if (looks === 'open' && method === 'GET' && LOOK.test(url)) {
      const one = { method, url, headers, body: '', connection: numbers.get(request.socket) ?? 0 };
      looked.push(one);
      return openRequest(one, response, request.socket);
    }
    const turn = seen.length;
    const index = seen.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: '',
      connection: numbers.get(request.socket) ?? 0,
    });
    news.emit('request');
    void readBody(request).then(
      (body) => {
        const whole = { ...(seen[index - 1] as Seen), body };
        seen[index - 1] = whole;
        const found = answer(whole, turn);
        if (found !== undefined) return found(whole, response, request.socket);
        unexpected.push(`${whole.method} ${whole.url}`);
        response.writeHead(500).end();
      },
      () => undefined,
    );
  });
  server.on('connection', (socket) => numbers.set(socket, numbers.size + 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(unexpected, 'requests that the test did not expect').toEqual([]);
  });
  const { port } = server.address() as AddressInfo;
  const came = async (count: number): Promise<void> => {
    while (seen.length < count) await once(news, 'request');
  };
  return { origin: `http://127.0.0.1:${port}`, seen, looks: looked, came, connections: () => numbers.size };
};

/** A service with a list of answers. An extra request or an unused answer fails the test that started it. */
export const serve = async (answers: readonly Answer[], options: ServeOptions = {}): Promise<Service> => {
  const service = await listen((_seen, turn) => answers[turn], options);
  onTestFinished(() => {
    expect(service.seen.length, 'requests that the test expected').toBe(answers.length);
  });
  return service;
};

/** A service that answers by request, in any order; a request without an answer fails the test that started it. */
export const serveBy = (answer: (seen: Seen) => Answer | undefined, options: ServeOptions = {}): Promise<Service> =>
  listen(answer, options);

/** Like `serve` and `serveBy`, but the test answers the reads of payment requests, too. */
export const serveAll = (answers: readonly Answer[]): Promise<Service> => serve(answers, { looks: 'asked' });
export const serveAllBy = (answer: (seen: Seen) => Answer | undefined): Promise<Service> =>
  serveBy(answer, { looks: 'asked' });

/** Accepts connections and never sends a byte. */
export const serveMute = async (): Promise<{ readonly origin: string; readonly connected: Promise<void> }> => {
  const sockets: Socket[] = [];
  const { promise: connected, resolve: connect } = Promise.withResolvers<void>();
  const server = createTcp((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    connect();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { origin: `http://localhost:${(server.address() as AddressInfo).port}`, connected };
};

/**
 * An origin that refuses connections: a port that was free before may belong to another test by now, but this one is
 * never used.
 */
export const DEAD_ORIGIN = 'http://127.0.0.1:1';

export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_seen, response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };

/** The answer with a date of two seconds later, as after a pause that a quick clock shortens. */
export const later =
  (answer: Answer): Answer =>
  (seen, response, socket) => {
    response.setHeader('date', new Date(Date.now() + 2000).toUTCString());
    answer(seen, response, socket);
  };

/** The service's own error document (RFC 7807 with violations). */
export const problem = (
  status: number,
  title: string,
  violations?: readonly { propertyPath: string; title: string }[],
  headers: Readonly<Record<string, string>> = {},
): Answer =>
  json(
    status,
    { type: 'about:blank', title, status, detail: '', ...(violations === undefined ? {} : { violations }) },
    { 'content-type': 'application/problem+json', ...headers },
  );

/** Sends these bytes, then closes the connection. */
export const raw =
  (bytes: string | Uint8Array): Answer =>
  (_seen, _response, socket) => {
    socket.end(bytes);
  };

/** Receives the request, and resets the connection without an answer. */
export const reset: Answer = (_seen, _response, socket) => {
  socket.resetAndDestroy();
};

/** Holds this answer until the test calls `letGo`. */
export const held = (answer: Answer): { readonly hold: Answer; readonly letGo: () => void } => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { hold: (...request) => void promise.then(() => answer(...request)), letGo: resolve };
};

/** Receives the request, and never answers. */
export const hang: Answer = () => undefined;

export { ACTIVITY } from './activity.ts';

export const UGWO_ID = 'ugw.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
export const ONYE_ID = 'ony.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';

/** A payment request with this number. */
export const ugwo = (number: number): Record<string, unknown> => ({
  uid: `ugw.AbCd.${String(number).padStart(24, '0')}`,
  amount: 500_000 + number,
  currency: 'NGN',
  status: 'requires_ugwo',
  ref: `order-${number}`,
  description: `Order ${number}`,
  metadata: {},
  onye: null,
  checkout: null,
  created_at: '2026-11-20T10:00:00+00:00',
});

export const page = (numbers: readonly number[], next: string | null): Answer =>
  json(200, { data: numbers.map(ugwo), next_cursor: next });
