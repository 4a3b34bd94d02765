import { once } from 'node:events';
import { expect, it } from 'vitest';
import type { Output } from '../../src/core/io.ts';
import { serveMcp, type ToolBox } from '../../src/mcp/server.ts';

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'charge', arguments: {} } };

it('ends once every call has ended, although the client has left before', async () => {
  const order: string[] = [];
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  const { promise: called, resolve: calls } = Promise.withResolvers<void>();
  const box: ToolBox = {
    version: '0',
    instructions: '',
    tools: [],
    call: async () => {
      calls();
      await answer;
      order.push('called');
      return { text: '{}', isError: false };
    },
  };
  const turns = new EventTarget();
  const stdin = {
    isTerminal: false,
    text: async () => '',
    line: async () => undefined,
    bytes: async function* () {
      yield Buffer.from(`${JSON.stringify(call)}\n`);
      await called;
      // The stream closes within this turn of the event loop.
      setImmediate(() => setImmediate(() => setImmediate(() => turns.dispatchEvent(new Event('closed')))));
    },
  };
  const stdout = { write: async () => undefined } as unknown as Output;
  const closed = once(turns, 'closed');
  const served = serveMcp(box, { stdin, stdout }).then(() => order.push('ended'));
  await closed;
  resolve();
  await served;
  expect(order).toEqual(['called', 'ended']);
});
