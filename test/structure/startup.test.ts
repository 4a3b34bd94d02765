import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { NODE_PROGRAM } from '../support/built.ts';
import { newFolder, paycli } from '../support/program.ts';
import { page, type Service, serve } from '../support/service.ts';

interface Chunk {
  readonly entry: boolean;
  readonly imports: readonly string[];
  readonly dynamicImports: readonly string[];
  readonly inputs: Readonly<Record<string, unknown>>;
}

const chunks = JSON.parse(readFileSync('dist/meta.json', 'utf8')) as Readonly<Record<string, Chunk>>;

/** These chunks, and all that they load before they run. */
const loadedWith = (names: readonly string[]): ReadonlySet<string> => {
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const imported of chunks[name]?.imports ?? []) if (imported in chunks) visit(imported);
  };
  for (const name of names) visit(name);
  return seen;
};

describe('the start-up bundle', () => {
  const names = [...loadedWith(Object.keys(chunks).filter((name) => chunks[name]?.entry))];
  const inputs = names.flatMap((name) => Object.keys(chunks[name]?.inputs ?? {}));

  it('contains the program', () => {
    expect(inputs).toContain('src/main.ts');
    expect(inputs.some((name) => name.includes('node_modules/commander/'))).toBe(true);
  });

  const late = [
    'zod',
    'undici',
    'conf',
    'cli-table3',
    'chalk',
    'csv-parse',
    'csv-stringify',
    'jq-wasm',
    'read-excel-file',
  ];

  it.each([...late, '@modelcontextprotocol/server'])('does not contain %s', (name) => {
    expect(inputs.filter((input) => input.includes(`node_modules/${name}/`))).toEqual([]);
  });

  it.each(['emulator', 'client', 'contract', 'config', 'bulk', 'jq', 'mcp'])('does not contain the room %s', (room) => {
    expect(inputs.filter((input) => input.startsWith(`src/${room}/`))).toEqual([]);
  });

  it('is one file, because each file costs start-up time', () => {
    expect(names).toEqual(['main.js']);
  });

  it.each(['ask', 'sources', 'tree', 'help/command', 'help/topic'])(
    'does not contain src/cli/%s.ts, which few commands need',
    (name) => {
      expect(inputs).not.toContain(`src/cli/${name}.ts`);
    },
  );

  it('contains no handler of a command', () => {
    const handlers = inputs.filter((input) => /^src\/commands\/.+\/.+(?<!spec|shared)\.ts$/.test(input));
    expect(handlers).toEqual([]);
  });
});

it('has a core that loads no chunk that needs the core, and would run without it', () => {
  const [core = ''] = Object.keys(chunks).filter((name) => name.startsWith('chunks/core-'));
  expect(chunks[core]?.inputs).toHaveProperty(['src/commands/list.ts']);
  expect([...loadedWith(chunks[core]?.imports ?? [])]).not.toContain(core);
});

describe('the MCP server', () => {
  const holds = (input: string): string[] =>
    Object.keys(chunks).filter((name) => Object.keys(chunks[name]?.inputs ?? {}).includes(input));
  const [server = ''] = holds('src/mcp/server.ts');

  it('is in one chunk with its packages and its own copy of zod, without ajv', () => {
    const isItsOwn = (input: string): boolean => /@modelcontextprotocol|\?mcp$/.test(input);
    const at = Object.keys(chunks).filter((name) => Object.keys(chunks[name]?.inputs ?? {}).some(isItsOwn));
    expect(at).toEqual([server]);
    const inputs = Object.keys(chunks[server]?.inputs ?? {});
    expect(inputs.filter((input) => input.includes('/zod/') && !isItsOwn(input))).toEqual([]);
    expect(inputs.filter((input) => /ajv/i.test(input))).toEqual([]);
  });

  it('is loaded by its command only', () => {
    const loading = Object.keys(chunks).filter((name) =>
      [chunks[name]?.imports, chunks[name]?.dynamicImports].some((names) => names?.includes(server)),
    );
    expect(loading).toEqual(holds('src/commands/mcp/mcp.ts'));
    expect(
      Object.keys(chunks[loading[0] ?? '']?.inputs ?? {}).filter(
        (input) => !/^src\/commands\/mcp\/|^package\.json$/.test(input),
      ),
    ).toEqual([]);
  });
});

describe('the reader of workbooks', () => {
  it('is in a chunk of its own, which nothing loads at its start', () => {
    const isIts = (input: string): boolean => /^src\/bulk\/workbook|\/(?:read-excel-file|fflate)\//.test(input);
    const own = Object.keys(chunks).filter((name) => Object.keys(chunks[name]?.inputs ?? {}).some(isIts));
    expect(own).toHaveLength(1);
    expect(Object.keys(chunks[own[0] ?? '']?.inputs ?? {}).filter((input) => !isIts(input))).toEqual([]);
    expect(Object.values(chunks).flatMap(({ imports }) => imports)).not.toContain(own[0]);
  });
});

describe('a chunk', () => {
  it.each(Object.keys(chunks))(
    '%s has no static import of a Node module, which would read all of its exports',
    (name) => {
      // A message of jq-wasm contains the word import.
      const text = readFileSync(`dist/${name}`, 'utf8').replace('import "jq-wasm/inline" or', '');
      expect(text).not.toMatch(/\bimport\b[^;()]*["']node:/);
      for (const [, from = ''] of text.matchAll(/\bimport\b[^;()"'`]*["'`]([^"'`]+)["'`]/g))
        expect(from).toMatch(/^\.{1,2}\//);
    },
  );

  it.each(Object.keys(chunks))('%s loads slow modules only when they are used', (name) => {
    const text = readFileSync(`dist/${name}`, 'utf8');
    expect(text).not.toMatch(/getBuiltinModule\(`node:(?:crypto|fs\/promises|timers\/promises|tls|v8)`\)[,;]/);
    expect(text).not.toContain('__require(`node:assert`)');
  });

  it("of the client contains neither undici's experimental parser nor HTTP/2", () => {
    const inputs = Object.values(chunks).flatMap((chunk) => Object.keys(chunk.inputs));
    expect(inputs.filter((input) => /undici\/lib\/(?:milo|dispatcher\/(?:client-h2|parser-h1))/.test(input))).toEqual(
      [],
    );
  });
});

/** The source files that a run loads, according to Node. */
const loadedBy = async (args: readonly string[], service?: Service): Promise<readonly string[]> => {
  const folder = newFolder('coverage');
  expect(
    await paycli(args, { program: NODE_PROGRAM, ...(service && { service }), env: { NODE_V8_COVERAGE: folder } }),
  ).toMatchObject({
    code: 0,
  });
  const [account = ''] = readdirSync(folder);
  const { result } = JSON.parse(readFileSync(join(folder, account), 'utf8')) as { result: readonly { url: string }[] };
  const names = result.map(({ url }) => /\/dist\/(.+)$/.exec(url)?.[1] ?? '');
  return names.flatMap((name) => Object.keys(chunks[name]?.inputs ?? {}));
};

describe('a command', () => {
  it('loads no page of the emulator for --local', async () => {
    const loaded = await loadedBy(['ugwo', 'list', '--local']);
    expect(loaded).toContain('src/emulator/server.ts');
    expect(loaded.filter((name) => name.startsWith('src/emulator/pages/'))).toEqual([]);
  });

  it('loads neither the ledger nor the readers of files if it only reads', async () => {
    const loaded = await loadedBy(['ugwo', 'list', '--local']);
    expect(loaded.filter((name) => /^src\/(?:ledger|bulk|webhook)\//.test(name))).toEqual([]);
  });

  it.each([
    ['read', ['ugwo', 'list', '--local']],
    ['write', ['ugwo', 'charge', SEEDED.ugwo, '--medium', 'ussd', '--provider', 'gtb', '--local']],
  ])('loads no texts for service errors if it succeeds: a %s', async (_what, args) => {
    const loaded = await loadedBy(args);
    expect(loaded).toContain('src/output/render.ts');
    expect(loaded).not.toContain('src/core/service-codes.ts');
  });

  it('loads no declaration of a command for the overview of help', async () => {
    const loaded = await loadedBy(['--help']);
    expect(loaded).toContain('src/cli/help/overview.ts');
    expect(loaded.filter((name) => /^src\/commands\/.+spec\.ts$/.test(name))).toEqual([]);
  });

  it('loads neither profiles nor schemas for `ledger list`, which needs a folder only', async () => {
    const loaded = await loadedBy(['ledger', 'list']);
    expect(loaded).toEqual(expect.arrayContaining(['src/commands/ledger/entries.ts', 'src/config/machine.ts']));
    expect(
      loaded.filter((name) => /^src\/(contract|config\/(?!ledger\.ts|machine))|\/(zod|conf)\//.test(name)),
    ).toEqual([]);
  });

  it('loads no schema if it only reads', async () => {
    const loaded = await loadedBy(['profile', 'list']);
    expect(loaded.filter((name) => name.startsWith('src/contract/'))).toEqual(['src/contract/profile-file.ts']);
    const service = await serve([page([1], null)]);
    const listed = await loadedBy(['ugwo', 'list', '-o', 'json'], service);
    expect(listed).toContain('src/contract/operations.ts');
    expect(listed.filter((name) => name.includes('/zod/'))).toEqual([]);
  });
});
