import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/**
 * Ways to cut a connection. `stall`: nothing passes any more. `late`: the same, but what was held back passes once
 * the client has given up.
 */
export const WAYS = ['fin', 'rst', 'stall', 'late'] as const;
export type Way = (typeof WAYS)[number];

/** Where a connection is cut: after this many bytes of the request or of the answer. */
export interface Cut {
  readonly side: 'request' | 'answer';
  readonly after: number;
  readonly way: Way;
}

/** What passed through one connection. */
export interface Passed {
  /** What the client sent, passed on or not. */
  request: Buffer;
  /** What the service sent, passed on or not. */
  answer: Buffer;
  /** The side and the length of each piece, in order. */
  readonly pieces: [side: Cut['side'], length: number][];
  cut: boolean;
}

/** A proxy to a service on loopback that can be cut. */
export interface Relay {
  readonly port: number;
  /** The connections since `use`. */
  readonly passed: readonly Passed[];
  /** How the next connections are cut; the last one applies to all that follow. */
  use(cuts: readonly (Cut | undefined)[]): void;
  /** Releases what has stalled, once the client has given up. */
  release(): void;
  /** Resolves when both ends of every connection are closed: then the service has done everything. */
  idle(): Promise<void>;
}

/** Joins two sockets until the cut; returns a function that releases a stalled connection. */
const pass = (client: Socket, upstream: Socket, cut: Cut | undefined, passed: Passed): (() => void) => {
  const held = { request: [] as Buffer[], answer: [] as Buffer[] };
  let [blocked, released] = [false, false];
  const cutNow = (): void => {
    if (passed.cut || released) return;
    passed.cut = true;
    blocked = true;
    if (cut?.way === 'fin') client.end();
    if (cut?.way === 'rst') client.resetAndDestroy();
    if (cut?.way === 'fin' || cut?.way === 'rst') upstream.end();
  };
  const flow = (side: Cut['side'], from: Socket, to: Socket): void => {
    from.on('data', (chunk: Buffer) => {
      const before = passed[side].byteLength;
      passed[side] = Buffer.concat([passed[side], chunk]);
      passed.pieces.push([side, chunk.byteLength]);
      const cutting = cut?.side === side && !passed.cut;
      const room = blocked ? 0 : cutting ? Math.max(0, cut.after - before) : chunk.byteLength;
      held[side].push(chunk.subarray(room));
      if (blocked) return;
      to.write(chunk.subarray(0, room), () => {
        if (cutting && before + chunk.byteLength >= cut.after) cutNow();
      });
    });
  };
  if (cut?.side === 'request' && cut.after === 0) cutNow();
  flow('request', client, upstream);
  flow('answer', upstream, client);
  client.on('error', () => undefined);
  upstream.on('error', () => undefined);
  upstream.on('end', () => {
    if (!blocked) client.end();
  });
  client.on('end', () => client.destroy());
  client.on('close', () => {
    if (!blocked || cut?.way !== 'late') upstream.end();
  });
  return () => {
    released = true;
    if (cut?.way !== 'stall' && cut?.way !== 'late') return;
    if (cut.way === 'stall' || !passed.cut) return void client.destroy();
    blocked = false;
    upstream.write(Buffer.concat(held.request));
    if (client.destroyed) upstream.end();
    else client.write(Buffer.concat(held.answer));
  };
};

/** Starts a proxy for a port on loopback. */
export const openRelay = async (service: number): Promise<Relay> => {
  let passed: Passed[] = [];
  let cuts: readonly (Cut | undefined)[] = [];
  let releases: (() => void)[] = [];
  let open = 0;
  let over = false;
  const ends = new EventEmitter();
  const closed = (): void => {
    open -= 1;
    ends.emit('one');
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: service, host: '127.0.0.1', allowHalfOpen: true });
    const entry = { request: Buffer.alloc(0), answer: Buffer.alloc(0), pieces: [], cut: false };
    const cut = cuts[Math.min(passed.length, cuts.length - 1)];
    passed.push(entry);
    open += 2;
    client.on('close', closed);
    upstream.on('close', closed);
    const release = pass(client, upstream, cut, entry);
    releases.push(release);
    if (over) release();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return {
    port: (server.address() as AddressInfo).port,
    get passed() {
      return passed;
    },
    use: (next) => {
      cuts = next;
      passed = [];
      releases = [];
      over = false;
    },
    release: () => {
      over = true;
      for (const release of releases) release();
    },
    idle: async () => {
      // A new connection may not have been accepted yet.
      for (let turn = 0; turn < 3; turn++) {
        await setImmediate();
        while (open > 0) await once(ends, 'one');
      }
    },
  };
};
