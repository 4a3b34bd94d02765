const inSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * The names along the path of a property, however the service writes it: `data.provider`, `data[provider]`, `[data][provider]`.
 * A name that is not among `known` is the known one in snake case, where there is one: `firstName`.
 */
export const namesAlong = (propertyPath: string, known: readonly string[]): readonly string[] =>
  propertyPath
    .split(/[.[\]]/)
    .filter((name) => name !== '')
    .map((name) => (!known.includes(name) && known.includes(inSnakeCase(name)) ? inSnakeCase(name) : name));
