import type { View } from '../../core/result.ts';

/** A running emulator. Shows the whole key: it gives access only to test data of this machine. */
export const serviceView: View = {
  columns: [
    { path: 'origin' },
    { path: 'key' },
    { path: 'data', label: 'data file', flexible: true },
    { path: 'public_key', label: 'public key' },
    { path: 'control_token', label: 'control token' },
    { path: 'console' },
  ],
};

/** Counts of the seeded records. */
export const seededView: View = {
  columns: [
    { path: 'customers' },
    { path: 'ugwo', label: 'payment requests' },
    { path: 'data', label: 'data file', flexible: true },
  ],
};

/** A data file without records. */
export const resetView: View = { columns: [{ path: 'data', label: 'emptied', flexible: true }] };

/** The time of the emulator. */
export const clockView: View = {
  columns: [
    { path: 'now', kind: 'time' },
    { path: 'moved', label: 'moved by (ms)' },
  ],
};

/** A rule for faults. */
export const faultView: View = {
  columns: (
    'method path share times delay status retry_after reset cut bad_json when ' +
    'seen fired event twice late out_of_order signature slow never'
  )
    .split(' ')
    .map((path) => ({ path })),
};

/** A URL that receives events. */
export const webhookView: View = {
  columns: [{ path: 'id' }, { path: 'url', flexible: true }, { path: 'events', flexible: true }, { path: 'signed' }],
};

/** A triggered event. */
export const triggeredView: View = {
  columns: [
    { path: 'event' },
    { path: 'event_uid', label: 'uid' },
    { path: 'about' },
    { path: 'webhooks', kind: 'count' },
  ],
};

/** A delivery of an event to one webhook, and its state. */
export const deliveryView: View = {
  columns: [
    { path: 'id', needed: true },
    { path: 'event', needed: true },
    { path: 'state', kind: 'state', needed: true },
    { path: 'status', label: 'answer' },
    { path: 'error', flexible: true },
    { path: 'about' },
    { path: 'at', kind: 'time' },
    { path: 'due', kind: 'time' },
    { path: 'url', flexible: true },
    { path: 'event_uid', machineOnly: true },
    { path: 'webhook', machineOnly: true },
  ],
};

/** An activity that is settled, or due to be. */
export const settledView: View = {
  columns: [
    { path: 'uid' },
    { path: 'status', kind: 'state' },
    { path: 'due', kind: 'time' },
    { path: 'error', kind: 'reason', flexible: true },
    { path: 'updated_at', kind: 'time', label: 'updated' },
    { path: 'amount', kind: 'money', currency: 'checkout.currency', peopleOnly: true },
    { path: 'ugwo_uid', label: 'payment request', peopleOnly: true },
    { path: 'created_at', kind: 'time', label: 'created', peopleOnly: true },
  ],
};
