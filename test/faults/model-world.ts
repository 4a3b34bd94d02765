import { join } from 'node:path';
import { PayError } from '../../src/core/error.ts';
import type { Received } from '../../src/core/received.ts';
import { chargeOnce } from '../../src/ledger/charge.ts';
import { LEDGER_FILE } from '../../src/ledger/file.ts';
import { keptActivity } from '../../src/ledger/kept.ts';
import type { Charge, Ledger, Sender } from '../../src/ledger/ledger.ts';
import type { Sight } from '../../src/ledger/look.ts';
import { reconcile } from '../../src/ledger/reconcile.ts';
import { openLedger } from '../../src/ledger/store.ts';
import { ledgerOptions } from '../support/ledger.ts';
import type { Made, Medium, Rules } from './model-service.ts';
import { simulatedService } from './model-service.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** How long a sending can take at the longest. */
const BOUND_MS = 10 * MINUTE;

/** ASSUMPTION: what the service has not got so long after the sender gave up or died, it never gets. */
const LATEST_MS = MINUTE;

/** What is to become of a charge that is sent. */
export interface Fate {
  /** What the sender hears, or that it dies before it hears anything. */
  readonly end: 'answered' | 'lost' | 'not_sent' | 'rejected' | 'dies';
  /** Whether the service gets it, where the sender hears nothing of that. */
  readonly arrives: boolean;
  /** Whether it gets it only after the sender has given up. */
  readonly late: boolean;
  readonly failed: boolean;
  /** How long the way there takes, and the way back, in milliseconds. */
  readonly there: number;
  readonly back: number;
  readonly visibleAfter: number;
}

/** A charge that was sent, and the truth about it. */
interface Sent {
  readonly ugwo: string;
  readonly medium: Medium;
  readonly again: boolean;
  readonly fate: Fate;
  readonly pid: number;
  readonly deadline: number;
  readonly answer: PromiseWithResolvers<Received>;
  /** Its name in the ledger. */
  id: string;
  activity?: Made;
  /** The service may still get it. */
  underWay: boolean;
  endedAt?: number;
  died: boolean;
  /** The ledger can't say yet what became of it. */
  open: boolean;
}

interface Process {
  readonly pid: number;
  readonly ledger: Ledger;
}

interface Event {
  readonly at: number;
  readonly run: () => Promise<void>;
}

/** What happened in all runs: a property of things that never happen would hold for nothing. */
export const happened: Record<string, number> = {};
const count = (what: string): void => {
  happened[what] = (happened[what] ?? 0) + 1;
};

const demand = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what);
};

const OPEN: readonly string[] = ['sending', 'unknown'];
const WORLD = { clean: (text: string): string => text };

/** paycli's ledger and protocol against a simulated service, on a simulated clock, with processes that can die. */
export const openWorld = async (rules: Rules, folder: string) => {
  let time = Date.UTC(2026, 10, 20, 10);
  const started = time;
  /** What this machine's clock shows beyond the true time. */
  let off = 0;
  const now = (): number => time + off;
  const service = simulatedService(rules, () => time);
  const path = join(folder, 'ledger.sqlite');
  const gone = new Set<number>();
  const opened: Ledger[] = [];
  const sent: Sent[] = [];
  const others: Made[] = [];
  const seen = new Map<string, string>();
  let events: Event[] = [];

  const startProcess = async (): Promise<Process> => {
    const pid = 1000 + opened.length;
    // What outlives a loss of power is not at stake here, and costs the time of a thousand runs.
    const kind = { ...LEDGER_FILE, survives: 'process' as const };
    const self = { pid, boot: 'boot', started: '1' };
    const isGone = ({ pid: sender }: Sender): boolean => gone.has(sender);
    const uptime = (): number => time - started;
    const ledger = await openLedger(ledgerOptions(path, { now, uptime, self, isGone, kind }));
    opened.push(ledger);
    return { pid, ledger };
  };
  const processes = [await startProcess(), await startProcess()];
  const processAt = (index: number): Process => processes[index % processes.length] as Process;

  const advance = async (ms: number): Promise<void> => {
    const target = time + ms;
    for (;;) {
      const next = events.filter(({ at }) => at <= target).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      events = events.filter((event) => event !== next);
      time = Math.max(time, next.at);
      await next.run();
    }
    time = target;
  };

  /** Whether an activity of a medium could be read as one that a charge by another medium has made. */
  const alike = (activity: Medium, charge: Medium): boolean =>
    rules.forgets || activity === charge || activity === 'mobile_money';
  /** How far around a sending an activity of somebody else can be taken for its own: the window, and how well the clock is known. */
  const around = rules.dated ? { before: 45 * SECOND, after: 2.5 * MINUTE } : { before: 5 * MINUTE, after: 5 * MINUTE };

  /**
   * ASSUMPTION: nobody else charges the same payment request by a medium that looks the same, around the time in which a
   * charge of ours that has become unknown may have been made. Nobody could tell such an activity from ours: the service
   * keeps no name of the sender. What happens then is a test of its own.
   */
  const mayBeTakenForOurs = (ugwo: string, medium: Medium): boolean =>
    sent.some((one) => {
      if (one.ugwo !== ugwo || !one.open || !alike(medium, one.medium)) return false;
      const end = one.died ? one.deadline : (one.endedAt ?? Number.POSITIVE_INFINITY);
      return time <= end + around.after;
    });
  const othersWereHere = (ugwo: string, medium: Medium): boolean =>
    others.some(
      (one) => one.ugwo === ugwo && alike(one.medium, medium) && one.createdAt - rules.skew > time - around.before,
    );

  const execute = async (one: Sent): Promise<void> => {
    one.underWay = false;
    if (one.endedAt !== undefined && time > one.endedAt + LATEST_MS) return;
    const before = sent.flatMap(({ ugwo, medium, activity }) =>
      activity !== undefined && ugwo === one.ugwo && medium === one.medium ? [activity] : [],
    );
    const twice = before.find(service.payable);
    demand(twice === undefined || one.again, `${one.id} was made while ${twice?.uid} could still be paid`);
    if (twice !== undefined) count('charged again on demand');
    one.activity = service.make(
      one.ugwo,
      one.medium,
      one.fate.failed ? 'failed' : 'requires_action',
      one.fate.visibleAfter,
    );
  };

  const die = async (pid: number): Promise<void> => {
    gone.add(pid);
    for (const one of sent.filter((other) => other.pid === pid && other.endedAt === undefined)) {
      one.died = true;
      one.endedAt = time;
    }
    const index = processes.findIndex((process) => process.pid === pid);
    if (index !== -1) processes[index] = await startProcess();
    count('died');
  };

  const end = async (one: Sent, done: Promise<unknown>): Promise<void> => {
    if (one.died) return;
    if (one.fate.end === 'dies') return die(one.pid);
    one.endedAt = time;
    const { activity, answer } = one;
    if (one.fate.end === 'answered' && activity !== undefined) {
      const [value, servedAt] = [service.wire(activity), service.date()];
      answer.resolve({ value, text: JSON.stringify(value), ...(servedAt === undefined ? {} : { servedAt }) });
    } else if (one.fate.end === 'not_sent' || one.fate.end === 'rejected') {
      answer.reject(new PayError(one.fate.end, 'no'));
    } else answer.reject(new Error('socket hang up'));
    await done;
    const row = await processAt(0).ledger.get(one.id);
    const due = { answered: 'accepted', lost: 'unknown', not_sent: 'not_sent', rejected: 'rejected' } as const;
    demand(row?.state === due[one.fate.end as keyof typeof due], `${one.id} ended as ${row?.state}`);
  };

  const schedule = (one: Sent, done: Promise<unknown>): void => {
    const { fate } = one;
    const executes = fate.end === 'answered' || (fate.arrives && (fate.end === 'lost' || fate.end === 'dies'));
    const late = fate.late && fate.end !== 'answered';
    one.underWay = executes;
    const endsAt = time + fate.there + fate.back;
    const executedAt = late ? endsAt + fate.there / 10 : time + fate.there;
    if (executes) events.push({ at: executedAt, run: () => execute(one) });
    events.push({ at: endsAt, run: () => end(one, done) });
  };

  /** Holds what the ledger says against the truth. */
  const inspect = async (): Promise<void> => {
    const rows = new Map((await processAt(0).ledger.list({ limit: -1 })).map((row) => [row.id, row]));
    for (const [id, state] of seen) {
      demand(rows.has(id), `${id} has vanished`);
      demand(OPEN.includes(state) || rows.get(id)?.state === state, `${id} was ${state} and is ${rows.get(id)?.state}`);
    }
    for (const row of rows.values()) seen.set(row.id, row.state);
    for (const one of sent) {
      const row = rows.get(one.id);
      const state = row?.state ?? '';
      one.open = OPEN.includes(state);
      demand(state !== 'sending' || !gone.has(one.pid), `${one.id} is being sent by nobody`);
      if (state === 'accepted') demand(row?.activity?.uid === one.activity?.uid, `${one.id} got another's activity`);
      else if (!one.open) demand(one.activity === undefined && !one.underWay, `${one.id} is ${state}, but was made`);
    }
  };

  const look =
    (ask: number, back: number, available: boolean) =>
    async ({ ugwo }: Charge): Promise<Sight> => {
      await advance(ask);
      const shown = service.made.filter((one) => one.ugwo === ugwo && one.visibleAt <= time).map(service.wire);
      const servedAt = service.date();
      await advance(back);
      if (!available) return { unavailable: 'the service is away' };
      return { activities: shown, ...(servedAt === undefined ? {} : { servedAt }) };
    };

  const reconcileAll = async (ledger: Ledger, ask: number, back: number, available: boolean): Promise<void> => {
    for (const charge of await ledger.unknown()) {
      const { charge: after } = await reconcile(ledger, charge, look(ask, back, available), WORLD);
      count(`reconciled as ${after.state}`);
    }
  };

  return {
    advance,
    inspect,
    charge: async (which: number, ugwo: string, medium: Medium, again: boolean, fate: Fate): Promise<void> => {
      if (othersWereHere(ugwo, medium)) return;
      const { pid, ledger } = processAt(which);
      const started = Promise.withResolvers<Sent>();
      const send = (): Promise<Received> => {
        const answer = Promise.withResolvers<Received>();
        const state = { id: '', underWay: false, died: false, open: true };
        started.resolve({ ugwo, medium, again, fate, pid, deadline: time + BOUND_MS, answer, ...state });
        return answer.promise;
      };
      const place = { service: 'sim', origin: 'https://sim.example', workspace: undefined, profile: undefined };
      const done = chargeOnce(
        ledger,
        { place, ugwo, data: { medium }, bound: BOUND_MS, attempt: 0, again, words: [] },
        { now, send, ...WORLD },
      ).catch((thrown: unknown) => thrown);
      const first = await Promise.race([started.promise, done]);
      if (first === undefined || !(typeof first === 'object' && first !== null && 'fate' in first)) {
        const { kind, why } = first as { kind?: string; why?: string };
        demand(kind === 'refused', `it ended before it was sent: ${String(first)}`);
        return count(`refused as ${why}`);
      }
      const one = first as Sent;
      const doubtful = sent.find((other) => other.ugwo === ugwo && other.open);
      demand(doubtful === undefined, `${ugwo} was charged while ${doubtful?.id} was open`);
      one.id = (await ledger.list({ ugwo, limit: 1 }))[0]?.id ?? '';
      sent.push(one);
      schedule(one, done);
      count('sent');
    },
    /** Somebody else charges the payment request; with `blindly`, even where nobody could tell that from ours. */
    other: async (ugwo: string, medium: Medium, visibleAfter: number, blindly = false): Promise<void> => {
      if (!blindly && mayBeTakenForOurs(ugwo, medium)) return;
      others.push(service.make(ugwo, medium, 'requires_action', visibleAfter));
      count('charged by others');
    },
    /** The customer pays, or the provider fails. */
    settle: async (index: number, status: 'successful' | 'failed'): Promise<void> => {
      const activity = service.made.at(index % Math.max(1, service.made.length));
      if (activity !== undefined && service.payable(activity)) activity.status = status;
    },
    /** A read of an activity, which the ledger hears of. */
    observe: async (which: number, index: number): Promise<void> => {
      const activity = service.made.at(index % Math.max(1, service.made.length));
      if (activity !== undefined)
        await processAt(which).ledger.observe([keptActivity(service.wire(activity), service.date())]);
    },
    /** Somebody sets this machine's clock, to so much beyond the true time. Without the service's time nothing tells it. */
    setClock: async (ms: number): Promise<void> => {
      if (!rules.dated) return;
      off = ms;
      count('clock set');
    },
    kill: (which: number): Promise<void> => die(processAt(which).pid),
    reconcile: (which: number, ask: number, back: number, available: boolean): Promise<void> =>
      reconcileAll(processAt(which).ledger, ask, back, available),
    /** Looks twice in one moment: the second look has nothing to add. */
    reconcileTwice: async (which: number): Promise<void> => {
      const { ledger } = processAt(which);
      const rows = async (): Promise<string> => JSON.stringify(await ledger.list({ limit: -1 }));
      await reconcileAll(ledger, 0, 0, true);
      const once = await rows();
      await reconcileAll(ledger, 0, 0, true);
      demand((await rows()) === once, 'a second reconcile changed something');
    },
    /** A person who knows the truth. */
    resolve: async (which: number): Promise<void> => {
      const { ledger } = processAt(which);
      const [charge] = await ledger.unknown();
      const one = sent.find(({ id }) => id === charge?.id);
      if (charge === undefined || one === undefined || one.underWay) return;
      const evidence = { kind: 'resolved', at: '' };
      const resolved =
        one.activity === undefined
          ? await ledger.resolve(charge.id, { state: 'not_created', evidence })
          : await ledger.resolve(charge.id, {
              state: 'accepted',
              activity: { uid: one.activity.uid, status: '', nextAction: null, createdAt: undefined },
              evidence,
            });
      demand(resolved, `${charge.id} could not be resolved`);
      count('resolved by a person');
    },
    states: async (): Promise<string[]> => (await processAt(0).ledger.list({ limit: -1 })).map(({ state }) => state),
    close: async (): Promise<void> => {
      for (const ledger of opened) await ledger.close();
    },
  };
};
export type World = Awaited<ReturnType<typeof openWorld>>;
