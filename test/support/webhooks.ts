import { writeFileSync } from 'node:fs';
import { type Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { signatureOf } from '../../src/core/webhook-event.ts';
import { ugwoOf } from './ids.ts';
import { startHere } from './in-process.ts';
import { type Running, type RunOptions, start } from './program.ts';

export { ugwoOf };

export const SECRET = 'wsk.test-secret';

export const uidOf = (number: number, sandbox = false): string =>
  `evt.AbCd.${String(number).padStart(24, '0')}${sandbox ? '_t' : ''}`;

/** An event's body, about one of many payment requests. */
export const bodyOf = (
  number: number,
  { ugwo = number, event = 'ugwo.activity.updated', sandbox = false } = {},
): string =>
  JSON.stringify({
    uid: uidOf(number, sandbox),
    event,
    data: { uid: `act.AbCd.${String(number).padStart(24, '0')}`, ugwo_uid: ugwoOf(ugwo), status: 'successful' },
  });

/** A file with a secret. */
export const secretFile = (folder: string, secret = SECRET, name = 'secret.txt'): string => {
  const file = join(folder, name);
  writeFileSync(file, secret, { mode: 0o600 });
  return file;
};

export interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** Sends one delivery as the service does, by default with the right signature. */
export const deliver = (
  origin: string,
  body: string | Uint8Array,
  {
    headers = {},
    signature = signatureOf(SECRET, Buffer.from(body)),
    delivery = 'dlv.1',
    agent,
  }: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly signature?: string | null;
    readonly delivery?: string;
    readonly agent?: Agent;
  } = {},
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const sent = request(
      `${origin}/hook`,
      {
        method: 'POST',
        ...(agent === undefined ? {} : { agent }),
        headers: {
          'content-type': 'application/json',
          'x-kwugwo-delivery-id': delivery,
          ...(signature === null ? {} : { 'x-kwugwo-signature': signature }),
          ...headers,
        },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
        answer.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });

export interface Forwarded {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** Names and values of the headers as received. */
  readonly raw: readonly string[];
  readonly body: string;
}

export interface Target {
  readonly url: string;
  readonly port: number;
  readonly seen: readonly Forwarded[];
  /** Resolves when this many events have arrived. */
  came(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A forwarding target; the answer depends on the event and on the number of earlier ones. */
export const openTarget = async (
  answer: (
    seen: Forwarded,
    turn: number,
  ) => number | { readonly status: number; readonly headers: Record<string, string> } = () => 200,
  port = 0,
): Promise<Target> => {
  const seen: Forwarded[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { url = '', headers: own, rawHeaders: raw } = incoming;
    const one = { url, headers: own, raw, body: Buffer.concat(chunks).toString() };
    const said = answer(one, seen.push(one) - 1);
    const { status, headers } = typeof said === 'number' ? { status: said, headers: {} } : said;
    response.writeHead(status, headers).end();
    for (const check of waiting) check();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    port: (server.address() as AddressInfo).port,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/app?x=1`,
    seen,
    came: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (seen.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    close,
  };
};

/** The same, until the test ends. */
export const serveTarget = async (...args: Parameters<typeof openTarget>): Promise<Target> => {
  const target = await openTarget(...args);
  onTestFinished(() => target.close().catch(() => undefined));
  return target;
};

export interface Listener extends Running {
  readonly origin: string;
}

/** A function that begins `webhook listen` on a free port, and waits until it accepts deliveries. */
const listenBy =
  (begin: typeof start) =>
  async (home: string, args: readonly string[] = [], options: RunOptions = {}): Promise<Listener> => {
    const secrets = args.some((word) => word.startsWith('--s')) ? [] : ['--secret-file', secretFile(home)];
    const running = begin(['webhook', 'listen', '--port', '0', ...secrets, ...args], { home, ...options });
    await running.saw(/Listening on http:\/\/\S+:\d+/);
    return { ...running, origin: /Listening on (http:\/\/[^\s,]+:\d+)/.exec(running.stderr())?.[1] ?? '' };
  };

/** Starts the built program. */
export const listen = listenBy(start);

/** The same in this process. */
export const listenHere = listenBy(startHere);
