import { existsSync } from 'node:fs';
import { LEDGER_FILE_NAME } from '../core/charge.ts';
import { countText } from '../core/effect.ts';
import { reasonOf } from '../core/error.ts';
import { isId } from '../core/ids.ts';
import { LOCAL_PROFILE } from '../core/local.ts';
import { placeWords } from '../core/place-words.ts';
import { shellLine } from '../core/shell.ts';
import type { Entry, RequestTerms } from '../ledger/entry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Rooms } from './rooms.ts';
import type { RunContext } from './run.ts';

const ledgerPath = async (rooms: Rooms): Promise<string> => `${(await rooms.folders()).data}/${LEDGER_FILE_NAME}`;

/** The ledger of this machine. */
export const openLedgerOf = async ({ io, closing }: RunContext, rooms: Rooms): Promise<Ledger> => {
  const [{ openLedger }, { isGone, thisSender }, { thisMachine }] = await Promise.all([
    import('../ledger/sqlite/open.ts'),
    import('../ledger/sender.ts'),
    import('../ledger/machine.ts'),
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
    lockWait: { sleep: clock.sleep, ticks: clock.ticks, ...signals },
  });
  closing.push(() => ledger.close());
  return ledger;
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
export const besideLedger = (run: RunContext, rooms: Rooms, ledger: () => Promise<Ledger>) => {
  const aside = async <T>(use: (ledger: Ledger) => Promise<T>): Promise<T | undefined> =>
    existsSync(await ledgerPath(rooms)) ? await use(await ledger()) : undefined;
  return {
    observe: async (activities: readonly unknown[], servedAt?: number, asked?: RequestTerms): Promise<void> => {
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
