import { execOf } from '../../compose/exec.ts';
import { foldersOf } from '../../compose/run.ts';
import { realMachine } from '../../config/machine.ts';
import { REFUND } from '../../core/charge.ts';
import { PayError, usageError } from '../../core/error.ts';
import { withTimeout } from '../../core/io.ts';
import { pick } from '../../core/json.ts';
import { type Exec, execute, openProgramInput } from '../../core/program.ts';
import { DAY_MS, SECOND_MS } from '../../core/time.ts';
import { CHANGES, KEEP_DAYS, WATCH_FILE_START } from '../../core/webhook-event.ts';
import { type Entry, isCharge } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type ChargeChange, stateNow, type Tail, type Watched, type WatchFilter } from '../../ledger/tail.ts';
import { moneyKnown } from '../../ledger/transitions.ts';
import { changeRecord } from '../../records/change.ts';
import { retryUntilWritten, steadyTime } from '../../webhook/consumer.ts';
import type { Delivery } from '../../webhook/event.ts';
import { forward } from '../../webhook/forward.ts';
import type { PostResult } from '../../webhook/post.ts';
import { holdQueue, type Queue } from '../../webhook/queue.ts';
import type { Run } from '../run.ts';
import type { WatchInput } from './spec.ts';

/** Maximum entries of one kind that a look reads: reversed, brought another sum, paid twice, refunded, told as not paid. */
const MOST_READ = 100;

/** A charge, with one of its refunds that has ended. */
interface Seen extends Watched {
  readonly refund?: Entry;
}

/**
 * Events about a charge as it is now, or about its refund. Whoever sees a change, and whenever, gives its event the same
 * id.
 */
const eventsOf = (seen: Seen, receivedAt: number): Delivery[] => {
  const { charge, now, refund } = seen;
  const money = moneyKnown(charge);
  const ofRefund = refund && { refund: refund.id, refund_amount: refund.asked?.amount ?? null };
  const record = { ...(changeRecord(seen).value as object), ...ofRefund };
  const eventOf = (event: string, about: string, occasion?: unknown): Delivery => {
    const uid = [about, event, occasion ?? []].flat().join('.');
    const body = Buffer.from(`${JSON.stringify({ id: uid, kind: event, ...record })}\n`);
    const unsigned = { deliveryId: undefined, signature: '', headers: [] };
    return { uid, event, ugwo: charge.about, activity: charge.activity?.uid, body, receivedAt, ...unsigned };
  };
  if (refund !== undefined)
    return [eventOf(refund.refund?.state === 'paid_back' ? 'refunded' : 'refund_failed', refund.id)];
  const own =
    CHANGES.includes(now) && now !== 'refunded' ? [eventOf(now, charge.id, money?.reversed?.at ?? money?.paidAt)] : [];
  const surplus = money?.surplus?.length ? money.surplus : [undefined];
  return [
    ...own,
    ...(money?.isPaidTwice ? surplus.map((one) => eventOf('paid_twice', charge.about, one?.activity)) : []),
  ];
};

type SeenFilter = WatchFilter['filters'][number];

/** Part of the ledger that is read again. `of`: the charges whose refunds it selects. */
interface Later {
  readonly filter: SeenFilter;
  before?: number | undefined;
  readonly of?: SeenFilter;
}

interface HookDeps {
  readonly tail: Tail;
  readonly ledger: Pick<Ledger, 'list'>;
  readonly queue: Queue;
  /** The folder of the queue. */
  readonly folder: string;
  readonly exec: Exec;
  /** The kinds of changes for which the program runs. */
  readonly on: readonly string[];
  readonly io: Run['io'];
  readonly say: Run['say'];
}

/**
 * Runs a program for each change of a tail, at least once. The program has a queue of its own, which stores an event
 * until the program has run without failure, and its id for good.
 */
export class Hook {
  readonly #deps: HookDeps;
  /** True if the program doesn't run for what its first start finds; the queue then keeps the place of the tail. */
  readonly #goesOn: boolean;
  readonly #filters: WatchFilter['filters'];
  readonly #later: readonly Later[];
  /** Event of the last look at charges that were told as not paid. */
  #lastUnpaid = '';
  readonly #over = new AbortController();
  readonly #stop: AbortSignal;
  readonly #steady: () => number;
  #forwarder: ReturnType<typeof forward> | undefined;
  /** The stored place of the tail; undefined before the first start has stored it. */
  #saved: string | undefined;

  constructor(deps: HookDeps, { filters, unsettledOnly }: WatchFilter) {
    const { queue, io } = deps;
    const { clock, signals } = io;
    this.#deps = deps;
    this.#goesOn = unsettledOnly;
    this.#filters = filters;
    this.#later = filters.flatMap((filter) => [
      { filter: { ...filter, payments: ['underpaid', 'overpaid', 'reversed'] } },
      { filter: { ...filter, paidTwice: true } },
      {
        filter: { ...pick(filter, ['service', 'workspace']), kind: REFUND, payments: ['paid_back', 'refund_failed'] },
        of: filter,
      },
    ]);
    this.#stop = AbortSignal.any([signals.stop, this.#over.signal]);
    this.#steady = steadyTime(clock);
    this.#saved = unsettledOnly ? queue.setting('place') : '';
  }

  /** Goes on where an earlier run has ended. */
  async start(): Promise<void> {
    const { queue, tail, on, io, say } = this.#deps;
    const { clock, random } = io;
    // Only printed events are pruned, and nothing prints these.
    await queue.setPlace('printed', Number.MAX_SAFE_INTEGER);
    await queue.prune(clock.now() - KEEP_DAYS * DAY_MS, this.#stop);
    // Another start may have had another --on: what it only stored is told now, and what it left waits for its kind.
    await queue.choose(
      on,
      CHANGES.filter((kind) => !on.includes(kind)),
      this.#steady(),
    );
    const send = (event: Delivery): Promise<PostResult> => this.#run(event);
    const forwarding = { clock, steady: this.#steady, random, say, isProgram: true, send } as const;
    this.#forwarder = forward(queue, forwarding, this.#stop);
    if (this.#saved) await tail.resume(this.#saved);
  }

  /** Reads the changes of the tail, and stores their events. */
  async changes(): Promise<ChargeChange[]> {
    const seen = await this.#changedLater();
    const changes = await this.#deps.tail.changes();
    const store = (): Promise<void> => this.#store([...seen, ...changes]);
    await retryUntilWritten(store, { clock: this.#deps.io.clock, say: this.#deps.say }, this.#stop);
    return changes;
  }

  /** Stops; with `isFinal`, delivers first. Resolves to an error if events wait for the next start. */
  async end(isFinal: boolean): Promise<PayError | undefined> {
    const { queue, io, say } = this.#deps;
    const forwarder = this.#forwarder;
    if (isFinal && !this.#stop.aborted && forwarder !== undefined)
      await withTimeout(forwarder.empty(), 30 * SECOND_MS, io.clock);
    this.#over.abort();
    await forwarder?.ended;
    const { count } = queue.waiting();
    queue.close();
    if (count === 0) return undefined;
    const what = `events that wait for the next start of --exec: ${count}`;
    await say(what);
    return new PayError('attention', what);
  }

  async #run(event: Delivery): Promise<PostResult> {
    const { clock, signals } = this.#deps.io;
    const input = await openProgramInput(this.#deps.folder, event.body);
    const failed = await execute(this.#deps.exec, input, { clock, stop: this.#stop, leave: signals.leave });
    if (failed === undefined) return { kind: 'ran' };
    return this.#stop.aborted ? { kind: 'left' } : { kind: 'failed', why: failed.why, reached: true };
  }

  /**
   * Charges that the tail has dropped: those that were reversed or brought another sum, those of payment requests that
   * were paid twice, and those that were told as not paid; and ended refunds. The first start reads all. After that each
   * call reads a part, since the ledger may hold very many.
   */
  async #changedLater(): Promise<Seen[]> {
    const { ledger, queue, io } = this.#deps;
    // Expired, failed, reversed, underpaid, unknown: it may be paid after all.
    const uids = queue.uids(this.#lastUnpaid, 'chg-*.[efru]*', MOST_READ);
    this.#lastUnpaid = uids[MOST_READ - 1] ?? '';
    const ids = uids.flatMap((uid) => uid.split('.', 1));
    const unpaid: Later[] = this.#filters.map((filter) => ({ filter: { ...filter, ids } }));
    const limit = this.#saved === undefined ? -1 : MOST_READ;
    const found = await Promise.all(
      [...this.#later, ...unpaid].map(async (part) => {
        const some = await ledger.list({ ...part.filter, before: part.before, limit });
        part.before = some.length === limit ? some.at(-1)?.seq : undefined;
        return part.of === undefined
          ? some.filter(isCharge).map((charge) => ({ charge }))
          : this.#refunded(some, part.of);
      }),
    );
    return found.flat().map((one) => ({ ...one, now: stateNow(one.charge), at: io.clock.now() }));
  }

  /** Refunds of chosen charges, with these. */
  async #refunded(refunds: readonly Entry[], { about, job }: SeenFilter): Promise<Pick<Seen, 'charge' | 'refund'>[]> {
    const activities = refunds.map((one) => one.about);
    const charges = activities.length === 0 ? [] : await this.#deps.ledger.list({ activities, limit: -1 });
    const isChosen = (one: Entry): boolean => (about ?? one.about) === one.about && (job ?? one.job) === one.job;
    return refunds.flatMap((refund) => {
      const of = charges.find((one) => one.activity?.uid === refund.about && one.service === refund.service);
      return of !== undefined && isCharge(of) && isChosen(of) ? [{ charge: of, refund }] : [];
    });
  }

  /** Stores events, then the place of the tail after them. */
  async #store(seen: readonly Seen[]): Promise<void> {
    const { queue, tail } = this.#deps;
    await this.#keep(seen, this.#saved !== undefined);
    const state = this.#goesOn ? tail.state() : '';
    if (state !== this.#saved) await queue.set('place', state);
    this.#saved = state;
  }

  /** Stores the events that are new to the queue. The program runs only for news, now or once their kind is wanted. */
  async #keep(seen: readonly Seen[], isNews: boolean): Promise<void> {
    const { queue, on, io } = this.#deps;
    const events = new Map(seen.flatMap((one) => eventsOf(one, io.clock.now())).map((event) => [event.uid, event]));
    const receivedIn = ({ body }: Delivery): unknown => JSON.parse(Buffer.from(body).toString()).received;
    const stateOf = (one: Delivery) => {
      // Another charge that brought the missing part tells itself that all is paid.
      const part = queue.find(one.uid.replace('.paid.', '.underpaid.'));
      if (!isNews || (part && receivedIn(part) === receivedIn(one))) return 'forwarded';
      return on.includes(one.event) ? 'waiting' : 'kept';
    };
    const due = this.#steady();
    const add = async (one: Delivery) =>
      queue.find(one.uid) ?? queue.keep(one, { state: stateOf(one), duplicates: false, due });
    await Promise.all(events.values().map(add));
  }
}

/** Opens the queue of a program, which one run at a time may hold. */
export const openHook = async (tail: Tail, filter: WatchFilter, input: WatchInput, run: Run): Promise<Hook> => {
  const { io, say } = run;
  const exec = (await execOf(input.exec ?? '', io))(input.execEnv);
  const [ledger, { data }, { service, workspace }] = [await run.ledger(), await foldersOf(run), await run.target()];
  const name = WATCH_FILE_START + ledger.digest(JSON.stringify([service, workspace, exec.words]));
  const queue = holdQueue(data, realMachine.uid, `${name}.db`, `${name}.lock`);
  if (queue === undefined) throw usageError('another `paycli watch` on this machine runs the same program');
  const hook = new Hook({ tail, ledger, queue, folder: data, exec, on: input.on, io, say }, filter);
  await hook.start();
  return hook;
};
