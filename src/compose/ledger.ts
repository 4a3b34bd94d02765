import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memo } from '../core/async.ts';
import { countText } from '../core/charge.ts';
import {
  HIGHEST_FILE_NAME,
  LEDGER_FILE_NAME,
  LEDGERS_LOCK_NAME,
  LOCAL_PROFILE,
  REMINDER_FILE_NAME,
  SHADOW_FILE_START,
} from '../core/data-files.ts';
import { reasonOf } from '../core/error.ts';
import { commandLine, ownerTarget } from '../core/input.ts';
import { withTimeout } from '../core/io.ts';
import type { ApiRecord } from '../core/record.ts';
import { HOUR_MS } from '../core/time.ts';
import type { Entry } from '../ledger/entry.ts';
import type { Ledger, Observed } from '../ledger/ledger.ts';
import type { OtherLedger } from '../ledger/others.ts';
import type { Access } from '../ledger/postgres/session.ts';
import { foldersOf, type RunContext } from './run.ts';

export const ledgerPath = async (run: Pick<RunContext, 'io'>): Promise<string> =>
  join((await foldersOf(run)).data, LEDGER_FILE_NAME);

/** True if this machine has, or had, a ledger file. If it is gone, opening it reports that. */
export const hasFileLedger = async (run: Pick<RunContext, 'io'>): Promise<boolean> => {
  const { data } = await foldersOf(run);
  return [LEDGER_FILE_NAME, HIGHEST_FILE_NAME].some((name) => existsSync(join(data, name)));
};

/** True if this machine's file has charges other than practice. Creates no file, and hides failures. */
export const hasCharges = async (io: RunContext['io']): Promise<boolean> => {
  const path = await ledgerPath({ io });
  const found = async () => (await import('../ledger/sqlite/lately.ts')).recentIds(path, 'charge', false).length > 0;
  return existsSync(path) && found().catch(() => false);
};

/** Options that every ledger needs. */
const ledgerDeps = async ({ io: { clock, signals, redactor } }: RunContext) => {
  const { thisSender, thisMachine } = await import('../ledger/sender.ts');
  return {
    now: clock.now,
    uptime: thisMachine.uptime,
    self: thisSender(),
    clean: (text: string) => redactor.cleanAll(text),
    lockWait: { sleep: clock.sleep, ticks: clock.ticks, ...signals },
  };
};

/** Opens the ledger in this machine's file until the run ends; with `isOnlyRead`, only to read it. */
export const openFileLedger = async (run: RunContext, isOnlyRead = false): Promise<Ledger> => {
  const [{ openLedger, openToRead }, { hasProcessEnded }, deps] = await Promise.all([
    import('../ledger/sqlite/open.ts'),
    import('../ledger/sender.ts'),
    ledgerDeps(run),
  ]);
  const path = await ledgerPath(run);
  const open = isOnlyRead ? openToRead : openLedger;
  const names = memo(() => run.state.profiles?.());
  const ledger = await open({
    ...deps,
    path,
    isNamed: (profile) => names()?.includes(profile) !== false,
    hasEnded: (sender, overdue) => hasProcessEnded(sender, deps.self, overdue),
  });
  run.state.closing.push(() => ledger.close());
  return ledger;
};

/** Address and password of a shared ledger, and the source of the setting. */
interface SharedSetting {
  readonly access: Access;
  readonly from: string;
}

/** Reads the setting of the run's shared ledger. Undefined if none is set. */
export const sharedSetting = async (run: RunContext): Promise<SharedSetting | undefined> => {
  const { io, globals } = run;
  const { ledgerSetting } = await import('../config/ledger.ts');
  const setting = await ledgerSetting(globals, io, await foldersOf(run));
  if (setting === undefined) return undefined;
  const address = (await import('../ledger/postgres/url.ts')).parseAddress(setting.url);
  return { access: { address, password: () => setting.password(address), env: io.env }, from: setting.from };
};

/** Opens a shared ledger until the run ends; with `isOnlyRead`, only to read it. */
const openTeamLedger = async (run: RunContext, access: Access, isOnlyRead: boolean): Promise<Ledger> => {
  const [{ openSharedLedger, openSharedToRead }, { mayHaveEnded, operator }, deps] = await Promise.all([
    import('../ledger/postgres/open.ts'),
    import('../ledger/sender.ts'),
    ledgerDeps(run),
  ]);
  const { self } = deps;
  const open = isOnlyRead ? openSharedToRead : openSharedLedger;
  const ledger = await open({
    ...deps,
    access,
    folder: (await foldersOf(run)).data,
    hasEnded: (sender, overdue) => mayHaveEnded(sender, self, overdue),
    worker: `${operator()} ${self.pid}`,
  });
  run.state.closing.push(() => ledger.close());
  return ledger;
};

/**
 * Returns a function that lists the other ledgers that this machine has charged with by now: its own file if this run
 * uses a shared ledger, and other shared ledgers. Each is opened once.
 */
const othersOf = (run: RunContext, data: string, access: Access | undefined) => {
  const opened = new Map<string, OtherLedger>();
  const openOnce = async (path: string, open: () => Promise<OtherLedger>): Promise<OtherLedger> => {
    const other = opened.get(path) ?? (await open());
    opened.set(path, other);
    return other;
  };
  return async (): Promise<OtherLedger[]> => {
    const { namesInFolder } = await import('../ledger/local/file.ts');
    if (access === undefined && !namesInFolder(data).some((name) => name.startsWith(SHADOW_FILE_START))) return [];
    const { openOtherShadow, shadowPaths } = await import('../ledger/postgres/shadow.ts');
    const own = access && (await import('../ledger/postgres/open.ts')).shadowPath(data, access.address);
    const openShadow = async (path: string): Promise<OtherLedger> => {
      const shadow = openOtherShadow(path);
      run.state.closing.push(async () => shadow.close());
      // Only the shared ledger knows their outcome.
      const about = async (asked: string) =>
        shadow.about(asked).map((entry): Entry => ({ ...entry, state: 'unknown' }));
      return { name: `a shared ledger (the record of it here is ${path})`, pushable: false, about };
    };
    const openFile = async (path: string): Promise<OtherLedger> => {
      const ledger = await openFileLedger(run, run.globals.dryRun);
      const about = (asked: string) => ledger.list({ about: asked, limit: -1 });
      return { name: `the ledger of this machine (${path})`, pushable: true, about };
    };
    const file = await ledgerPath(run);
    const found = access === undefined || !existsSync(file) ? [] : [await openOnce(file, () => openFile(file))];
    for (const path of shadowPaths(data)) if (path !== own) found.push(await openOnce(path, () => openShadow(path)));
    return found;
  };
};

/** Opens the run's ledger: this machine's file, or a shared one. */
export const openLedgerOf = async (run: RunContext, setting: SharedSetting | undefined): Promise<Ledger> => {
  const isOnlyRead = run.globals.dryRun || run.state.readOnly === true;
  const ledger =
    setting === undefined
      ? await openFileLedger(run, isOnlyRead)
      : await openTeamLedger(run, setting.access, isOnlyRead);
  const [{ withOthers }, { ledgersLock }, { lockWait }, { data }] = await Promise.all([
    import('../ledger/others.ts'),
    import('../ledger/local/file.ts'),
    ledgerDeps(run),
    foldersOf(run),
  ]);
  const lock = ledgersLock(join(data, LEDGERS_LOCK_NAME), lockWait);
  return withOthers(ledger, othersOf(run, data, setting?.access), lock);
};

/** Command that settles unknown entries. Names the target if they all belong to one; else it names the other targets itself. */
export const syncCommand = (unknown: readonly Entry[], { globals }: RunContext): string => {
  const lines = new Set(unknown.map((charge) => commandLine(ownerTarget(charge), 'ledger', 'sync')));
  return lines.size > 1 ? commandLine(globals, 'ledger', 'sync') : [...lines].join();
};

/** True if the last reminder, which the time of the file records, was printed less than an hour ago. */
const isReminded = (file: string, now: number): boolean => {
  const last = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return last !== undefined && Math.abs(now - last) < HOUR_MS;
};

/** Maximum wait for a shared ledger that the command does not need itself, in milliseconds. */
const OPTIONAL_LIMIT_MS = 2000;

/**
 * Ledger reads and writes besides the command's own work. They never create a ledger, and the caller makes sure that
 * their failure never fails the command.
 */
export const optionalLedger = (
  run: RunContext,
  setting: () => Promise<SharedSetting | undefined>,
  ledger: () => Promise<Ledger>,
) => {
  const aside = async <T>(use: (ledger: Ledger) => Promise<T>): Promise<T | undefined> => {
    if ((await setting()) !== undefined) return withTimeout(ledger().then(use), OPTIONAL_LIMIT_MS, run.io.clock);
    return (await hasFileLedger(run)) ? use(await ledger()) : undefined;
  };
  return {
    observe: async (of: 'activity' | 'request', record: ApiRecord): Promise<Observed | undefined> => {
      const note = async (open: Ledger): Promise<Observed> => {
        const { snapshotOf, withActivity } = await import('../ledger/snapshot.ts');
        const shown = of === 'request' ? snapshotOf(record.value, record) : withActivity(undefined, record);
        return open.observe(shown);
      };
      return aside(note);
    },
    remind: async (): Promise<void> => {
      const file = join((await foldersOf(run)).data, REMINDER_FILE_NAME);
      if (isReminded(file, run.io.clock.now())) return;
      const all = await aside((open) => open.unknown()).catch((thrown: unknown) => run.say(reasonOf(thrown)));
      // Ignores practice charges in a run without --local.
      const unknown = (all ?? []).filter(({ profile }) => run.globals.local || profile !== LOCAL_PROFILE);
      if (unknown.length === 0) return;
      const what = `${countText(unknown)} ${unknown.length === 1 ? 'is unknown: it' : 'are unknown: they'}`;
      await run.say(`${what} may have been made. Find out: ${syncCommand(unknown, run)}`);
      // Without a folder for data, as a shared ledger allows, the next command reminds again.
      writeFileSync(file, '\n', { mode: 0o600 });
    },
  };
};
