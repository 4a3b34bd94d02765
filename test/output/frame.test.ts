import { default as headless } from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import type { Output } from '../../src/core/io.ts';
import { forTerminal } from '../../src/core/text.ts';
import { clearFrame, openFrame } from '../../src/output/status-line.ts';

/** A terminal of this size, and the output that writes to it. */
const openScreen = (columns: number, rows: number) => {
  const screen = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  let erase: (() => string) | undefined;
  const write = (text: string): Promise<void> => new Promise((done) => screen.write(forTerminal(text), done));
  const output: Output = {
    isTerminal: true,
    closed: false,
    copy: async () => false,
    get columns() {
      return screen.cols;
    },
    write: (text) => write(String(text)),
    drawn: (given) => {
      erase = given;
    },
  };
  const lines = (): string[] => {
    const { active } = screen.buffer;
    const all = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '');
    return all.join('\n').trimEnd().split('\n');
  };
  return { screen, output, lines, suspend: () => write(erase?.() ?? '') };
};

const linesOf = (word: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${word} ${at + 1}`);

describe('a frame', () => {
  it('is redrawn when it grows or shrinks, without touching the text above', async () => {
    const { output, lines } = openScreen(40, 10);
    await output.write('above\n');
    const frame = openFrame(output);
    for (const [word, count] of [
      ['one', 3],
      ['two', 5],
      ['three', 1],
      ['four', 9],
    ] as const) {
      await frame.show(linesOf(word, count));
      expect(lines()).toEqual(['above', ...linesOf(word, count)]);
    }
    await frame.leave();
    await output.write('below\n');
    expect(lines()).toEqual(['above', ...linesOf('four', 9), 'below']);
  });

  it('is not rewritten while unchanged', async () => {
    const { output, screen } = openScreen(40, 10);
    const frame = openFrame(output);
    await frame.show(['same']);
    let writes = 0;
    screen.onWriteParsed(() => {
      writes += 1;
    });
    await frame.show(['same']);
    expect(writes).toBe(0);
  });

  it('counts the rows of its lines after the window became narrower', async () => {
    const { output, lines, screen } = openScreen(40, 12);
    await output.write('above\n');
    const frame = openFrame(output);
    await frame.show(['x'.repeat(38), 'y'.repeat(20), '\u001b[31mz\u001b[39m']);
    screen.resize(15, 12);
    await frame.show(['a', 'b']);
    expect(lines()).toEqual(['above', 'a', 'b']);
  });

  it('makes room for a message and is redrawn below', async () => {
    const { output, lines } = openScreen(40, 10);
    const frame = openFrame(output);
    await frame.show(linesOf('one', 3));
    await clearFrame(output);
    await output.write('said\n');
    await frame.show(linesOf('one', 3));
    expect(lines()).toEqual(['said', ...linesOf('one', 3)]);
    await frame.leave();
    await clearFrame(output);
    expect(lines()).toEqual(['said', ...linesOf('one', 3)]);
  });

  it('is erased while the program is suspended', async () => {
    const { output, lines, suspend } = openScreen(40, 10);
    const frame = openFrame(output);
    await frame.show(linesOf('one', 3));
    await suspend();
    await output.write('$ fg\n');
    await frame.show(linesOf('two', 2));
    expect(lines()).toEqual(['$ fg', ...linesOf('two', 2)]);
  });

  it('leaves the cursor below', async () => {
    const { output, screen } = openScreen(40, 10);
    const frame = openFrame(output);
    await frame.show(['one']);
    await frame.leave();
    expect(screen.buffer.active.cursorY).toBe(1);
  });
});
