import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { onTestFinished } from 'vitest';

/** How an answer says where it ends. */
export type Framing = 'content-length' | 'chunked' | 'end of stream';

export interface CountingOptions {
  readonly framing?: Framing;
  readonly secure?: boolean;
  /** So many requests are answered 429 before one is executed. */
  readonly slowDowns?: number;
  /** Which payment requests are charged without the answer ever leaving. */
  readonly losesAnswer?: (ugwo: string) => boolean;
}

/** The judge of the fault tests: what it executed is the truth. */
export interface CountingService {
  readonly origin: string;
  readonly port: number;
  /** The payment request of each charge that was executed, in order. */
  readonly executed: readonly string[];
  framing: Framing;
  /** So many requests more are answered 429. */
  slowDowns: number;
}

const activityNumber = (number: number): Record<string, unknown> => ({
  uid: `act.AbCd.${String(number).padStart(24, '0')}`,
  activity_type: 'charge',
  psp: 'psp.AbCd.000000000000000000000001',
  next_action: {
    type: 'user_action',
    instruction: 'Pay into this account.',
    headers: {
      bank_name: 'Wema Bank',
      account_name: 'Paycli Test',
      account_number: '0123456789',
      expires_at: '2099-11-20T10:15:00+00:00',
    },
  },
  status: 'requires_action',
  error: null,
  created_at: '2026-11-20T10:00:00+00:00',
});

const SLOW_DOWN = JSON.stringify({ type: 'about:blank', title: 'Slow down', status: 429, detail: '' });

const answer = (response: ServerResponse, framing: Framing, body: string): void => {
  response.setHeader('content-type', 'application/json');
  if (framing === 'content-length') return void response.end(body);
  // Without a length Node sends chunks, and without those the end of the connection is the end.
  if (framing === 'end of stream') response.removeHeader('transfer-encoding');
  const third = Math.ceil(body.length / 3);
  for (let at = 0; at < body.length; at += third) response.write(body.slice(at, at + third));
  response.end();
};

const secure = (listener: RequestListener) => {
  const file = (name: string): Buffer => readFileSync(resolve('test/fixtures/tls', name));
  return createSecure({ cert: file('good.pem'), key: file('good.key') }, listener);
};

/** A real HTTP service that executes each POST whose whole body has come, and counts them; a GET shows what it has made. */
export const serveCounting = async (options: CountingOptions = {}): Promise<CountingService> => {
  const executed: string[] = [];
  const made = new Map<string, Record<string, unknown>[]>();
  const show = (ugwo: string, response: ServerResponse): void => {
    const open = {
      uid: ugwo,
      status: 'requires_ugwo',
      amount: 500_000,
      currency: 'NGN',
      ref: 'TEST',
      total_amount_paid: 0,
    };
    answer(response, service.framing, JSON.stringify({ ...open, activities: made.get(ugwo) ?? [] }));
  };
  const execute = (ugwo: string, request: IncomingMessage, response: ServerResponse): void => {
    if (service.slowDowns > 0) {
      service.slowDowns -= 1;
      const headers = { 'content-type': 'application/problem+json', 'retry-after': '0' };
      return void response.writeHead(429, headers).end(SLOW_DOWN);
    }
    const activity = activityNumber(executed.push(ugwo));
    made.set(ugwo, [...(made.get(ugwo) ?? []), activity]);
    if (options.losesAnswer?.(ugwo) === true) return void request.socket.resetAndDestroy();
    answer(response, service.framing, JSON.stringify(activity));
  };
  const listener: RequestListener = (request, response) => {
    const ugwo = request.url?.split('/')[3] ?? '';
    request
      .resume()
      .on('end', () => (request.method === 'GET' ? show(ugwo, response) : execute(ugwo, request, response)));
    request.on('error', () => undefined);
  };
  const server = options.secure === true ? secure(listener) : createServer(listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const service = {
    origin: `${options.secure === true ? 'https://localhost' : 'http://127.0.0.1'}:${port}`,
    port,
    executed,
    framing: options.framing ?? 'content-length',
    slowDowns: options.slowDowns ?? 0,
  };
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return service;
};
