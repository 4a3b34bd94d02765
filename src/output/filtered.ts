import type { Output } from '../core/io.ts';
import type { Filter, OutputOptions, Result, ResultNotices } from '../core/result.ts';
import { visibleText } from '../core/text.ts';
import { type RenderIo, render } from './render.ts';

/**
 * Prints the output of a filter: for -o json a list is one document, otherwise each record is filtered separately.
 * Strings are printed as they are, all other values as JSON, indented on a terminal. The filter gets its input as it
 * comes; a list of any length needs little memory if the filter works on single records.
 */
export const renderFiltered = async (
  result: Result,
  io: RenderIo,
  options: OutputOptions,
  filter: Filter,
): Promise<ResultNotices> => {
  const { stdout, stderr, redactor } = io;
  const isIndented = stdout.isTerminal && options.format === 'json';
  const fromRecords = filter.isPerRecord && result.kind === 'list' && options.format === 'json';
  const pieces = redactor.openPieces();
  const print = async (text: string): Promise<void> => stdout.write(stdout.isTerminal ? visibleText(text) : text);
  const feed = filter.open({ isIndented, fromRecords }, async (text) => {
    await print(pieces(text));
    return !stdout.closed;
  });
  let isFed = false;
  const take = async (part?: string | Uint8Array): Promise<void> => {
    if (stdout.closed) return;
    isFed = true;
    const said = await feed(part);
    if (said !== '') await stderr.write(`${visibleText(said)}\n`);
  };
  const output: Output = {
    isTerminal: false,
    columns: stdout.columns,
    copy: (text) => stdout.copy(text),
    drawn: (erase) => stdout.drawn(erase),
    get closed() {
      return stdout.closed;
    },
    write: take,
  };
  const end = async (): Promise<void> => {
    if (!isFed) return;
    await take().finally(() => print(pieces()));
  };
  let ending: ResultNotices;
  try {
    ending = await render(result, { ...io, stdout: output }, fromRecords ? { ...options, format: 'ndjson' } : options);
  } catch (thrown) {
    // An incomplete list is filtered as far as it goes, and its error is still reported.
    await end().catch(() => undefined);
    throw thrown;
  }
  await end();
  return ending;
};
