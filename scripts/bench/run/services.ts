import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** A service in a process of its own; it ends with `close`. */
export interface Service {
  readonly origin: string;
  readonly close: () => void;
}

const start = async (file: string, args: readonly string[]): Promise<Service> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', file), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
  });
  return { origin, close: () => child.stdin.end() };
};

/** Answers charges, each answer after `delay` milliseconds, or uniformly within a range: `50-150`. */
export const startCharges = (delay = '0'): Promise<Service> => start('charge-stub.ts', ['--delay', delay]);

/** Has a list of so many records, each page of which takes `delay` milliseconds. */
export const startList = (records: number, delay = 0): Promise<Service> =>
  start('list-stub.ts', ['--records', String(records), '--delay', String(delay)]);

/** Writes and syncs each body as a line of a file. */
export const startDurable = (file: string): Promise<Service> => start('durable-server.ts', [file]);

/** A service for as long as a task takes. */
export const during = async <T>(starting: Promise<Service>, task: (origin: string) => Promise<T>): Promise<T> => {
  const service = await starting;
  try {
    return await task(service.origin);
  } finally {
    service.close();
  }
};
