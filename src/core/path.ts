const ownOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** Own-property walk along `a.b.0.c`; undefined where there is nothing. `__proto__` is a name like any other. */
export const valueAt = (value: unknown, path: string): unknown =>
  // Most paths are one name, and are asked for many times a row.
  path.includes('.') ? path.split('.').reduce(ownOf, value) : ownOf(value, path);
