import { existsSync, readdirSync } from 'node:fs';
import { counted } from '../core/bounds.ts';
import { interrupted } from '../core/error.ts';
import { formatLocalFull } from '../core/time.ts';
import { QUEUE_FILE_NAME, WATCH_FILE_START } from '../core/webhook-event.ts';
import { openQueue, type Queue } from './queue.ts';

const isQueue = (name: string): boolean =>
  name === QUEUE_FILE_NAME || (name.startsWith(WATCH_FILE_START) && name.endsWith('.db'));

/**
 * Opens all queues of a folder while `use` runs: that of `webhook listen`, and one for each program of `watch --exec`,
 * whether it is ever started again or not.
 */
export const withQueues = async <T>(
  folder: string,
  uid: number | undefined,
  use: (queues: readonly Queue[]) => Promise<T>,
): Promise<T> => {
  const queues: Queue[] = [];
  try {
    for (const name of existsSync(folder) ? readdirSync(folder).filter(isQueue) : [])
      queues.push(openQueue(folder, uid, name));
    return await use(queues);
  } finally {
    for (const queue of queues) queue.close();
  }
};

/** Counts what `pruneQueues` removes. `waiting`: the events among them that were not delivered. */
export const prunableIn = (queues: readonly Queue[], before: number) => {
  const sum = { events: 0, waiting: 0, refused: 0 };
  for (const queue of queues) {
    const { count, waiting, refused } = queue.prunable(before, 'all');
    sum.events += count + waiting;
    sum.waiting += waiting;
    sum.refused += refused;
  }
  return sum;
};

interface PruneDeps {
  readonly io: { readonly signals: { readonly stop: AbortSignal } };
  readonly say: (text: string) => Promise<void>;
}

/**
 * Removes refused deliveries and all events from before an instant, also those that wait, except for their uids. Throws
 * at a signal.
 */
export const pruneQueues = async (queues: readonly Queue[], before: number, { io, say }: PruneDeps): Promise<void> => {
  const { stop } = io.signals;
  let isCompact = true;
  for (const queue of queues) {
    await queue.prune(before, stop, 'all');
    if (stop.aborted) throw interrupted(stop.reason, 'the events removed so far stay removed');
    isCompact = (await queue.compact()) && isCompact;
  }
  if (!isCompact)
    await say(
      'The file keeps its size for now, since it is in use or the disk is full. New events use the free space.',
    );
};

const numberOf = (count: number, one: string, many?: string): string[] =>
  count === 0 ? [] : [counted(count, one, many)];

/** The lines of a question that name what `pruneQueues` removes; none if that is nothing. */
export const queueQuestion = (
  { events, waiting, refused }: ReturnType<typeof prunableIn>,
  before: number,
): readonly string[] => {
  const all = [...numberOf(events, 'event'), ...numberOf(refused, 'refused delivery', 'refused deliveries')].join(
    ' and ',
  );
  if (all === '') return [];
  return [
    `Prune ${all} that came before ${formatLocalFull(before)}?`,
    ...(waiting === 0 ? [] : [`Events among them that still wait, and are then never delivered: ${waiting}.`]),
    'Bodies and headers are removed for good. Uids of events stay.',
  ];
};
