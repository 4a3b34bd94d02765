import { describe, expect, it } from 'vitest';
import { withDefaults } from '../../src/cli/defaults.ts';
import type { Globals } from '../../src/cli/globals.ts';
import { SETTINGS } from '../../src/core/settings.ts';
import { fakeIo } from '../config/world.ts';
import { SPECS } from '../support/specs.ts';

const open = { format: undefined, columns: undefined, jq: undefined, input: true } as unknown as Globals;
const STORED = {
  profile: 'shop',
  values: { output: 'json', color: 'never', medium: 'ussd', 'columns.ugwo.list': 'ref' },
};

const argvOf = (argv: readonly string[], words: readonly string[], values: object = STORED.values, globals = {}) =>
  withDefaults(
    { argv, words, globals: { ...open, ...globals }, hasFormat: false },
    { ...STORED, values: { ...values } },
    fakeIo({}, { lines: [] }).io,
  ).argv;

describe('a command line with defaults', () => {
  it('gets the stored defaults as options, unless they were typed', () => {
    expect(argvOf(['ugwo', 'list'], ['ugwo', 'list'])).toEqual(['ugwo', 'list', '-o', 'json', '--color', 'never']);
    expect(argvOf(['ugwo', 'list'], ['ugwo', 'list'], { 'columns.ugwo.list': 'ref' })).toEqual([
      'ugwo',
      'list',
      '--columns',
      'ref',
    ]);
    expect(argvOf(['onye', 'list'], ['onye', 'list'], { 'columns.ugwo.list': 'ref' })).toEqual(['onye', 'list']);
  });

  it('gets them before a `--`', () => {
    const argv = ['ugwo', 'get', '--', 'ugw.1'];
    expect(argvOf(argv, ['ugwo', 'get'], { output: 'json' })).toEqual(['-o', 'json', ...argv]);
  });

  it.each([
    ['--medium', ['ugwo', 'charge', 'ugw.1', '--medium', 'mobile_money']],
    ['--medium=', ['ugwo', 'charge', 'ugw.1', '--medium=mobile_money']],
    ['a file', ['ugwo', 'charge', '--from', 'rows.csv']],
    ['the end of options', ['ugwo', 'charge', '--', 'ugw.1']],
  ])('gets no default medium with %s', (_what, argv) => {
    expect(argvOf(argv, ['ugwo', 'charge'], { medium: 'ussd' })).toEqual(argv);
  });

  it('gets the currency of the one request that it creates', () => {
    const argv = ['ugwo', 'create', '--amount', '5.00'];
    const created = (...more: readonly string[]) => argvOf([...argv, ...more], ['ugwo', 'create'], { currency: 'NGN' });
    expect(created()).toEqual([...argv, '--currency', 'NGN']);
    for (const more of [['--currency', 'GHS'], ['--from=rows.csv'], ['--', 'x']])
      expect(created(...more)).toEqual([...argv, ...more]);
    expect(argvOf(['ugwo', 'list'], ['ugwo', 'list'], { currency: 'NGN' })).toEqual(['ugwo', 'list']);
  });

  it('gets no default medium if prompts are disabled', () => {
    const argv = ['ugwo', 'charge', 'ugw.1'];
    expect(argvOf(argv, ['ugwo', 'charge'], { medium: 'ussd' }, { input: false })).toEqual(argv);
    expect(argvOf(argv, ['ugwo', 'charge'], { medium: 'ussd' })).toEqual([...argv, '--medium', 'ussd']);
  });

  it.each(['config', 'doctor', 'login', 'profile', 'version'])('is unchanged for %s', (noun) => {
    expect(argvOf([noun], [noun], { output: 'xml', color: 5 })).toEqual([noun]);
  });
});

describe('default columns', () => {
  it.each(SETTINGS.filter((name) => name.startsWith('columns.')).map((name) => name.slice(8)))(
    'may be set for %s, an existing command',
    (name) => {
      expect(SPECS.map(({ path }) => path.join('.'))).toContain(name);
    },
  );
});
