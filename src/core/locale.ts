import type { Env } from './io.ts';

/** Whether the locale says that its terminal shows UTF-8; that of Windows does, and has no such variables. */
export const speaksUtf8 = (env: Env): boolean =>
  /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '') || env['OS'] === 'Windows_NT';
