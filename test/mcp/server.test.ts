import { once } from 'node:events';
import { expect, it } from 'vitest';
import type { Input, Output } from '../../src/core/io.ts';
import { serveMcp } from '../../src/mcp/server.ts';

/** Messages as a client would send them, then the end of its side once `until` resolves. */
const stdinWith = (messages: readonly object[], until: Promise<unknown>, atEnd = (): void => undefined): Input => ({
  isTerminal: false,
  text: async () => '',
  line: async () => undefined,
  bytes: async function* () {
    for (const message of messages) yield Buffer.from(`${JSON.stringify(message)}\n`);
    await until;
    atEnd();
  },
});

const stdout = { write: async () => undefined } as unknown as Output;

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'charge', arguments: {} } };

it('ends once every call has ended, although the client has left before', async () => {
  const order: string[] = [];
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  const { promise: called, resolve: calls } = Promise.withResolvers<void>();
  const box: Parameters<typeof serveMcp>[0] = {
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
  // The stream closes within this turn of the event loop.
  const stdin = stdinWith([call], called, () => {
    setImmediate(() => setImmediate(() => setImmediate(() => turns.dispatchEvent(new Event('closed')))));
  });
  const closed = once(turns, 'closed');
  const served = serveMcp(box, { stdin, stdout }).then(() => order.push('ended'));
  await closed;
  resolve();
  await served;
  expect(order).toEqual(['called', 'ended']);
});

it.each([
  ['nothing', {}, false],
  ['no mode of questions', { elicitation: {} }, true],
  ['forms', { elicitation: { form: {} } }, true],
  ['pages alone', { elicitation: { url: {} } }, false],
])('asks through a client that can show a form: one that declares %s', async (_what, capabilities, elicits) => {
  const { promise: asked, resolve } = Promise.withResolvers<boolean>();
  const box: Parameters<typeof serveMcp>[0] = {
    version: '0',
    instructions: '',
    tools: [],
    call: async (_name, _given, caller) => {
      resolve(caller.elicits);
      return { text: '{}', isError: false };
    },
  };
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'a', version: '1' } };
  const stdin = stdinWith([{ jsonrpc: '2.0', id: 0, method: 'initialize', params }, call], asked);
  await serveMcp(box, { stdin, stdout });
  expect(await asked).toBe(elicits);
});
