import { once } from 'node:events';
import { expect, it } from 'vitest';
import { nextTurn } from '../../src/core/async.ts';
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

/** Serves these messages, then the end of the input once `until` resolves; collects what is written. */
const serveMessages = async (
  messages: readonly object[],
  until: Promise<unknown>,
  run: Parameters<typeof serveMcp>[0]['call'],
): Promise<Record<string, unknown>[]> => {
  const texts: string[] = [];
  const output = { write: async (text: string) => void texts.push(text) } as unknown as Output;
  const box = { version: '0', instructions: '', tools: [], call: run };
  await serveMcp(box, { stdin: stdinWith(messages, until), stdout: output });
  return texts
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
};

const callOf = (id: number, more: object = {}) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name: 'charge', arguments: {}, ...more },
});

it('aborts every call once the client has left, and writes their answers', async () => {
  const { promise: called, resolve } = Promise.withResolvers<void>();
  const answers = await serveMessages([callOf(1)], called, async (_name, _given, { signal }) => {
    resolve();
    await once(signal, 'abort');
    return { text: `ended by ${signal.reason}`, isError: true };
  });
  expect(answers).toMatchObject([{ id: 1, result: { content: [{ text: 'ended by the client' }] } }]);
});

it('runs 8 calls at once; the others wait', async () => {
  const all = Promise.withResolvers<void>();
  const eight = Promise.withResolvers<void>();
  let [running, most, ended] = [0, 0, 0];
  const answers = await serveMessages(
    Array.from({ length: 20 }, (_, index) => callOf(index)),
    all.promise,
    async () => {
      running += 1;
      most = Math.max(most, running);
      if (running === 8) {
        // Time in which others would start.
        for (let turns = 0; turns < 5; turns += 1) await nextTurn();
        eight.resolve();
      }
      await eight.promise;
      running -= 1;
      ended += 1;
      if (ended === 20) all.resolve();
      return { text: '', isError: false };
    },
  );
  expect(most).toBe(8);
  expect(answers).toHaveLength(20);
});

it.each([
  ['first', (text: string) => ({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { text } })],
  ['last', (text: string) => ({ method: 'tools/call', params: { id: 1, text }, jsonrpc: '2.0', id: 7 })],
])('answers a message that is too long, with its id if that is %s, and goes on', async (_where, message) => {
  const { promise: called, resolve } = Promise.withResolvers<void>();
  const messages = [message('x'.repeat(5_000_000)), callOf(8)];
  const answers = await serveMessages(messages, called, async () => {
    resolve();
    return { text: '', isError: false };
  });
  expect(answers).toMatchObject([{ id: 7, error: { message: expect.stringContaining('larger than') } }, { id: 8 }]);
});

it('tells its progress to a client that asks for it, and only to that one', async () => {
  const { promise: called, resolve } = Promise.withResolvers<void>();
  const messages = [callOf(1, { _meta: { progressToken: 'p' } }), callOf(2, { _meta: null })];
  let calls = 0;
  const answers = await serveMessages(messages, called, async (_name, _given, { tell }) => {
    tell('1 page read');
    calls += 1;
    if (calls === 2) resolve();
    return { text: '', isError: false };
  });
  const told = answers.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);
  expect(told).toEqual([
    { progressToken: 'p', progress: 1, message: 'started' },
    { progressToken: 'p', progress: 2, message: '1 page read' },
  ]);
});

it('takes null for arguments that are left out', async () => {
  const { promise: called, resolve } = Promise.withResolvers<unknown>();
  await serveMessages([callOf(1, { arguments: null })], called, async (_name, given) => {
    resolve(given);
    return { text: '', isError: false };
  });
  expect(await called).toEqual({});
});
