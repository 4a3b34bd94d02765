import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sourceFiles } from './imports.ts';

/*
 * Code that depends on the machine's time zone or language. If a module is added here, its tests and those of its
 * callers belong to the round `abroad` of scripts/test-all.ts.
 */

const ZONE =
  /\.get(?:FullYear|Month|Date|Day|Hours|Minutes|Seconds|TimezoneOffset)\(|\.to(?:Date|Time)String\(|\bnew Date\([^()]*,|\bDate\.parse\(|\bTZ\b/;
const LOCALE = /\bIntl\b|\.toLocale\w*\(|\blocaleCompare\b|\bLC_ALL\b|\bLANG\b/;

const code = (file: string): string => readFileSync(file, 'utf8').replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '');

const filesWith = (pattern: RegExp): string[] =>
  sourceFiles()
    .filter((file) => pattern.test(code(file)))
    .sort();

it('few modules know the time zone', () => {
  expect(filesWith(ZONE)).toEqual([
    // The name of the variable, which the setting of the time zone stands for, and which a program inherits.
    'src/commands/config/settings.ts',
    'src/core/program.ts',
    'src/core/time.ts',
    'src/main.ts',
  ]);
});

it('few modules use a locale, and each names it', () => {
  expect(filesWith(LOCALE)).toEqual([
    'src/bulk/progress.ts',
    // The codes of currencies, the same in each locale.
    'src/bulk/rows.ts',
    'src/core/bounds.ts',
    // Whether the terminal shows UTF-8.
    'src/core/io.ts',
    // The names of the variables, which a program inherits.
    'src/core/program.ts',
    'src/core/time.ts',
    // The system's spelling of a time zone, the same in each locale.
    'src/main.ts',
    'src/output/text.ts',
  ]);
  expect(filesWith(/\bIntl\.\w+\((?!'(?:en|currency))/)).toEqual(['src/core/time.ts']);
});
