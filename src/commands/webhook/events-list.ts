import { isWanted } from '../../core/event.ts';
import { PAGE_MAX } from '../../core/page.ts';
import type { ReceivedPage } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import type { EventFilter } from '../../webhook/statements.ts';
import type { Deps } from '../deps.ts';
import { listedPages, numberedCursors } from '../listed-pages.ts';
import type { ListInput } from './events-spec.ts';
import { withQueue } from './find.ts';
import { listView, refusedRecord, refusedView, summaryRecord } from './view.ts';

const { cursorOf, seqOf } = numberedCursors('event:');

const filterOf = ({ events, ugwo, states }: ListInput): EventFilter => ({
  ugwo,
  states,
  ...(events.length === 0 ? {} : { isWanted: (event: string) => isWanted(event, events) }),
});

const pagesOf = (input: ListInput, from: number, deps: Deps): AsyncGenerator<ReceivedPage> =>
  listedPages(
    {
      find: (behind, limit) => withQueue(deps, (queue) => queue.before(behind ?? from, filterOf(input), limit)),
      placeOf: ({ seq }) => seq,
      cursorOf,
      recordsOf: async (events) => events.map(summaryRecord),
      size: PAGE_MAX,
    },
    { from, max: input.max },
  );

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

async function* refusedPage(most: number, deps: Deps): AsyncGenerator<ReceivedPage> {
  const found = await withQueue(deps, (queue) => queue.refused(most));
  yield { records: found.map(refusedRecord), cursor: undefined, nextCursor: null };
}

/** The events that were received, or the deliveries that were turned away, newest first. */
export const run = async (input: ListInput, deps: Deps): Promise<Result> => {
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
