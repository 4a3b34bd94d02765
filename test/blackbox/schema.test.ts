import { readFileSync } from 'node:fs';
import Ajv from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { CommandSpec } from '../../src/cli/define.ts';
import { SEEDED } from '../../src/core/local.ts';
import { newFolder, paycli, start } from '../support/program.ts';
import { inShell } from '../support/shell.ts';
import { SPECS } from '../support/specs.ts';

interface Document {
  readonly commands: readonly {
    readonly name: string;
    readonly danger: string;
    readonly exit_codes: readonly { readonly code: number }[];
    readonly output: { readonly columns: readonly string[]; readonly json: object; readonly ndjson_line: object };
  }[];
  readonly error: object;
  readonly $defs: Readonly<Record<string, object>>;
}

/** What the program prints. */
const schemaOf = async (...words: readonly string[]): Promise<Document> => {
  const { code, stdout } = await paycli(['schema', ...words]);
  expect(code).toBe(0);
  return JSON.parse(stdout) as Document;
};

/** As it is kept; that the program prints the same is a test of its own. */
const kept = readFileSync('docs/schema.json', 'utf8');
const document = JSON.parse(kept) as Document;

const command = (path: string) => document.commands.find(({ name }) => name === path);

/** Judges a text of JSON by a schema that the program has printed. */
const judged = (schema: object, text: string): void => {
  const ajv = new Ajv.default({ strict: false, allErrors: true });
  const valid = ajv.validate({ ...schema, $defs: document.$defs }, JSON.parse(text));
  expect(ajv.errors ?? [], text).toEqual([]);
  expect(valid).toBe(true);
};

/** What prints something else than it would without, or runs until it is stopped. */
const OTHERWISE = /(?: -o | --columns| --as-curl| > |emulator start|paycli schema|emulator openapi)/;

type Example = CommandSpec['examples'][number];

/** Of each command the first that is to be read as it is, and the first with a file. */
const examples = SPECS.flatMap(({ path, examples: all }) => {
  const fit = all.filter(
    ({ line }) =>
      !OTHERWISE.test(
        line
          .split('\n')
          .at(-1)
          ?.replaceAll(/"\$\(.*?\)"/g, '') ?? '',
      ),
  );
  const [first, file] = [fit[0], fit.find(({ line }) => / --from /.test(line))];
  return [...new Set([first, file])].flatMap((one) =>
    one === undefined ? [] : [[path.join(' '), one.about, one] as const],
  );
});

const isOfProfiles = (path: string): boolean => path === 'logout' || path.startsWith('profile ') || path === 'login';
const isLogin = (path: string): boolean => path === 'login';

/** A home with the two profiles that the examples speak of. */
const withProfiles = async (): Promise<string> => {
  const home = newFolder();
  for (const name of ['default', 'shop']) {
    const args = ['login', '--profile', name, '--environment', 'sandbox', '--key-stdin', '--no-verify'];
    expect(await paycli(args, { home, stdin: `sk.Test.${'0'.repeat(80)}` })).toMatchObject({ code: 0 });
  }
  return home;
};

const asJson = ({ line }: Example): string => `${line.replace(/ --json$/, '')} --json`;

describe.runIf(process.platform !== 'win32')('what a command prints is what its schema says', () => {
  it.each(examples.filter(([path]) => !isLogin(path)))('%s: %s', async (path, _about, example) => {
    const place = isOfProfiles(path) ? { home: await withProfiles() } : { env: { PAYCLI_PROFILE: 'local' } };
    const lines = example.line.split('\n');
    const script = [
      ...lines.slice(0, -1).map((line) => `{ ${line}\n} > /dev/null 2>&1`),
      asJson({ ...example, line: lines.at(-1) ?? '' }),
    ];
    const { stdout, stderr, code } = await start([], inShell(script.join('\n'), place)).ended;
    expect(
      command(path)?.exit_codes.map((one) => one.code),
      stderr,
    ).toContain(code);
    expect(stdout + stderr).not.toBe('');
    if (stdout !== '') judged(command(path)?.output.json ?? { not: {} }, stdout);
    for (const line of stderr.split('\n').filter((one) => one.startsWith('{'))) judged(document.error, line);
  });
});

describe('paycli schema', () => {
  it('prints what is kept', async () => {
    expect((await paycli(['schema'])).stdout.trim()).toBe(kept.trim());
  });

  it('has every command, and what each can do at its worst', () => {
    expect(document.commands.map(({ name, danger }) => [name, danger])).toEqual(
      expect.arrayContaining(SPECS.map(({ path, danger }) => [path.join(' '), danger])),
    );
    expect(document.commands).toHaveLength(SPECS.length);
  });

  it('names columns that --columns takes', async () => {
    const columns = command('ugwo get')?.output.columns ?? [];
    expect(columns).toContain('onye.email');
    const shown = await paycli(['ugwo', 'get', SEEDED.paid.ugwo, '--local', '-o', 'tsv', '--columns', columns.join()]);
    expect(shown).toMatchObject({ code: 0 });
  });

  it('describes a line of ndjson', async () => {
    const { stdout } = await paycli(['ugwo', 'list', '--local', '-o', 'ndjson']);
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(10);
    for (const line of lines) judged(command('ugwo list')?.output.ndjson_line ?? { not: {} }, line);
  });

  it('describes what --dry-run shows', async () => {
    const { stdout } = await paycli(['ugwo', 'list', '--local', '--dry-run', '--json']);
    judged(command('ugwo list')?.output.json ?? { not: {} }, stdout);
    expect(JSON.parse(stdout)).toHaveProperty('method', 'GET');
  });

  it('describes what a violation looks like, and refuses what it is not', async () => {
    const args = ['onye', 'update', SEEDED.onye, '--local', '--json', '--no-validate', '--email', 'nobody'];
    const { code, stderr } = await paycli(args);
    expect(code).toBe(3);
    judged(document.error, stderr);
    expect(JSON.parse(stderr)).toHaveProperty('error.violations.0.option', '--email');
    expect(() => judged(document.error, stderr.replace('"kind"', '"sort"'))).toThrow();
  });

  it('gives one command, or those of a noun by either of its names, with the definitions that they need', async () => {
    const charge = await schemaOf('ugwo', 'charge');
    expect(charge.commands.map(({ name }) => name)).toEqual(['ugwo charge']);
    expect(Object.keys(charge.$defs)).toContain('Activity');
    expect(Object.keys(charge.$defs)).not.toContain('Onye');
    const noun = await schemaOf('customer');
    expect(noun.commands.map(({ name }) => name)).toEqual(expect.arrayContaining(['onye get', 'onye list']));
  });

  it('says which command was probably meant', async () => {
    expect(await paycli(['schema', 'ugwo', 'chrage'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean ugwo charge?'),
    });
  });
});
