import { excessOf } from '../core/bounds.ts';
import { parseExact } from '../core/json.ts';
import { scan } from '../core/json-scan.ts';
import { type ApiRecord, apiRecordOf, madeHere } from '../core/record.ts';
import type { View } from '../core/result.ts';
import { decodeUtf8 } from '../core/text.ts';
import { EVENT_STATES } from '../core/webhook-event.ts';
import type { EventSummary, KeptEvent, RefusedDelivery } from '../webhook/event.ts';
import type { PrintedEvent } from '../webhook/listen.ts';
import { describeFields, pickFields, type RecordFields, recordOf, someFields } from './fields.ts';

/** An event as it is stored. New fields come last. */
export const KEPT_EVENT = describeFields({
  uid: 'text!',
  event: { type: 'text!', needed: true },
  state: { type: 'state!', values: EVENT_STATES },
  ugwo: 'text',
  activity: 'text',
  received_at: { type: 'time!', label: 'received' },
  delivery_id: { type: 'text', label: 'delivery', machineOnly: true },
  repeats: 'count!',
  attempts: 'count!',
  answer: { type: 'text', flexible: true },
  answered_at: { type: 'time', label: 'answered' },
  signature: { type: 'text!', machineOnly: true },
});

/** An event in the list, which shows no body, but what it is about. */
export const LISTED_EVENT: RecordFields = {
  ...KEPT_EVENT,
  ...describeFields({
    ref: { type: 'text', flexible: true, least: 6, endMatters: true },
    amount: { type: 'money', needed: true },
    currency: { type: 'text', machineOnly: true },
  }),
};

/** The fields that an event's body gives. */
export const ABOUT_EVENT = someFields(KEPT_EVENT, 'uid event ugwo activity');

/** An event as it comes. */
export const TOLD_EVENT = someFields(KEPT_EVENT, 'uid event ugwo activity received_at delivery_id signature');

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
  apiRecordOf({ ...recordOf(TOLD_EVENT, event), ...bodyFields(event.body), ...event.fields });

export const summaryRecord = (event: EventSummary): ApiRecord => madeHere(recordOf(LISTED_EVENT, event));

export const eventRecord = (event: KeptEvent): ApiRecord =>
  apiRecordOf({
    ...recordOf(KEPT_EVENT, event),
    headers: event.headers.map(([name, value]) => ({ name, value })),
    ...bodyFields(event.body),
  });

export const receivedView: View = {
  columns: pickFields(KEPT_EVENT, 'uid event ugwo activity received_at delivery_id'),
};

export const eventListView: View = {
  columns: Object.values(LISTED_EVENT),
  table: pickFields(
    LISTED_EVENT,
    // A digest in place of an id is longer.
    { path: 'uid', least: 35 },
    { path: 'event', least: 12, endMatters: true },
    'ref amount state received_at ugwo activity repeats attempts answer answered_at',
  ),
};

export const eventView: View = {
  columns: [...Object.values(KEPT_EVENT), { path: 'body', flexible: true }, { path: 'body_base64', machineOnly: true }],
  lists: [{ path: 'headers', heading: 'headers', columns: [{ path: 'name' }, { path: 'value', flexible: true }] }],
};

export const verifiedEventView: View = { columns: [{ path: 'valid' }, ...Object.values(ABOUT_EVENT)] };

/** A delivery that was refused. Its body is unverified, so only its start is shown, as text. */
export const REFUSED_DELIVERY = describeFields({
  received_at: { type: 'time!', label: 'received' },
  why: { type: 'text!', needed: true },
  delivery_id: { type: 'text', label: 'delivery' },
  signature: { type: 'text!', flexible: true },
  size: 'count!',
  body_start: { type: 'text!', label: 'body begins', flexible: true },
});

export const refusedRecord = (refused: RefusedDelivery): ApiRecord =>
  madeHere(recordOf(REFUSED_DELIVERY, { ...refused, body_start: new TextDecoder().decode(refused.body) }));

export const refusedView: View = { columns: Object.values(REFUSED_DELIVERY) };
