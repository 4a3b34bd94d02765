import { confirmer } from './cli/confirm.ts';
import type { Deps, Purpose } from './cli/deps.ts';
import type { Globals } from './cli/globals.ts';
import type { Io } from './cli/io.ts';
import { previewResult } from './cli/preview.ts';
import type { OpenDeps } from './cli/run.ts';
import { readSource } from './cli/sources.ts';
import type { Client } from './client/client.ts';
import { environmentName } from './core/origin.ts';
import type { RunningEmulator } from './emulator/room.ts';

const LOCAL_SEED = { customers: 25, ugwo: 120 } as const;

const memo = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** Where this run's requests go; for --local, a service that lives as long as the command. */
interface Place {
  readonly origin: string;
  readonly key: string;
  readonly label: string;
}

/** The rooms behind one run, each loaded by import() when it is first asked for. */
export const openDeps = (io: Io, globals: Globals, version: string): OpenDeps => {
  const closing: (() => Promise<void>)[] = [];
  const isLocal = globals.local || (globals.profile ?? io.env['PAYCLI_PROFILE']) === 'local';
  const notice = async (text: string): Promise<void> => {
    if (globals.quiet) return;
    const { notice: line } = await import('./output/notice.ts');
    await io.stderr.write(line(text));
  };
  const folders = memo(async () => (await import('./config/folders.ts')).findFolders(io.env));
  const emulator = memo(async () => (await import('./emulator/room.ts')).emulatorRoom);
  const profiles = memo(async () => (await import('./config/profiles.ts')).openProfiles(io, await folders()));

  const startLocal = memo(async (): Promise<RunningEmulator> => {
    const [room, { data }] = [await emulator(), await folders()];
    const file = `${data}/emulator.sqlite`;
    if (await room.isEmpty(file)) {
      await room.seed({ file, clock: io.clock, ...LOCAL_SEED });
      await notice(
        `first use: ${LOCAL_SEED.customers} customers and ${LOCAL_SEED.ugwo} payment requests were made in ${file}`,
      );
    }
    const running = await room.start({ file, port: 0, clock: io.clock });
    closing.push(() => running.close());
    return running;
  });

  const place = async (purpose: Purpose): Promise<Place> => {
    if (isLocal) {
      const { origin, key } = await startLocal();
      return { origin, key, label: 'local: the emulator on this machine' };
    }
    const room = await profiles();
    if (purpose === 'preview') return { origin: await room.origin(globals), key: '', label: '' };
    const { origin, key, profile } = await room.target(globals);
    const from = profile === undefined ? '' : `, profile ${profile}`;
    return { origin, key, label: `${environmentName(origin)}: ${origin}${from}` };
  };

  const clientFor = async (origin: string, key: string): Promise<Client> => {
    const [{ createClient }, { openTransport }] = await Promise.all([
      import('./client/client.ts'),
      import('./client/transport.ts'),
    ]);
    const say = (text: string): void => void io.stderr.write(text);
    const debug = (line: string): void => (globals.debug ? say(`debug: ${line}\n`) : undefined);
    const userAgent = `paycli/${version}`;
    const { clock, env, random, signals } = io;
    const { timeout } = globals;
    const transport = openTransport({ credentials: { origin, key }, env, clock, userAgent, timeout, debug });
    closing.push(() => transport.close());
    return createClient({
      transport,
      origin,
      clock,
      random,
      signals,
      timeout,
      debug,
      notice: (line) => void notice(line),
      validate: globals.validate,
    });
  };

  const deps: Deps = {
    io,
    globals,
    folders,
    emulator,
    profiles,
    notice,
    source: readSource(io),
    confirm: confirmer(io.stdin, globals),
    client: async (purpose) => {
      const { origin, key, label } = await place(purpose);
      if (purpose === 'write' && io.stderr.isTerminal) await notice(label);
      return clientFor(origin, key);
    },
    probe: async ({ origin, key }) => {
      await (await clientFor(origin, key)).call('ugwo.list', { query: { limit: '1' } });
    },
    preview: (request) => previewResult(request, globals.asCurl),
  };
  return {
    deps,
    close: async () => {
      for (const close of closing.reverse()) await close();
    },
  };
};
