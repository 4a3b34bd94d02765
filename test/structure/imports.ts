import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface Import {
  /** The file that imports, from `src/` on. */
  readonly from: string;
  /** A file of ours from `src/` on, or a package's name. */
  readonly to: string;
  readonly ours: boolean;
  /** `import()`: loaded when it is reached, not at the start. */
  readonly lazy: boolean;
}

export const sourceFiles = (root = 'src'): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(root, name));

/** Static imports and re-exports of values, then dynamic ones. `import type` leaves nothing behind in the program. */
const STATEMENT = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
const DYNAMIC = /\bimport\(\s*'([^']+)'/g;

const packageOf = (specifier: string): string =>
  specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : (specifier.split('/')[0] ?? specifier);

/** The value imports of one file's text. */
export const importsIn = (from: string, text: string): Import[] =>
  [
    [STATEMENT, false],
    [DYNAMIC, true],
  ].flatMap(([pattern, lazy]) =>
    [...text.matchAll(pattern as RegExp)].map((match) => {
      const specifier = match[1] ?? '';
      const ours = specifier.startsWith('.');
      const to = ours ? normalize(join(dirname(from), specifier)) : packageOf(specifier);
      return { from, to, ours, lazy: lazy as boolean };
    }),
  );

export const allImports = (): Import[] => sourceFiles().flatMap((file) => importsIn(file, readFileSync(file, 'utf8')));
