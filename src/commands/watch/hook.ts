import { execOf } from '../../compose/exec.ts';
import { foldersOf } from '../../compose/run.ts';
import { realMachine } from '../../config/machine.ts';
import { PayError, usageError } from '../../core/error.ts';
import { withTimeout } from '../../core/io.ts';
import { DAY_MS, SECOND_MS } from '../../core/time.ts';
import { CHANGES, KEEP_DAYS, WATCH_FILE_START } from '../../core/webhook-event.ts';
import { isCharge } from '../../ledger/entry.ts';
import { type ChargeChange, stateNow, type Tail, type Watched, type WatchFilter } from '../../ledger/tail.ts';
import { moneyKnown } from '../../ledger/transitions.ts';
import { execute } from '../../webhook/consumers.ts';
import { openNotifier, type PostResult, retryUntilWritten } from '../../webhook/deliver.ts';
import type { Delivery } from '../../webhook/event.ts';
import { forward } from '../../webhook/forward.ts';
import { holdQueue } from '../../webhook/queue.ts';
import type { Run } from '../run.ts';
import type { WatchInput } from './spec.ts';
import { changeRecord } from './view.ts';

/** A look reads at most so many reversed charges, and as many that were paid twice. */
const MOST_READ = 100;

/** Events about a charge as it is now. Whoever sees a change, and whenever, gives its event the same id. */
const eventsOf = (seen: Watched, receivedAt: number): Delivery[] => {
  const { charge, now } = seen;
  const money = moneyKnown(charge);
  const record = changeRecord(seen, money).value as object;
  const eventOf = (event: string, about: string, occasion: unknown): Delivery => {
    const uid = [about, event, occasion ?? []].flat().join('.');
    const body = Buffer.from(`${JSON.stringify({ id: uid, kind: event, ...record })}\n`);
    const unsigned = { delivery: undefined, signature: '', headers: [] };
    return { uid, event, ugwo: charge.about, activity: charge.activity?.uid, body, receivedAt, ...unsigned };
  };
  const own = CHANGES.includes(now) ? [eventOf(now, charge.id, money?.reversed?.at ?? money?.paidAt)] : [];
  return money?.isPaidTwice ? [...own, eventOf('paid_twice', charge.about, money.surplus)] : own;
};

/**
 * Runs a program for each change of a tail, at least once. The program has a queue of its own, which stores an event
 * until the program has run without failure, and its id for good.
 */
export const openHook = async (tail: Tail, { filters, unsettledOnly }: WatchFilter, input: WatchInput, run: Run) => {
  const { clock, random, signals } = run.io;
  const exec = (await execOf(input.exec ?? '', run.io))(input.execEnv ?? []);
  const [ledger, { data }, { service, workspace }] = [await run.ledger(), await foldersOf(run), await run.target()];
  const name = WATCH_FILE_START + ledger.digest(JSON.stringify([service, workspace, exec.words]));
  const held = holdQueue(data, realMachine.uid, `${name}.db`, `${name}.lock`);
  if (held === undefined) throw usageError('another `paycli watch` on this machine runs the same program');
  const { queue, release } = held;
  const [over, notifier] = [new AbortController(), openNotifier(clock)];
  const stop = AbortSignal.any([signals.stop, over.signal]);
  stop.addEventListener('abort', notifier.call);
  const offset = clock.now() - clock.ticks();
  const steady = (): number => Math.floor(clock.ticks() + offset);
  const send = async (event: Delivery): Promise<PostResult> => {
    const failed = await execute(exec, event, { clock, stop, leave: signals.leave });
    if (failed === undefined) return { kind: 'ran' };
    return stop.aborted ? { kind: 'left' } : { kind: 'failed', why: failed.why, reached: true };
  };
  // Only printed events are pruned, and nothing prints these.
  await queue.setPlace('printed', Number.MAX_SAFE_INTEGER);
  await queue.prune(clock.now() - KEEP_DAYS * DAY_MS, stop);
  const forwarder = forward(queue, notifier, { clock, steady, random, say: run.say, isProgram: true, send }, stop);

  /** Stores the events that are new to the queue. The program runs for them only if `isNews`. */
  const keep = async (seen: readonly Watched[], isNews: boolean): Promise<void> => {
    const events = new Map(seen.flatMap((one) => eventsOf(one, clock.now())).map((event) => [event.uid, event]));
    const unknown = [...events.values()].filter(({ uid }) => queue.find(uid) === undefined);
    const stateOf = ({ event }: Delivery) => (isNews && input.on.includes(event) ? 'waiting' : 'kept');
    const add = (one: Delivery) => queue.keep(one, { state: stateOf(one), duplicates: false, due: steady() });
    await Promise.all(unknown.map(add));
    if (unknown.length > 0) notifier.call();
  };

  const cases = [{ payments: ['reversed'] }, { paidTwice: true }] as const;
  const later = filters.flatMap((one) =>
    cases.map((more) => ({ ...one, ...more, before: undefined as number | undefined })),
  );
  /**
   * Reversed charges, and those of payment requests that were paid twice. The tail may have dropped them as paid. The
   * first start reads all. After that each call reads a part, since the ledger may hold very many.
   */
  const changedLater = async (): Promise<Watched[]> => {
    const limit = saved === undefined ? -1 : MOST_READ;
    const found = await Promise.all(
      later.map(async (part) => {
        const some = await ledger.list({ ...part, limit });
        part.before = some.length === limit ? some.at(-1)?.seq : undefined;
        return some.filter(isCharge);
      }),
    );
    return found.flat().map((charge) => ({ charge, now: stateNow(charge), at: clock.now() }));
  };

  // The program runs for everything about named charges.
  let saved = unsettledOnly ? queue.setting('tail') : '';
  if (saved) await tail.resume(saved);

  return {
    /** Reads the changes of the tail, and stores their events. The program doesn't run for what its first start finds. */
    changes: async (): Promise<ChargeChange[]> => {
      const seen = await changedLater();
      const changes = await tail.changes();
      const store = async (): Promise<void> => {
        await keep([...seen, ...changes], saved !== undefined);
        const state = unsettledOnly ? tail.state() : '';
        if (state !== saved) await queue.set('tail', state);
        saved = state;
      };
      await retryUntilWritten(store, { clock, say: run.say }, stop);
      return changes;
    },
    /** Stops; with `isFinal`, delivers first. Resolves to an error if events wait for the next start. */
    end: async (isFinal: boolean): Promise<PayError | undefined> => {
      if (isFinal && !stop.aborted) await withTimeout(forwarder.empty(), 30 * SECOND_MS, clock);
      over.abort();
      await forwarder.ended;
      const { count } = queue.waiting();
      queue.close();
      release();
      const what = `events that wait for the next start of --exec: ${count}`;
      if (count > 0) await run.say(what);
      return count > 0 ? new PayError('attention', what) : undefined;
    },
  };
};
export type Hook = Awaited<ReturnType<typeof openHook>>;
