import type { View } from '../../core/result.ts';

/** A running emulator. Its key is shown whole: it opens nothing but this machine's test data. */
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

/** What seeding added. */
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

/** Where events are sent. */
export const webhookView: View = {
  columns: [{ path: 'id' }, { path: 'url', flexible: true }, { path: 'events', flexible: true }, { path: 'signed' }],
};

/** A made-up event that was told. */
export const triggeredView: View = {
  columns: [
    { path: 'event' },
    { path: 'event_uid', label: 'uid' },
    { path: 'about' },
    { path: 'webhooks', kind: 'count' },
  ],
};

/** An event for one webhook, and how far it is. */
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

/** An activity that was settled, or will be. */
export const settledView: View = {
  columns: [
    { path: 'uid' },
    { path: 'status', kind: 'state' },
    { path: 'due', kind: 'time' },
    { path: 'error', flexible: true },
    { path: 'updated_at', kind: 'time', label: 'updated' },
  ],
};
