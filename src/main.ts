import packageJson from '../package.json' with { type: 'json' };
import { abruptExit } from './cli/flight.ts';
import type { Io } from './cli/io.ts';
import { processIo } from './cli/process-io.ts';
import { run } from './cli/run.ts';
import { NOUNS, SPECS } from './commands/all.ts';
import { openDeps } from './compose.ts';
import { defect } from './core/error.ts';
import { EXIT_CODES } from './core/exit.ts';

/** How long a reader of stderr may keep a crash from ending, in milliseconds. */
const CRASH_LIMIT_MS = 1000;

/** A defect that nothing caught: said once, and never with a code that hides a write under way. */
const crash = async (io: Io, thrown: unknown): Promise<never> => {
  process.removeAllListeners('uncaughtException').on('uncaughtException', () => undefined);
  const { errorBlock } = await import('./output/error.ts');
  const block = await errorBlock(defect(thrown), { color: false, beside: io });
  await Promise.race([io.stderr.write(block), io.clock.sleep(CRASH_LIMIT_MS)]);
  return process.exit(abruptExit(io.flight, EXIT_CODES.internal));
};

/** The composition root: the real world in, an exit code out. The only place that ends the process. */
export const main = async (): Promise<void> => {
  const io = processIo((code) => process.exit(code));
  process.on('uncaughtException', (thrown) => void crash(io, thrown));
  const { version } = packageJson;
  const code = await run(process.argv.slice(2), io, {
    specs: SPECS,
    nouns: NOUNS,
    version,
    open: (globals) => openDeps(io, globals, version),
  });
  process.exit(code);
};
