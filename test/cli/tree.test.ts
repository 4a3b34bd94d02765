import { describe, expect, it } from 'vitest';
import type { CommandSpec } from '../../src/cli/define.ts';
import { ALL_EXITS, commandsOf, commandTree } from '../../src/cli/tree.ts';
import { NOUNS } from '../../src/commands/all.ts';
import { EXIT_CODES } from '../../src/core/error.ts';
import { SPECS } from '../support/specs.ts';

const tree = commandTree(SPECS, NOUNS);
const commands = commandsOf(tree);
const options = [...tree.options, ...commands.flatMap((command) => command.options)];

describe('the tree of commands', () => {
  it('has every command once, under its noun', () => {
    expect(commands.map(({ path }) => path.join(' ')).sort()).toEqual(SPECS.map(({ path }) => path.join(' ')).sort());
    const nouns = tree.commands.filter(({ kind }) => kind === 'noun').map(({ name }) => name);
    expect(nouns.sort()).toEqual(Object.keys(NOUNS).sort());
    expect(tree.commands.find(({ name }) => name === 'ugwo')).toMatchObject({ aliases: ['payment'] });
  });

  it('parses flags', () => {
    const named = (name: string) => options.find((one) => one.name === name);
    expect(named('--output')).toMatchObject({
      short: '-o',
      value: 'format',
      choices: ['table', 'tsv', 'json', 'ndjson', 'csv'],
    });
    expect(named('--json')).not.toHaveProperty('value');
    expect(named('--max-amount')).toMatchObject({ value: 'NGN 5,000.00', repeats: true, type: 'amount' });
    expect(named('--timeout')).toMatchObject({ type: 'duration', default: '30s' });
    expect(named('--columns')).toMatchObject({ list: true, completes: 'column' });
    for (const { name } of options) expect(name).toMatch(/^--[a-z][a-z0-9-]+$/);
  });

  it('lists the exit codes in ascending order', () => {
    const codes = ALL_EXITS.map(({ code }) => code);
    expect(codes).toEqual(codes.toSorted((a, b) => a - b));
    expect(codes).toEqual(expect.arrayContaining([0, ...Object.values<number>(EXIT_CODES)]));
  });

  it('names repeated arguments without dots', () => {
    const sync = commands.find(({ path }) => path.join(' ') === 'ledger sync');
    expect(sync?.args).toMatchObject([{ name: 'id', repeats: true, required: false, completes: 'entry' }]);
  });

  it.each(options.filter((one) => one.default !== undefined))('mentions the default of $name in its help', (one) => {
    expect(one.about).toMatch(new RegExp(`\\b${one.default}\\b`));
  });

  it('offers no choice that would be rejected', () => {
    const specs = SPECS.flatMap((command) => Object.values(command.options));
    for (const { choices = [], parse } of specs) for (const one of choices) expect(() => parse?.(one)).not.toThrow();
  });

  it('has the danger `money` for each command that can send or allow a charge or refund', () => {
    const money = commands.filter(({ danger }) => danger === 'money').map(({ path }) => path.join(' '));
    expect(money.sort()).toEqual(
      ['api', 'approve', 'ledger resolve', 'mcp', 'policy remove', 'policy set', 'refund create', 'ugwo charge'].sort(),
    );
    expect(
      commands.filter(({ danger, exits }) => danger === 'read' && exits.some(({ kind }) => kind === 'unrecorded')),
    ).toEqual([]);
  });

  it('requires a danger for each command', () => {
    const spec = { path: ['x'], summary: '', args: [], options: {}, examples: [], output: '', exits: [] };
    // @ts-expect-error a command without a class of danger does not compile
    const without: Omit<CommandSpec, 'read' | 'load'> = spec;
    expect(without).toBe(spec);
  });
});
