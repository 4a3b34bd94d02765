import { onTestFinished } from 'vitest';
import { newFolder, start } from '../support/program.ts';

interface Started {
  readonly origin: string;
  readonly key: string;
  readonly public_key: string;
  readonly console: string;
}

export interface Console extends Started {
  readonly home: string;
  readonly stop: () => Promise<void>;
  /** The answer to an HTTP client. */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    // biome-ignore lint/suspicious/noExplicitAny: what came over the wire is what the test is about
  ) => Promise<{ readonly status: number; readonly json: any }>;
  /** Creates a payment request. */
  readonly request: (more?: object) => Promise<string>;
  readonly charge: (ugwo: string, data?: object) => ReturnType<Console['call']>;
}

/** Starts the built program's emulator with its pages. */
export const startConsole = async (...options: readonly string[]): Promise<Console> => {
  const home = newFolder();
  const running = start(['emulator', 'start', '--json', ...options], { home });
  await running.saw(/"console":"http.*\n/);
  const started = JSON.parse(running.stdout()) as Started;
  const stop = async (): Promise<void> => {
    running.kill('SIGINT');
    await running.ended;
  };
  onTestFinished(stop);
  const headers = { authorization: `Bearer ${started.key}`, 'content-type': 'application/json' };
  const call: Console['call'] = async (method, path, body) => {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await fetch(`${started.origin}${path}`, init);
    return { status: answer.status, json: await answer.json() };
  };
  return {
    ...started,
    home,
    stop,
    call,
    request: async (more = {}) =>
      (await call('POST', '/v1/ugwo', { amount: 500_000, currency: 'NGN', ...more })).json.uid,
    charge: (ugwo, data = { medium: 'bank_transfer' }) =>
      call('POST', `/v1/ugwo/${ugwo}/activities`, { type: 'charge', data }),
  };
};
