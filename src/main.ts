import { writeSync } from 'node:fs';
import packageJson from '../package.json' with { type: 'json' };
import { processIo } from './cli/process-io.ts';
import { runProgram } from './cli/run.ts';
import { allSpecs, NOUNS, specsFor } from './commands/all.ts';
import { openRun, type ProgramFiles } from './compose/open.ts';
import { storedDefaults } from './compose/run.ts';
import { abruptExit, defect, EXIT_CODES } from './core/error.ts';
import type { Flight, Io } from './core/io.ts';

/** Maximum time that a slow reader of stderr may delay the end of a crash, in milliseconds. */
const CRASH_LIMIT_MS = 1000;

/** Messages by exit code for when the module that renders errors can't be loaded or used. */
const LAST_MESSAGES: Readonly<Record<number, string>> = {
  [EXIT_CODES.unrecorded]: "the request succeeded, but paycli couldn't report it; do not run the command again",
  [EXIT_CODES.unknown]:
    'paycli ended before the answer came; find out whether the request was applied before you run it again',
  [EXIT_CODES.internal]: 'paycli ended before it was done',
};

const printLast = (code: number): void => {
  try {
    writeSync(2, `error: ${LAST_MESSAGES[code]} (exit code ${code})\n`);
  } catch {
    // The exit code carries the same information.
  }
};

/** Returns the only function that ends the process. Any other end, such as an empty event loop, is a failure. */
const openEnd = (flight: Flight) => {
  let isDecided = false;
  process.on('exit', () => {
    if (isDecided) return;
    process.exitCode = abruptExit(flight, EXIT_CODES.internal);
    printLast(process.exitCode);
  });
  return (code: number): never => {
    isDecided = true;
    return process.exit(code);
  };
};

/** Reports an uncaught defect once. The exit code never hides a write under way. */
const crash = async (io: Io, thrown: unknown, end: (code: number) => never): Promise<never> => {
  process.removeAllListeners('uncaughtException').on('uncaughtException', () => undefined);
  const code = abruptExit(io.flight, EXIT_CODES.internal);
  try {
    const { errorBlock } = await import('./output/error.ts');
    const block = await errorBlock(defect(thrown), { color: false, io });
    await Promise.race([io.stderr.write(block), io.clock.sleep(CRASH_LIMIT_MS)]);
  } catch {
    printLast(code);
  }
  return end(code);
};

/** Connects the process to the program, and runs it. The only place that ends the process; never rejects. */
export const main = async (files: ProgramFiles = {}): Promise<void> => {
  const flight: Flight = { open: 0, accepted: 0 };
  const end = openEnd(flight);
  const io = processIo(flight, end);
  const crashed = (thrown: unknown): Promise<never> => crash(io, thrown, end);
  process.on('uncaughtException', (thrown) => void crashed(thrown));
  const { version } = packageJson;
  const [verb, ...rest] = process.argv.slice(2);
  // Handled first, because somebody is waiting after pressing Tab.
  if (verb === '__complete') return end(await (await import('./compose/complete.ts')).complete(rest, io).then(() => 0));
  const code = await runProgram(process.argv.slice(2), io, {
    allSpecs,
    specsFor,
    nouns: NOUNS,
    version,
    open: (globals, words) => openRun(io, globals, files, words),
    defaults: (globals) => storedDefaults(io, globals),
    useZone: (zone) => {
      if ((process.env['TZ'] ?? '') !== '') return;
      // A name in another case would be UTC for the process.
      process.env['TZ'] = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
    },
    hasCharges: async () => (await import('./compose/ledger.ts')).hasCharges(io),
  }).catch(crashed);
  end(code);
};
