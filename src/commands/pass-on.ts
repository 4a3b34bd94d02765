import type { Globals } from '../cli/globals.ts';
import { usageError } from '../core/error.ts';
import type { PassOn } from '../core/result.ts';

/** The option that asks for a format that is not for people; undefined where none does. */
const formatOption = ({ format, columns, jq }: Pick<Globals, 'format' | 'columns' | 'jq'>): string | undefined => {
  if (columns !== undefined) return '--columns';
  if (jq !== undefined) return '--jq';
  return format === undefined || format === 'table' ? undefined : `-o ${format}`;
};

/** Throws where a message is asked for in a format that is not for people. */
export const checkPassOn = ({ share }: PassOn, globals: Parameters<typeof formatOption>[0]): void => {
  const other = share ? formatOption(globals) : undefined;
  if (other !== undefined) throw usageError(`--share prints a message; it can't be used with ${other}`);
};
