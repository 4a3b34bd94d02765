import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { interrupted, PayError, reasonOf, usageError } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import { withWholePairs } from '../core/json.ts';
import type { Filter } from '../core/result.ts';
import type { JqMessage, JqStart, JqTask } from './worker.ts';

/** The paths of the worker and of jq's WebAssembly file. */
export interface JqFiles {
  readonly worker: string;
  readonly wasm: string;
}

type JqDeps = Pick<Io, 'clock' | 'signals'>;
type Write = Parameters<Filter['open']>[1];

/** The files beside the program, where npm has put them. */
const packagedFiles = (): JqFiles => {
  const at = (name: string): string => fileURLToPath(new URL(`../jq/${name}`, import.meta.url));
  return { worker: at('worker.js'), wasm: at('jq.wasm') };
};

/** The most bytes that jq gets at a time. */
const MOST_INPUT = 256 * 1024;

/** The longest time that a filter may print nothing, in milliseconds. */
const SILENT_MS = 60_000;

/**
 * Matches the filters that give for a list what they give for each record: what follows `.data[]` sees one record, but
 * an index that is not constant sees the list, as does the update `|=`. The number of a line depends on the lines
 * before.
 */
const PER_RECORD =
  /^(?!.*input_line_number)\s*\.data\s*\[\s*\](\s*\?)?(\s*(\.[a-z_]\w*|\[\s*(\d*|"[^"\\]*")\s*\])(\s*\?)?)*\s*($|\|(?!=))/is;

/**
 * The program around a filter, for whole documents or for records. It disables `input`, which would depend on how the
 * records came, and `halt` and `halt_error`, which would leave out the remaining records. On one line, since `$__loc__`
 * shows the line.
 */
const programFor = (filter: string, fromRecords = false): string => {
  const ours = ['input', 'inputs', 'halt', 'halt_error', 'halt_error(f)'].map(
    (name) => `def ${name}: error("${name.replace('(f)', '')} can't be used here");`,
  );
  return `inputs|${fromRecords ? '{data:[.]}|' : ''}(${ours.join('')} ${filter}\n)`;
};

/** The bytes of JSON for jq, which would end at half of a surrogate pair. */
const wellFormed = (part: string | Uint8Array): Uint8Array =>
  // A character per byte: an escape is of ASCII.
  Buffer.from(withWholePairs(Buffer.from(part).toString('latin1')), 'latin1');

const filterError = (what: string, hint = 'fix the filter; jq is documented at https://jqlang.org/manual'): PayError =>
  usageError(`--jq: ${what}`, { hint });

/** The error for a message of jq, without jq's own name and that of a file that does not exist. */
const jqError = (stderr: string): PayError => {
  const said = stderr
    .slice(Math.max(0, stderr.lastIndexOf('jq: error')))
    .replace(/^jq: error(?: \(at [^)]*\))?(?: \(not a string\))?:? */, '')
    .replace(/\njq: \d+ compile errors?$/, '')
    .trim();
  return filterError(said === '' ? 'the filter failed' : said);
};

const crashOf = (thrown: unknown): PayError =>
  /abort|memory|stack/i.test(reasonOf(thrown))
    ? filterError(
        'the filter needs more than 256 MB of memory',
        'begin it with .data[] | to filter one record at a time',
      )
    : filterError(`jq failed: ${reasonOf(thrown)}`);

const startWorker = async (workerData: JqStart, file: string): Promise<Worker> => {
  // The environment is empty because a filter can read it. `stderr: true` keeps the exit message of jq's runtime off
  // our stderr.
  const worker = new Worker(file, { workerData, env: {}, stderr: true });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  worker.once('message', () => resolve());
  // The listener stays: an `error` event without a listener would end the process.
  worker.on('error', reject);
  await promise.catch((thrown: unknown) => {
    throw new PayError('internal', `jq can't be loaded: ${reasonOf(thrown)}`, { hint: 'install paycli again' });
  });
  worker.unref();
  return worker;
};

/** Waits until jq pauses; rejects if it is silent for too long or is stopped, and then terminates the thread. */
const untilPause = async (
  worker: Worker,
  clock: JqDeps['clock'],
  stop: AbortSignal,
  goOn: () => void,
  write: (bytes: Uint8Array) => Promise<boolean>,
): Promise<JqMessage> => {
  const { promise, resolve, reject } = Promise.withResolvers<JqMessage>();
  const onStop = (): void => reject(interrupted(stop.reason));
  let heard = new AbortController();
  const listen = (): void => {
    heard = new AbortController();
    clock.sleep(SILENT_MS, heard.signal, 'limit').then(
      () => reject(filterError(`the filter printed nothing for ${SILENT_MS / 1000} s and was stopped`)),
      () => undefined,
    );
  };
  const take = async (said: JqMessage): Promise<void> => {
    heard.abort();
    const isRead = said.bytes.length === 0 || (await write(said.bytes));
    if (!isRead) void worker.terminate();
    if (!isRead) return resolve({ ...said, code: 0, stderr: '' });
    if (said.kind === 'pause') return resolve(said);
    goOn();
    listen();
  };
  const onMessage = (said: JqMessage): void => void take(said).catch(reject);
  const onError = (thrown: unknown): void => reject(crashOf(thrown));
  worker.on('message', onMessage).on('error', onError);
  stop.addEventListener('abort', onStop);
  if (stop.aborted) onStop();
  listen();
  try {
    return await promise;
  } catch (thrown) {
    // In Bun this can't end a loop; the exit of the process will.
    void worker.terminate();
    throw thrown;
  } finally {
    heard.abort();
    stop.removeEventListener('abort', onStop);
    worker.off('message', onMessage).off('error', onError);
  }
};

/**
 * Opens jq in its own thread: in the main thread, an endless filter would block all signals and could not be stopped.
 */
export const openFilter = (filter: string, { clock, signals }: JqDeps, files: JqFiles = packagedFiles()): Filter => {
  const turn = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const input = new Uint8Array(new SharedArrayBuffer(MOST_INPUT));
  let started: Promise<Worker> | undefined;
  const goOn = (): void => {
    Atomics.store(turn, 0, 1);
    Atomics.notify(turn, 0);
  };
  const open = (task: JqTask, write: Write): ReturnType<Filter['open']> => {
    const decoder = new TextDecoder();
    let state: 'new' | 'open' | 'over' = 'new';
    const step = async (portion: Uint8Array): Promise<string> => {
      if (state === 'over') return '';
      started ??= startWorker({ wasm: files.wasm, turn, input }, files.worker);
      const worker = await started;
      // After the first signal, a run still prints its results; the second signal stops the filter.
      const stop = signals.stop.aborted ? signals.leave : signals.stop;
      const paused = untilPause(worker, clock, stop, goOn, (bytes) => write(decoder.decode(bytes, { stream: true })));
      input.set(portion);
      turn[1] = portion.length;
      if (state === 'new') worker.postMessage(task);
      else goOn();
      state = 'over';
      const { code, stderr } = await paused;
      if (stderr === undefined)
        throw filterError('debug, stderr and error wrote more than 1 MB', 'let them write less');
      if (code === undefined) state = 'open';
      else if (code !== 0) throw jqError(stderr);
      return stderr;
    };
    return async (part) => {
      if (part === undefined) return (await step(new Uint8Array())).trim();
      const bytes = wellFormed(part);
      let said = '';
      for (let at = 0; at < bytes.length; at += MOST_INPUT) said += await step(bytes.subarray(at, at + MOST_INPUT));
      return said.trim();
    };
  };
  return {
    isPerRecord: PER_RECORD.test(filter),
    async check() {
      // Neither program runs, since there is no input. The first task checks the filter alone, for the right positions
      // in its errors.
      await open({ program: filter, flags: ['--'] }, async () => true)();
      await open({ program: programFor(filter), flags: ['-n'] }, async () => true)();
    },
    open({ isIndented, fromRecords }, write) {
      const flags = ['-n', '-r', ...(isIndented ? [] : ['-c'])];
      return open({ program: programFor(filter, fromRecords), flags }, write);
    },
  };
};
