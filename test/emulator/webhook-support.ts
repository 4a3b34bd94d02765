import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/core/io.ts';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { openShop, type Shop } from './shop.ts';
import { NOON, type Setting, type TestClock } from './support.ts';

export const SECRET = 'wsk.Lcal.a-secret-for-tests';

/** A received request, byte for byte. */
export interface Heard {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** False if the connection was cut early. */
  readonly whole: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire is what the test is about
  readonly json: any;
}

export interface Receiver {
  readonly url: string;
  readonly heard: readonly Heard[];
  /** Resolves with all deliveries once this many arrived. */
  saw(count: number): Promise<readonly Heard[]>;
  close(): Promise<void>;
}

const parsed = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
};

/** Receives deliveries and answers with the result of `answer`: 204 by default, nothing for `never`. */
export const receive = async (
  answer: (heard: Heard, number: number) => number | 'never' | Promise<number> = () => 204,
): Promise<Receiver> => {
  const heard: Heard[] = [];
  const waiting: { readonly count: number; readonly done: (all: readonly Heard[]) => void }[] = [];
  const keep = (one: Heard): void => {
    heard.push(one);
    for (const { count, done } of waiting) if (heard.length >= count) done([...heard]);
  };
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      // Cut off: keep the received part.
    }
    const body = Buffer.concat(chunks);
    const one = { headers: incoming.headers, body, whole: incoming.complete, json: parsed(body) };
    keep(one);
    const status = await answer(one, heard.length);
    if (status !== 'never' && !outgoing.destroyed) outgoing.writeHead(status).end();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen({ port: 0, host: '127.0.0.1' }, resolve);
  await promise;
  const close = async (): Promise<void> => {
    const { promise: closed, resolve: done } = Promise.withResolvers<void>();
    server.close(() => done());
    server.closeAllConnections();
    await closed;
  };
  onTestFinished(close);
  return {
    close,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    heard,
    saw: (count) => {
      const { promise: enough, resolve: done } = Promise.withResolvers<readonly Heard[]>();
      if (heard.length >= count) done([...heard]);
      else waiting.push({ count, done });
      return enough;
    },
  };
};

/** A clock that only moves when set, and then wakes its sleepers. */
export const wakingClock = (start = NOON): TestClock => {
  let now = start;
  const sleepers = new Set<() => void>();
  const sleep: Clock['sleep'] = (_ms, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal?.aborted === true) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    sleepers.add(resolve);
    return promise;
  };
  return {
    now: () => now,
    ticks: () => now,
    sleep,
    set: (ms) => {
      now = ms;
      for (const wake of sleepers) wake();
      sleepers.clear();
    },
  };
};

export interface Telling {
  readonly shop: Shop;
  /** Adds a webhook, signed by default. */
  readonly tellTo: (url: string, events?: readonly string[], secret?: string) => Promise<number>;
  readonly deliveries: () => ReturnType<typeof emulatorRoom.webhooks.deliveries>;
}

/** A shop whose emulator delivers events. */
export const openTelling = async (setting: Setting = {}): Promise<Telling> => {
  const shop = await openShop({ clock: wakingClock(), delivers: true, ...setting });
  const { file } = shop;
  return {
    shop,
    tellTo: async (url, events = [], secret = SECRET) => {
      const signing = secret === '' ? 'unsigned' : { secret };
      return (await emulatorRoom.webhooks.add({ file, url, events, allowRemote: false, signing })).id;
    },
    deliveries: () => emulatorRoom.webhooks.deliveries({ file, count: 1000 }),
  };
};
