import type { Globals } from '../cli/globals.ts';
import { usageError } from '../core/error.ts';
import type { PassOn } from '../core/result.ts';

/** Throws where a message is asked for in a format that is not for people. */
export const checkPassOn = ({ share }: PassOn, { format, columns }: Pick<Globals, 'format' | 'columns'>): void => {
  const other = columns === undefined ? format : 'columns';
  if (!share || other === undefined || other === 'table') return;
  throw usageError(
    `--share prints a message; it can't be used with ${other === 'columns' ? '--columns' : `-o ${other}`}`,
  );
};
