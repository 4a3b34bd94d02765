import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { formatDateAtom } from '../../src/core/time.ts';
import { ACTIVITY } from '../support/activity.ts';
import { ugwoOf } from '../support/ids.ts';

export { ugwoOf };

/** A charge as received by the service. */
export interface Post {
  readonly ugwo: string;
  /** How many were received for this payment request, including this one. */
  readonly nth: number;
  /** When it arrived, on the monotonic clock in milliseconds. */
  readonly at: number;
}

/** An answer of the service, or what happens to the connection instead. */
export type Answer = { readonly status: number; readonly retryAfter?: number } | 'reset' | 'silence';

/** What the service does with one POST. */
export interface Fate {
  /** Whether it creates an activity. */
  readonly makes: boolean;
  readonly answer: Answer;
  /** Awaited between the creation and the answer. */
  readonly before?: Promise<unknown>;
}

/** An activity that the service has created. */
export type Made = Readonly<Record<string, unknown>> & { readonly uid: string };

/** How the end of an answer is marked. */
export type Framing = 'content-length' | 'chunked' | 'end of stream';

/** A service on loopback that creates activities for POSTs, counts them and shows them. */
export interface Counting {
  readonly origin: string;
  /** Every POST whose whole body has arrived, in order, with its fate once that is decided. */
  readonly posts: readonly (Post & { readonly fate: Fate | undefined })[];
  /** How many charges of a payment request it has executed. */
  executed(ugwo: string): number;
  made(ugwo: string): readonly Made[];
  /** How many POSTs have no answer yet. */
  inFlight(): number;
  /** Resolves when this many POSTs have arrived. */
  came(count: number): Promise<void>;
  /** Resolves when no connection is open and no work is pending: nothing more will be created. */
  idle(): Promise<void>;
  close(): void;
}

/** The payment request with this number. */

/** The n-th activity that the service creates for a payment request. */
export const activityOf = (ugwo: string, nth = 1): string => `act.AbCd.${nth}${ugwo.slice(-23)}`;

/** A different account for the bank transfer of each payment request. */
export const accountOf = (ugwo: string): string => ugwo.slice(-10);

const LIFE_MS = 15 * 60_000;
const atom = (ms: number): string => formatDateAtom({ ms, offset: 0 });

const transfer = (ugwo: string, now: number) => ({
  type: 'user_action',
  instruction: 'Pay into this account.',
  headers: {
    bank_name: 'Wema Bank',
    account_name: 'Paycli Test',
    account_number: accountOf(ugwo),
    expires_at: atom(now + LIFE_MS),
  },
});

const makeActivity = (ugwo: string, nth: number, medium: unknown): Made => {
  const now = Date.now();
  const times = { created_at: atom(now), updated_at: atom(now) };
  const action = medium === 'bank_transfer' ? { next_action: transfer(ugwo, now) } : {};
  return { ...ACTIVITY, uid: activityOf(ugwo, nth), ...times, ...action };
};

/** An error document of the service, or of a gateway for 502. */
const refuse = (response: ServerResponse, { status, retryAfter }: Exclude<Answer, string>): void => {
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
  if (status === 502) return void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
  response
    .writeHead(status, { 'content-type': 'application/problem+json' })
    .end(JSON.stringify({ type: 'about:blank', title: `Said ${status}`, status, detail: '' }));
};

const give = (response: ServerResponse, what: unknown, framing: Framing): void => {
  const body = JSON.stringify(what);
  response.setHeader('content-type', 'application/json');
  if (framing === 'content-length') return void response.end(body);
  // Without a length Node sends chunks; without chunks the end of the connection is the end.
  if (framing === 'end of stream') response.removeHeader('transfer-encoding');
  const third = Math.ceil(body.length / 3);
  for (let at = 0; at < body.length; at += third) response.write(body.slice(at, at + third));
  response.end();
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

const secureServer = (listener: RequestListener) => {
  const file = (name: string): Buffer => readFileSync(resolve('test/fixtures/tls', name));
  return createSecureServer({ cert: file('good.pem'), key: file('good.key') }, listener);
};

const PATH = /^\/v1\/ugwo\/([^/]+)(\/activities)?$/;
/** Executed, and answered with 200. */
export const MADE: Fate = { makes: true, answer: { status: 200 } };

/** Executes and answers every POST, unless `decide` says otherwise. */
export const serveCounting = async (
  decide: (post: Post) => Fate | Promise<Fate> = () => MADE,
  { framing = 'content-length', secure = false }: { readonly framing?: Framing; readonly secure?: boolean } = {},
): Promise<Counting> => {
  const posts: (Post & { fate: Fate | undefined })[] = [];
  const made = new Map<string, Made[]>();
  const nths = new Map<string, number>();
  const news = new EventEmitter().setMaxListeners(0);
  let [busy, open] = [0, 0];

  const answerTo = (response: ServerResponse, answer: Answer, activity: Made | undefined): void => {
    if (answer === 'reset') response.socket?.resetAndDestroy();
    else if (answer === 'silence') return;
    else if (answer.status === 200) give(response, activity, framing);
    else refuse(response, answer);
  };
  const execute = async (ugwo: string, body: string, response: ServerResponse): Promise<void> => {
    const nth = (nths.get(ugwo) ?? 0) + 1;
    nths.set(ugwo, nth);
    const post = { ugwo, nth, at: performance.now(), fate: undefined as Fate | undefined };
    posts.push(post);
    news.emit('post');
    const fate = await decide(post);
    post.fate = fate;
    const before = made.get(ugwo) ?? [];
    const activity = fate.makes
      ? makeActivity(ugwo, before.length + 1, (JSON.parse(body) as { data: { medium: unknown } }).data.medium)
      : undefined;
    if (activity !== undefined) made.set(ugwo, [...before, activity]);
    await fate.before;
    answerTo(response, fate.answer, activity);
  };
  const show = (ugwo: string, response: ServerResponse): void =>
    give(
      response,
      {
        ...{ uid: ugwo, status: 'requires_ugwo', amount: 500_000, currency: 'NGN', total_amount_paid: 0 },
        activities: made.get(ugwo) ?? [],
      },
      framing,
    );

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    busy += 1;
    try {
      const [, ugwo = '', activities] = PATH.exec(request.url ?? '') ?? [];
      // An incomplete request does not count.
      const body = await bodyOf(request).catch(() => undefined);
      if (body === undefined) return;
      if (request.method === 'POST' && activities !== undefined) await execute(ugwo, body, response);
      else if (request.method === 'GET' && activities === undefined) show(ugwo, response);
      else refuse(response, { status: 404 });
    } finally {
      busy -= 1;
      news.emit('quiet');
    }
  };
  const listener: RequestListener = (request, response) => void handle(request, response);
  const server = secure ? secureServer(listener) : createServer(listener);
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open -= 1;
      news.emit('quiet');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    origin: `${secure ? 'https://localhost' : 'http://127.0.0.1'}:${(server.address() as AddressInfo).port}`,
    posts,
    executed: (ugwo) => made.get(ugwo)?.length ?? 0,
    made: (ugwo) => made.get(ugwo) ?? [],
    inFlight: () => busy,
    came: async (count) => {
      while (posts.length < count) await once(news, 'post');
    },
    idle: async () => {
      // A new connection may not have been accepted yet.
      for (let turn = 0; turn < 3; turn++) {
        await setImmediate();
        while (busy > 0 || open > 0) await once(news, 'quiet');
      }
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
