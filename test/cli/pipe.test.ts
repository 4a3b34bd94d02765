import { execFileSync } from 'node:child_process';
import { createWriteStream, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readStream, rowSource } from '../../src/cli/sources.ts';
import type { Io } from '../../src/core/io.ts';
import { newFolder } from '../support/program.ts';

const fifo = (): string => {
  const path = `${newFolder('pipe')}/rows`;
  execFileSync('mkfifo', [path]);
  return path;
};

/** Reads a pipe as rows are read; `before` runs once it is found. */
const textOf = async (path: string, stop: AbortSignal, before = (): void => undefined): Promise<string> => {
  const source = rowSource({ signals: { stop } } as Io, () => undefined)(path);
  const bytes = 'stdin' in source ? source.stdin : [];
  before();
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

describe.runIf(process.platform !== 'win32')('a named pipe', () => {
  it('reads until the writer closes the pipe', async () => {
    const path = fifo();
    const text = 'x'.repeat(300_000);
    const reading = textOf(path, new AbortController().signal);
    createWriteStream(path).end(text);
    expect(await reading).toBe(text);
  });

  it.each([0, 1, 20])('stops at a signal %i turns later if nobody opens the pipe', async (turns) => {
    const stop = new AbortController();
    const reading = textOf(fifo(), stop.signal);
    for (let turned = 0; turned < turns; turned += 1) await turn();
    stop.abort('SIGTERM');
    await expect(reading).rejects.toMatchObject({ kind: 'interrupted', detail: { exitCode: 143 } });
  });

  it('does not wait after a signal', async () => {
    const reading = textOf(fifo(), AbortSignal.abort('SIGINT'));
    await expect(reading).rejects.toMatchObject({ kind: 'interrupted', detail: { exitCode: 130 } });
  });

  it('fails with a usage error if the pipe was removed', async () => {
    const path = fifo();
    const reading = textOf(path, new AbortController().signal, () => rmSync(path));
    await expect(reading).rejects.toMatchObject({ kind: 'usage', message: expect.stringContaining("can't be read") });
  });
});

it('standard input fails with a usage error if it breaks off', async () => {
  const broken = new Readable({ read: () => broken.destroy(new Error('read ECONNRESET')) });
  await expect(readStream(broken, new AbortController().signal).next()).rejects.toMatchObject({
    kind: 'usage',
    message: "standard input can't be read: read ECONNRESET",
  });
});
