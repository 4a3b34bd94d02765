import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the system's ephemeral ports, which it might assign while nobody listens there. */
const PORTS = { first: 10_000, count: 20_000 };

const isFree = async (port: number): Promise<boolean> => {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
};

/** A free loopback port. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    if (await isFree(port)) return port;
  }
};

const TAKEN = /Address already in use/;

/** Starts a server on a free loopback port; tries another one if it is taken. */
export const startOnFreePort = async <T>(start: (port: number) => Promise<T>): Promise<{ server: T; port: number }> => {
  for (;;) {
    const port = await freePort();
    try {
      return { server: await start(port), port };
    } catch (thrown) {
      if (!TAKEN.test((thrown as Error).message)) throw thrown;
    }
  }
};
