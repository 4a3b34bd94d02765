import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { signatureOf } from '../../src/core/webhook-event.ts';
import { freePort } from '../support/ports.ts';
import { MIB } from '../support/units.ts';
import { bodyOf, deliver, openTarget, uidOf } from '../support/webhooks.ts';
import { inLanes, type PartOptions, type PartResult } from './part.ts';
import { seed } from './torture.ts';
import { keepListening } from './webhook-listener.ts';

/*
 * Senders that forge, stall, repeat, reorder, send bodies of 10 MB and open thousands of connections, and an honest
 * one that sends an event three times, as the service does. Also measures the listener's memory.
 */

export interface WebhookHostile {
  /** Honest events, in sequence. */
  readonly events: number;
  readonly connections: number;
  readonly large: number;
}

/** In MiB: for a process with at most 32 MiB of bodies and a thousand connections. */
const MOST_MEMORY = 400;
/** How often the service sends an event. */
const TRIES = 3;

/** The peak memory of a process in MiB, if the system provides it. */
const peakOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const headOf = (length: number | string, more = ''): string =>
  `POST /hook HTTP/1.1\r\nhost: x\r\nx-kwugwo-signature: ${'0'.repeat(64)}\r\ncontent-length: ${length}\r\n${more}\r\n`;

/** A connection that sends this text and nothing else, until the other side closes it. */
const openSilent = (port: number, text: string, open: Set<Socket>): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      if (text !== '') socket.write(text);
      resolve();
    });
    open.add(socket);
    socket.on('error', () => resolve());
    socket.on('close', () => {
      open.delete(socket);
      resolve();
    });
    socket.resume();
  });

const STALLS = ['', 'POST /hook HT', headOf(100), `${headOf(MIB)}${'x'.repeat(60_000)}`, 'GET / HTTP/1.1\r\nx: '];

/** Ten megabytes, announced or not, or endless headers; the result does not matter. */
const sendLarge = (port: number, number: number): Promise<void> =>
  new Promise((resolve) => {
    const piece = 'x'.repeat(64 * 1024);
    const chunked = `10000\r\n${piece}\r\n`;
    const [head, part] = (
      [
        [headOf(10 * MIB), piece],
        [headOf(0).replace('content-length: 0', 'transfer-encoding: chunked'), chunked],
        ['POST /hook HTTP/1.1\r\n', `x-${number}: ${piece}\r\n`],
      ] as const
    )[number % 3] ?? ['', ''];
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined).on('close', () => resolve());
    socket.resume();
    socket.write(head);
    let left = 160;
    const more = (): void => {
      while (left-- > 0) {
        if (!socket.write(part)) return void socket.once('drain', more);
      }
      socket.end();
    };
    more();
  });

export const webhookHostile = async (
  { events, connections, large }: WebhookHostile,
  { folder, say }: Omit<PartOptions, 'short'>,
): Promise<PartResult> => {
  const [target, port] = [await openTarget(), await freePort()];
  const origin = `http://127.0.0.1:${port}`;
  const listener = keepListening(folder, { port, args: ['--forward-to', target.url] });
  const open = new Set<Socket>();
  const [title, failures]: [string, string[]] = ['webhooks, hostile senders', []];
  const again = bodyOf(0);
  try {
    for (let status = 0; status !== 200; ) status = (await deliver(origin, again).catch(() => undefined))?.status ?? 0;
    const before = peakOf(listener.pid() ?? 0);
    let [isOver, lies, repeats, peak] = [false, 0, 0, 0];

    const stalling = inLanes(
      Array.from({ length: connections }, (_, n) => n),
      (n) => openSilent(port, STALLS[n % STALLS.length] ?? '', open),
      200,
    );
    const large10 = inLanes(
      Array.from({ length: large }, (_, n) => n),
      (n) => sendLarge(port, n),
      8,
    );
    const lying = async (): Promise<void> => {
      const body = 'x'.repeat(MIB - 1);
      for (; !isOver; lies += 1) {
        const answer = await deliver(origin, body, {
          signature: signatureOf('wsk.guessed', Buffer.from(`${lies}`)),
        }).catch(() => undefined);
        if (answer?.status === 200) failures.push('a lie was taken');
      }
    };
    const repeating = async (): Promise<void> => {
      for (; !isOver; repeats += 1) await deliver(origin, again).catch(() => undefined);
    };
    const beside = [lying(), lying(), repeating(), repeating()];

    let missed = 0;
    const agent = new Agent({ keepAlive: false });
    const honest = async (): Promise<void> => {
      for (let number = events; number > 0; number -= 1) {
        let [status, tries] = [0, 0];
        for (; status !== 200 && tries < TRIES; tries += 1) {
          // On its own connection, as an occasional sender.
          status = (await deliver(origin, bodyOf(number), { agent }).catch(() => undefined))?.status ?? 0;
        }
        if (status !== 200) missed += 1;
        peak = Math.max(peak, peakOf(listener.pid() ?? 0));
      }
    };
    await Promise.all([honest(), stalling, large10]);
    isOver = true;
    await Promise.all(beside);
    peak = Math.max(peak, peakOf(listener.pid() ?? 0));
    for (const socket of open) socket.destroy();
    await target.came(events - missed + 1);
    const code = await listener.end();
    const told = listener.printed().flatMap((text) => [...text.matchAll(/^evt\.\S+/gm)].map(([uid]) => uid));
    say(
      `${title}: ${lies} lies, ${repeats} repeats, ${connections} connections, ${Math.round(peak)} MiB (${Math.round(before)} before)`,
    );
    const wanted = Array.from({ length: events + 1 }, (_, number) => uidOf(number));
    const untold = wanted.filter((uid) => !told.includes(uid));
    return {
      figures: [
        { name: `${title}: honest events`, value: events },
        { name: `${title}: of those taken`, value: events - missed },
        { name: `${title}: connections that said nothing, or half of it`, value: connections },
        { name: `${title}: bodies and headers of 10 MB`, value: large },
        { name: `${title}: wrong signatures over 1 MiB`, value: lies },
        { name: `${title}: repeats of a captured delivery`, value: repeats },
        { name: `${title}: memory before`, value: Math.round(before), unit: 'MiB' },
        { name: `${title}: memory at most`, value: Math.round(peak), unit: 'MiB' },
      ],
      failures: [
        ...failures,
        ...(missed === 0 ? [] : [`${missed} of ${events} honest events were not taken in ${TRIES} tries`]),
        ...(untold.length === missed ? [] : [`${untold.length} were not told: ${untold.slice(0, 3)}`]),
        ...(told.length === new Set(told).size ? [] : ['an event was told twice']),
        ...(target.seen.length === events - missed + 1 ? [] : [`${target.seen.length} came to the target`]),
        ...(peak < MOST_MEMORY ? [] : [`the listener had ${Math.round(peak)} MiB`]),
        ...(code === 130 ? [] : [`it ended with ${code}: ${listener.said().at(-1)}`]),
      ].map((failure) => `${title}, seed ${seed}: ${failure}`),
    };
  } finally {
    for (const socket of open) socket.destroy();
    await listener.end();
    await target.close();
  }
};
