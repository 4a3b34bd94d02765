import type { View } from '../../core/result.ts';

/** View of a profile. It has no column for a key, only for its last four characters. */
export const profileView: View = {
  columns: [
    { path: 'name', label: 'profile' },
    { path: 'default' },
    { path: 'origin', flexible: true },
    { path: 'environment' },
    { path: 'key' },
    { path: 'created_at', kind: 'time', label: 'stored' },
  ],
};
