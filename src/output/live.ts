import { canDraw, type Io } from '../core/io.ts';
import type { Board, Column, OutputOptions, Result } from '../core/result.ts';
import { visible } from '../core/text.ts';
import { openFrame } from './status-line.ts';
import type { Surface } from './style.ts';
import { listSink } from './table.ts';
import { shorten } from './text.ts';
import { cleanedSink, cleanOf } from './walk.ts';

export type LiveResult = Extract<Result, { kind: 'live' }>;

/**
 * True if a board is drawn and redrawn: not for screen readers, and not where its control sequences would disturb.
 */
export const isDrawn = (
  { stdout, env }: Pick<Io, 'stdout' | 'env'>,
  { format, columns }: Pick<OutputOptions, 'format' | 'columns'>,
): boolean => format === 'table' && columns === undefined && canDraw(stdout, env) && (env['NO_COLOR'] ?? '') === '';

/** Columns of the first table at a width: the later ones have the same. */
interface Chosen {
  readonly width: number;
  readonly columns: readonly Column[];
}

const boardLines = async (
  { view, records, below }: Board,
  chosen: Chosen | undefined,
  io: Pick<Io, 'redactor'>,
  surface: Surface,
  rows: number,
): Promise<{ readonly lines: string[]; readonly chosen: Chosen | undefined }> => {
  const { width } = surface;
  const kept = chosen?.width === width ? chosen : undefined;
  const list = await listSink(undefined, kept === undefined ? view : { ...view, table: kept.columns }, surface, true);
  const texts = [...cleanedSink(list, cleanOf(io)).page(records, false)].map(String).join('');
  const table = texts === '' ? [] : texts.slice(0, -1).split('\n');
  const words = below.map((line) => shorten(visible(line), surface.width, surface.styles.ellipsis));
  const lines = [...table.slice(0, Math.max(0, rows - words.length)), ...words].slice(-rows);
  const columns = (list.shown?.() ?? []).map((column) => ({ ...column, always: true, needed: true }));
  return { lines, chosen: kept ?? (columns.length === 0 ? undefined : { width, columns }) };
};

/** Draws a board after each page and at the end, within the height of the terminal. Throws the errors of the pages. */
export const showBoard = async (
  { pages, board }: LiveResult,
  io: Pick<Io, 'stdout' | 'redactor'>,
  surface: () => Promise<Surface>,
): Promise<void> => {
  const { stdout } = io;
  const frame = openFrame(stdout);
  let chosen: Chosen | undefined;
  const draw = async (): Promise<void> => {
    // The cursor occupies the last row.
    const rows = Math.max(1, (stdout.rows ?? 24) - 1);
    const drawn = await boardLines(board(rows), chosen, io, await surface(), rows);
    chosen = drawn.chosen;
    await frame.show(drawn.lines);
  };
  try {
    for await (const _page of pages) {
      if (stdout.closed) return;
      await draw();
    }
    await draw();
  } finally {
    await frame.leave();
  }
};
