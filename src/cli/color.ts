import type { Env } from '../core/io.ts';

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';

/**
 * Whether a stream gets colour: the flag first, then NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE, which hold in a pipe too, and last
 * whether a terminal reads it that can show some and was not told to show none (CLICOLOR=0).
 */
export const usesColor = (when: 'auto' | 'always' | 'never', env: Env, isTerminal: boolean): boolean => {
  if (when !== 'auto') return when === 'always';
  if (isSet(env['NO_COLOR'])) return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (isSet(env['CLICOLOR_FORCE']) && env['CLICOLOR_FORCE'] !== '0') return true;
  return isTerminal && env['TERM'] !== 'dumb' && env['CLICOLOR'] !== '0';
};

const DEFAULT_WIDTH = 80;

/** Columns of a stream: those of its terminal, where it has a size; else COLUMNS, else 80. */
export const widthFor = (terminal: number | undefined, env: Env): number => {
  if (terminal !== undefined && terminal > 0) return terminal;
  return /^[1-9]\d{0,3}$/.test(env['COLUMNS'] ?? '') ? Number(env['COLUMNS']) : DEFAULT_WIDTH;
};
