import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { commandsOf, commandTree } from '../../src/cli/tree.ts';
import { NOUNS } from '../../src/commands/all.ts';
import { serveTools } from '../../src/commands/mcp/mcp.ts';
import { argvOf, commandTools } from '../../src/commands/mcp/tools.ts';
import type { Inner, Run } from '../../src/commands/run.ts';
import { interrupted } from '../../src/core/error.ts';
import { SPECS } from '../support/specs.ts';

const tree = commandTree(SPECS, NOUNS);
type ToolName = Parameters<typeof argvOf>[1];
const TOOLS = commandTools(tree, true);

/** The words of a call with the required arguments only. */
const callOf = (name: ToolName): readonly string[] => {
  const required = TOOLS.find((tool) => tool.name === name)?.inputSchema.required ?? [];
  return argvOf(tree, name, Object.fromEntries(required.map((one) => [one, 'x'])));
};
const commandOf = (name: ToolName) => {
  const words = callOf(name);
  const called = commandsOf(tree).filter(({ path }) => path.every((word, at) => words[at] === word));
  return called.at(-1) ?? expect.fail(name);
};

describe.each(TOOLS)('the tool $name', (tool) => {
  const name = tool.name as ToolName;
  const given = Object.keys(tool.inputSchema.properties ?? {});
  const options = commandOf(name).options.filter((option) => given.includes(option.name.slice(2).replaceAll('-', '_')));

  it('has options of its command, except those that read a file or confirm', () => {
    expect(
      options.filter(({ completes, type }) => completes === 'source' || completes === 'file' || type === 'json'),
    ).toEqual([]);
    expect(options.filter((one) => /^--(?:again|reuse|no-preflight|yes|all-profiles)$/.test(one.name))).toEqual([]);
  });

  it('changes nothing, or needs --allow money', () => {
    const offered = commandTools(tree, false).some((tool) => tool.name === name);
    // The plan of a charge is its dry run.
    expect(offered).toBe(commandOf(name).danger === 'read' || name === 'charge_plan');
  });

  it('answers with a bounded number of records', () => {
    const most = callOf(name).filter((word) => word.startsWith('--max='));
    expect(most).toEqual(options.some((option) => option.name === '--max') ? ['--max=20'] : []);
  });
});

it('puts each value after its option, and arguments after the last option', () => {
  expect(argvOf(tree, 'find_payment_requests', { status: ['paid', 'not-paid'], max: 3, ref: '--all' })).toEqual([
    ...['ugwo', 'list', '--status=paid,not-paid', '--ref=--all', '--max=3', '--'],
  ]);
  expect(argvOf(tree, 'sync', { id: ['chg-1', '--all'] })).toEqual(['ledger', 'sync', '--', 'chg-1', '--all']);
});

it('ends a search after 30 s, and gives the cursor to continue', async () => {
  const { promise: isLate, resolve: late } = Promise.withResolvers<void>();
  const { promise: said, resolve: say } = Promise.withResolvers<string>();
  const pages = async function* (signal: AbortSignal) {
    yield { records: [], cursor: undefined, nextCursor: 'b' };
    late();
    await once(signal, 'abort');
    throw interrupted(signal.reason);
  };
  const inner: Inner = async (_argv, signal, around) => {
    const result = await around?.({} as Run, async () => ({
      kind: 'list',
      pages: pages(signal),
      view: { columns: [] },
    }));
    if (result?.kind !== 'list') throw new Error('no list');
    let next: string | null = null;
    for await (const { nextCursor } of result.pages) next = nextCursor;
    return { code: 0, stdout: `{"data":[],"next_cursor":"${next}"}\n`, stderr: '' };
  };
  const params = { name: 'find_customers', arguments: {} };
  const deps = {
    io: {
      stdin: {
        bytes: async function* () {
          yield Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
          await said;
        },
      },
      stdout: { write: async (text: string) => say(text) },
      clock: { sleep: (ms: number) => (ms === 30_000 ? isLate : Promise.reject(new Error(`slept ${ms} ms`))) },
    },
    globals: { local: true },
    inner,
  } as unknown as Run;
  await serveTools({}, deps);
  expect(JSON.parse(JSON.parse(await said).result.content[0].text)).toEqual({
    data: [],
    next_cursor: 'b',
    stopped: 'stopped after 30 s; call again with next_cursor as cursor to continue',
  });
});
