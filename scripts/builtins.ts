import { isBuiltin } from 'node:module';
import type { Plugin } from 'rolldown';

const IMPORT = /^import (?:([\w$]+),? )?(?:\{ (.+) \} )?(?:from )?"([^"]+)";$/gm;
const NAMED = /^(\w+)(?: as ([\w$]+))?$/;

/** What Node has loaded itself by the time that a program runs. */
const LOADED = /^node:(?:events|fs|path|process)$/;

const asked = (name: string): string => `globalThis.process.getBuiltinModule(${JSON.stringify(name)})`;

/** What every function has; `promisify` looks for more. */
const OF_ANY: ReadonlySet<string | symbol> = new Set(['length', 'name', 'prototype', 'arguments', 'caller']);

/** A function that is only called: no constructor, and without properties of its own. */
const isOnlyCalled = (name: string, value: unknown): boolean =>
  typeof value === 'function' && /^[a-z]/.test(name) && Reflect.ownKeys(value).every((key) => OF_ANY.has(key));

/** The functions of a module that Node loads only when one of them is called; undefined when some name is something else. */
const asCalls = (names: readonly string[], from: string): string | undefined => {
  if (LOADED.test(from)) return undefined;
  const module = process.getBuiltinModule(from) as unknown as Readonly<Record<string, unknown>>;
  const calls = names.map((named) => {
    const [, name = '', local = name] = NAMED.exec(named) ?? [];
    return isOnlyCalled(name, module[name]) ? `${local} = (...given) => ${asked(from)}.${name}(...given)` : undefined;
  });
  return calls.includes(undefined) ? undefined : `const ${calls.join(', ')};`;
};

/** An import of one of Node's modules as constants, and nothing for one that imports no names. */
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
 * Node's own modules are asked for as objects: an import of one reads all of its exports at once, and some of those load
 * half of Node (of `fs` its streams, of `process` the standard input, of `util` its worker threads). Where only functions are
 * imported, the module is asked for when one is called: a command that hashes nothing does not wait for `crypto`.
 */
export const builtins: Plugin = {
  name: 'builtins',
  renderChunk: (code) =>
    code.replaceAll(IMPORT, (line, whole: string | undefined, names: string | undefined, from: string) =>
      isBuiltin(from) ? asConstants(whole, names, from) : line,
    ),
};
