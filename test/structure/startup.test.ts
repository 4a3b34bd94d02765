import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Metafile {
  readonly outputs: Readonly<
    Record<
      string,
      {
        readonly inputs: Readonly<Record<string, unknown>>;
        readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
        readonly entryPoint?: string;
      }
    >
  >;
}

const meta = JSON.parse(readFileSync('dist/meta.json', 'utf8')) as Metafile;

/** Every source file that is loaded before the first line of a command runs. */
const startupInputs = (): string[] => {
  const entry = Object.keys(meta.outputs).find((name) => meta.outputs[name]?.entryPoint === 'src/main.ts');
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const { path, kind, external } of meta.outputs[name]?.imports ?? []) {
      if (kind === 'import-statement' && external !== true) visit(path);
    }
  };
  visit(entry ?? '');
  return [...seen].flatMap((name) => Object.keys(meta.outputs[name]?.inputs ?? {}));
};

describe('the start-up closure', () => {
  const inputs = startupInputs();

  it('holds the program', () => {
    expect(inputs).toContain('src/main.ts');
    expect(inputs.some((name) => name.includes('node_modules/commander/'))).toBe(true);
  });

  it.each([
    'zod',
    'undici',
    'conf',
    'cli-table3',
    'chalk',
    'uqr',
    'hono',
    '@hono/node-server',
    'csv-parse',
    'csv-stringify',
  ])('does not hold %s', (name) => {
    expect(inputs.filter((input) => input.includes(`node_modules/${name}/`))).toEqual([]);
  });

  it.each(['emulator', 'client', 'contract', 'config', 'bulk'])('does not hold the %s room', (room) => {
    expect(inputs.filter((input) => input.startsWith(`src/${room}/`))).toEqual([]);
  });

  it('holds no handler of a command', () => {
    const handlers = inputs.filter((input) => /^src\/commands\/.+\/.+(?<!spec)\.ts$/.test(input));
    expect(handlers).toEqual([]);
  });
});
