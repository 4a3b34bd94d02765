import { confirmer } from './cli/confirm.ts';
import type { Deps, Purpose } from './cli/deps.ts';
import type { Globals } from './cli/globals.ts';
import type { Io } from './cli/io.ts';
import { previewResult } from './cli/preview.ts';
import type { OpenDeps } from './cli/run.ts';
import { readSource } from './cli/sources.ts';
import type { Client } from './client/client.ts';
import { FIRST_RECORDS, firstUse, LOCAL_DATA_FILE } from './core/local.ts';
import { environmentName } from './core/origin.ts';
import type { RunningEmulator } from './emulator/room.ts';

const memo = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** One run: what it was asked for, and what it must let go of at its end. */
interface Run {
  readonly io: Io;
  readonly globals: Globals;
  readonly version: string;
  readonly closing: (() => Promise<void>)[];
  readonly notice: Deps['notice'];
}

/** Where a run's requests go, and how that is told to an operator. */
interface Place {
  readonly origin: string;
  readonly key: string;
  readonly label: string;
}

const openNotice =
  (io: Io, { quiet, format }: Globals): Deps['notice'] =>
  async (text) => {
    // A program that reads JSON finds nothing on stderr but the one line of an error.
    const forProgram = (format === 'json' || format === 'ndjson') && !io.stderr.isTerminal;
    if (quiet || forProgram) return;
    const { notice } = await import('./output/notice.ts');
    await io.stderr.write(notice(text));
  };

const openRooms = (io: Io) => {
  const folders = memo(async () => (await import('./config/folders.ts')).findFolders(io.env));
  return {
    folders,
    emulator: memo(async () => (await import('./emulator/room.ts')).emulatorRoom),
    profiles: memo(async () => (await import('./config/profiles.ts')).openProfiles(io, await folders())),
  };
};
type Rooms = ReturnType<typeof openRooms>;

/** The service of --local: it lives as long as the command, over data that stays and is made at the first use. */
const startLocal = async ({ io, closing, notice }: Run, rooms: Rooms): Promise<RunningEmulator> => {
  const [room, { data }] = [await rooms.emulator(), await rooms.folders()];
  const [file, { clock }] = [`${data}/${LOCAL_DATA_FILE}`, io];
  const said = firstUse(await room.seed({ file, clock, ...FIRST_RECORDS, onlyIfNew: true }), file);
  if (said !== undefined) await notice(said);
  const running = await room.start({ file, port: 0, clock });
  closing.push(() => running.close());
  return running;
};

const placeOf = async (run: Run, rooms: Rooms, purpose: Purpose): Promise<Place> => {
  if (run.globals.local) {
    const { origin, key } = await startLocal(run, rooms);
    if (purpose === 'preview')
      await run.notice('this emulator ends with the command; `paycli emulator start` runs one that stays');
    return { origin, key, label: 'local: the emulator on this machine' };
  }
  const profiles = await rooms.profiles();
  if (purpose === 'preview') return { origin: await profiles.origin(run.globals), key: '', label: '' };
  const { origin, key, profile } = await profiles.target(run.globals);
  const from = profile === undefined ? '' : `, profile ${profile}`;
  return { origin, key, label: `${environmentName(origin)}: ${origin}${from}` };
};

const openClient = async (run: Run, credentials: Pick<Place, 'origin' | 'key'>): Promise<Client> => {
  const [{ createClient }, { openTransport }] = await Promise.all([
    import('./client/client.ts'),
    import('./client/transport.ts'),
  ]);
  const { io, globals, closing } = run;
  const { clock, env, random, signals, flight } = io;
  const { timeout, validate } = globals;
  const debug = (line: string): void => {
    if (globals.debug) void io.stderr.write(`debug: ${line}\n`);
  };
  const userAgent = `paycli/${run.version}`;
  const transport = openTransport({ credentials, env, clock, userAgent, debug });
  closing.push(() => transport.close());
  const notice = (line: string): void => void run.notice(line);
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
    validate,
  });
};

/** The rooms behind one run, each loaded by import() when it is first asked for. */
export const openDeps = (io: Io, globals: Globals, version: string): OpenDeps => {
  const run: Run = { io, globals, version, closing: [], notice: openNotice(io, globals) };
  const rooms = openRooms(io);
  const deps: Deps = {
    io,
    globals,
    ...rooms,
    notice: run.notice,
    source: readSource(io),
    confirm: confirmer(io.stdin, globals),
    client: async (purpose) => {
      const place = await placeOf(run, rooms, purpose);
      if (purpose === 'write' && io.stderr.isTerminal) await run.notice(place.label);
      return openClient(run, place);
    },
    probe: async (target) => {
      await (await openClient(run, target)).call('ugwo.list', { query: { limit: '1' } });
    },
    preview: (request) => previewResult(request, globals.asCurl),
  };
  const close = async (): Promise<void> => {
    for (const end of run.closing.reverse()) await end();
  };
  return { deps, close };
};
