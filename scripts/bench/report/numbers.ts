import type { Goal, Measured } from '../run/line.ts';

const digitsOf = (value: number): number => (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);

export const shown = (value: number): string => {
  const digits = digitsOf(value);
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
};

const unitOf = (unit: string | undefined): string => (unit === undefined ? '' : ` ${unit}`);

export const shownValue = ({ value, unit }: Measured): string => `${shown(value)}${unitOf(unit)}`;

export const shownGoal = ({ bound, value }: Goal, unit?: string): string => `${bound} ${value}${unitOf(unit)}`;
