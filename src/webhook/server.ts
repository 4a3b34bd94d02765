import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { memo } from '../core/async.ts';
import { reasonOf, usageError } from '../core/error.ts';
import { type Headers, headerPairs } from './event.ts';

/** The answer to a sender; it names a stored event. */
export type DeliveryAnswer = { readonly kept: string } | 401 | 503;

/** Called for each complete delivery; resolves when it is safe to answer. Never rejects. */
export type OnDelivery = (delivery: {
  readonly headers: Headers;
  readonly body: Uint8Array;
}) => Promise<DeliveryAnswer>;

/**
 * Resource limits for one sender, and for all together. A delivery as documented has about 2 KiB and arrives within a
 * second.
 */
const DELIVERY_LIMITS = {
  /** Bytes of one body. */
  body: 1024 * 1024,
  /** Bytes of all unanswered bodies. */
  bodies: 32 * 1024 * 1024,
  /** Bytes of the headers of a request, and their number. */
  headerBytes: 16 * 1024,
  headers: 100,
  connections: 1000,
  /** Milliseconds for the headers, for the whole request, and of silence between two requests. */
  headersMs: 10_000,
  wholeMs: 20_000,
  idleMs: 5000,
  /** Milliseconds that closing waits for requests in progress. */
  endMs: 5000,
} as const;

/** Tracks the memory and connections of deliveries in progress. A new one evicts the oldest unfinished one. */
const openRoom = () => {
  const [sockets, reading] = [new Set<Socket>(), new Map<IncomingMessage, number>()];
  let bytes = 0;
  return {
    connected: (socket: Socket): void => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      const [oldest] = sockets;
      if (sockets.size > DELIVERY_LIMITS.connections) oldest?.destroy();
    },
    /** Moves a connection with a complete delivery to the end of the line. */
    done: (socket: Socket): void => {
      if (sockets.delete(socket)) sockets.add(socket);
    },
    /** Reserves `size` bytes for a body; returns false if there is no room. */
    take: (request: IncomingMessage, size: number): boolean => {
      reading.set(request, (reading.get(request) ?? 0) + size);
      bytes += size;
      for (const oldest of reading.keys()) {
        if (bytes <= DELIVERY_LIMITS.bodies) break;
        if (oldest === request) return false;
        oldest.destroy();
        bytes -= reading.get(oldest) ?? 0;
        reading.delete(oldest);
      }
      return true;
    },
    /** Marks a body as complete: it is not evicted before it is answered. */
    whole: (request: IncomingMessage): number => {
      const size = reading.get(request) ?? 0;
      reading.delete(request);
      return size;
    },
    free: (size: number): void => {
      bytes -= size;
    },
  };
};

type Room = ReturnType<typeof openRoom>;

const ANSWER_WORDS: Readonly<Record<number, string>> = {
  401: 'the signature is missing or wrong',
  405: 'send deliveries with POST',
  413: `the body is larger than ${DELIVERY_LIMITS.body} bytes`,
  503: 'the delivery could not be stored; send it again',
};

const answer = (response: ServerResponse, said: DeliveryAnswer | 405 | 413, last: boolean): void => {
  if (response.destroyed || response.headersSent) return;
  const [status, words] = typeof said === 'number' ? [said, ANSWER_WORDS[said]] : [200, `stored ${said.kept}`];
  const text = `${words}\n`;
  const headers: Record<string, string> = {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    'x-content-type-options': 'nosniff',
    ...(status === 503 ? { 'retry-after': '30' } : {}),
    ...(status === 405 ? { allow: 'POST' } : {}),
    ...(last ? { connection: 'close' } : {}),
  };
  response.writeHead(status, headers).end(text);
};

/** The body, or the status to answer instead; undefined if the sender has disconnected. */
const receiveBody = async (request: IncomingMessage, room: Room): Promise<Uint8Array | 413 | 503 | undefined> => {
  if (Number(request.headers['content-length'] ?? 0) > DELIVERY_LIMITS.body) return 413;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > DELIVERY_LIMITS.body) return 413;
      if (!room.take(request, chunk.byteLength)) return 503;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return request.complete ? Buffer.concat(chunks) : undefined;
};

const listenOnPort = (server: Server, port: number, host: string): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (thrown: NodeJS.ErrnoException) => {
    const why = thrown.code === 'EADDRINUSE' ? 'is already in use' : `can't be used: ${reasonOf(thrown)}`;
    reject(usageError(`port ${port} of ${host} ${why}`, { hint: 'choose another with --port', cause: thrown }));
  });
  server.listen({ port, host }, resolve);
  return promise;
};

export const receive = async (port: number, host: string, take: OnDelivery) => {
  const room = openRoom();
  let underWay = 0;
  let [closing, idle] = [false, (): void => undefined];

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return answer(response, 405, true);
    const body = await receiveBody(request, room);
    const size = room.whole(request);
    try {
      if (body === undefined) return;
      if (typeof body === 'number') return answer(response, body, true);
      room.done(request.socket);
      answer(response, await take({ headers: headerPairs(request.rawHeaders), body }), closing);
    } finally {
      room.free(size);
    }
  };

  const server = createServer(
    {
      maxHeaderSize: DELIVERY_LIMITS.headerBytes,
      headersTimeout: DELIVERY_LIMITS.headersMs,
      requestTimeout: DELIVERY_LIMITS.wholeMs,
      keepAliveTimeout: DELIVERY_LIMITS.idleMs,
      connectionsCheckingInterval: 1000,
    },
    (request, response) => {
      underWay += 1;
      response.once('close', () => {
        underWay -= 1;
        if (underWay === 0) idle();
      });
      void handle(request, response);
    },
  );
  server.maxHeadersCount = DELIVERY_LIMITS.headers;
  server.on('connection', room.connected);
  await listenOnPort(server, port, host);

  return {
    port: (server.address() as AddressInfo).port,
    /** Accepts no new deliveries; resolves when the complete ones are answered. */
    close: memo(async (): Promise<void> => {
      closing = true;
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeIdleConnections();
      const quiet = new Promise<void>((resolve) => {
        idle = resolve;
        if (underWay === 0) resolve();
      });
      const late = setTimeout(() => idle(), DELIVERY_LIMITS.endMs);
      await quiet;
      clearTimeout(late);
      server.closeAllConnections();
      await closed;
    }),
  };
};
