/** Own-property walk along `a.b.0.c`; undefined where there is nothing. `__proto__` is a name like any other. */
export const valueAt = (value: unknown, path: string): unknown => {
  let found: unknown = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
};
