/**
 * The service of the benches, in a process of its own: answers every POST with an activity and every GET with an open payment
 * request, from bytes that are made beforehand, so that what is measured is the other end. `--delay` gives the milliseconds that each answer
 * takes, or a range in which they are uniform: 50-150. `GET /mean` is the mean time of the POSTs so far. Prints its origin once it listens,
 * and ends with its standard input.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { ACTIVITY, atom } from '../../test/support/activity.ts';

const { values: options } = parseArgs({ options: { delay: { type: 'string', default: '0' } } });
const [LEAST_MS = 0, MOST_MS = LEAST_MS] = options.delay.split('-').map(Number);

const HEAD_END = '\r\n\r\n';
const UID_LENGTH = 24;

/** Made now, as any: one that says otherwise is noted as odd. */
const NOW = atom(Date.now());
const MADE = { ...ACTIVITY, uid: 'act.Bnch.?', created_at: NOW, updated_at: NOW };
const [before = '', after = ''] = JSON.stringify(MADE).split('?');
const length = Buffer.byteLength(before) + UID_LENGTH + Buffer.byteLength(after);
let answered = 0;

const headOf = (bytes: number, more: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\nDate: ${new Date().toUTCString()}${more}${HEAD_END}`;

const answer = (): string => {
  answered += 1;
  const uid = String(answered).padStart(UID_LENGTH, '0');
  return headOf(length, '\r\nConnection: close') + before + uid + after;
};

const OPEN = JSON.stringify({
  status: 'requires_ugwo',
  amount: 500_000,
  currency: 'NGN',
  ref: 'BENCH',
  description: 'A payment request of the bench',
  total_amount_paid: 0,
  checkout: { uid: 'chk.Bnch.000000000000000000000001', currency: ['NGN', 'Naira (NGN)'] },
  activities: [],
}).slice(1);

const request = (uid: string): string => {
  const body = `{"uid":"${uid}",${OPEN}`;
  return headOf(Buffer.byteLength(body), '') + body;
};

/** The payment request that a look is about, and where the look ends; undefined where the text is none. */
const lookIn = (text: string): { uid: string; end: number } | undefined => {
  const uid = /^GET \/v1\/ugwo\/([\w.]+) /.exec(text)?.[1];
  const head = text.indexOf(HEAD_END);
  return uid === undefined || head === -1 ? undefined : { uid, end: head + HEAD_END.length };
};

/** Whether a whole request has arrived; its body is one that says how long it is. */
const isWhole = (text: string): boolean => {
  const head = text.indexOf(HEAD_END);
  const bytes = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  return head !== -1 && text.length >= head + HEAD_END.length + Number(bytes ?? 0);
};

/** A linear congruential generator: the same delays in each run of the stub. */
let seed = 1;
const later = (answer: () => void): void => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  const delay = LEAST_MS + (MOST_MS - LEAST_MS) * (seed / 2 ** 31);
  if (delay === 0) answer();
  else setTimeout(answer, delay);
};

let [posts, waited] = [0, 0];
const post = (socket: Socket): void => {
  const came = performance.now();
  later(() => {
    posts += 1;
    waited += performance.now() - came;
    socket.end(answer());
  });
};

const serve = (socket: Socket): void => {
  let text = '';
  socket.setEncoding('latin1');
  socket.on('error', () => undefined);
  socket.on('data', (chunk: string) => {
    text += chunk;
    for (let look = lookIn(text); look !== undefined; look = lookIn(text)) {
      const { uid, end } = look;
      later(() => socket.write(request(uid)));
      text = text.slice(end);
    }
    if (text.startsWith('GET /mean ')) {
      const mean = String(waited / posts);
      socket.end(headOf(mean.length, '\r\nConnection: close') + mean);
    } else if (isWhole(text)) post(socket);
  });
};

const server = createServer(serve);
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.stdin.resume().on('end', () => process.exit(0));
