import { firstUse } from '../../core/local.ts';
import { isLoopback } from '../../core/origin.ts';
import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { readRules } from './control.ts';
import { opened } from './opened.ts';
import type { StartInput } from './spec.ts';
import { serviceView } from './view.ts';

const aborted = (signal: AbortSignal): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener('abort', () => resolve(), { once: true });
  return promise;
};

/** Runs the emulator until the program is told to stop; an empty data file is filled first. Rules for faults go with it. */
export const run = async ({ port, host, data, dialect, faults, seed }: StartInput, deps: Deps): Promise<Result> => {
  const { file, emulator, clock } = await opened(data, deps);
  const said = firstUse(await emulator.seed({ file, clock, ...seed, onlyIfNew: true }), file);
  if (said !== undefined) await deps.notice(said);
  if (faults !== undefined) await emulator.faults({ file, rules: await readRules(faults, deps) });
  const running = await emulator.start({
    file,
    port,
    host,
    clock,
    dialect,
    delivers: true,
    console: { data: data === undefined ? undefined : file },
  });
  if (!isLoopback(`http://${host.includes(':') ? `[${host}]` : host}`)) {
    await deps.notice(
      `${host} is open to the network over plain http: whoever reaches it and has a key of it can read and change its data.`,
    );
  }
  await deps.notice([
    `For your scripts: export PAYCLI_BASE_URL=${running.origin} PAYCLI_SECRET_KEY=${running.key}`,
    'Stop it with Ctrl-C.',
  ]);
  return {
    kind: 'service',
    record: madeHere({
      origin: running.origin,
      key: running.key,
      data: file,
      public_key: running.publicKey,
      control_token: running.controlToken,
      console: running.console,
    }),
    view: serviceView,
    done: aborted(deps.io.signals.stop).then(async () => {
      await running.close();
      if (faults !== undefined) await emulator.faults({ file, rules: { rules: [] } });
    }),
  };
};
