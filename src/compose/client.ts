import { usesColor } from '../cli/globals.ts';
import type { Client } from '../client/client.ts';
import type { Transport } from '../client/transport.ts';
import { cleanedUrl } from '../core/secret.ts';
import { visible } from '../core/text.ts';
import { isSilent, type RunContext } from './run.ts';
import type { RunTarget } from './target.ts';

/**
 * Shows on a terminal that a request takes long. Skipped with --debug, whose lines show progress themselves, as a
 * file's progress does.
 */
const watched = async (
  transport: Transport,
  { io, globals, status }: RunContext,
  origin: string,
): Promise<Transport> => {
  const { stderr, clock, env } = io;
  if (!stderr.isTerminal || globals.quiet || globals.debug) return transport;
  const [{ openStatusLine }, { openWaiting }, { stylesFor }] = await Promise.all([
    import('../output/status-line.ts'),
    import('../output/status-line.ts'),
    import('../output/style.ts'),
  ]);
  const isFree = (): boolean => status.line === undefined;
  if (!isFree()) return transport;
  const line = openStatusLine(io, await stylesFor(usesColor(globals.color, env, true)), false);
  status.waiting = line;
  const began = openWaiting(line, clock, new URL(origin).host, isFree);
  return {
    ...transport,
    send: async (attempt) => {
      const ended = began();
      return transport.send(attempt).finally(ended);
    },
  };
};

/** Opens the client for one origin and key. */
export const openClient = async (run: RunContext, credentials: Pick<RunTarget, 'origin' | 'key'>): Promise<Client> => {
  const [{ createClient }, { openTransport }] = await Promise.all([
    import('../client/client.ts'),
    import('../client/transport.ts'),
  ]);
  const { io, globals, closing } = run;
  const { clock, env, random, signals, flight, redactor } = io;
  const { timeout, validate } = globals;
  const clean = (text: string): string => redactor.cleanAll(text);
  const debug = (line: string): void => {
    if (globals.debug) void io.stderr.write(`debug: ${visible(cleanedUrl(line, clean))}\n`);
  };
  const userAgent = `paycli/${run.version}`;
  const opened = openTransport({
    credentials,
    env,
    clock,
    userAgent,
    debug,
    // Removes only known secrets from data. A text that only looks like a secret may be a public key.
    clean: (text) => redactor.clean(text),
  });
  const transport = await watched(opened, run, credentials.origin);
  closing.push(() => transport.close());
  // The caller does not wait for a notice; the run ends after all notices are printed.
  let said = Promise.resolve();
  const notice = (line: string): void => {
    said = said.then(() => run.notice(line)).catch(() => undefined);
  };
  closing.push(() => said);
  return createClient({
    flight,
    transport,
    origin: credentials.origin,
    clock,
    random,
    signals,
    timeout,
    debug,
    notice,
    isHeard: !isSilent(io, globals),
    validate,
  });
};

/**
 * Loads the modules that report the outcome of a write before the write starts. A package that is replaced meanwhile,
 * or a lack of file descriptors, must not hide the outcome.
 */
export const loadWords = async ({ io, globals }: RunContext): Promise<void> => {
  const [{ stylesFor }] = await Promise.all([
    import('../output/style.ts'),
    import('../output/error.ts'),
    import('../output/text.ts'),
    import('../output/render.ts'),
  ]);
  const { stdout, stderr, env } = io;
  for (const { isTerminal } of [stdout, stderr]) await stylesFor(usesColor(globals.color, env, isTerminal));
};
