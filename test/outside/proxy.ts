import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import { freePort } from '../support/ports.ts';

export interface Proxy {
  readonly origin: string;
  /** The requests received, such as `GET /v1/ugwo`. */
  requests(): string[];
  /** The violations of the document, as Prism reports them. */
  violations(): string[];
}

/**
 * Prism in front of a service: it replaces a request or an answer that violates the document by an error of its own.
 */
export const startProxy = async (upstream: string): Promise<Proxy> => {
  const port = await freePort();
  const prism = process.env['PAYCLI_PRISM'] ?? '';
  const args = [
    prism,
    'proxy',
    'dist/openapi.json',
    upstream,
    '--errors',
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      log += chunk.toString('utf8');
      if (log.includes('Prism is listening')) resolve();
    });
  child.on('close', () => reject(new Error(`the proxy ended: ${log}`)));
  await listening;
  const linesWith = (pattern: RegExp): string[] =>
    stripVTControlCharacters(log)
      .split('\n')
      .filter((line) => pattern.test(line));
  return {
    origin: `http://127.0.0.1:${port}`,
    requests: () =>
      [...stripVTControlCharacters(log).matchAll(/\[HTTP SERVER\] (\w+) (\S+) .*Request received/g)].map(
        ([, method = '', path = '']) => `${method.toUpperCase()} ${path}`,
      ),
    violations: () => linesWith(/violation|prism\/errors/i),
  };
};
