import type { DatabaseSync } from 'node:sqlite';
import type { DeliveryState } from '../../core/local.ts';
import { number, optionalNumber, optionalText, text } from '../../database/values.ts';
import { NEWEST, type Row } from './rows.ts';

/** Where events are told. */
export interface Webhook {
  readonly id: number;
  readonly url: string;
  /** Names of events, in which `*` stands for any text. */
  readonly events: readonly string[];
  /** `wsk.…`; empty where nothing is signed. */
  readonly secret: string;
}

/** What was sent once, and what came of it. */
export interface Attempt {
  readonly delivery_id: string;
  readonly at: string;
  /** The status of the answer; null where there was none. */
  readonly status: number | null;
  /** Why there was none. */
  readonly error: string | null;
  readonly ms: number;
  /** What a rule for faults made of it. */
  readonly fault?: string;
}

/** An event as it happened. */
export interface Told {
  /** `evt.…`: the same in each attempt, and at each webhook. */
  readonly uid: string;
  readonly event: string;
  /** What its order is kept for: a payment request or a customer. */
  readonly subject: string;
  /** The resource, as JSON in the documented dialect. */
  readonly data: string;
  /** When it happened, in milliseconds since the epoch. */
  readonly at: number;
}

/** An event for one webhook. */
export interface Delivery extends Told {
  readonly id: number;
  readonly webhook: Webhook;
  readonly state: DeliveryState;
  /** When it is tried next; undefined where it is not. */
  readonly due: number | undefined;
  /** How often it was tried since it was told or replayed. */
  readonly tries: number;
  /** A rule for faults has put it off already. */
  readonly putOff: 'late' | 'held' | undefined;
  readonly attempts: readonly Attempt[];
}

/** How a delivery goes on. */
export type Next = Pick<Delivery, 'state' | 'due' | 'tries' | 'putOff'>;

/** So many are kept that have come to an end. */
const KEPT = 10_000;

const DELIVERY = `SELECT delivery.*, webhook.url, webhook.events, webhook.secret
  FROM delivery JOIN webhook ON webhook.seq = delivery.webhook`;

const webhookOf = (row: Row, id: unknown): Webhook => ({
  id: Number(id),
  url: text(row?.['url']),
  events: JSON.parse(optionalText(row?.['events']) ?? '[]') as string[],
  secret: text(row?.['secret']),
});

const deliveryOf = (row: Row): Delivery => ({
  id: number(row?.['seq']),
  webhook: webhookOf(row, row?.['webhook']),
  uid: text(row?.['uid']),
  event: text(row?.['event']),
  subject: text(row?.['subject']),
  data: text(row?.['data']),
  at: number(row?.['at']),
  state: optionalText(row?.['state']) as DeliveryState,
  due: optionalNumber(row?.['due']),
  tries: number(row?.['tries']),
  putOff: optionalText(row?.['put_off']) as Delivery['putOff'],
  attempts: JSON.parse(optionalText(row?.['attempts']) ?? '[]') as Attempt[],
});

/** Webhooks, and the outbox. What is put into it in the transaction of a change is there if the change is, and only then. */
export const outbox = (db: DatabaseSync) => {
  const webhooks = db.prepare('SELECT seq, url, events, secret FROM webhook ORDER BY seq');
  const add = db.prepare('INSERT INTO webhook (url, events, secret) VALUES (?, ?, ?)');
  const remove = db.prepare('DELETE FROM webhook WHERE seq = ?');
  const put = db.prepare('INSERT INTO delivery (webhook, uid, event, subject, data, at) VALUES (?, ?, ?, ?, ?, ?)');
  const one = db.prepare(`${DELIVERY} WHERE delivery.seq = ?`);
  const before = db.prepare(`${DELIVERY} WHERE delivery.seq < ? ORDER BY delivery.seq DESC LIMIT ?`);
  // At first what was never tried, in the order in which it happened.
  const due = db.prepare(`${DELIVERY} WHERE webhook = ? AND due <= ? ORDER BY due, delivery.seq LIMIT ?`);
  const next = db.prepare('UPDATE delivery SET state = ?, due = ?, tries = ?, put_off = ? WHERE seq = ?');
  const note = db.prepare("UPDATE delivery SET attempts = json_insert(attempts, '$[#]', json(?)) WHERE seq = ?");
  const held = db.prepare("SELECT 1 FROM delivery WHERE webhook = ? AND put_off = 'held' AND due > 0 LIMIT 1");
  const release = db.prepare(
    "UPDATE delivery SET due = 0 WHERE webhook = ? AND seq <> ? AND put_off = 'held' AND due > 0",
  );
  const deliverer = db.prepare("SELECT value FROM setting WHERE name = 'deliverer'");
  const setDeliverer = db.prepare("INSERT OR REPLACE INTO setting (name, value) VALUES ('deliverer', ?)");
  const removeDeliverer = db.prepare("DELETE FROM setting WHERE name = 'deliverer' AND value LIKE ?");
  const forget = db.prepare(
    'DELETE FROM delivery WHERE due IS NULL AND seq <= (SELECT max(seq) FROM delivery) - CAST(? AS INTEGER)',
  );
  return {
    webhooks: (): Webhook[] => webhooks.all().map((row) => webhookOf(row, row['seq'])),
    addWebhook: ({ url, events, secret }: Omit<Webhook, 'id'>): Webhook => {
      const { lastInsertRowid } = add.run(url, JSON.stringify(events), secret);
      return { id: Number(lastInsertRowid), url, events, secret };
    },
    /** With all that was to be delivered there, and was. */
    removeWebhook: (id: number) => void remove.run(id),
    addDelivery: (webhook: number, { uid, event, subject, data, at }: Told): number =>
      Number(put.run(webhook, uid, event, subject, data, at).lastInsertRowid),
    delivery: (id: number): Delivery | undefined => {
      const row = one.get(id);
      return row === undefined ? undefined : deliveryOf(row);
    },
    /** The newest that are older than `id`, newest first. */
    deliveriesBefore: (id = NEWEST, count: number): Delivery[] => before.all(id, count).map(deliveryOf),
    dueDeliveries: (webhook: number, now: number, count: number): Delivery[] =>
      due.all(webhook, now, count).map(deliveryOf),
    setNext: (id: number, { state, due: at, tries, putOff }: Next) =>
      void next.run(state, at ?? null, tries, putOff ?? null, id),
    noteAttempt: (id: number, attempt: Attempt) => {
      note.run(JSON.stringify(attempt), id);
      forget.run(KEPT);
    },
    /** The process that delivers, and until when nobody else may, in milliseconds since the epoch by the real clock. */
    deliverer: (): { readonly owner: string; readonly until: number } | undefined => {
      const [owner, until] = optionalText(deliverer.get()?.['value'])?.split(' ') ?? [];
      return owner === undefined ? undefined : { owner, until: Number(until) };
    },
    setDeliverer: (owner: string, until: number) => void setDeliverer.run(`${owner} ${until}`),
    removeDeliverer: (owner: string) => void removeDeliverer.run(`${owner} %`),
    /** Whether one is kept back at a webhook until the next one was sent there. */
    isHolding: (webhook: number) => held.get(webhook) !== undefined,
    /** Lets go what is kept back at a webhook, now that `sent` was sent there. */
    releaseHeld: (webhook: number, sent: number) => void release.run(webhook, sent),
  };
};
