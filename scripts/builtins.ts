import { isBuiltin } from 'node:module';
import type { Plugin } from 'rolldown';

const IMPORT = /^import (?:([\w$]+),? )?(?:\{ (.+) \} )?(?:from )?"([^"]+)";$/gm;
const NAMED = /^(\w+)(?: as ([\w$]+))?$/;

/** Modules that Node has already loaded when a program starts. */
const LOADED = /^node:(?:events|fs|path|process)$/;

const asked = (name: string): string => `globalThis.process.getBuiltinModule(${JSON.stringify(name)})`;

/** Properties of every function; `promisify` uses others. */
const OF_ANY: ReadonlySet<string | symbol> = new Set(['length', 'name', 'prototype', 'arguments', 'caller']);

/** True for a plain function: no constructor, no properties of its own. */
const isOnlyCalled = (name: string, value: unknown): boolean =>
  typeof value === 'function' && /^[a-z]/.test(name) && Reflect.ownKeys(value).every((key) => OF_ANY.has(key));

/** Functions that load their module at the first call. Undefined if one of the names is not a plain function. */
const asCalls = (names: readonly string[], from: string): string | undefined => {
  if (LOADED.test(from)) return undefined;
  const module = process.getBuiltinModule(from) as unknown as Readonly<Record<string, unknown>>;
  const calls = names.map((named) => {
    const [, name = '', local = name] = NAMED.exec(named) ?? [];
    return isOnlyCalled(name, module[name]) ? `${local} = (...given) => ${asked(from)}.${name}(...given)` : undefined;
  });
  return calls.includes(undefined) ? undefined : `const ${calls.join(', ')};`;
};

/** Turns an import of a Node module into constants; empty if it imports no names. */
const asConstants = (whole: string | undefined, names: string | undefined, from: string): string => {
  if (/\bdefault as\b/.test(names ?? '')) throw new Error(`the default export of ${from} needs a name of its own`);
  const calls = whole === undefined && names !== undefined ? asCalls(names.split(', '), from) : undefined;
  if (calls !== undefined) return calls;
  const constants = [
    ...(whole === undefined ? [] : [`${whole} = ${asked(from)}`]),
    ...(names === undefined ? [] : [`{ ${names.replaceAll(' as ', ': ')} } = ${whole ?? asked(from)}`]),
  ];
  return constants.length === 0 ? '' : `const ${constants.join(', ')};`;
};

/**
 * Reads Node's modules as objects. An import reads every export at once, and some of them load half of Node (`fs` its
 * streams, `process` the standard input, `util` its worker threads). If only functions are imported, the module loads at
 * the first call: a command that hashes nothing doesn't load `crypto`.
 */
export const builtins: Plugin = {
  name: 'builtins',
  renderChunk: (code) =>
    code.replaceAll(IMPORT, (line, whole: string | undefined, names: string | undefined, from: string) =>
      isBuiltin(from) ? asConstants(whole, names, from) : line,
    ),
};
