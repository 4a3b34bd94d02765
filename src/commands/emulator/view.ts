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
  columns: [
    'method',
    'path',
    'share',
    'times',
    'delay',
    'status',
    'retry_after',
    'reset',
    'cut',
    'bad_json',
    'when',
    'seen',
    'fired',
  ].map((path) => ({ path })),
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
