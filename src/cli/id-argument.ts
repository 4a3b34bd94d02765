import { usageError } from '../core/error.ts';
import type { IdPrefix } from '../core/ids.ts';
import { ID_KINDS, idProblem } from '../core/ids.ts';
import { shellLine } from '../core/shell.ts';

const LISTS: Readonly<Partial<Record<IdPrefix, string>>> = { ugw: 'ugwo', ony: 'onye' };

/** How what was typed in place of an identifier may be found; nothing for an identifier of another kind. */
const findHint = (prefix: IdPrefix, text: string): string | undefined => {
  const noun = LISTS[prefix];
  if (noun === undefined || text === '' || Object.keys(ID_KINDS).some((known) => text.startsWith(`${known}.`))) {
    return undefined;
  }
  const by = text.includes('@') ? '--email' : '--ref';
  return `find it with: ${shellLine(['paycli', noun, 'list', by, text])}`;
};

/** The identifier of a thing of this kind, as an argument gives it. Throws a usage error, unless the service is to judge. */
export const readId = (prefix: IdPrefix, text: string | undefined, validate: boolean): string => {
  const uid = text ?? '';
  const problem = validate ? idProblem(prefix, uid) : undefined;
  if (problem === undefined) return uid;
  const hint = findHint(prefix, uid);
  throw usageError(`"${uid}" ${problem}`, hint === undefined ? {} : { hint });
};

/** Throws a usage error for what an option, where it was given, can't name. */
export const checkIdOption = (option: string, prefix: IdPrefix, text: string | undefined): void => {
  const problem = text === undefined ? undefined : idProblem(prefix, text);
  if (problem !== undefined) throw usageError(`${option}: "${text}" ${problem}`);
};
