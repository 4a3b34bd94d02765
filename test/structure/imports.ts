import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface Import {
  /** The importing file, relative to the project. */
  readonly from: string;
  /** One of our files, or a package's name. */
  readonly to: string;
  readonly ours: boolean;
  /** `import()`: loaded on demand. */
  readonly lazy: boolean;
  /** `import type`: erased at build time. */
  readonly type: boolean;
}

export const sourceFiles = (root = 'src'): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(root, name));

/** Static imports and re-exports of values, then of types, then dynamic imports. */
const STATEMENTS = [
  { pattern: /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm, lazy: false, type: false },
  { pattern: /^(?:import|export)\s+type\s[^'";]*?\sfrom\s+'([^']+)'/gm, lazy: false, type: true },
  { pattern: /\bimport\(\s*'([^']+)'/g, lazy: true, type: false },
];

const packageOf = (specifier: string): string =>
  specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : (specifier.split('/')[0] ?? specifier);

/** The imports in the text of a file. */
export const importsIn = (from: string, text: string): Import[] =>
  STATEMENTS.flatMap(({ pattern, lazy, type }) =>
    [...text.matchAll(pattern)].map((match) => {
      const specifier = match[1] ?? '';
      const ours = specifier.startsWith('.');
      const to = ours ? normalize(join(dirname(from), specifier)) : packageOf(specifier);
      return { from, to, ours, lazy, type };
    }),
  );

export const allImports = (): Import[] => sourceFiles().flatMap((file) => importsIn(file, readFileSync(file, 'utf8')));

/** Import cycles, counting static imports and types. */
export const circlesIn = (imports: readonly Import[]): string[] => {
  const next = Map.groupBy(
    imports.filter(({ ours, lazy }) => ours && !lazy),
    ({ from }) => from,
  );
  const reachable = (start: string): Set<string> => {
    const seen = new Set<string>();
    const left = [start];
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      for (const { to } of next.get(at) ?? []) {
        if (seen.has(to)) continue;
        seen.add(to);
        left.push(to);
      }
    }
    return seen;
  };
  return [...next.keys()].filter((file) => reachable(file).has(file)).sort();
};
