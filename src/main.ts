import packageJson from '../package.json' with { type: 'json' };
import { processIo } from './cli/process-io.ts';
import { run } from './cli/run.ts';
import { NOUNS, SPECS } from './commands/all.ts';
import { openDeps } from './compose.ts';

/** The composition root: the real world in, an exit code out. The only place that ends the process. */
export const main = async (): Promise<void> => {
  const io = processIo();
  const { version } = packageJson;
  const code = await run(process.argv.slice(2), io, {
    specs: SPECS,
    nouns: NOUNS,
    version,
    open: (globals) => openDeps(io, globals, version),
  });
  process.exit(code);
};
