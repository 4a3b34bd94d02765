import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MEDIUM_NAMES } from '../../src/charge/mediums.ts';
import { allImports, circlesIn, type Import, importsIn, sourceFiles } from './imports.ts';

/**
 * The rooms from which a room may import values; its own always. A command's declaration, its handlers and their
 * shared files (`…shared.ts`) are separate rooms.
 */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  charge: ['core'],
  // The body of a charge has one variant for each medium.
  contract: ['charge', 'core'],
  // `charge/charge.ts` tells the story of a charge, above the ledger, with its parts, and `charge/refused.ts` explains a refusal.
  story: ['charge', 'core', 'ledger'],
  client: ['charge', 'contract', 'core'],
  config: ['contract', 'core'],
  emulator: ['charge', 'contract', 'core', 'database', 'webhook'],
  database: ['core'],
  ledger: ['charge', 'core', 'database'],
  webhook: ['charge', 'core', 'database'],
  output: ['charge', 'core'],
  // Commands that print our own records load them; no other does.
  records: ['charge', 'core', 'ledger'],
  bulk: ['charge', 'core', 'database', 'ledger', 'story'],
  jq: ['core'],
  mcp: ['core'],
  // A profile may name the medium of its charges.
  cli: ['charge', 'core', 'output'],
  spec: ['charge', 'cli', 'core'],
  // A handler is loaded by import(), so it imports what it needs.
  handler: [
    ...[
      'bulk',
      'charge',
      'cli',
      'compose',
      'config',
      'core',
      'emulator',
      'ledger',
      'mcp',
      'records',
      'shared',
      'story',
    ],
    ...['view', 'webhook'],
  ],
  shared: ['charge', 'cli', 'core'],
  view: ['charge', 'core', 'view'],
};

/** The rooms from which a room may also import types. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  story: ['client'],
  bulk: ['cli', 'client', 'contract'],
  cli: ['bulk'],
  handler: ['client', 'contract'],
  shared: ['client'],
  spec: ['bulk'],
  records: ['webhook'],
  view: ['ledger'],
};

/** The only room that may import a package. */
const OWNERS: Readonly<Record<string, string>> = {
  zod: 'contract',
  undici: 'client',
  pg: 'ledger',
  conf: 'config',
  chalk: 'output',
  'cli-table3': 'output',
  'string-width': 'output',
  'csv-parse': 'bulk',
  'csv-stringify': 'bulk',
  'read-excel-file': 'bulk',
  commander: 'cli',
  'jq-wasm': 'jq',
  '@modelcontextprotocol/server': 'mcp',
  '@modelcontextprotocol/server/stdio': 'mcp',
  '#openapi': 'emulator',
  '#overview': 'cli',
  '#schema': 'handler',
  '#topics': 'cli',
};

/** What only the outermost files may use: the process, the wall clock, randomness. */
const WORLD = /\bprocess\.|\bDate\.now\(|\bMath\.random\(|\bnew Date\(\)/;
const WORLDLY = [
  'src/main.ts',
  'src/cli/process-io.ts',
  'src/config/machine.ts',
  'src/config/signals-before.ts',
  'src/ledger/sender.ts',
];

/** The composition root: these files may import every room. */
const JOINTS = ['src/main.ts', 'src/commands/all.ts', 'src/commands/run.ts'];
const isJoint = (file: string): boolean => JOINTS.includes(file) || file.startsWith('src/compose/');

const STORY = ['age', 'charge', 'refused', 'request', 'rules'].map((name) => `src/charge/${name}.ts`);

const roomOf = (file: string): string => {
  if (STORY.includes(file)) return 'story';
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

const NEEDS_LEDGER = ['src/commands/make.ts', 'src/commands/observer.ts'];

/** Files shared by handlers of several nouns are next to their folders. */
const isShared = (file: string): boolean => /^src\/commands\/[^/]+\.ts$/.test(file) && !isJoint(file);

const allowed = ({ from, to, lazy, type }: Pick<Import, 'from' | 'to' | 'lazy' | 'type'>): boolean => {
  if (isJoint(from) || (type && to === 'src/commands/run.ts')) return true;
  const [room, target] = [roomOf(from), roomOf(to)];
  // Reading commands load the shared files, so these must not load `bulk`, `ledger` or `webhook`. They never load
  // those that need the ledger.
  if (isShared(from) && !NEEDS_LEDGER.includes(from) && ['bulk', 'ledger', 'webhook'].includes(target))
    return lazy || type;
  // A declaration loads its handler only by import().
  if (room === 'spec' && target === 'handler') return lazy && inside(from, to);
  if (room === 'spec' && target === 'records') return lazy;
  if (room === 'handler' && target === 'spec') return type && inside(from, to);
  if (room === 'shared' && ['spec', 'handler'].includes(target)) return false;
  if (inside(from, to) || (room === 'handler' && isShared(to))) return true;
  if (type && TYPES[room]?.includes(target) === true) return true;
  // Every noun that shows a record shares its view.
  return (ARROWS[room] ?? []).includes(target);
};

describe('the source', () => {
  const imports = allImports();

  it('has exactly the rooms listed here', () => {
    const rooms = new Set(
      sourceFiles()
        .filter((file) => !isJoint(file))
        .map(roomOf),
    );
    expect([...rooms].sort()).toEqual(Object.keys(ARROWS).sort());
  });

  it('has only allowed imports', () => {
    const wrong = imports.filter((one) => one.ours && !one.to.endsWith('package.json') && !allowed(one));
    expect(wrong).toEqual([]);
  });

  it('has no import cycles, types included', () => {
    expect(circlesIn(imports)).toEqual([]);
  });

  it('imports each package in one room only', () => {
    const foreign = imports.filter(
      ({ from, to, ours, type }) => !ours && !type && !to.startsWith('node:') && OWNERS[to] !== roomOf(from),
    );
    expect(foreign).toEqual([]);
  });

  it('loads expensive rooms on demand', () => {
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

  it('uses the process, the clock and randomness in the outermost files only', () => {
    const worldly = sourceFiles().filter((file) =>
      WORLD.test(readFileSync(file, 'utf8').replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '')),
    );
    expect(worldly.filter((file) => !WORLDLY.includes(file))).toEqual([]);
  });

  it('lets neither kind of ledger import the other', () => {
    const kinds = ['src/ledger/sqlite/', 'src/ledger/postgres/'];
    const across = imports.filter(({ from, to }) => {
      const [own, other] = [from, to].map((file) => kinds.find((kind) => file.startsWith(kind)));
      return own !== undefined && other !== undefined && own !== other;
    });
    expect(across).toEqual([]);
  });

  it('writes no command line in the ledger: it names a reason', () => {
    const written = /`paycli [a-z]|'paycli', |shellLine/;
    const files = sourceFiles('src/ledger').filter((file) => written.test(readFileSync(file, 'utf8')));
    expect(files).toEqual([]);
  });

  it('fills no object with a prototype by names from outside, such as `constructor` or `__proto__`', () => {
    const filled = /\b(?:const|let) \w+: (?:Partial<)?Record<string[^=]*= \{\}/;
    expect(sourceFiles().filter((file) => filled.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('names a medium in its list only, and in examples of commands', () => {
    const quoted = new RegExp(`['"\`](?:${MEDIUM_NAMES.join('|')})['"\`]`);
    const named = /bank_transfer|mobile_money/;
    const naming = sourceFiles().filter((file) => {
      const text = readFileSync(file, 'utf8');
      return quoted.test(text) || (!file.endsWith('spec.ts') && named.test(text));
    });
    // A header of a next action has the name of a medium.
    expect(naming.sort()).toEqual(['src/charge/mediums.ts', 'src/core/charge.ts']);
  });

  it('is parsed correctly for its imports', () => {
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
