import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { pipeBytes } from '../../src/cli/sources.ts';
import { newFolder } from '../support/program.ts';

const fifo = (): string => {
  const path = `${newFolder('pipe')}/rows`;
  execFileSync('mkfifo', [path]);
  return path;
};

const textOf = async (bytes: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

describe.runIf(process.platform !== 'win32')('pipeBytes', () => {
  it('reads until the writer closes the pipe', async () => {
    const path = fifo();
    const text = 'x'.repeat(300_000);
    const reading = textOf(pipeBytes(path, new AbortController().signal));
    createWriteStream(path).end(text);
    expect(await reading).toBe(text);
  });

  it.each([0, 1, 20])('stops at a signal %i turns later if nobody opens the pipe', async (turns) => {
    const stop = new AbortController();
    const reading = textOf(pipeBytes(fifo(), stop.signal));
    for (let turned = 0; turned < turns; turned += 1) await turn();
    stop.abort('SIGTERM');
    await expect(reading).rejects.toMatchObject({ kind: 'interrupted', detail: { exitCode: 143 } });
  });

  it('does not wait after a signal', async () => {
    const reading = textOf(pipeBytes(fifo(), AbortSignal.abort('SIGINT')));
    await expect(reading).rejects.toMatchObject({ kind: 'interrupted', detail: { exitCode: 130 } });
  });

  it('fails with a usage error if the pipe does not exist', async () => {
    const reading = textOf(pipeBytes(`${newFolder('pipe')}/none`, new AbortController().signal));
    await expect(reading).rejects.toMatchObject({ kind: 'usage', message: expect.stringContaining("can't be read") });
  });
});
