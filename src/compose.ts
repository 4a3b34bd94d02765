import { existsSync } from 'node:fs';
import type { JobWorld } from './bulk/job.ts';
import { usesColor } from './cli/color.ts';
import { confirmer } from './cli/confirm.ts';
import type { Deps } from './cli/deps.ts';
import type { Globals } from './cli/globals.ts';
import { previewResult } from './cli/preview.ts';
import type { OpenDeps } from './cli/run.ts';
import type { Client } from './client/client.ts';
import type { Transport } from './client/transport.ts';
import { LEDGER_FILE_NAME } from './core/charge.ts';
import { cleanedUrl } from './core/cleaned.ts';
import { countText } from './core/effect.ts';
import { reasonOf, usageError } from './core/error.ts';
import { isId } from './core/ids.ts';
import type { Io } from './core/io.ts';
import { FIRST_RECORDS, firstUse, LOCAL_DATA_FILE, LOCAL_PROFILE } from './core/local.ts';
import { memo } from './core/memo.ts';
import { environmentName } from './core/origin.ts';
import { placeWords } from './core/place-words.ts';
import { visible } from './core/sanitize.ts';
import { shellLine } from './core/shell.ts';
import type { RunningEmulator } from './emulator/room.ts';
import type { Asked, Entry, Ledger } from './ledger/ledger.ts';
import type { StatusLine } from './output/status-line.ts';

/** One run: what it was asked for, and what it must let go of at its end. */
interface Run {
  readonly io: Io;
  readonly globals: Globals;
  readonly version: string;
  readonly closing: (() => Promise<void>)[];
  readonly notice: Deps['notice'];
  /** The line that says how far it is, where there is one. */
  readonly status: Status;
}

interface Status {
  line?: StatusLine;
  /** Another one, which says that a request takes long. */
  waiting?: StatusLine;
}

/** Where a run's requests go, and how that is told to an operator. */
interface Target {
  readonly origin: string;
  readonly key: string;
  readonly label: string;
  readonly profile: string | undefined;
}

/** A program that reads JSON finds nothing on stderr but the one line of an error. */
const isSilent = ({ stderr }: Io, { quiet, format }: Globals): boolean =>
  quiet || ((format === 'json' || format === 'ndjson') && !stderr.isTerminal);

const openNotice =
  (io: Io, globals: Globals, status: Status): Deps['notice'] =>
  async (said) => {
    if (isSilent(io, globals)) return;
    await status.waiting?.clear();
    await status.line?.clear();
    const { notice } = await import('./output/notice.ts');
    await io.stderr.write(notice(said, io));
  };

const openRooms = (io: Io) => {
  const folders = memo(async () => (await import('./config/folders.ts')).findFolders(io.env));
  return {
    folders,
    emulator: memo(async () => (await import('./emulator/room.ts')).emulatorRoom),
    bulk: memo(async () => (await import('./bulk/room.ts')).bulkRoom),
    protocol: memo(async () => (await import('./ledger/room.ts')).ledgerRoom),
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

const LOCAL = { label: 'local: the emulator on this machine', profile: LOCAL_PROFILE } as const;

/** Where requests go that are really sent. */
const targetOf = async (run: Run, rooms: Rooms): Promise<Target> => {
  if (run.globals.local) {
    const { origin, key } = await startLocal(run, rooms);
    return { origin, key, ...LOCAL };
  }
  const { origin, key, profile } = await (await rooms.profiles()).target(run.globals);
  const from = profile === undefined ? '' : `, profile ${profile}`;
  return { origin, key, label: `${environmentName(origin)}: ${origin}${from}`, profile };
};

/** Where a request would go that is only shown: no key is needed. */
const previewTarget = async (run: Run, rooms: Rooms): Promise<Pick<Target, 'origin' | 'key'>> => {
  if (!run.globals.local) return { origin: await (await rooms.profiles()).origin(run.globals), key: '' };
  const { origin, key } = await startLocal(run, rooms);
  await run.notice('This local address is temporary; `paycli emulator start` runs one that stays.');
  return { origin, key };
};

const ledgerPath = async (rooms: Rooms): Promise<string> => `${(await rooms.folders()).data}/${LEDGER_FILE_NAME}`;

const openLedgerOf = async ({ io, closing }: Run, rooms: Rooms): Promise<Ledger> => {
  const [{ openLedger }, { isGone, thisSender }, { thisMachine }] = await Promise.all([
    import('./ledger/sqlite/open.ts'),
    import('./ledger/sqlite/sender.ts'),
    import('./ledger/machine.ts'),
  ]);
  const { clock, signals, redactor } = io;
  const self = thisSender();
  const ledger = await openLedger({
    path: await ledgerPath(rooms),
    now: clock.now,
    uptime: thisMachine.uptime,
    self,
    isGone: (sender, overdue) => isGone(sender, self, overdue),
    clean: (text) => redactor.cleanAll(text),
    patience: { sleep: clock.sleep, ticks: clock.ticks, ...signals },
  });
  closing.push(() => ledger.close());
  return ledger;
};

/** Tells on a terminal that a request takes long. The lines of --debug, and the progress of a file, move by themselves. */
const watched = async (transport: Transport, { io, globals, status }: Run, origin: string): Promise<Transport> => {
  const { stderr, clock, env } = io;
  if (!stderr.isTerminal || globals.quiet || globals.debug) return transport;
  const [{ openStatusLine }, { openWaiting }, { stylesFor }] = await Promise.all([
    import('./output/status-line.ts'),
    import('./output/waiting.ts'),
    import('./output/style.ts'),
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

const openClient = async (run: Run, credentials: Pick<Target, 'origin' | 'key'>): Promise<Client> => {
  const [{ createClient }, { openTransport }] = await Promise.all([
    import('./client/client.ts'),
    import('./client/transport.ts'),
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
    // Data stays as it is but for known secrets: what only looks like one may be a public key, which is no secret.
    clean: (text) => redactor.clean(text),
  });
  const transport = await watched(opened, run, credentials.origin);
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

/**
 * Loads all that tells how a write has ended, before it begins: a package that is replaced meanwhile, or a want of
 * descriptors, must not hide what was done.
 */
const loadWords = async ({ io, globals }: Run): Promise<void> => {
  const [{ stylesFor }] = await Promise.all([
    import('./output/style.ts'),
    import('./output/error.ts'),
    import('./output/notice.ts'),
    import('./output/render.ts'),
  ]);
  const { stdout, stderr, env } = io;
  for (const { isTerminal } of [stdout, stderr]) await stylesFor(usesColor(globals.color, env, isTerminal));
};

/** How it is found out about what is unknown: where they all belong to one profile, with its name. */
const findOut = (unknown: readonly Entry[]): string => {
  const [profile, ...others] = new Set(unknown.map((charge) => charge.profile));
  const local = profile === LOCAL_PROFILE;
  const words =
    others.length > 0 ? [] : placeWords({ local, profile: local ? undefined : profile, baseUrl: undefined });
  return shellLine(['paycli', 'ledger', 'reconcile', ...words]);
};

/** What the ledger is told and asked beside the command itself: none is made for it, and its failure is never the command's. */
const ledgerAside = (run: Run, rooms: Rooms, ledger: () => Promise<Ledger>) => {
  const aside = async <T>(use: (ledger: Ledger) => Promise<T>): Promise<T | undefined> =>
    existsSync(await ledgerPath(rooms)) ? await use(await ledger()) : undefined;
  return {
    observe: async (activities: readonly unknown[], servedAt?: number, asked?: Asked): Promise<void> => {
      const note = async (open: Ledger): Promise<void> => {
        const { keptActivity } = await rooms.protocol();
        // Of one whose status can't be read, what is known already says more.
        const kept = activities.map((activity) => keptActivity(activity, servedAt));
        await open.observe(
          kept.filter(({ uid, status }) => isId('act', uid) && status !== ''),
          asked,
        );
      };
      await aside(note).catch(() => undefined);
    },
    remind: async (): Promise<void> => {
      if (run.globals.quiet || !run.io.stderr.isTerminal) return;
      const all = await aside((open) => open.unknown()).catch((thrown: unknown) => run.notice(reasonOf(thrown)));
      // What was only practised is nobody's worry in real work.
      const unknown = (all ?? []).filter(({ profile }) => run.globals.local || profile !== LOCAL_PROFILE);
      if (unknown.length === 0) return;
      const what = `${countText(unknown)} ${unknown.length === 1 ? 'is unknown: it' : 'are unknown: they'}`;
      await run.notice(`${what} may have been made. Find out: ${findOut(unknown)}`);
    },
  };
};

/** Keeps the memory of a run that may be long from growing with it. */
const holdMemory = async ({ io, closing }: Pick<Run, 'io' | 'closing'>, what: 'walk' | 'file'): Promise<void> => {
  const { holdYoungSpace, YOUNG_SPACE } = await import('./cli/young-space.ts');
  const over = new AbortController();
  closing.push(async () => over.abort());
  void holdYoungSpace(io.clock, over.signal, YOUNG_SPACE[what]);
};

/** Refuses what other users may have put in a path's way. */
const openCheckPath = async () => {
  const [{ checkPath }, { thisMachine }] = await Promise.all([
    import('./cli/planted.ts'),
    import('./config/machine.ts'),
  ]);
  return checkPath(thisMachine.uid);
};

/** What a file of rows needs of the world. */
const openJobWorld = async ({ io, globals, notice, status, closing }: Run, rooms: Rooms): Promise<JobWorld> => {
  if (globals.asCurl) {
    throw usageError("--as-curl and --from can't be used together", { hint: 'use --dry-run to check the whole file' });
  }
  const [{ openSeen }, { openStatusLine }, { speaksUtf8, stylesFor }, { rowSource }, { ownFileAt }, checkPath] =
    await Promise.all([
      import('./database/seen.ts'),
      import('./output/status-line.ts'),
      import('./output/style.ts'),
      import('./cli/sources.ts'),
      import('./cli/own-files.ts'),
      openCheckPath(),
      holdMemory({ io, closing }, 'file'),
    ]);
  const { clock, random, signals, stderr, env, redactor } = io;
  const { data, config } = await rooms.folders();
  const styles = await stylesFor(usesColor(globals.color, env, stderr.isTerminal), speaksUtf8(env));
  const line = openStatusLine(io, styles, isSilent(io, globals));
  status.line = line;
  return {
    clock,
    random,
    stop: signals.stop,
    leave: signals.leave,
    source: rowSource(io, checkPath),
    folder: data,
    ownFileAt: (path) => ownFileAt(path, [data, config]),
    checkPath,
    clean: (text) => redactor.cleanAll(text),
    rawCsv: globals.rawCsv,
    openSeen,
    notice,
    progress: (await rooms.bulk()).showProgress(line, clock),
  };
};

/** The rooms behind one run, each loaded by import() when it is first asked for. */
export const openDeps = (io: Io, globals: Globals, version: string): OpenDeps => {
  // Only --debug shows where an error arose, and undici makes an error of every connection that it closes.
  if (!globals.debug) Error.stackTraceLimit = 0;
  const status: Status = {};
  const run: Run = { io, globals, version, closing: [], notice: openNotice(io, globals, status), status };
  const rooms = openRooms(io);
  const target = memo(() => targetOf(run, rooms));
  const ledger = memo(() => openLedgerOf(run, rooms));
  const { observe, remind } = ledgerAside(run, rooms, ledger);
  const deps: Deps = {
    io,
    globals,
    ...rooms,
    notice: run.notice,
    source: async (source) => (await import('./cli/sources.ts')).readSource(io, await openCheckPath())(source),
    confirm: confirmer(io.stdin, globals),
    client: async (purpose) => {
      if (purpose === 'preview') return openClient(run, await previewTarget(run, rooms));
      const aim = await target();
      if (purpose === 'write') await loadWords(run);
      if (purpose === 'write' && io.stderr.isTerminal) await run.notice(aim.label);
      return openClient(run, aim);
    },
    place: async () => {
      const [{ placeOf }, { origin, key, profile }] = [await import('./ledger/place.ts'), await target()];
      return placeOf(origin, key, profile);
    },
    jobWorld: () => openJobWorld(run, rooms),
    walkFar: () => holdMemory(run, 'walk'),
    ledger,
    observe,
    operator: async () => (await import('./ledger/operator.ts')).operator(),
    probe: async (probed) => {
      await (await openClient(run, probed)).call('ugwo.list', { query: { limit: '1' } });
    },
    preview: (request) => previewResult(request, globals.asCurl, (text) => io.redactor.clean(text)),
  };
  const close = async (): Promise<void> => {
    // One that can't be let go of keeps none of the others.
    for (const end of run.closing.reverse()) await end().catch(() => undefined);
  };
  return { deps, remind, close };
};
