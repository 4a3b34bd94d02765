import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy that passes requests, and holds the answers until it is opened. */
export interface Gate {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Resolves when there is an answer to hold. */
  readonly reached: Promise<void>;
  /** Resolves when the first held bytes have been written. */
  open(): Promise<void>;
}

/** A gate in front of the server of a URL on loopback. The first connections may pass freely. */
export const serveGate = async (url: string, free = 0): Promise<Gate> => {
  let connections = 0;
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const through = Promise.withResolvers<void>();
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const onward = connect(Number(new URL(url).port), '127.0.0.1');
    sockets.push(socket, onward);
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    socket.pipe(onward);
    connections += 1;
    if (connections <= free) return void onward.pipe(socket);
    onward.once('data', async (first: Buffer) => {
      onward.pause();
      reached.resolve();
      await opened.promise;
      socket.write(first, () => through.resolve());
      onward.pipe(socket);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const open = (): Promise<void> => {
    opened.resolve();
    return through.promise;
  };
  return { port: (server.address() as AddressInfo).port, reached: reached.promise, open };
};
