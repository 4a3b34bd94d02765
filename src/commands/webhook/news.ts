import type { Client } from '../../client/client.ts';
import { PayError, reasonOf } from '../../core/error.ts';
import { DOUBLE_CHARGE } from '../../core/event.ts';
import { isId } from '../../core/ids.ts';
import { memo } from '../../core/memo.ts';
import type { Received } from '../../core/received.ts';
import { servedBy } from '../../core/received.ts';
import type { Charge } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RequestSeen } from '../../ledger/request-seen.ts';
import type { LedgerRoom } from '../../ledger/room.ts';
import type { News, NewsEvent, NewsResult } from '../../webhook/news.ts';
import type { Deps } from '../deps.ts';
import { doubleCharge } from './double-charge.ts';

interface Doors {
  readonly ledger: Ledger;
  readonly protocol: LedgerRoom;
  readonly client: Client;
  readonly clean: (text: string) => string;
}

/** What the service shows of a payment request now; undefined where it has none, or no such read. */
type Look = () => Promise<{ readonly request: Received; readonly shown: RequestSeen } | undefined>;

/** Reads once, however often it is asked. */
const lookOnce = (ugwo: string, { client, protocol }: Doors): Look =>
  memo(async () => {
    const request = await client.look('ugwo.get', { params: { uid: ugwo } });
    return request && { request, shown: protocol.shownOf(request.value, request) };
  });

const UNSEEN = { unavailable: 'the service does not show the payment request' };

/** What is unknown gets its answer where the look proves it, and what is open moves. */
const tellLedger = async (charges: readonly Charge[], look: Look, doors: Doors): Promise<void> => {
  const { ledger, protocol, client, clean } = doors;
  for (const charge of charges.filter(({ state }) => state === 'unknown')) {
    await protocol.reconcile(ledger, charge, async () => (await look())?.shown ?? UNSEEN, { clean });
  }
  const seen = await look();
  if (seen === undefined) return;
  const { activities, asked } = seen.shown;
  if (activities === undefined) {
    for (const charge of charges) await protocol.refreshCharge(ledger, charge, client);
    return;
  }
  const kept = activities.map((activity) => protocol.keptActivity(activity, servedBy(seen.request)));
  // Of one whose status can't be read, what is known already says more.
  const readable = kept.filter(({ uid, status }) => isId('act', uid) && status !== '');
  await ledger.observe(readable, asked, true);
};

/** Whether asking again would change nothing: the service has no such payment request. */
const isForGood = (thrown: unknown): boolean => thrown instanceof PayError && thrown.kind === 'rejected';

const tell = async (
  ugwo: string,
  events: readonly NewsEvent[],
  service: string,
  doors: Doors,
): Promise<NewsResult | undefined> => {
  // An event may give any text for a name, and none is asked for that can be no payment request's.
  if (!isId('ugw', ugwo)) return undefined;
  const { ledger, protocol } = doors;
  const entries = await ledger.list({ about: ugwo, service, limit: -1 });
  const charges = entries.filter(protocol.isCharge);
  const double = events.filter(({ event }) => event === DOUBLE_CHARGE);
  if (charges.length === 0 && double.length === 0) return undefined;
  const look = lookOnce(ugwo, doors);
  try {
    await tellLedger(charges, look, doors);
    if (double.length === 0) return undefined;
    return doubleCharge(ugwo, double, charges, (await look())?.shown.activities ?? []);
  } catch (thrown) {
    if (!isForGood(thrown)) throw thrown;
    return { said: [`${ugwo} couldn't be checked: ${reasonOf(thrown)}`] };
  }
};

/**
 * Tells the ledger what events bring, as far as the service itself shows it: an event says only what to read. Undefined where
 * there is no service to ask.
 */
export const openNews = async (deps: Deps): Promise<News | undefined> => {
  const { io, notice } = deps;
  let service: string;
  try {
    ({ service } = await deps.place());
  } catch (thrown) {
    if (!(thrown instanceof PayError) || thrown.kind === 'interrupted') throw thrown;
    await notice(`The ledger isn't told what comes: ${thrown.message}${/[.?]$/.test(thrown.message) ? '' : '.'}`);
    return undefined;
  }
  const clean = (text: string): string => io.redactor.cleanAll(text);
  const connect = memo(() => deps.client('read'));
  return {
    service,
    tell: async (ugwo, events) => {
      const [ledger, protocol, client] = [await deps.ledger(), await deps.protocol(), await connect()];
      return tell(ugwo, events, service, { ledger, protocol, client, clean });
    },
  };
};
