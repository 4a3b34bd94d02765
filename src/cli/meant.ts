/** More than so many are no guess. */
const MOST = 3;

/** Which commands were meant by a verb alone, such as `charge`, as a remark; empty where it is none, or could be any. */
export const meantByVerb = (verb: string, commands: readonly { readonly path: readonly string[] }[]): string => {
  const found = commands
    .filter(({ path }) => path.length > 1 && path.at(-1) === verb)
    .map(({ path }) => path.join(' '));
  if (found.length === 0 || found.length > MOST) return '';
  return ` (Did you mean ${found.length === 1 ? '' : 'one of '}${found.join(', ')}?)`;
};
