import { describe, expect, it } from 'vitest';
import { parseArgv } from '../../src/cli/program.ts';
import { NOUNS } from '../../src/commands/all.ts';
import { EXIT_CODES } from '../../src/core/error.ts';
import { helpLines } from '../support/help.ts';
import { SPECS } from '../support/specs.ts';
import { words } from './words.ts';

const PROGRAM = { version: '0.0.0', nouns: NOUNS, env: {} };

/** A page of help, wide enough to avoid wrapping. */
const helpOf = async (...words: readonly string[]): Promise<string> =>
  (await helpLines({ words, all: true }, 2000)).join('\n');

describe.each(SPECS.map((spec) => [spec.path.join(' '), spec] as const))('%s', (name, spec) => {
  it('has a summary, an output and exit codes', () => {
    expect(spec.summary).toMatch(/^[a-z].*[^.]$/);
    expect(spec.output).not.toBe('');
    expect(spec.exits.length).toBeGreaterThan(0);
    for (const kind of spec.exits) expect(Object.keys(EXIT_CODES)).toContain(kind);
  });

  it('has examples that parse', () => {
    expect(spec.examples.length).toBeGreaterThan(0);
    for (const { line } of spec.examples) {
      const calls = line.split(/\n| \| /).filter((call) => call.startsWith('paycli '));
      const parsed = calls.map((call) => parseArgv(words(call).slice(1), SPECS, PROGRAM));
      expect(
        parsed.map(({ kind }) => kind),
        line,
      ).toEqual(calls.map(() => 'run'));
      expect(parsed.at(-1), line).toMatchObject({ spec: { path: spec.path } });
    }
  });

  it('shows all of its declaration in its help', async () => {
    const text = await helpOf(...spec.path);
    expect(text).toContain(`Usage: paycli ${name}`);
    const lines = spec.examples.flatMap(({ line }) => line.split('\n'));
    for (const part of ['Output:', 'Exit codes:', 'Examples:', spec.output, ...lines]) expect(text).toContain(part);
    for (const option of Object.values(spec.options)) expect(text).toContain(option.flags.split(/[ ,]/)[0]);
  });

  it('has a handler that loads', async () => {
    expect((await spec.load()).run).toBeTypeOf('function');
  });

  it('belongs to a noun with a description, or stands alone', () => {
    const [noun = '', ...rest] = spec.path;
    if (rest.length > 0) expect(Object.keys(NOUNS)).toContain(noun);
    if (rest.length > 1) expect(Object.keys(NOUNS[noun]?.groups ?? {})).toContain(rest[0]);
    expect(spec.path.length).toBeLessThanOrEqual(3);
  });
});
