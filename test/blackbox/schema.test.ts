import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { inProcess } from '../support/in-process.ts';
import { paycli } from '../support/program.ts';
import { SPECS } from '../support/specs.ts';
import { command, type Document, document, judged } from './schema-support.ts';

/** The document printed by `paycli schema`. */
const schemaOf = async (...words: readonly string[]): Promise<Document> => {
  const { code, stdout } = await inProcess(['schema', ...words]);
  expect(code).toBe(0);
  return JSON.parse(stdout) as Document;
};

describe('paycli schema', () => {
  it('prints the whole schema', async () => {
    expect((await paycli(['schema'])).stdout).toBe(`${JSON.stringify(document, null, 2)}\n`);
  });

  it('contains every command with its danger level', () => {
    expect(document.commands.map(({ name, danger }) => [name, danger])).toEqual(
      expect.arrayContaining(SPECS.map(({ path, danger }) => [path.join(' '), danger])),
    );
    expect(document.commands).toHaveLength(SPECS.length);
  });

  it('lists columns that --columns accepts', async () => {
    const columns = command('ugwo get')?.output.columns ?? [];
    expect(columns).toContain('onye.email');
    const shown = await inProcess([
      'ugwo',
      'get',
      SEEDED.paid.ugwo,
      '--local',
      '-o',
      'tsv',
      '--columns',
      columns.join(),
    ]);
    expect(shown).toMatchObject({ code: 0 });
  });

  it('describes every column', () => {
    interface Described {
      readonly $ref?: string;
      readonly anyOf?: readonly Described[];
      readonly properties?: object;
      readonly additionalProperties?: unknown;
    }
    const formsOf = ({ $ref, anyOf, ...rest }: Described): readonly Described[] => {
      if ($ref !== undefined) return formsOf(document.$defs[$ref.replace('#/$defs/', '')] ?? {});
      return anyOf === undefined ? [rest] : anyOf.flatMap(formsOf);
    };
    const missing = document.commands.flatMap(({ name, output: { columns, ndjson_line: line } }) => {
      const forms = formsOf(line ?? {});
      if (forms.some(({ additionalProperties }) => additionalProperties !== false)) return [];
      const members = new Set(forms.flatMap(({ properties = {} }) => Object.keys(properties)));
      return columns.filter((column) => !members.has(column.split('.')[0] ?? '')).map((column) => `${name}: ${column}`);
    });
    expect(missing).toEqual([]);
  });

  it('describes a line of ndjson', async () => {
    const { stdout } = await inProcess(['ugwo', 'list', '--local', '-o', 'ndjson']);
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(10);
    for (const line of lines) judged(command('ugwo list')?.output.ndjson_line ?? { not: {} }, line);
  });

  it('describes the output of --dry-run', async () => {
    const { stdout } = await inProcess(['ugwo', 'list', '--local', '--dry-run', '--json']);
    judged(command('ugwo list')?.output.json ?? { not: {} }, stdout);
    expect(JSON.parse(stdout)).toHaveProperty('method', 'GET');
  });

  it('describes errors with violations and rejects other JSON', async () => {
    const args = ['onye', 'update', SEEDED.onye, '--local', '--json', '--no-validate', '--email', 'nobody'];
    const { code, stderr } = await inProcess(args);
    expect(code).toBe(3);
    judged(document.error, stderr);
    expect(JSON.parse(stderr)).toHaveProperty('error.violations.0.option', '--email');
    expect(() => judged(document.error, stderr.replace('"kind"', '"sort"'))).toThrow();
  });

  it("prints one command, or a noun's commands by either name, with their definitions", async () => {
    const charge = await schemaOf('ugwo', 'charge');
    expect(charge.commands.map(({ name }) => name)).toEqual(['ugwo charge']);
    expect(Object.keys(charge.$defs)).toContain('Activity');
    expect(Object.keys(charge.$defs)).not.toContain('Onye');
    const noun = await schemaOf('customer');
    expect(noun.commands.map(({ name }) => name)).toEqual(expect.arrayContaining(['onye get', 'onye list']));
  });

  it('suggests a command for a typo', async () => {
    expect(await inProcess(['schema', 'ugwo', 'chrage'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean ugwo charge?'),
    });
  });
});
