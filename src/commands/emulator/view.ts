import type { View } from '../../core/result.ts';

/** A running emulator. Its key is shown whole: it opens nothing but this machine's test data. */
export const serviceView: View = {
  columns: [{ path: 'origin' }, { path: 'key' }, { path: 'data', label: 'data file', flexible: true }],
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
