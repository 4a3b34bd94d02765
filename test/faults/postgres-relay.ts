import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createReader, type Message, type Side } from './postgres-messages.ts';

/** A message on its way, with the number of its connection from 0. */
export interface Passing extends Message {
  readonly connection: number;
}

/** Passes this many bytes of a message, then cuts its connection. `stall`: nothing passes any more. */
export interface MessageCut {
  readonly way: 'fin' | 'rst' | 'stall';
  readonly after: number;
}

/** Passes other bytes instead of the message. */
export interface Replaced {
  readonly way: 'replaced';
  readonly by: Buffer;
}

type Decision = MessageCut | Replaced | undefined;

/** Decides about a message; undefined: it passes. Until the decision the message and all later ones are held. */
export type Decide = (message: Passing) => Decision | Promise<Decision>;

/** A proxy to a PostgreSQL on loopback that parses the messages. Encrypted ones are `Bytes`. */
export interface PostgresRelay {
  readonly port: number;
  /** The messages so far, passed on or not. */
  readonly messages: readonly Passing[];
  /** The number of bytes so far. */
  readonly bytes: Readonly<Record<Side, number>>;
  use(decide: Decide): void;
  /** Directs new connections to this port. */
  lead(port: number): void;
  /** Delays every byte by this many milliseconds, in both directions. */
  delay(ms: number): void;
  /** Cuts all open connections. */
  cut(way: MessageCut['way']): void;
  /** Accepts no more connections, and ends all, including stalled ones. */
  close(): Promise<void>;
}

/** One connection through the proxy. */
interface Line {
  readonly client: Socket;
  readonly upstream: Socket;
  isCut: boolean;
}

const cutLine = (line: Line, way: MessageCut['way']): void => {
  if (line.isCut) return;
  line.isCut = true;
  for (const socket of [line.client, line.upstream]) {
    if (way === 'fin') socket.end();
    if (way === 'rst') socket.resetAndDestroy();
  }
};

/** Starts a proxy for a port on loopback. The caller closes it. */
export const openPostgresRelay = async (service: number): Promise<PostgresRelay> => {
  let decide: Decide = () => undefined;
  let [lateness, leadsTo] = [0, service];
  const messages: Passing[] = [];
  const bytes = { request: 0, answer: 0 };
  const lines: Line[] = [];

  const deliver = async (line: Line, message: Passing, to: Socket, due: number): Promise<void> => {
    const early = due - performance.now();
    if (early > 0) await wait(early);
    const cut = await decide(message);
    if (line.isCut) return;
    if (cut?.way === 'replaced') return void to.write(cut.by);
    to.write(cut === undefined ? message.bytes : message.bytes.subarray(0, cut.after));
    if (cut !== undefined) cutLine(line, cut.way);
  };

  const join = (line: Line, connection: number): void => {
    const reader = createReader();
    const flow = (side: Side, from: Socket, to: Socket): void => {
      let last = Promise.resolve();
      from.on('data', (chunk: Buffer) => {
        bytes[side] += chunk.length;
        const due = performance.now() + lateness;
        for (const message of reader.read(side, chunk)) {
          const passing = { ...message, connection };
          messages.push(passing);
          last = last.then(() => deliver(line, passing, to, due));
        }
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        last = last.then(() => void (line.isCut || to.end()));
      });
    };
    flow('request', line.client, line.upstream);
    flow('answer', line.upstream, line.client);
  };

  // Several writes are not delayed until the first is acknowledged.
  const server = createServer({ noDelay: true }, (client) => {
    const line = { client, upstream: connect({ port: leadsTo, host: '127.0.0.1' }), isCut: false };
    join(line, lines.push(line) - 1);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    messages,
    bytes,
    use: (next) => {
      decide = next;
    },
    lead: (port) => {
      leadsTo = port;
    },
    delay: (ms) => {
      lateness = ms;
    },
    cut: (way) => {
      for (const line of lines) cutLine(line, way);
    },
    close: async () => {
      server.close();
      for (const { client, upstream } of lines) {
        client.destroy();
        upstream.destroy();
      }
      await once(server, 'close');
    },
  };
};
