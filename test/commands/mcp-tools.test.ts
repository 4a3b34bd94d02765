import { describe, expect, it } from 'vitest';
import { commandsOf, commandTree } from '../../src/cli/tree.ts';
import { NOUNS } from '../../src/commands/all.ts';
import { argvOf, commandTools, TOOLS, type ToolName } from '../../src/commands/mcp/tools.ts';
import { SPECS } from '../support/specs.ts';

const tree = commandTree(SPECS, NOUNS);
const NAMES = Object.keys(TOOLS) as ToolName[];

const commandOf = (name: ToolName) =>
  commandsOf(tree).find(({ path }) => path.join(' ') === TOOLS[name].command) ?? expect.fail(name);

describe.each(NAMES)('the tool %s', (name) => {
  const { options = [] }: { readonly command: string; readonly options?: readonly string[] } = TOOLS[name];

  it('has options of its command, except those that read a file or confirm', () => {
    const all = commandOf(name).options.filter((option) => options.includes(option.name.slice(2)));
    expect(all.map((option) => option.name.slice(2)).toSorted()).toEqual([...options].toSorted());
    expect(
      all.filter(({ completes, type }) => completes === 'source' || completes === 'file' || type === 'json'),
    ).toEqual([]);
    expect(
      options.filter((option) => ['again', 'reuse', 'no-preflight', 'yes', 'all-profiles'].includes(option)),
    ).toEqual([]);
  });

  it('changes nothing, or needs --allow money', () => {
    const offered = commandTools(tree, false).some((tool) => tool.name === name);
    // The plan of a charge is its dry run.
    expect(offered).toBe(commandOf(name).danger === 'read' || name === 'charge_plan');
  });

  it('answers with a bounded number of records', () => {
    const required = commandTools(tree, true).find((tool) => tool.name === name)?.inputSchema.required ?? [];
    const argv = argvOf(tree, name, Object.fromEntries(required.map((one) => [one, 'x'])));
    expect(argv.filter((word) => word.startsWith('--max='))).toEqual(options.includes('max') ? ['--max=20'] : []);
  });
});

it('puts each value after its option, and arguments after the last option', () => {
  expect(argvOf(tree, 'find_payment_requests', { status: ['paid', 'not-paid'], max: 3, ref: '--all' })).toEqual([
    ...['ugwo', 'list', '--status=paid,not-paid', '--ref=--all', '--max=3', '--'],
  ]);
  expect(argvOf(tree, 'sync', { id: ['chg-1', '--all'] })).toEqual(['ledger', 'sync', '--', 'chg-1', '--all']);
});
