import { confirmer } from '../cli/confirm.ts';
import type { Globals } from '../cli/globals.ts';
import { previewResult } from '../cli/preview.ts';
import type { OpenRun } from '../cli/run.ts';
import { allSpecs, NOUNS } from '../commands/all.ts';
import type { Run, SecretOptions } from '../commands/run.ts';
import { memo, memoDone } from '../core/async.ts';
import { usageError } from '../core/error.ts';
import { canAsk } from '../core/input.ts';
import type { Io } from '../core/io.ts';
import type { Filter } from '../core/result.ts';
import type { JqFiles } from '../jq/room.ts';
import type { Secrets } from '../webhook/event.ts';
import { connectTarget, loadWords, openClient, previewTarget, scopeOf } from './client.ts';
import { openInner } from './inner.ts';
import { openLedgerOf, optionalLedger, sharedSetting } from './ledger.ts';
import { openLedgerAdmin, renameInLedger } from './ledger-admin.ts';
import {
  findSafeProgram,
  openCheckPath,
  openRooms,
  openRowServices,
  openSay,
  pagerOf,
  type RunContext,
  type Status,
} from './run.ts';

/** Reads the named secrets. Asks on a terminal if none are named. */
const openWebhookSecrets =
  ({ io, globals }: RunContext) =>
  async ({ main, sandbox }: SecretOptions): Promise<Secrets> => {
    const { askWebhookSecret, webhookSecrets } = await import('../config/secrets.ts');
    const [all, apart] = [await webhookSecrets(main, io), await webhookSecrets(sandbox, io)];
    if (all.length + apart.length > 0) return { all, sandbox: apart };
    if (!canAsk(io, globals)) {
      throw usageError("the webhook endpoint's secret is needed", { hint: 'add --secret-file or --secret-command' });
    }
    return { all: [await askWebhookSecret(io)], sandbox: [] };
  };

/** Paths of bundled third-party files, if they do not lie beside the program. */
export interface ProgramFiles {
  readonly jq?: JqFiles;
}

/** Opens the services of one run. Each is loaded by import() at its first use. */
export const openRun = (io: Io, globals: Globals, version: string, files: ProgramFiles = {}): OpenRun<Run> => {
  // Drops stack traces unless --debug shows them: undici creates an error for every connection that it closes.
  if (!globals.debug) Error.stackTraceLimit = 0;
  const status: Status = {};
  const since = io.clock.now();
  const context: RunContext = {
    io,
    since,
    globals,
    version,
    closing: [],
    say: openSay(io, globals, status),
    status,
  };
  const rooms = openRooms(io);
  const target = memo(() => connectTarget(context, rooms));
  // A failed attempt is not remembered: in a run that takes days, the ledger may be reachable later.
  const setting = memoDone(() => sharedSetting(context, rooms));
  const ledger = memoDone(async () => openLedgerOf(context, rooms, await setting()));
  const { observe, remind } = optionalLedger(context, rooms, setting, ledger);
  const place: Run['target'] = async () => {
    const { origin, key, profile } = await target();
    return (await import('../ledger/entry.ts')).ledgerTargetOf(origin, key, profile);
  };
  const run: Run = {
    io,
    globals,
    ...rooms,
    say: context.say,
    source: async (source) => (await import('../cli/sources.ts')).readSource(io, await openCheckPath())(source),
    bytes: async (from, limit) =>
      (await import('../cli/sources.ts')).readBytesOf(io, await openCheckPath())(from, limit),
    ask: confirmer(io, globals),
    choose: async (from) => (await import('../cli/ask.ts')).askChoice(io, from),
    client: async (purpose) => {
      // The schemas check a write, also in a preview or a dry run.
      if (purpose !== 'read' || globals.dryRun) await (await import('../contract/zod.ts')).loadSchemas();
      if (purpose === 'preview') return openClient(context, await previewTarget(context, rooms));
      const aim = await target();
      if (purpose === 'write') await loadWords(context);
      if (purpose === 'write' && io.stderr.isTerminal) await context.say(aim.label);
      return openClient(context, aim);
    },
    target: place,
    scope: () => scopeOf(context, rooms, place),
    rowServices: () => openRowServices(context, rooms),
    ledger,
    ledgerAdmin: () => openLedgerAdmin(context, rooms),
    tree: async () => (await import('../cli/tree.ts')).commandTree(await allSpecs(), NOUNS),
    renameInLedger: (from, to) => renameInLedger(context, rooms, from, to),
    checkLedger: async (url) => void (await import('../ledger/postgres/url.ts')).addressOf(url),
    observe,
    operator: async () => (await ledger()).account ?? (await import('../ledger/sender.ts')).operator(),
    probe: async (probed) => {
      await (await openClient(context, probed)).call('ugwo.list', { query: { limit: '1' } });
    },
    webhookSecrets: openWebhookSecrets(context),
    findProgram: (word) => findSafeProgram(word, io.env),
    signalGroup: async () => {
      const { killGroup, platform } = (await import('../config/machine.ts')).realMachine;
      return platform === 'win32' ? undefined : killGroup;
    },
    user: async () => (await import('../config/machine.ts')).realMachine.uid,
    checkUp: async (offline) => (await import('./checkup.ts')).checkUp(context, rooms, offline),
    whoAmI: async (profile, check) => (await import('./checkup.ts')).whoAmI(context, rooms, profile, check),
    inner: openInner(context, (inside, given) => openRun(inside, given, version, files)),
    preview: (request) => previewResult(request, globals.asCurl, (text) => io.redactor.clean(text)),
  };
  const close = async (): Promise<void> => {
    // A failed close does not prevent the others.
    for (const end of context.closing.reverse()) await end().catch(() => undefined);
  };
  const filter = async (): Promise<Filter | undefined> => {
    if (globals.jq === undefined) return undefined;
    const opened = (await import('../jq/room.ts')).openFilter(globals.jq, io, files.jq);
    await opened.check();
    return opened;
  };
  const pager = async () => {
    const wanted = globals.pager && io.stdout.isTerminal ? pagerOf(io.env) : undefined;
    return wanted && (await import('./pager.ts')).openPager(context, wanted);
  };
  return { run, filter, pager, remind, close };
};
