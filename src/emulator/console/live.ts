import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { nowOf } from '../answer.ts';
import { catchUp } from '../ends.ts';
import { rowFacts } from './pages/requests.ts';
import type { Desk } from './view.ts';

/** How often it is looked whether the data has changed: another process may write into the file. */
const LOOK_MS = 500;
/** Streams at once; a page that nobody looks at has none. */
const MOST = 16;

/** Sends the requests that came after `after`, and gives the last one's number. */
const sendRequests = async ({ requests, service }: Desk, stream: SSEStreamingApi, after: number): Promise<number> => {
  let last = after;
  for (const seen of requests.newest().toReversed()) {
    if (seen.seq <= last) continue;
    last = seen.seq;
    const data = JSON.stringify(rowFacts(seen, nowOf(service)));
    await stream.writeSSE({ event: 'request', id: String(last), data });
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

const follow = async (desk: Desk, stream: SSEStreamingApi, after: number): Promise<void> => {
  const { store, closing } = desk.service;
  let [last, version] = [await sendRequests(desk, stream, after), store.version()];
  // The first words tell the browser that it is connected.
  await stream.write(': live\n\n');
  while (!closing.aborted && !stream.aborted) {
    await something(desk, new AbortController());
    if (closing.aborted || stream.aborted) return;
    catchUp(store, nowOf(desk.service));
    last = await sendRequests(desk, stream, last);
    const now = store.version();
    if (now !== version) await stream.writeSSE({ event: 'changed', data: '' });
    version = now;
  }
};

/** Where to go on in the list of requests. */
const placeOf = ({ requests }: Desk, context: Context): number => {
  const asked = Number(context.req.header('last-event-id') ?? context.req.query('after'));
  const newest = requests.newest()[0]?.seq ?? 0;
  // A number of an emulator that has gone says nothing about this one.
  return asked <= newest ? asked : 0;
};

/** What is new, as it happens: requests, and that something in the data has changed. */
export const openLive = () => {
  const open = new Set<SSEStreamingApi>();
  return (desk: Desk, context: Context): Response => {
    const after = placeOf(desk, context);
    return streamSSE(context, async (stream) => {
      if (open.size >= MOST) return;
      open.add(stream);
      await follow(desk, stream, after).finally(() => open.delete(stream));
    });
  };
};
