import type { View } from '../../core/result.ts';

export const settingView: View = {
  columns: [{ path: 'setting' }, { path: 'value', flexible: true }, { path: 'from' }],
};
