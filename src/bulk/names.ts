import { cutName, firstFew } from '../core/bounds.ts';
import type { NamedPrefix } from '../core/ids.ts';
import type { FileRun, Meant, RowServices } from './kind.ts';

/** Ids by the names that rows have in their place. */
export type Ids = ReadonlyMap<string, Meant>;

/** Looks up names together. Ids that are known already stay. */
export const findIds = async (
  prefix: NamedPrefix,
  names: ReadonlyMap<string, Meant | undefined>,
  { idsOf }: Pick<RowServices, 'idsOf'>,
  { say }: Pick<FileRun, 'say'>,
): Promise<Ids> => {
  const unknown: string[] = [];
  const ids = new Map<string, Meant>();
  for (const [name, meant] of names) {
    if (meant === undefined) unknown.push(name);
    else ids.set(name, meant);
  }
  // One name is an example of those that were found as they are. A record with another spelling may not be the one.
  const [exact, respelled]: [string[], string[]] = [[], []];
  for (const [name, meant] of unknown.length === 0 ? [] : await idsOf(prefix, unknown)) {
    ids.set(name, meant);
    const { ids: found, problem, note = '' } = meant;
    if (problem === undefined) (note === '' ? exact : respelled).push(`${cutName(name)} is ${found.join('')}${note}`);
  }
  if (exact.length > 0) await say(`Names: ${firstFew(exact, 1)}`);
  if (respelled.length > 0) await say(`Names: ${firstFew(respelled)}`);
  return ids;
};
