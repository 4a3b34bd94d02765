import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SPECS } from '../support/specs.ts';
import { sourceFiles } from './imports.ts';

/** Ways to write to a terminal directly. */
const PAST = [
  /\bprocess\.(?:stdout|stderr)\b/,
  /\{[^}]*\b(?:stdout|stderr)\b[^}]*\}\s*=\s*process\b/,
  /\bNodeJS\.(?:WriteStream|WritableStream)\b/,
  /\bwriteSync\(\s*(?:[12]\b|fd\b)/,
  /\b(?:writeFileSync|appendFileSync)\(\s*[12]\b/,
  /\bconsole\./,
  /\/dev\/(?:tty|stdout|stderr|fd)|CONOUT\$/,
  /\bprocess\._rawDebug\b|\btty\.WriteStream\b/,
];

/**
 * The only files that may; main.ts prints a fixed last message when nothing can be loaded, and a child process of
 * backup.ts prints into a pipe.
 */
const DOORS = ['src/cli/process-io.ts', 'src/main.ts', 'src/ledger/sqlite/backup.ts'];

const code = (file: string): string => readFileSync(file, 'utf8').replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '');

const waysPast = (text: string): RegExp[] => PAST.filter((way) => way.test(text));

it('nothing is written to a terminal except through process-io, which removes secrets and escapes', () => {
  const past = sourceFiles().filter((file) => !DOORS.includes(file) && waysPast(code(file)).length > 0);
  expect(past).toEqual([]);
  expect(code('src/main.ts').match(/\bwriteSync\(/g)).toHaveLength(1);
});

it.each([
  'process.stderr.write(prompt)',
  'const { stdin, stderr } = process;',
  'readonly stderr: NodeJS.WriteStream;',
  'writeSync(2, text)',
  'console.log(text)',
  "openSync('/dev/tty', 'w')",
])('%s counts as writing directly', (text) => {
  expect(waysPast(text)).not.toEqual([]);
});

/** Ways to open or accept a connection. */
const CONNECTS = /from '(?:node:(?:net|tls|https?|http2|dgram|dns)|undici\/[^']+|pg\/[^']+)'/;

it('few files open connections', () => {
  const valueImports = (file: string): string => code(file).replaceAll(/^import type .*$/gm, '');
  expect(
    sourceFiles()
      .filter((file) => CONNECTS.test(valueImports(file)))
      .toSorted(),
  ).toEqual([
    'src/client/connection.ts',
    'src/client/proxy.ts',
    'src/emulator/server.ts',
    'src/ledger/postgres/session.ts',
    'src/webhook/forward.ts',
    'src/webhook/post.ts',
    'src/webhook/server.ts',
  ]);
});

/** A command of paycli with a value in it. Help and examples hold fixed words only. */
const NOUN = `(?:${[...new Set(SPECS.map(({ path }) => path[0]))].join('|')})`;
const UNQUOTED = new RegExp(`paycli ${NOUN}\\b[^\`\\n]*\\$\\{(?!shellLine\\()|'paycli'[^;]*\\.join\\(' '\\)`);
const FIXED = /^src\/(?:cli\/help\/|commands\/.*spec\.ts|commands\/completion\/scripts-shared\.ts)/;

it('every proposed command with a value in it is built by shellLine, which quotes', () => {
  expect(sourceFiles().filter((file) => !FIXED.test(file) && UNQUOTED.test(code(file)))).toEqual([]);
});

it.each([
  // biome-ignore lint/suspicious/noTemplateCurlyInString: code.
  'hint: `change it: \\`paycli onye update ${uid} …\\``',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: code.
  '`remove it: paycli config unset ${name}`',
  "['paycli', ...words].join(' ')",
])('%s counts as unquoted', (text) => {
  expect(text).toMatch(UNQUOTED);
});
