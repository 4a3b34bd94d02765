import type { SQLOutputValue } from 'node:sqlite';

// Values of a table as what their columns hold; nothing where a column is empty.

export const optionalText = (value: SQLOutputValue | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
export const text = (value: SQLOutputValue | undefined): string => optionalText(value) ?? '';

export const optionalNumber = (value: SQLOutputValue | undefined): number | undefined =>
  value === null || value === undefined ? undefined : Number(value);
export const number = (value: SQLOutputValue | undefined): number => optionalNumber(value) ?? 0;
