import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createReader, type Message, type Side } from './postgres-messages.ts';

/** A message on its way, of the connection with that number, counted from 0. */
export interface Passing extends Message {
  readonly connection: number;
}

/** Lets so many of a message's bytes through, then cuts its connection. `stall`: nothing comes through any more. */
export interface MessageCut {
  readonly way: 'fin' | 'rst' | 'stall';
  readonly after: number;
}

/** Lets other bytes through in place of a message's. */
export interface Replaced {
  readonly way: 'replaced';
  readonly by: Buffer;
}

type Decision = MessageCut | Replaced | undefined;

/** What becomes of a message; undefined: it goes on. It is held until this is known, and so is what comes after it. */
export type Decide = (message: Passing) => Decision | Promise<Decision>;

/** A way to a PostgreSQL on loopback that knows the messages which pass through it. What is encrypted is `Bytes`. */
export interface PostgresRelay {
  readonly port: number;
  /** What has come so far, whether or not it was let through. */
  readonly messages: readonly Passing[];
  /** How many bytes have come so far. */
  readonly bytes: Readonly<Record<Side, number>>;
  use(decide: Decide): void;
  /** New connections lead to this port from now on. */
  lead(port: number): void;
  /** Every byte that comes from now on arrives so many milliseconds later, on either side. */
  delay(ms: number): void;
  /** Cuts all connections that are open now. */
  cut(way: MessageCut['way']): void;
  /** Takes no more connections, and ends those that there are, stalled ones too. */
  close(): Promise<void>;
}

/** One connection through the relay. */
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

/** Starts a relay in front of a port on loopback. Who asked for it closes it. */
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

  // What comes in several messages is not held back until the first of them is acknowledged.
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
