import type { InputOf } from '../../cli/define.ts';
import { foldersOf } from '../../compose/run.ts';
import { realMachine } from '../../config/machine.ts';
import { webhookSecrets } from '../../config/secrets.ts';
import { PayError, usageError } from '../../core/error.ts';
import { instantOf, madeHere, onePage, PAGE_MAX, pageOf, type RequestedTime } from '../../core/record.ts';
import { columnsNamed, type Result, type View } from '../../core/result.ts';
import { atom, DAY_MS } from '../../core/time.ts';
import { EVENTS, isWanted } from '../../core/webhook-event.ts';
import {
  eventListView,
  eventRecord,
  eventView,
  refusedRecord,
  refusedView,
  summaryRecord,
} from '../../records/event.ts';
import type { EventSummary, KeptEvent } from '../../webhook/event.ts';
import { checkTarget, forwardAgain } from '../../webhook/forward.ts';
import type { DeliveryTarget } from '../../webhook/post.ts';
import { prunableIn, pruneQueues, queueQuestion, withQueues } from '../../webhook/prune.ts';
import { openQueue, type Queue } from '../../webhook/queue.ts';
import { listedPages, numberedCursors, type StoredList } from '../list.ts';
import { continueCommand } from '../record.ts';
import type { Run } from '../run.ts';
import type { EventsInput, readTrigger, replayInput } from './spec.ts';

export const replayedView: View = {
  columns: [...columnsNamed('uid event'), { path: 'to', flexible: true }, ...columnsNamed('answer ms')],
};

const prunedEventsView: View = {
  columns: [
    { path: 'before', kind: 'time' },
    { path: 'pruned', kind: 'count', always: true },
    { path: 'waiting', kind: 'count', always: true, label: 'of these, not delivered' },
    { path: 'refused', kind: 'count', label: 'refused deliveries pruned' },
  ],
};

const withQueue = async <T>(run: Run, use: (queue: Queue) => T | Promise<T>): Promise<T> => {
  const queue = openQueue((await foldersOf(run)).data, realMachine.uid);
  try {
    return await use(queue);
  } finally {
    queue.close();
  }
};

const { cursorOf, seqOf } = numberedCursors('event:');

/** Lists the received events, or with --refused the rejected deliveries, newest first. */
export const listEvents = async (input: EventsInput, run: Run): Promise<Result> => {
  const { cursor, refused, all, ...words } = input;
  const { event: wanted, ugwo, state: states, max } = input;
  if (refused) {
    const found = await withQueue(run, (queue) => queue.refused(max ?? -1));
    return { kind: 'list', pages: pageOf(found.map(refusedRecord)), view: refusedView };
  }
  const from = cursor === undefined ? Number.MAX_SAFE_INTEGER : seqOf(cursor);
  const filter = { ugwo, states, isWanted: wanted && ((event: string) => isWanted(event, wanted)) };
  const stored: StoredList<EventSummary, number> = {
    placeOf: ({ seq }) => seq,
    cursorOf,
    size: PAGE_MAX,
    find: (behind, limit) => withQueue(run, (queue) => queue.before(behind ?? from, filter, limit)),
    recordsOf: async (events) => events.map(summaryRecord),
  };
  const goOn = (at: string) => continueCommand(at, ['webhook', 'events', 'list'], words, run.globals);
  return { kind: 'list', pages: listedPages(run, stored, { from, max }), view: eventListView, goOn, max };
};

/** Finds an event by its uid. Throws `rejected` if this machine has not received it. */
const findEvent = (queue: Queue, uid: string): KeptEvent => {
  const event = queue.find(uid);
  if (event !== undefined) return event;
  const hint = 'see: paycli webhook events list';
  throw new PayError('rejected', `this machine has received no event ${uid}`, { hint });
};

export const showEvent = async ({ uid }: { readonly uid: string }, run: Run): Promise<Result> => ({
  kind: 'record',
  record: eventRecord(await withQueue(run, (queue) => findEvent(queue, uid))),
  view: eventView,
});

/** Sends an event to a target once, and shows the answer. */
const sendTo = async (
  target: DeliveryTarget,
  { uid, event, ...request }: Pick<KeptEvent, 'event' | 'headers' | 'body'> & { readonly uid: string },
  { clock, signals }: Run['io'],
): Promise<Result> => {
  const started = clock.ticks();
  const answer = await forwardAgain(request, target, signals.stop);
  const ms = Math.round(clock.ticks() - started);
  return { kind: 'record', record: madeHere({ uid, event, to: target.url.href, answer, ms }), view: replayedView };
};

export const sendEventAgain = async (
  { uid, to, allowRemote }: InputOf<typeof replayInput>,
  run: Run,
): Promise<Result> => {
  const [event, last] = await withQueue(run, (queue) => [findEvent(queue, uid), queue.setting('target')] as const);
  const text = to ?? last;
  if (text === undefined) throw usageError('--to is required: `webhook listen` has forwarded nothing yet');
  const target = await checkTarget(text, '--to', allowRemote, run.io.env);
  return sendTo(target, { ...event, uid }, run.io);
};

/** Sends an event that did not happen, as the service would, or lists the events. */
export const sendMadeUpEvent = async (input: ReturnType<typeof readTrigger>, run: Run): Promise<Result> => {
  if (input === undefined) {
    return { kind: 'list', pages: onePage(EVENTS.map((event) => ({ event }))), view: { columns: [{ path: 'event' }] } };
  }
  const { event, to, secretFile } = input;
  // A made-up event may leave this machine.
  const target = await checkTarget(to, '--to', true, run.io.env);
  const [secret = ''] = await webhookSecrets({ files: [secretFile] }, run.io);
  const { sampleRequest } = await import('../../emulator/deliver.ts');
  return sendTo(target, { event, ...sampleRequest(event, secret, run.io.clock.now()) }, run.io);
};

/** Removes refused deliveries and all events, except for their uids, so that none is printed twice. */
export const pruneEvents = async (input: { readonly before: RequestedTime }, run: Run): Promise<Result> => {
  const { clock } = run.io;
  const before = instantOf(input.before, clock.now());
  if (before > clock.now() - DAY_MS) throw usageError('--before must be at least a day ago');
  return withQueues((await foldersOf(run)).data, realMachine.uid, async (queues) => {
    const found = prunableIn(queues, before);
    const question = queueQuestion(found, before);
    if (question.length > 0) {
      await run.ask(question, 'refuse');
      await pruneQueues(queues, before, run);
    }
    const { events, waiting, refused } = found;
    const record = madeHere({ before: atom(before), pruned: events, waiting, refused });
    return { kind: 'record', record, view: prunedEventsView };
  });
};
