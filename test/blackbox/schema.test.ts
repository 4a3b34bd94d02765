import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { scene } from '../support/scene.ts';
import { SPECS } from '../support/specs.ts';
import { command, document, judged } from './schema-support.ts';

describe('paycli schema', () => {
  it('prints the whole schema', () =>
    scene({ built: true, argv: ['schema'], stdout: `${JSON.stringify(document, null, 2)}\n` }));

  it('contains every command with its danger level', () => {
    expect(document.commands.map(({ name, danger }) => [name, danger])).toEqual(
      expect.arrayContaining(SPECS.map(({ path, danger }) => [path.join(' '), danger])),
    );
    expect(document.commands).toHaveLength(SPECS.length);
  });

  it('lists columns that --columns accepts', async () => {
    const columns = command('ugwo get')?.output.columns ?? [];
    expect(columns).toContain('onye.email');
    await scene({
      argv: ['ugwo', 'get', SEEDED.paid.ugwo, '--local', '-o', 'tsv', '--columns', columns.join()],
      stderr: /^/,
    });
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
    const { stdout } = await scene({ argv: ['ugwo', 'list', '--local', '-o', 'ndjson'], stderr: /^/ });
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(10);
    for (const line of lines) judged(command('ugwo list')?.output.ndjson_line ?? { not: {} }, line);
  });

  it('describes the output of --dry-run', async () => {
    const argv = ['ugwo', 'list', '--local', '--dry-run', '--json'];
    const { stdout } = await scene({ argv, json: { method: 'GET' } });
    judged(command('ugwo list')?.output.json ?? { not: {} }, stdout);
  });

  it('describes errors with violations and rejects other JSON', async () => {
    const argv = ['onye', 'update', SEEDED.onye, '--local', '--json', '--no-validate', '--email', 'nobody'];
    const { stderr } = await scene({ argv, exit: 3, error: { violations: [{ option: '--email' }] } });
    judged(document.error, stderr);
    expect(() => judged(document.error, stderr.replace('"kind"', '"sort"'))).toThrow();
  });

  it("prints one command, or a noun's commands by either name, with their definitions", async () => {
    const { stdout } = await scene({
      argv: ['schema', 'ugwo', 'charge'],
      json: { commands: [{ name: 'ugwo charge' }], $defs: { Activity: {} } },
    });
    expect(JSON.parse(stdout)).not.toHaveProperty('$defs.Onye');
    const names = document.commands.filter(({ name }) => /^onye /.test(name)).map(({ name }) => ({ name }));
    await scene({ argv: ['schema', 'customer'], json: { commands: names } });
  });

  it('suggests a command for a typo', () =>
    scene({ argv: ['schema', 'ugwo', 'chrage'], exit: 2, stderr: ['did you mean ugwo charge?'] }));
});
