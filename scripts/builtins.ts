import { isBuiltin } from 'node:module';
import type { Plugin } from 'rolldown';

const IMPORT = /^import (?:([\w$]+),? )?(?:\{ (.+) \} )?(?:from )?"([^"]+)";$/gm;

const asked = (name: string): string => `globalThis.process.getBuiltinModule(${JSON.stringify(name)})`;

/** An import of one of Node's modules as constants, and nothing for one that imports no names. */
const asConstants = (whole: string | undefined, names: string | undefined, from: string): string => {
  if (/\bdefault as\b/.test(names ?? '')) throw new Error(`the default export of ${from} needs a name of its own`);
  const constants = [
    ...(whole === undefined ? [] : [`${whole} = ${asked(from)}`]),
    ...(names === undefined ? [] : [`{ ${names.replaceAll(' as ', ': ')} } = ${whole ?? asked(from)}`]),
  ];
  return constants.length === 0 ? '' : `const ${constants.join(', ')};`;
};

/**
 * Node's own modules are asked for as objects: an import of one reads all of its exports at once, and some of those load
 * half of Node (of `fs` its streams, of `process` the standard input, of `util` its worker threads).
 */
export const builtins: Plugin = {
  name: 'builtins',
  renderChunk: (code) =>
    code.replaceAll(IMPORT, (line, whole: string | undefined, names: string | undefined, from: string) =>
      isBuiltin(from) ? asConstants(whole, names, from) : line,
    ),
};
