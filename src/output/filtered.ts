import type { Output } from '../core/io.ts';
import type { Filter, OutputOptions, Result, ResultNotices } from '../core/result.ts';
import { visibleText } from '../core/text.ts';
import { type RenderIo, render } from './render.ts';

/** Buffers the output and passes complete lines to `run`; with `atOnce`, passes everything at the end. */
const gather = (stdout: Output, atOnce: boolean, run: (text: string) => Promise<void>) => {
  const decoder = new TextDecoder();
  let texts: string[] = [];
  let failed = false;
  const hand = async (text: string, rest: string): Promise<void> => {
    texts = [rest];
    failed = true;
    await run(text);
    failed = false;
  };
  const output: Output = {
    isTerminal: false,
    columns: stdout.columns,
    copy: (text) => stdout.copy(text),
    drawn: (erase) => stdout.drawn(erase),
    get closed() {
      return stdout.closed;
    },
    write: async (part) => {
      const text = typeof part === 'string' ? part : decoder.decode(part, { stream: true });
      texts.push(text);
      if (atOnce || !text.includes('\n')) return;
      const all = texts.join('');
      const end = all.lastIndexOf('\n') + 1;
      await hand(all.slice(0, end), all.slice(end));
    },
  };
  const end = async (): Promise<void> => {
    const text = texts.join('');
    if (!failed && text !== '') await hand(text, '');
  };
  return { output, end };
};

/**
 * Prints the output of a filter: for -o json a list is one document, otherwise each record is filtered separately.
 * Strings are printed as they are, all other values as JSON, indented on a terminal.
 */
export const renderFiltered = async (
  result: Result,
  io: RenderIo,
  options: OutputOptions,
  filter: Filter,
): Promise<ResultNotices> => {
  const { stdout, stderr } = io;
  const write = async (text: string): Promise<boolean> => {
    await stdout.write(stdout.isTerminal ? visibleText(text) : text);
    return !stdout.closed;
  };
  const run = async (text: string): Promise<void> => {
    if (stdout.closed) return;
    const said = await filter.run(text, stdout.isTerminal && options.format === 'json', write);
    if (said !== '') await stderr.write(`${visibleText(said)}\n`);
  };
  const { output, end } = gather(stdout, result.kind === 'list' && options.format === 'json', run);
  let ending: ResultNotices;
  try {
    ending = await render(result, { ...io, stdout: output }, options);
  } catch (thrown) {
    // An incomplete list is filtered as far as it goes, and its error is still reported.
    await end().catch(() => undefined);
    throw thrown;
  }
  await end();
  return ending;
};
