import { usageError } from '../../core/error.ts';
import { isWanted } from '../../core/event.ts';
import { PAGE_MAX } from '../../core/page.ts';
import type { ReceivedPage } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import type { EventFilter } from '../../webhook/statements.ts';
import type { Deps } from '../deps.ts';
import type { ListInput } from './events-spec.ts';
import { withQueue } from './find.ts';
import { listView, refusedRecord, refusedView, summaryRecord } from './view.ts';

type Needs = Pick<Deps, 'folders' | 'globals' | 'user' | 'webhooks'>;

const PREFIX = 'event:';
const cursorOf = (seq: number): string => Buffer.from(`${PREFIX}${seq}`).toString('base64url');

/** The place behind a cursor; a usage error for a text that is none of ours. */
const seqOf = (cursor: string): number => {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const seq = text.startsWith(PREFIX) ? Number(text.slice(PREFIX.length)) : Number.NaN;
  if (Number.isSafeInteger(seq) && cursorOf(seq) === cursor) return seq;
  throw usageError(`--cursor: "${cursor}" is not a cursor of this list`, {
    hint: 'use the next_cursor of an earlier page, or leave out --cursor',
  });
};

const filterOf = ({ events, ugwo, states }: ListInput): EventFilter => ({
  ugwo,
  states,
  ...(events.length === 0 ? {} : { isWanted: (event: string) => isWanted(event, events) }),
});

async function* pagesOf(input: ListInput, from: number, deps: Needs): AsyncGenerator<ReceivedPage> {
  let [seq, left, cursor] = [from, input.max ?? Number.POSITIVE_INFINITY, undefined as string | undefined];
  while (left > 0) {
    const size = Math.min(PAGE_MAX, left);
    // One more than is shown tells whether there is another page.
    const found = await withQueue(deps, (queue) => queue.before(seq, filterOf(input), size + 1));
    const shown = found.slice(0, size);
    const last = found.length > size ? shown.at(-1)?.seq : undefined;
    const nextCursor = last === undefined ? null : cursorOf(last);
    yield { records: shown.map(summaryRecord), cursor, nextCursor };
    if (last === undefined) return;
    [seq, left, cursor] = [last, left - size, nextCursor ?? undefined];
  }
}

const goOn =
  ({ events, ugwo, states, max }: ListInput, { format }: Deps['globals']) =>
  (cursor: string): string =>
    shellLine([
      ...['paycli', 'webhook', 'events', 'list'],
      ...(format === undefined ? [] : ['-o', format]),
      ...events.flatMap((event) => ['--event', event]),
      ...(ugwo === undefined ? [] : ['--ugwo', ugwo]),
      ...(states ?? []).flatMap((state) => ['--state', state]),
      ...(max === undefined ? [] : ['--max', String(max)]),
      ...['--cursor', cursor],
    ]);

/** So many of them are kept. */
const MOST_REFUSED = 1000;

async function* refusedPage(most: number, deps: Needs): AsyncGenerator<ReceivedPage> {
  const found = await withQueue(deps, (queue) => queue.refused(most));
  yield { records: found.map(refusedRecord), cursor: undefined, nextCursor: null };
}

/** The events that were received, or the deliveries that were turned away, newest first. */
export const run = async (input: ListInput, deps: Needs): Promise<Result> => {
  if (input.refused) return { kind: 'list', pages: refusedPage(input.max ?? MOST_REFUSED, deps), view: refusedView };
  const from = input.cursor === undefined ? Number.MAX_SAFE_INTEGER : seqOf(input.cursor);
  return {
    kind: 'list',
    pages: pagesOf(input, from, deps),
    view: listView,
    goOn: goOn(input, deps.globals),
    ...(input.max === undefined ? {} : { max: input.max }),
  };
};
