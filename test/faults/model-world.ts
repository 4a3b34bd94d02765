import { join } from 'node:path';
import { PAYMENTS } from '../../src/charge/payment.ts';
import { PayError } from '../../src/core/error.ts';
import { type ApiRecord, madeHere } from '../../src/core/record.ts';
import { type Charge, isCharge, type Sender } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { RequestRead } from '../../src/ledger/match.ts';
import { reconcile } from '../../src/ledger/reconcile.ts';
import { snapshotOf as readOf, type Snapshot, withActivity } from '../../src/ledger/snapshot.ts';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { LEDGER_FILE } from '../../src/ledger/sqlite/schema.ts';
import { paymentIn } from '../../src/ledger/transitions.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { accepting, sendOnce } from '../support/outcome.ts';
import { MINUTE, SECOND } from '../support/units.ts';
import { lookedAt } from './looking.ts';
import { type Made, type Medium, type Rules, simulatedService } from './model-service.ts';

/** The longest possible sending. */
const BOUND_MS = 10 * MINUTE;

/** ASSUMPTION: a request that has not arrived this long after the sender gave up or died never arrives. */
const LATEST_MS = MINUTE;

/** The fate of a charge that is sent. */
export interface Fate {
  /** What the sender receives, or that it dies before that. */
  readonly end: 'answered' | 'lost' | 'not_sent' | 'rejected' | 'dies';
  /** Whether the service receives it, if the sender gets no answer. */
  readonly arrives: boolean;
  /** Whether it arrives only after the sender has given up. */
  readonly late: boolean;
  readonly failed: boolean;
  /** The delays of the request and of the answer, in milliseconds. */
  readonly there: number;
  readonly back: number;
  readonly visibleAfter: number;
}

/**
 * What the check reads: nothing (--no-preflight), the service itself, a cache that states the age of its answer or
 * one that does not, or a service that is down. `early`: the process has checked long before.
 */
export type View = 'none' | 'fresh' | 'early' | 'aged' | 'silent' | 'away';

/** A check of a payment request, with the delays of the request and of the answer in milliseconds. */
export interface Glance {
  readonly view: View;
  readonly ask: number;
  readonly back: number;
}

/** A payment request as the service showed it once. */
interface WorldSnapshot {
  /** In true time. */
  readonly at: number;
  readonly activities: readonly { readonly made: Made; readonly status: Made['status'] }[];
  readonly record: ApiRecord;
}

interface Seen {
  readonly shown: Snapshot | undefined;
  readonly snapshot: WorldSnapshot;
}

/** A charge that was sent, and the truth about it. */
interface Sent {
  readonly ugwo: string;
  readonly medium: Medium;
  readonly again: boolean;
  readonly fate: Fate;
  readonly pid: number;
  readonly sentAt: number;
  readonly deadline: number;
  readonly answer: PromiseWithResolvers<ApiRecord>;
  /** Its ID in the ledger. */
  id: string;
  activity?: Made;
  /** The service may still receive it. */
  underWay: boolean;
  endedAt?: number;
  died: boolean;
  /** The ledger can't know its outcome yet. */
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

/** The events of all runs: a property of events that never happen would be empty. */
export const happened: Record<string, number> = {};
const count = (what: string): void => {
  happened[what] = (happened[what] ?? 0) + 1;
};

const demand = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what);
};

const OPEN: readonly string[] = ['sending', 'unknown'];
/** The service itself, without delay. */
export const AT_ONCE: Glance = { view: 'fresh', ask: 0, back: 0 };

/** paycli's ledger and protocol against a simulated service, with a simulated clock and processes that can die. */
export const openWorld = async (rules: Rules, folder: string) => {
  let time = Date.UTC(2026, 10, 20, 10);
  const started = time;
  /** How far this machine's clock is ahead of the true time. */
  let off = 0;
  let wasSet = false;
  const now = (): number => time + off;
  const service = simulatedService(rules, () => time);
  const path = join(folder, 'ledger.sqlite');
  const gone = new Set<number>();
  const opened: Ledger[] = [];
  const sent: Sent[] = [];
  const others: Made[] = [];
  const seen = new Map<string, string>();
  /** What a cache holds of a payment request, until it is renewed. */
  const cached = { aged: new Map<string, WorldSnapshot>(), silent: new Map<string, WorldSnapshot>() };
  const early = new Map<string, Seen>();
  let events: Event[] = [];

  const startProcess = async (): Promise<Process> => {
    const pid = 1000 + opened.length;
    // Durability after power loss is not tested here, and would slow down a thousand runs.
    const kind = { ...LEDGER_FILE, survives: 'process' as const };
    // There may be a restart, or another machine, between two processes.
    const self = { pid, boot: `boot ${Math.floor(opened.length / 2)}`, started: '1' };
    const hasEnded = ({ pid: sender }: Sender): boolean => gone.has(sender);
    const uptime = (): number => time - started;
    const ledger = await openLedger(ledgerOptions(path, { now, uptime, self, hasEnded, kind }));
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

  /** Whether an activity of a medium could be read as the result of a charge by another medium. */
  const alike = (activity: Medium, charge: Medium): boolean =>
    rules.forgets || activity === charge || activity === 'mobile_money';
  /**
   * The time around a sending in which a foreign activity can match it: the window, and the uncertainty of the clock.
   */
  const around = rules.dated
    ? { before: 45 * SECOND, after: 2.5 * MINUTE + rules.front }
    : { before: 5 * MINUTE, after: 5 * MINUTE };

  /**
   * ASSUMPTION: nobody else charges the same payment request by a medium that looks the same, around the time of one
   * of our unknown charges. Such an activity can't be distinguished from ours: the service does not store the sender.
   * A separate test covers that case.
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
    const paid = before.find(({ status }) => status === 'successful');
    demand(paid === undefined || one.again, `${one.id} was made though ${paid?.uid} has been paid`);
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

  /** Compares the ledger with the truth. */
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

  const snapshotOf = (ugwo: string): WorldSnapshot => {
    const made = service.made.filter((one) => one.ugwo === ugwo && one.visibleAt <= time);
    const paid = made.some(({ status }) => status === 'successful');
    // The status also tells of activities that the list does not show yet.
    const isOpen = service.made.some((one) => one.ugwo === ugwo && one.status === 'requires_action');
    const status = paid ? 'ugwo_successful' : isOpen ? 'processing' : 'requires_ugwo';
    const value = { uid: ugwo, status, activities: made.map(service.wire) };
    const servedAt = service.date();
    return {
      at: time,
      activities: made.map((one) => ({ made: one, status: one.status })),
      record: { value, text: JSON.stringify(value), ...(servedAt === undefined ? {} : { servedAt }) },
    };
  };

  /**
   * ASSUMPTION: an answer that does not state its age states its time, by a correct clock. Otherwise an old answer
   * can't be distinguished from a new one.
   */
  const datesCanBeTrusted = rules.dated && rules.front === 0;

  /** The answer to a check; undefined if the service is down. */
  const glance = async (ugwo: string, { view, ask, back }: Glance): Promise<WorldSnapshot | undefined> => {
    await advance(ask);
    const cache = view === 'aged' || (view === 'silent' && datesCanBeTrusted) ? cached[view] : undefined;
    const snapshot = cache?.get(ugwo) ?? snapshotOf(ugwo);
    cache?.set(ugwo, snapshot);
    const age = view === 'aged' ? Math.floor((time - snapshot.at) / SECOND) * SECOND : 0;
    if (snapshot.at < time) count('looked into a cache');
    await advance(back);
    if (view === 'away') return undefined;
    return { ...snapshot, record: { ...snapshot.record, ...(age === 0 ? {} : { age }) } };
  };

  /** Checks as the program does before a charge; throws the same errors. */
  const preflight = async (ledger: Ledger, ugwo: string, how: Glance): Promise<Seen> => {
    let snapshot: WorldSnapshot | undefined;
    const look = async () => {
      snapshot = await glance(ugwo, how);
      if (snapshot === undefined) throw new PayError('read_failed', 'the service is away');
      return snapshot.record as never;
    };
    const shown = await lookedAt(ugwo, { look }, ledger);
    return { shown, snapshot: snapshot as unknown as WorldSnapshot };
  };

  /** The result of the check before a charge; undefined if it failed, so that nothing may be sent. */
  const lookBefore = async (
    { pid, ledger }: Process,
    ugwo: string,
    how: Glance,
  ): Promise<Partial<Seen> | undefined> => {
    if (how.view === 'none') return {};
    const before = how.view === 'early' && datesCanBeTrusted ? early.get(`${pid} ${ugwo}`) : undefined;
    try {
      return before ?? (await preflight(ledger, ugwo, how));
    } catch (thrown) {
      demand(
        thrown instanceof PayError && thrown.kind === 'read_failed',
        `the look failed otherwise: ${String(thrown)}`,
      );
      return undefined;
    }
  };

  /** Age at which a code no longer stands before another medium, less what the clocks may differ, in milliseconds. */
  const CODE_OPEN_MS = 10 * MINUTE;

  /** Checks a charge that was sent against the activities that its check has shown. */
  const demandUnseen = (ugwo: string, medium: Medium, again: boolean, { activities }: WorldSnapshot): void => {
    for (const { made, status } of activities) {
      demand(status !== 'successful', `${ugwo} was charged though ${made.uid} was shown as paid`);
      // A clock that was set makes the age of a code uncertain.
      const isYoung = !wasSet && service.clock() - made.createdAt < CODE_OPEN_MS;
      const stands = made.medium === medium || made.expiresAt !== undefined || isYoung;
      const payable = !again && stands && status === 'requires_action' && service.payable(made);
      demand(!payable, `${ugwo} was charged though ${made.uid} was shown and can be paid`);
    }
  };

  /** No option lets a charge pass a payment that the ledger knows. */
  const demandUnpaid = async (ledger: Ledger, ugwo: string): Promise<void> => {
    for (const row of await ledger.list({ about: ugwo, limit: -1 })) {
      const payment = paymentIn(row);
      demand(payment === undefined || !PAYMENTS[payment].brings, `${ugwo} was charged though ${row.id} is ${payment}`);
    }
  };

  /** Checks that an unknown charge was considered absent only if no activity could belong to it. */
  const demandEmpty = ({ id, about: ugwo, medium }: Charge, { activities }: WorldSnapshot): void => {
    const one = sent.find((other) => other.id === id);
    const late = activities.find(
      ({ made }) =>
        others.includes(made) &&
        made.ugwo === ugwo &&
        made.medium === medium &&
        made.createdAt - rules.skew > (one?.sentAt ?? time),
    );
    demand(late === undefined, `${id} was taken for absent though ${late?.made.uid} was shown`);
  };

  const reconcileAll = async (ledger: Ledger, how: Glance): Promise<void> => {
    for (const charge of (await ledger.unknown()).filter(isCharge)) {
      let snapshot: WorldSnapshot | undefined;
      const look = async ({ about: ugwo }: Charge): Promise<RequestRead> => {
        snapshot = await glance(ugwo, how);
        if (snapshot === undefined) return { unavailable: 'the service is away' };
        const { value, servedAt, age } = snapshot.record;
        return readOf(value, {
          ...(servedAt === undefined ? {} : { servedAt }),
          ...(age === undefined ? {} : { age }),
        });
      };
      const { charge: after } = await reconcile(ledger, charge, look);
      if (after.state === 'not_created' && snapshot !== undefined) demandEmpty(after, snapshot);
      count(`reconciled as ${after.state}`);
    }
  };

  return {
    advance,
    inspect,
    charge: async (
      which: number,
      ugwo: string,
      medium: Medium,
      again: boolean,
      fate: Fate,
      how: Glance,
    ): Promise<void> => {
      const process = processAt(which);
      const { pid, ledger } = process;
      const looked = await lookBefore(process, ugwo, how);
      if (looked === undefined) return count('kept from being sent by a look that failed');
      if (gone.has(pid)) return;
      // The check took time: charges of others may have ended in the meantime.
      await inspect();
      const { shown, snapshot } = looked;
      const started = Promise.withResolvers<Sent>();
      const send = (): Promise<ApiRecord> => {
        if (othersWereHere(ugwo, medium)) throw new PayError('not_sent', 'somebody else is here');
        const answer = Promise.withResolvers<ApiRecord>();
        const state = { id: '', underWay: false, died: false, open: true };
        started.resolve({ ugwo, medium, again, fate, pid, sentAt: time, deadline: time + BOUND_MS, answer, ...state });
        return answer.promise;
      };
      const place = { service: 'sim', origin: 'https://sim.example', workspace: undefined, profile: undefined };
      const done = sendOnce(
        { client: { longestWrite: BOUND_MS, longestAttempt: 0 }, ledger, place },
        { ugwo, data: { medium }, again, shown },
        { now, send: accepting(send) },
      ).catch((thrown: unknown) => thrown);
      const first = await Promise.race([started.promise, done]);
      if (first === undefined || !(typeof first === 'object' && first !== null && 'fate' in first)) {
        const { kind, why, by } = first as { kind?: string; why?: string; by?: Charge };
        if (kind === 'not_sent') return count('not sent where others were');
        demand(kind === 'refused', `it ended before it was sent: ${String(first)}`);
        if (by === undefined) count('refused for what others made');
        return count(`refused as ${why}`);
      }
      const one = first as Sent;
      const doubtful = sent.find((other) => other.ugwo === ugwo && other.open);
      demand(doubtful === undefined, `${ugwo} was charged while ${doubtful?.id} was open`);
      if (snapshot !== undefined) demandUnseen(ugwo, medium, again, snapshot);
      await demandUnpaid(ledger, ugwo);
      one.id = (await ledger.list({ about: ugwo, limit: 1 }))[0]?.id ?? '';
      sent.push(one);
      schedule(one, done);
      count('sent');
      if (snapshot !== undefined) count('sent after a look');
    },
    /** Checks for a charge that comes later, or never. */
    lookEarly: async (which: number, ugwo: string): Promise<void> => {
      const { pid, ledger } = processAt(which);
      early.set(`${pid} ${ugwo}`, await preflight(ledger, ugwo, AT_ONCE));
    },
    /** Renews both caches. */
    renewCache: async (ugwo: string): Promise<void> => {
      for (const cache of Object.values(cached)) cache.delete(ugwo);
    },
    /** Somebody else charges the payment request; with `blindly`, even if that can't be distinguished from ours. */
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
    /** A read of an activity, which is reported to the ledger. */
    observe: async (which: number, index: number): Promise<void> => {
      const activity = service.made.at(index % Math.max(1, service.made.length));
      if (activity !== undefined)
        await processAt(which).ledger.observe(
          withActivity(undefined, { ...madeHere(service.wire(activity)), servedAt: service.date() } as ApiRecord),
        );
    },
    /** Sets this machine's clock. If the service sends no date, or a wrong one, the change would be undetectable. */
    setClock: async (ms: number): Promise<void> => {
      if (!rules.dated || rules.front !== 0) return;
      off = ms;
      wasSet = true;
      count('clock set');
    },
    kill: (which: number): Promise<void> => die(processAt(which).pid),
    reconcile: (which: number, how: Glance): Promise<void> => reconcileAll(processAt(which).ledger, how),
    /** Checks twice at one moment: the second check adds nothing. */
    reconcileTwice: async (which: number): Promise<void> => {
      const { ledger } = processAt(which);
      const rows = async (): Promise<string> => JSON.stringify(await ledger.list({ limit: -1 }));
      await reconcileAll(ledger, AT_ONCE);
      const once = await rows();
      await reconcileAll(ledger, AT_ONCE);
      demand((await rows()) === once, 'a second reconcile changed something');
    },
    /** An operator who knows the truth. */
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
