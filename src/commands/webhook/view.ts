import { excessOf } from '../../core/bounds.ts';
import { parseExact } from '../../core/json.ts';
import { scan } from '../../core/json-scan.ts';
import { type ApiRecord, apiRecordOf, madeHere } from '../../core/record.ts';
import type { Column, View } from '../../core/result.ts';
import { decodeUtf8 } from '../../core/text.ts';
import { atom } from '../../core/time.ts';
import type { Delivery, EventSummary, KeptEvent, RefusedDelivery } from '../../webhook/event.ts';
import type { PrintedEvent } from '../../webhook/listen.ts';

/** Common fields of an event; null for those that it does not give. */
export const aboutFields = ({ uid, event, ugwo, activity }: Pick<Delivery, 'uid' | 'event' | 'ugwo' | 'activity'>) => ({
  uid,
  event,
  ugwo: ugwo ?? null,
  activity: activity ?? null,
});

/** The body as exactly parsed JSON if it is JSON within bounds; otherwise as base64. */
const bodyFields = (body: Uint8Array): Readonly<Record<string, unknown>> => {
  const found = scan(body);
  if (found.isJson && excessOf(found) === undefined) {
    const text = decodeUtf8(body);
    if (text !== undefined) return { body: parseExact(text) };
  }
  return { body: null, body_base64: Buffer.from(body).toString('base64') };
};

/** An event as received, with the fields that consumers added. */
export const receivedRecord = (event: PrintedEvent): ApiRecord =>
  apiRecordOf({
    ...aboutFields(event),
    received_at: atom(event.receivedAt),
    delivery_id: event.delivery ?? null,
    signature: event.signature,
    ...bodyFields(event.body),
    ...event.fields,
  });

export const summaryFields = (event: EventSummary) => ({
  uid: event.uid,
  event: event.event,
  state: event.state,
  ugwo: event.ugwo ?? null,
  activity: event.activity ?? null,
  received_at: atom(event.receivedAt),
  delivery_id: event.delivery ?? null,
  repeats: event.repeats,
  attempts: event.attempts,
  answer: event.answer ?? null,
  answered_at: atom(event.answeredAt),
  signature: event.signature,
});

export const eventRecord = (event: KeptEvent): ApiRecord =>
  apiRecordOf({
    ...summaryFields(event),
    headers: event.headers.map(([name, value]) => ({ name, value })),
    ...bodyFields(event.body),
  });

const ABOUT: readonly Column[] = [
  { path: 'uid', needed: true },
  { path: 'event', needed: true },
];
const WHAT: readonly Column[] = [{ path: 'ugwo' }, { path: 'activity' }];
const receivedAtColumn: Column = { path: 'received_at', kind: 'time', label: 'received' };
const deliveryColumn: Column = { path: 'delivery_id', label: 'delivery', machineOnly: true };

export const receivedView: View = { columns: [...ABOUT, ...WHAT, receivedAtColumn, deliveryColumn] };

const state: Column = { path: 'state', kind: 'state', needed: true };
const COUNTS: readonly Column[] = [
  { path: 'repeats', kind: 'count' },
  { path: 'attempts', kind: 'count' },
  { path: 'answer', flexible: true },
  { path: 'answered_at', kind: 'time', label: 'answered' },
];

const SUMMARY_VIEW_COLUMNS: readonly Column[] = [
  ...ABOUT,
  state,
  ...WHAT,
  receivedAtColumn,
  deliveryColumn,
  ...COUNTS,
  { path: 'signature', machineOnly: true },
];

export const eventListView: View = {
  columns: SUMMARY_VIEW_COLUMNS,
  table: [
    { path: 'event', needed: true, least: 12, endMatters: true },
    state,
    receivedAtColumn,
    { path: 'ugwo' },
    { path: 'uid' },
    { path: 'activity' },
    ...COUNTS,
  ],
};

export const eventView: View = {
  columns: [...SUMMARY_VIEW_COLUMNS, { path: 'body', flexible: true }, { path: 'body_base64', machineOnly: true }],
  lists: [{ path: 'headers', heading: 'headers', columns: [{ path: 'name' }, { path: 'value', flexible: true }] }],
};

export const verifiedEventView: View = { columns: [{ path: 'valid' }, ...ABOUT, ...WHAT] };

export const replayedView: View = {
  columns: [...ABOUT, { path: 'to', flexible: true }, { path: 'answer' }, { path: 'ms' }],
};

export const prunedEventsView: View = {
  columns: [
    { path: 'before', kind: 'time' },
    { path: 'pruned', kind: 'count', always: true },
    { path: 'waiting', kind: 'count', always: true, label: 'of these, not delivered' },
    { path: 'refused', kind: 'count', label: 'refused deliveries pruned' },
  ],
};

/** A rejected delivery. Its body is unverified, so only its start is shown, as text. */
export const refusedRecord = ({ at, why, delivery, signature, size, body }: RefusedDelivery): ApiRecord =>
  madeHere({
    received_at: atom(at),
    why,
    delivery_id: delivery ?? null,
    signature,
    size,
    body_start: new TextDecoder().decode(body),
  });

export const refusedView: View = {
  columns: [
    receivedAtColumn,
    { path: 'why', needed: true },
    { path: 'delivery_id', label: 'delivery' },
    { path: 'signature', flexible: true },
    { path: 'size', kind: 'count' },
    { path: 'body_start', label: 'body begins', flexible: true },
  ],
};
