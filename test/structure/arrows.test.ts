import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allImports, circlesIn, type Import, importsIn, sourceFiles } from './imports.ts';

/**
 * Which rooms a room may take values from; itself always. A command's declaration, its handlers and what both of them share
 * (`…shared.ts`) are rooms of their own.
 */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  contract: ['core'],
  client: ['contract', 'core'],
  config: ['contract', 'core'],
  emulator: ['contract', 'core', 'database', 'qr'],
  database: ['core'],
  ledger: ['core', 'database'],
  webhook: ['core', 'database'],
  output: ['core', 'qr'],
  qr: [],
  bulk: ['core', 'database', 'ledger'],
  jq: ['core'],
  mcp: ['core'],
  cli: ['core', 'output'],
  spec: ['cli', 'core'],
  // A handler is itself loaded by import(), so it imports what it needs.
  handler: ['bulk', 'core', 'ledger', 'mcp', 'shared', 'view', 'webhook'],
  shared: ['core'],
  view: ['core', 'view'],
};

/** Whose types a room may speak of besides: what reaches it as an argument, or what it fills in. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  bulk: ['cli', 'client', 'contract'],
  handler: ['cli', 'client', 'config', 'contract'],
  shared: ['client'],
  view: ['ledger', 'webhook'],
};

/** Each package has one room that may import it. */
const OWNERS: Readonly<Record<string, string>> = {
  zod: 'contract',
  undici: 'client',
  pg: 'ledger',
  conf: 'config',
  chalk: 'output',
  'cli-table3': 'output',
  uqr: 'qr',
  'csv-parse': 'bulk',
  'csv-stringify': 'bulk',
  commander: 'cli',
  'jq-wasm': 'jq',
  '@modelcontextprotocol/server': 'mcp',
  '@modelcontextprotocol/server/stdio': 'mcp',
  '#openapi': 'emulator',
  '#overview': 'cli',
  '#schema': 'handler',
  '#topics': 'cli',
};

/** What only the outermost files may touch: the process, the wall clock, chance. */
const WORLD = /\bprocess\.|\bDate\.now\(|\bMath\.random\(|\bnew Date\(\)/;
const WORLDLY = [
  'src/main.ts',
  'src/cli/process-io.ts',
  'src/config/machine.ts',
  'src/config/signals-before.ts',
  // Runs in a browser.
  'src/emulator/console/browser/parts.ts',
  'src/ledger/sender.ts',
];

/** Where the house is put together: these may reach every room. */
const JOINTS = ['src/main.ts', 'src/commands/all.ts', 'src/commands/deps.ts'];
const isJoint = (file: string): boolean => JOINTS.includes(file) || file.startsWith('src/compose/');

const roomOf = (file: string): string => {
  const [, room = '', noun, name = ''] = file.split('/');
  if (room !== 'commands' || noun === undefined) return room;
  if (name.endsWith('spec.ts')) return 'spec';
  if (name.endsWith('shared.ts')) return 'shared';
  return name === 'view.ts' ? 'view' : 'handler';
};

const inside = (from: string, to: string): boolean => {
  if (!from.startsWith('src/commands/')) return roomOf(from) === roomOf(to);
  return from.split('/').slice(0, 3).join('/') === to.split('/').slice(0, 3).join('/');
};

/** What handlers of several nouns share stands beside their folders. */
const isShared = (file: string): boolean => /^src\/commands\/[^/]+\.ts$/.test(file) && !isJoint(file);

const allowed = ({ from, to, lazy, type }: Pick<Import, 'from' | 'to' | 'lazy' | 'type'>): boolean => {
  if (isJoint(from)) return true;
  const [room, target] = [roomOf(from), roomOf(to)];
  // Reading commands load the shared files, so these must not load `bulk`, `ledger` or `webhook`. They never load `make.ts`.
  if (isShared(from) && from !== 'src/commands/make.ts' && ['bulk', 'ledger', 'webhook'].includes(target))
    return lazy || type;
  // A declaration reaches its handler by import(), and only so.
  if (room === 'spec' && target === 'handler') return lazy && inside(from, to);
  if (room === 'handler' && target === 'spec') return type && inside(from, to);
  if (room === 'shared' && ['spec', 'handler'].includes(target)) return false;
  if (inside(from, to) || (room === 'handler' && isShared(to))) return true;
  if (type && (to === 'src/commands/deps.ts' || TYPES[room]?.includes(target) === true)) return true;
  // What a record looks like, and how its end is told, is the same for every noun that shows it.
  return (ARROWS[room] ?? []).includes(target);
};

describe('the house', () => {
  const imports = allImports();

  it('has every room that the arrows speak of', () => {
    const rooms = new Set(
      sourceFiles()
        .filter((file) => !isJoint(file))
        .map(roomOf),
    );
    expect([...rooms].sort()).toEqual(Object.keys(ARROWS).sort());
  });

  it('has only the arrows that it may have', () => {
    const wrong = imports.filter((one) => one.ours && !one.to.endsWith('package.json') && !allowed(one));
    expect(wrong).toEqual([]);
  });

  it('has no circles, types included', () => {
    expect(circlesIn(imports)).toEqual([]);
  });

  it('keeps each package in its own room', () => {
    const foreign = imports.filter(
      ({ from, to, ours, type }) => !ours && !type && !to.startsWith('node:') && OWNERS[to] !== roomOf(from),
    );
    expect(foreign).toEqual([]);
  });

  it('loads the costly rooms only when they are asked for', () => {
    const early = imports.filter(
      ({ from, to, ours, lazy, type }) =>
        isJoint(from) &&
        ours &&
        !lazy &&
        !type &&
        ['client', 'config', 'emulator', 'output', 'contract', 'ledger', 'database', 'bulk', 'webhook'].includes(
          roomOf(to),
        ),
    );
    expect(early).toEqual([]);
  });

  it('touches the process, the clock and chance in its outermost files alone', () => {
    const worldly = sourceFiles().filter((file) =>
      WORLD.test(readFileSync(file, 'utf8').replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '')),
    );
    expect(worldly.filter((file) => !WORLDLY.includes(file))).toEqual([]);
  });

  it('fills no object with a prototype by names from outside: `constructor` is there unasked, and `__proto__` is no name', () => {
    const filled = /\b(?:const|let) \w+: (?:Partial<)?Record<string[^=]*= \{\}/;
    expect(sourceFiles().filter((file) => filled.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('reads its own imports right', () => {
    const text = [
      "import type { A } from './a.ts';",
      "import { b,\n  c } from '../b.ts';",
      "import * as z from 'zod';",
      "export { d } from './d.ts';",
      "import 'side-effect';",
      "const e = () => import('./e.ts');",
    ].join('\n');
    expect(importsIn('src/x/y.ts', text).map(({ to, lazy, type }) => `${to} ${lazy} ${type}`)).toEqual([
      'src/b.ts false false',
      'zod false false',
      'src/x/d.ts false false',
      'side-effect false false',
      'src/x/a.ts false true',
      'src/x/e.ts true false',
    ]);
  });
});
