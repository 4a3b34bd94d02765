import type { Env } from '../core/io.ts';

/** Whether a stream gets colour: the flag first, then NO_COLOR, FORCE_COLOR, and last whether a terminal reads it. */
export const usesColor = (when: 'auto' | 'always' | 'never', env: Env, isTerminal: boolean): boolean => {
  if (when !== 'auto') return when === 'always';
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  return isTerminal && env['TERM'] !== 'dumb';
};
