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

/** View of a profile as a call would use it. */
export const identityView: View = {
  columns: [
    ...profileView.columns,
    { path: 'key_from', label: 'key from' },
    { path: 'operator' },
    { path: 'accepted', label: 'key accepted' },
  ],
};
