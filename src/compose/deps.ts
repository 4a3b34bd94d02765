import { confirmer } from '../cli/confirm.ts';
import type { Globals } from '../cli/globals.ts';
import { previewResult } from '../cli/preview.ts';
import type { OpenDeps } from '../cli/run.ts';
import { allSpecs, NOUNS } from '../commands/all.ts';
import type { Deps, SecretOptions } from '../commands/deps.ts';
import { memo, memoDone } from '../core/async.ts';
import { kindWord } from '../core/charge.ts';
import { usageError } from '../core/error.ts';
import { canAsk, targetFlags } from '../core/input.ts';
import type { Io } from '../core/io.ts';
import { isGuarded } from '../core/origin.ts';
import type { Filter } from '../core/result.ts';
import type { JqFiles } from '../jq/room.ts';
import type { Secrets } from '../webhook/event.ts';
import { loadWords, openClient } from './client.ts';
import { findProgram } from './find-program.ts';
import { holdMemory, openCheckPath, openJobWorld } from './job-world.ts';
import { besideLedger, openLedgerOf } from './ledger.ts';
import { openLedgerAdmin } from './ledger-admin.ts';
import { openNotice, openRooms, type RunContext, type Status } from './run.ts';
import { forgetSeen, openSeenBefore } from './seen.ts';
import { previewTarget, scopeOf, targetOf } from './target.ts';

type Needs = Pick<Deps, 'io' | 'globals' | 'client' | 'confirm' | 'protocol' | 'ledger' | 'place' | 'notice'>;

/** Sends one request that must not be made twice: checked, asked about, and under the ledger's protocol (see `Deps.once`). */
export const onceWith =
  ({ io, globals, ...deps }: Needs): Deps['once'] =>
  async (called, input, { about, question, typed, saying, once = false, again = false, failure }) => {
    const client = await deps.client('write');
    // What is refused here and now leaves no trace in the ledger.
    const checked = client.check(called, input);
    const place = await deps.place();
    if (question !== undefined) await deps.confirm(question, 'refuse', isGuarded(place.origin) ? typed : undefined);
    else if (saying !== undefined && io.stderr.isTerminal) await deps.notice(saying);
    const [protocol, ledger] = [await deps.protocol(), await deps.ledger()];
    const sending = { place, bound: client.longestWrite, attempt: client.longestAttempt, words: targetFlags(globals) };
    const { record, unrecorded } = await protocol.makeOnce(
      ledger,
      { ...sending, ...checked, about, once, again, isFailed: (value) => failure?.(value) !== undefined },
      {
        now: io.clock.now,
        clean: (text) => io.redactor.cleanAll(text),
        elsewhere: ({ id: earlier, kind, origin }) =>
          deps.notice(
            `${about} has an earlier ${kindWord(kind)} at ${origin} (${earlier}), which may have gone through.`,
          ),
        send: (overdue) => client.call(called, { ...input, overdue }),
      },
    );
    return { record, wrote: true, ...(unrecorded === undefined ? {} : { failure: unrecorded }) };
  };

/** The secrets that were named; typed where none were, and there is a terminal. */
const openWebhookSecrets =
  ({ io, globals }: RunContext) =>
  async ({ main, sandbox }: SecretOptions): Promise<Secrets> => {
    const { askWebhookSecret, webhookSecrets } = await import('../config/webhook-secret.ts');
    const [all, apart] = [await webhookSecrets(main, io), await webhookSecrets(sandbox, io)];
    if (all.length + apart.length > 0) return { all, sandbox: apart };
    if (!canAsk(io, globals)) {
      throw usageError("the webhook endpoint's secret is needed", { hint: 'add --secret-file or --secret-command' });
    }
    return { all: [await askWebhookSecret(io)], sandbox: [] };
  };

/** Where files of the program lie that are no code of its own, where that is not beside it. */
export interface ProgramFiles {
  readonly jq?: JqFiles;
}

/** The rooms behind one run, each loaded by import() when it is first asked for. */
export const openDeps = (io: Io, globals: Globals, version: string, files: ProgramFiles = {}): OpenDeps<Deps> => {
  // Only --debug shows where an error arose, and undici makes an error of every connection that it closes.
  if (!globals.debug) Error.stackTraceLimit = 0;
  const status: Status = {};
  const run: RunContext = { io, globals, version, closing: [], notice: openNotice(io, globals, status), status };
  const rooms = openRooms(io);
  const target = memo(() => targetOf(run, rooms));
  // One that can't be reached now may be later, in a run that goes on for days.
  const ledger = memoDone(() => openLedgerOf(run, rooms));
  const { observe, remind } = besideLedger(run, rooms, ledger);
  const place: Deps['place'] = async () => {
    const [{ ledgerTargetOf: placeOf }, { origin, key, profile }] = [
      await import('../ledger/entry.ts'),
      await target(),
    ];
    return placeOf(origin, key, profile);
  };
  const deps: Omit<Deps, 'once'> = {
    io,
    globals,
    ...rooms,
    notice: run.notice,
    source: async (source) => (await import('../cli/sources.ts')).readSource(io, await openCheckPath())(source),
    bytes: async (from, limit) =>
      (await import('../cli/sources.ts')).readBytesOf(io, await openCheckPath())(from, limit),
    confirm: confirmer(io, globals),
    choose: async (from) => (await import('../cli/ask.ts')).choose(io, from),
    client: async (purpose) => {
      if (purpose === 'preview') return openClient(run, await previewTarget(run, rooms));
      const aim = await target();
      if (purpose === 'write') await loadWords(run);
      if (purpose === 'write' && io.stderr.isTerminal) await run.notice(aim.label);
      return openClient(run, aim);
    },
    place,
    scope: () => scopeOf(run, rooms, place),
    seenBefore: openSeenBefore(run, rooms, place),
    forgetSeen: forgetSeen(rooms),
    jobWorld: () => openJobWorld(run, rooms),
    holdMemory: () => holdMemory(run, 'walk'),
    ledger,
    ledgerAdmin: () => openLedgerAdmin(run, rooms),
    tree: async () => (await import('../cli/tree.ts')).commandTree(await allSpecs(), NOUNS),
    checkLedger: async (url) => void (await import('../ledger/postgres/url.ts')).addressOf(url),
    observe,
    operator: async () => (await ledger()).account ?? (await import('../ledger/sender.ts')).operator(),
    probe: async (probed) => {
      await (await openClient(run, probed)).call('ugwo.list', { query: { limit: '1' } });
    },
    webhookSecrets: openWebhookSecrets(run),
    findProgram: (word) => findProgram(word, io.env),
    signalGroup: async () => {
      const { killGroup, platform } = (await import('../config/machine.ts')).thisMachine;
      return platform === 'win32' ? undefined : killGroup;
    },
    user: async () => (await import('../config/machine.ts')).thisMachine.uid,
    checkUp: async (offline) => (await import('./checkup.ts')).checkUp(run, rooms, offline),
    whoAmI: async (check) => (await import('./checkup.ts')).whoAmI(run, rooms, check),
    preview: (request) => previewResult(request, globals.asCurl, (text) => io.redactor.clean(text)),
  };
  const close = async (): Promise<void> => {
    // One that can't be let go of keeps none of the others.
    for (const end of run.closing.reverse()) await end().catch(() => undefined);
  };
  const filter = async (): Promise<Filter | undefined> => {
    if (globals.jq === undefined) return undefined;
    const opened = (await import('../jq/room.ts')).openFilter(globals.jq, io, files.jq);
    await opened.check();
    return opened;
  };
  const pager = async () => {
    const line = io.stdout.isTerminal ? (io.env['PAYCLI_PAGER'] ?? '') : '';
    return line === '' ? undefined : (await import('./pager.ts')).openPager(run, line);
  };
  return { deps: { ...deps, once: onceWith(deps) }, filter, pager, remind, close };
};
