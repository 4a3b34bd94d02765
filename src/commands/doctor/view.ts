import type { View } from '../../core/result.ts';

export const findingView: View = {
  columns: [
    { path: 'check', needed: true },
    { path: 'status', kind: 'state', needed: true },
    { path: 'detail', flexible: true, needed: true },
    { path: 'advice', label: 'what to do', flexible: true, machineOnly: true },
    { path: 'kind', machineOnly: true },
  ],
};

export const identityView: View = {
  columns: [
    { path: 'profile' },
    { path: 'origin' },
    { path: 'environment' },
    { path: 'key' },
    { path: 'key_from', label: 'key from' },
    { path: 'operator' },
    { path: 'accepted', label: 'key accepted' },
  ],
};
