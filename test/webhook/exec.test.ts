import { expect, it } from 'vitest';
import { execute } from '../../src/webhook/exec.ts';
import type { KeptEvent } from '../../src/webhook/kept.ts';

const EVENT = { uid: 'evt.1', body: Buffer.from('{}') } as unknown as KeptEvent;
const SCRIPT = "process.stdout.write('one'); process.exitCode = 7";

it.each(['print', 'say'] as const)(
  'ends once what there is to %s is written: the event counts as told then',
  async (held) => {
    const [reached, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const texts: string[] = [];
    const output = (isHeld: boolean) => async (text: string) => {
      texts.push(text);
      if (!isHeld) return;
      reached.resolve();
      await written.promise;
    };
    const exec = {
      ...{ words: [process.execPath, '-e', SCRIPT], env: {} },
      ...{ print: output(held === 'print'), say: output(held === 'say') },
    };
    let isOver = false;
    const running = execute(exec, EVENT, new AbortController().signal).then(() => {
      isOver = true;
    });
    await reached.promise;
    // A program that has ended is told of within this.
    await new Promise((resolve) => setTimeout(resolve, held === 'print' ? 300 : 0));
    expect(isOver).toBe(false);
    written.resolve();
    await running;
    expect(texts).toEqual(['one', '--exec failed for evt.1: exit code 7']);
  },
);
