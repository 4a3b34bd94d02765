import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { interrupted, PayError, reasonOf, usageError } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import type { Filter } from '../core/result.ts';
import type { JqSaid, JqStart, JqTask } from './worker.ts';

/** The paths of the worker and of jq's WebAssembly file. */
export interface JqFiles {
  readonly worker: string;
  readonly wasm: string;
}

type JqDeps = Pick<Io, 'clock' | 'signals'>;
type Write = Parameters<Filter['run']>[2];
type End = Pick<Extract<JqSaid, { kind: 'end' }>, 'code' | 'stderr'>;

/** The files beside the program, where npm has put them. */
const besideProgram = (): JqFiles => {
  const at = (name: string): string => fileURLToPath(new URL(`../jq/${name}`, import.meta.url));
  return { worker: at('worker.js'), wasm: at('jq.wasm') };
};

/** The longest time that a filter may print nothing, in milliseconds. */
const SILENT_MS = 60_000;

/**
 * The program around a filter. It disables `input`, which would depend on how the records came, and `halt` and
 * `halt_error`, which would leave out the remaining records. On one line, since `$__loc__` shows the line.
 */
const around = (filter: string): string => {
  const ours = ['input', 'inputs', 'halt', 'halt_error', 'halt_error(f)'].map(
    (name) => `def ${name}: error("${name.replace('(f)', '')} can't be used here");`,
  );
  return `inputs|(${ours.join('')} ${filter}\n)`;
};

/** Replaces the escape of a lone surrogate by that of U+FFFD: jq would end at it. */
const wellFormed = (json: string): string =>
  /\\u[dD][89abAB]/.test(json)
    ? json.replaceAll(/\\(?:u[dD][89abAB]..(\\u[dD][c-fC-F]..)?|.)/g, (found, second?: string) =>
        found.length > 2 && second === undefined ? '\\ufffd' : found,
      )
    : json;

const wrong = (what: string, hint = 'fix the filter; jq is documented at https://jqlang.org/manual'): PayError =>
  usageError(`--jq: ${what}`, { hint });

/** The error for a jq fault, without jq's own name and that of a file that does not exist. */
const filterFault = (stderr: string): PayError => {
  const said = stderr
    .slice(Math.max(0, stderr.lastIndexOf('jq: error')))
    .replace(/^jq: error(?: \(at [^)]*\))?(?: \(not a string\))?:? */, '')
    .replace(/\njq: \d+ compile errors?$/, '')
    .trim();
  return wrong(said === '' ? 'the filter failed' : said);
};

const crashOf = (thrown: unknown): PayError =>
  /abort|memory|stack/i.test(reasonOf(thrown))
    ? wrong('the filter needs more than 256 MB of memory', 'filter a list page by page with -o ndjson')
    : wrong(`jq failed: ${reasonOf(thrown)}`);

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

/** Runs a task; rejects if it is silent for too long or is stopped, and then terminates the thread. */
const bounded = async (
  worker: Worker,
  task: JqTask,
  taken: Int32Array,
  clock: JqDeps['clock'],
  stop: AbortSignal,
  write: Write,
): Promise<End> => {
  const { promise, resolve, reject } = Promise.withResolvers<End>();
  const onStop = (): void => reject(interrupted(stop.reason));
  let heard = new AbortController();
  const listen = (): void => {
    heard = new AbortController();
    clock.sleep(SILENT_MS, heard.signal).then(
      () => reject(wrong(`the filter printed nothing for ${SILENT_MS / 1000} s and was stopped`)),
      () => undefined,
    );
  };
  const decoder = new TextDecoder();
  const take = async (said: JqSaid): Promise<void> => {
    heard.abort();
    if (said.kind === 'ready') return;
    const text = decoder.decode(said.bytes, { stream: said.kind === 'piece' });
    const isRead = text === '' || (await write(text));
    if (said.kind === 'end') return resolve(said);
    if (!isRead) {
      void worker.terminate();
      return resolve({ code: 0, stderr: '' });
    }
    Atomics.store(taken, 0, 1);
    Atomics.notify(taken, 0);
    listen();
  };
  const onMessage = (said: JqSaid): void => void take(said).catch(reject);
  const onError = (thrown: unknown): void => reject(crashOf(thrown));
  worker.on('message', onMessage).on('error', onError);
  stop.addEventListener('abort', onStop);
  if (stop.aborted) onStop();
  listen();
  worker.postMessage(task);
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

const nowhere: Write = async () => true;

/**
 * Opens jq in its own thread: in the main thread, an endless filter would block all signals and could not be stopped.
 */
export const openFilter = (filter: string, { clock, signals }: JqDeps, files: JqFiles = besideProgram()): Filter => {
  const taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let started: Promise<Worker> | undefined;
  const run = async (task: JqTask, write: Write): Promise<string> => {
    // After the first signal, a run still prints its results; the second signal stops the filter.
    const stop = signals.stop.aborted ? signals.leave : signals.stop;
    started ??= startWorker({ wasm: files.wasm, taken }, files.worker);
    const { code, stderr } = await bounded(await started, task, taken, clock, stop, write);
    if (stderr === undefined) throw wrong('debug, stderr and error wrote more than 1 MB', 'let them write less');
    if (code !== 0) throw filterFault(stderr);
    return stderr;
  };
  return {
    async check() {
      // Neither program runs, since there is no input. The first task checks the filter alone, for the right positions
      // in its errors.
      await run({ text: '', program: filter, flags: ['--'] }, nowhere);
      await run({ text: '', program: around(filter), flags: ['-n'] }, nowhere);
    },
    run: (text, isIndented, write) =>
      run(
        { text: wellFormed(text), program: around(filter), flags: ['-n', '-r', ...(isIndented ? [] : ['-c'])] },
        write,
      ),
  };
};
