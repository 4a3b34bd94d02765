import type { Globals } from '../cli/globals.ts';
import type { OpenRun } from '../cli/run.ts';
import type { Run, RunState } from '../commands/run.ts';
import { memo, memoDone } from '../core/async.ts';
import { canAsk } from '../core/input.ts';
import type { Io } from '../core/io.ts';
import type { Filter } from '../core/result.ts';
import type { JqFiles } from '../jq/room.ts';
import { connectTarget, loadWords, openClient, previewTarget } from './client.ts';
import { openSay, pagerOf, type RunContext, watchSilence } from './run.ts';

/** Paths of bundled third-party files, if they do not lie beside the program. */
export interface ProgramFiles {
  readonly jq?: JqFiles;
}

const filterOf = async ({ io, globals }: RunContext, { jq }: ProgramFiles): Promise<Filter | undefined> => {
  if (globals.jq === undefined) return undefined;
  const opened = (await import('../jq/room.ts')).openFilter(globals.jq, io, jq);
  await opened.check();
  return opened;
};

/** Opens one run. Each service is loaded by import() at its first use. */
export const openRun = (outer: Io, globals: Globals, files: ProgramFiles = {}, words?: string): OpenRun<Run> => {
  // Drops stack traces unless --debug shows them: undici creates an error for every connection that it closes.
  if (!globals.debug) Error.stackTraceLimit = 0;
  const state: RunState = { closing: [], status: { words } };
  const io = watchSilence(outer, globals, state);
  const context: RunContext = { io, globals, state, say: openSay(io, globals, state.status) };
  const target = memo(() => connectTarget(context));
  // A failed attempt is not remembered: in a run that takes days, the ledger may be reachable later.
  const setting = memoDone(async () => (await import('./ledger.ts')).sharedSetting(context));
  const ledger = memoDone(async () => (await import('./ledger.ts')).openLedgerOf(context, await setting()));
  const aside = async () => (await import('./ledger.ts')).optionalLedger(context, setting, ledger);
  const run: Run = {
    ...context,
    ledger,
    observe: async (of, record) =>
      aside()
        .then(({ observe }) => observe(of, record))
        .catch(() => undefined),
    ask: async (...question) => {
      await (await import('../cli/confirm.ts')).confirmer(io, globals)(...question);
      if (canAsk(io, globals) && !globals.yes) await state.recheck?.();
    },
    client: async (purpose, other) => {
      // The schemas check a write, also in a preview or a dry run.
      if (purpose !== 'read' || globals.dryRun) await (await import('../contract/zod.ts')).loadSchemas();
      if (purpose === 'preview') return openClient(context, await previewTarget(context));
      if (other !== undefined) return openClient(context, other);
      const aim = await target();
      if (purpose === 'write') await loadWords(context);
      if (purpose === 'write' && io.stderr.isTerminal) await context.say(aim.label);
      return openClient(context, aim);
    },
    target: async () => {
      const { origin, key, profile } = await target();
      return (await import('../ledger/entry.ts')).ledgerTargetOf(origin, key, profile);
    },
    inner: async (...call) => {
      const { openInner } = await import('./inner.ts');
      return openInner(context, (inside, given) => openRun(inside, given, files))(...call);
    },
  };
  const close = async (): Promise<void> => {
    // A failed close does not prevent the others.
    for (const end of state.closing.reverse()) await end().catch(() => undefined);
  };
  const filter = (): Promise<Filter | undefined> => filterOf(context, files);
  const pager = async () => {
    const wanted = globals.pager && io.stdout.isTerminal ? pagerOf(io.env) : undefined;
    return wanted && (await import('./pager.ts')).openPager(context, wanted);
  };
  const readNamed: OpenRun<Run>['readNamed'] = async (names, spec) =>
    (await import('../commands/names.ts')).readNamed(names, spec, run);
  const remind = async (): Promise<void> => {
    if (!globals.quiet && !globals.dryRun && io.stderr.isTerminal) await (await aside()).remind();
  };
  return { run, readNamed, filter, pager, remind, close };
};
