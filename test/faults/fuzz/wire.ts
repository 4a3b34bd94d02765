import { type AddressInfo, createServer, type Server } from 'node:net';
import { createClient } from '../../../src/client/client.ts';
import { openTransport } from '../../../src/client/transport.ts';
import { PayError } from '../../../src/core/error.ts';
import { mutatedBytes } from './mutate.ts';
import { hurriedClock } from './over.ts';
import { ACTIVITIES, PROBLEMS, UGWO } from './seeds.ts';
import { must, target } from './target.ts';

const headOf = (status: string, more: string): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nDate: Fri, 20 Nov 2026 13:05:00 GMT\r\nAge: 0\r\n${more}\r\n\r\n`;
const whole = (status: string, body: string, more = ''): string =>
  headOf(status, `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close${more}`) + body;
const chunked = (body: string): string =>
  `${headOf('200 OK', 'Transfer-Encoding: chunked')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

const ACTIVITY = JSON.stringify(ACTIVITIES[0]);
const SEEDS = [
  whole('200 OK', ACTIVITY),
  chunked(ACTIVITY),
  `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${whole('200 OK', ACTIVITY)}`,
  whole('422 Unprocessable', JSON.stringify(PROBLEMS[0])),
  whole('429 Too Many', JSON.stringify(PROBLEMS[1]), '\r\nRetry-After: 120'),
  whole('302 Found', '', '\r\nLocation: https://evil.example/'),
];

/** Ends each connection with the same bytes after the request. */
const serve = async (
  bytes: Uint8Array,
): Promise<{ readonly server: Server; readonly origin: string; requests: () => number }> => {
  let requests = 0;
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', () => {
        requests += 1;
        socket.end(bytes);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests };
};

const never = new AbortController().signal;
const TIMEOUT = 5000;

const charge = async (origin: string): Promise<string> => {
  const clock = hurriedClock(Date.UTC(2026, 10, 20, 13));
  const debug = (): void => undefined;
  const clean = (text: string): string => text;
  const credentials = { origin, key: `sk.Test.${'k'.repeat(80)}` };
  // The timeouts of an attempt must be real.
  const patient = {
    ...clock,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  };
  const transport = openTransport({ credentials, env: {}, clock: patient, userAgent: 'paycli/test', debug, clean });
  const signals = { stop: never, leave: never };
  const flight = { open: 0, accepted: 0 };
  const world = { clock, random: () => 0.5, signals, flight, timeout: TIMEOUT, debug, notice: debug };
  const client = createClient({ ...world, transport, origin, validate: true });
  try {
    const body = { type: 'charge', data: { medium: 'ussd', provider: 'gtb' } };
    const { value } = await client.call('ugwo.charge', { params: { ugwoUid: UGWO }, body });
    return `accepted ${value.uid}`;
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    return `${thrown.kind} ${thrown.message}`;
  } finally {
    await client.close();
  }
};

/**
 * Any bytes in answer to a charge that was handed over: proven by an identifier, rejected by a status, otherwise
 * unknown.
 */
export const wire = target(
  'wire',
  () => mutatedBytes(SEEDS, 3),
  async (bytes) => {
    const { server, origin, requests } = await serve(bytes);
    try {
      const [state = '', ...words] = (await charge(origin)).split(' ');
      const text = Buffer.from(bytes).toString('latin1');
      const said = `${state} ${words.join(' ')}`;
      if (state === 'accepted') must(text.includes(words[0] ?? '') && / 2\d\d/.test(text), () => said);
      else if (state === 'rejected' || state === 'auth') must(/ 4\d\d/.test(text), () => said);
      else if (state === 'not_sent') {
        const isLongWait = said.includes('the service asks to wait');
        must(text.includes(' 429') && requests() === (isLongWait ? 1 : 3), () => said);
      } else must(state === 'unknown' && requests() <= 3, () => said);
      must(text.includes(' 429') || requests() === 1, () => `${requests()} requests, and ${said}`);
    } finally {
      server.close();
    }
  },
);
