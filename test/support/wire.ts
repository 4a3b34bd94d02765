import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Wire {
  readonly origin: string;
  /** What each connection has received so far. */
  readonly received: string[];
  /** Resolves when a connection has ended. */
  readonly closed: Promise<void>;
}

/** A raw TCP server on loopback: calls `opened` for each connection, `asked` for each complete request. */
export const serveWire = async (on: {
  readonly opened?: (socket: Socket) => void;
  readonly asked?: (socket: Socket) => void;
}): Promise<Wire> => {
  const received: string[] = [];
  const sockets: Socket[] = [];
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    sockets.push(socket);
    const index = received.push('') - 1;
    socket.on('error', () => undefined);
    socket.on('close', () => closed.resolve());
    socket.on('data', (chunk) => {
      const before = received[index] ?? '';
      received[index] = before + chunk.toString('latin1');
      const length = /content-length: (\d+)/.exec(received[index])?.[1] ?? '0';
      const body = received[index].split('\r\n\r\n')[1];
      if (body?.length === Number(length)) on.asked?.(socket);
    });
    on.opened?.(socket);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, closed: closed.promise };
};

/** A complete answer as bytes on the wire. */
export const answerText = (status: number, body: unknown, headers = ''): string => {
  const text = JSON.stringify(body);
  return `HTTP/1.1 ${status} X\r\nContent-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
};
