import type { HttpRequest, StreamedAnswer } from '../http.ts';
import { catchUp } from '../payments.ts';
import { nowOf } from '../service.ts';
import { rowFacts } from './pages/requests.ts';
import type { Desk } from './view.ts';

/** Interval in milliseconds for checking whether the data has changed, since another process may write to the file. */
const LOOK_MS = 500;
/** Streams at once; a page that nobody looks at has none. */
const MOST = 16;

type Write = Parameters<StreamedAnswer>[0];

/** Sends the requests that came after `after`, and gives the last one's number. */
const sendRequests = async ({ requests, service }: Desk, write: Write, after: number): Promise<number> => {
  let last = after;
  for (const seen of requests.newest().toReversed()) {
    if (seen.seq <= last) continue;
    last = seen.seq;
    const data = JSON.stringify(rowFacts(seen, nowOf(service)));
    await write(`event: request\nid: ${last}\ndata: ${data}\n\n`);
  }
  return last;
};

/** Resolves with the next request, or when it is time to look again. */
const something = async ({ requests, service }: Desk, wake: AbortController): Promise<void> => {
  const unheard = requests.listen(() => wake.abort());
  const { clock, closing } = service;
  await clock.sleep(LOOK_MS, AbortSignal.any([closing, wake.signal])).catch(() => undefined);
  unheard();
};

const follow = async (desk: Desk, after: number, write: Write, gone: AbortSignal): Promise<void> => {
  const { store, closing } = desk.service;
  const isOver = (): boolean => closing.aborted || gone.aborted;
  let [last, version] = [await sendRequests(desk, write, after), store.version()];
  // The first words tell the browser that it is connected.
  await write(': live\n\n');
  while (!isOver()) {
    await something(desk, new AbortController());
    if (isOver()) return;
    catchUp(store, nowOf(desk.service));
    last = await sendRequests(desk, write, last);
    const now = store.version();
    if (now !== version) await write('event: changed\ndata: \n\n');
    version = now;
  }
};

/** Where to go on in the list of requests. */
const placeOf = ({ requests }: Desk, { headers, query }: HttpRequest): number => {
  const asked = Number(headers['last-event-id'] ?? query.get('after') ?? Number.NaN);
  const newest = requests.newest()[0]?.seq ?? 0;
  // A number from an earlier emulator means nothing to this one.
  return asked <= newest ? asked : 0;
};

/** Streams news as they happen: requests, and a notice that the data has changed. */
export const openLive = () => {
  let open = 0;
  return (desk: Desk, asked: HttpRequest): StreamedAnswer => {
    const after = placeOf(desk, asked);
    return async (write, gone) => {
      if (open >= MOST) return;
      open += 1;
      await follow(desk, after, write, gone).finally(() => {
        open -= 1;
      });
    };
  };
};
