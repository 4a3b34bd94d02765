/** The name, or where it is taken the first that is not of `name_2`, `name_3` … */
const freeName = (name: string, taken: ReadonlySet<string>): string => {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}_${number}`)) number += 1;
  return `${name}_${number}`;
};

/** A name for each, which is not among the taken ones nor there twice. */
export const freeNames = (names: readonly string[], taken: Iterable<string>): readonly string[] => {
  const all = new Set(taken);
  return names.map((name) => {
    const free = freeName(name, all);
    all.add(free);
    return free;
  });
};
