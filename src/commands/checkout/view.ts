import type { View } from '../../core/result.ts';

/** A checkout: the columns of its list and the lines of its card. */
export const checkoutView: View = {
  columns: [
    { path: 'uid', needed: true },
    { path: 'name', flexible: true, needed: true, least: 8 },
    { path: 'currency', kind: 'enum', needed: true },
    { path: 'status', kind: 'state', needed: true },
    { path: 'mediums', kind: 'mediums', flexible: true },
  ],
};

/** A bank that a medium can be used with. */
export const providerView: View = {
  columns: [
    { path: 'code', needed: true },
    { path: 'name', flexible: true },
    { path: 'psp', kind: 'enum' },
  ],
};
