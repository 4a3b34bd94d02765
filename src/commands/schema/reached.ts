type Defs = Readonly<Record<string, unknown>>;

/** The names of what a value refers to, and of what that refers to. */
const reached = (value: unknown, defs: Defs, found = new Set<string>()): ReadonlySet<string> => {
  for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/\$defs\/(\w+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    reached(defs[name] ?? {}, defs, found);
  }
  return found;
};

/** Of the definitions those that a value needs. */
export const needed = (value: unknown, defs: Defs): Defs => {
  const names = reached(value, defs);
  return Object.fromEntries(Object.entries(defs).filter(([name]) => names.has(name)));
};
