import { mayBeInexact, NumberText, parseExact, printExact } from '../core/json.ts';
import { machineValue } from '../core/medium.ts';
import type { Received } from '../core/received.ts';
import type { CellKind } from '../core/result.ts';

/**
 * The record's value with numbers as they were sent. Parsed again only where its numbers may have been rounded, since
 * this is asked for every record of a walk; of one that is cut the value is all there is.
 */
export const exactValue = (record: Received): unknown =>
  record.cut === undefined && mayBeInexact(record.text) ? parseExact(record.text) : record.value;

/** A JSON object, as opposed to a list, null, or a number that is kept as its text. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText);

export const isScalar = (value: unknown): boolean => !isObject(value) && !Array.isArray(value);

/** Null, not there, or empty: nothing that a person would miss. */
export const isBlank = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

const isPair = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && machineValue(value) !== '';

/** An enum of the service: a text, a number, or a pair `[machine value, label]` (see `machineValue`). */
export const isEnum = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || isPair(value);

/** The text of a value for programs: as sent; objects and lists as compact JSON; null and absent are empty. */
export const machineText = (value: unknown, kind: CellKind | undefined): string => {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if ((kind === 'enum' || kind === 'state') && isEnum(value)) return machineValue(value);
  return printExact(value);
};
