import { counted } from '../core/bounds.ts';
import { unreachable } from '../core/error.ts';
import { type Io, type Output, speaksUtf8 } from '../core/io.ts';
import { type ApiRecord, serviceNow } from '../core/record.ts';
import {
  isJsonFormat,
  type OutputOptions,
  type PassOn,
  type Result,
  type ResultNotices,
  type View,
} from '../core/result.ts';
import type { Clean } from '../core/secret.ts';
import { visibleText } from '../core/text.ts';
import { cardChanges, drawCard } from './card.ts';
import type { LiveResult } from './live.ts';
import { chooseColumns, csvRecord, csvSink, jsonRecord, jsonSink, ndjsonSink, tsvRecord, tsvSink } from './machine.ts';
import { type Surface, stylesFor } from './style.ts';
import { listSink } from './table.ts';
import { notice, roomOn } from './text.ts';
import { openCountdown, showWait, type WaitResult } from './wait.ts';
import { cleanedRecord, cleanedSink, cleanOf, type Sink, type Walked, walk, writePieces } from './walk.ts';

export type RenderIo = Pick<Io, 'stdout' | 'stderr' | 'env' | 'clock' | 'redactor'>;

const surfaceOf = async (
  { stdout, clock, env }: RenderIo,
  options: OutputOptions,
  record: Pick<ApiRecord, 'servedAt' | 'age'> = {},
): Promise<Surface> => ({
  width: roomOn(stdout),
  styles: await stylesFor(options.color, speaksUtf8(env)),
  now: serviceNow(record, clock.now()),
});

const writeIfOpen = async (output: Output, text: string): Promise<void> => {
  if (text !== '' && !output.closed) await output.write(text);
};

const recordText = async (record: ApiRecord, view: View, io: RenderIo, options: OutputOptions): Promise<string> => {
  switch (options.format) {
    case 'json':
      return jsonRecord(record, options.columns, view, io.stdout.isTerminal);
    case 'ndjson':
      return jsonRecord(record, options.columns, view, false);
    case 'tsv':
      return tsvRecord(record, options.columns, view, options);
    case 'csv':
      return csvRecord(record, options.columns, view, options);
    case 'table':
      return await drawCard(record, options.columns, view, await surfaceOf(io, options, record));
    default:
      return unreachable(options.format);
  }
};

const sinkFor = async (view: View, io: RenderIo, options: OutputOptions): Promise<Sink> => {
  switch (options.format) {
    case 'json':
      return chooseColumns(jsonSink(), options.columns, view);
    case 'ndjson':
      return chooseColumns(ndjsonSink(), options.columns, view);
    case 'tsv':
      return tsvSink(options.columns, view, options);
    case 'csv':
      return csvSink(options.columns, view, options);
    case 'table':
      return await listSink(options.columns, view, await surfaceOf(io, options));
    default:
      return unreachable(options.format);
  }
};

type List = Extract<Result, { kind: 'list' }>;

const continueText = ({ next, repeats }: Walked, goOn: List['goOn'], clean: Clean): string | undefined => {
  if (goOn === undefined || next === null) return undefined;
  const again = repeats === 0 ? '' : ` (repeats ${repeats} already shown)`;
  return `${goOn(clean(next))}${again}`;
};

/** The notice about the end of a list; undefined if there is none. */
const endingText = (
  walked: Walked,
  { goOn, saysEmpty }: List,
  { format }: OutputOptions,
  clean: Clean,
): string | undefined => {
  const command = continueText(walked, goOn, clean);
  // The error of a broken walk says how to continue.
  if (walked.how === 'closed' || walked.how === 'broken') return undefined;
  if (walked.how === 'max') {
    const stopped = `Stopped at ${counted(walked.shown, 'record')}, more remain.`;
    return command === undefined ? stopped : `${stopped} Next: ${command}`;
  }
  // A program that reads JSON finds nothing but errors on stderr.
  if (walked.shown === 0 && walked.next === null) {
    return saysEmpty === true || isJsonFormat(format) ? undefined : 'Nothing found.';
  }
  return command === undefined ? undefined : `More: ${command}`;
};

const renderList = async (list: List, io: RenderIo, options: OutputOptions): Promise<void> => {
  const clean = cleanOf(io);
  const sink = cleanedSink(await sinkFor(list.view, io, options), clean);
  const walked = await walk(list.pages, list.max, io, sink);
  // A reader who has left the pager, or closed the pipe, wants no more.
  const isQuiet = options.quiet || walked.how === 'closed';
  const texts = isQuiet ? [] : [sink.notice?.(), endingText(walked, list, options, clean)];
  for (const text of texts.filter((said) => said !== undefined)) {
    await writeIfOpen(io.stderr, notice(text, io, await stylesFor(options.noticeColor)));
  }
  if (walked.how === 'broken') throw walked.fault;
};

const renderRecord = async (record: ApiRecord, view: View, io: RenderIo, options: OutputOptions): Promise<void> => {
  const cleaned = cleanedRecord(record, cleanOf(io));
  await writePieces(io.stdout, [await recordText(cleaned, view, io, options)], io.clock);
};

const renderWait = async (wait: WaitResult, io: RenderIo, options: OutputOptions): Promise<ResultNotices> => {
  const { view } = wait;
  const isStill = options.quiet || options.plain === true;
  const countdown = openCountdown(io, await stylesFor(options.noticeColor, speaksUtf8(io.env)), isStill);
  const show = async (record: ApiRecord, before: ApiRecord | undefined): Promise<void> => {
    if (before === undefined) return renderRecord(record, view, io, options);
    const [old, now] = [cleanedRecord(before, cleanOf(io)), cleanedRecord(record, cleanOf(io))];
    await writeIfOpen(
      io.stdout,
      await cardChanges(old, now, options.columns, view, await surfaceOf(io, options, record)),
    );
  };
  return showWait(wait, { watched: io.stdout.isTerminal && options.format === 'table', countdown, show });
};

/** Passes the customer's step on, and returns the remaining notices of the record. */
const shareResult = async (
  result: Extract<Result, { kind: 'record' }>,
  how: PassOn,
  io: RenderIo,
  options: OutputOptions,
): Promise<ResultNotices> => {
  const { record, view, failure } = result;
  const said = [result.notice ?? []].flat();
  if (how.share || how.copy) {
    const { sharedRecord } = await import('./share.ts');
    said.push(...(await sharedRecord(cleanedRecord(record, cleanOf(io)), view, how, io)));
  }
  if (!how.share) await renderRecord(record, view, io, options);
  return { failure: failure ?? (await result.after?.()), notice: said };
};

const renderLive = async (live: LiveResult, io: RenderIo, options: OutputOptions): Promise<ResultNotices> => {
  const { isDrawn, showBoard } = await import('./live.ts');
  if (isDrawn(io, options)) {
    await showBoard(live, io, () => surfaceOf(io, options));
    // The board shows the notice already.
    return { failure: live.ended().failure };
  }
  await renderList({ ...live, kind: 'list', saysEmpty: true }, io, options);
  return live.ended();
};

/**
 * Prints the result of a command: data to stdout, notices to stderr. Rethrows an error of a list's pages after the
 * output was closed properly. Returns the remaining notices of a record or a wait.
 */
export const render = async (result: Result, io: RenderIo, options: OutputOptions): Promise<ResultNotices> => {
  switch (result.kind) {
    case 'text':
      // In a pipe the text is for a program: printed exactly.
      if (result.text !== '')
        await writeIfOpen(io.stdout, `${io.stdout.isTerminal ? visibleText(result.text) : result.text}\n`);
      return { failure: result.failure };
    case 'record':
      if (result.passOn !== undefined) return await shareResult(result, result.passOn, io, options);
      await renderRecord(result.record, result.view, io, options);
      return { ...result, failure: result.failure ?? (await result.after?.()) };
    case 'list':
      await renderList(result, io, options);
      return { failure: result.failure };
    case 'wait':
      return await renderWait(result, io, options);
    case 'live':
      return await renderLive(result, io, options);
    case 'service':
      await renderRecord(result.record, result.view, io, options);
      await result.done;
      return {};
    default:
      return unreachable(result);
  }
};
