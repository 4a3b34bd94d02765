/** Contents of a terminal after commands: runs of text with one style each. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { default as headless, type IBufferCell, type IBufferLine } from '@xterm/headless';
import { terminalEnv } from '../terminal-env.ts';

export interface Run {
  readonly column: number;
  readonly text: string;
  /** CSS classes: `bold`, `dim`, and the name of a colour. */
  readonly look: string;
}
export type Row = readonly Run[];

export const COLUMNS = 100;
const ROWS = 60;
const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

const lookOf = (cell: IBufferCell): string =>
  [
    ...(cell.isBold() === 0 ? [] : ['bold']),
    ...(cell.isDim() === 0 ? [] : ['dim']),
    ...(cell.isFgPalette() ? [COLOURS[cell.getFgColor() % COLOURS.length] ?? ''] : []),
  ].join(' ');

const rowOf = (line: IBufferLine): Row => {
  const length = line.translateToString(true).length;
  const runs: Run[] = [];
  for (let column = 0; column < length; column += 1) {
    const cell = line.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const [text, look] = [cell.getChars() || ' ', lookOf(cell)];
    const last = runs.at(-1);
    if (last?.look === look) runs[runs.length - 1] = { ...last, text: last.text + text };
    else runs.push({ column, text, look });
  }
  return runs.filter(({ text }) => text.trim() !== '');
};

/** Runs a command on a pseudo-terminal. Throws if it fails. */
const typed = (program: readonly string[], words: readonly string[], home: string): Promise<string> => {
  const env = {
    ...terminalEnv(home),
    TZ: 'UTC',
  };
  const [file = '', ...first] = program;
  return new Promise((done, fail) => {
    let shown = '';
    const pty = spawn(file, [...first, ...words], { cols: COLUMNS, rows: ROWS, env, cwd: home });
    pty.onData((data) => {
      shown += data;
    });
    pty.onExit(({ exitCode }) => (exitCode === 0 ? done(shown) : fail(new Error(`exit ${exitCode}: ${shown}`))));
  });
};

const screenAfter = (text: string): Promise<readonly Row[]> =>
  new Promise((done) => {
    const screen = new headless.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
    screen.write(text, () => {
      const { active } = screen.buffer;
      const lines = Array.from({ length: active.length }, (_, row) => active.getLine(row));
      const rows = lines.map((line) => (line === undefined ? [] : rowOf(line)));
      done(rows.slice(0, rows.findLastIndex((row) => row.length > 0) + 1));
    });
  });

const PROMPT = '\u001b[2m$\u001b[0m ';

/** The terminal after each line was typed, with a new built-in service. */
export const screenOf = async (
  lines: readonly string[],
  program: readonly string[] = [process.execPath, resolve('bin/paycli.js')],
): Promise<readonly Row[]> => {
  const home = mkdtempSync(join(tmpdir(), 'paycli-picture-'));
  try {
    await typed(program, ['emulator', 'seed'], home);
    let text = '';
    for (const line of lines) {
      const shown = await typed(program, line.split(' ').slice(1), home);
      text += `${PROMPT}\u001b[1m${line}\u001b[0m\r\n${shown}\r\n`;
    }
    return await screenAfter(text);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};
