import { setImmediate as turn } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { type JsonBody, readAnswerBody, readAnswerTo } from '../../src/client/body.ts';
import { BOUNDS } from '../../src/core/bounds.ts';
import { ACTIVITY } from '../support/service.ts';
import { MIB } from '../support/units.ts';
import { EXCESS, large } from './scripted.ts';
import { thrownBy } from './support.ts';

const bodyOf = (text: string, clean = (given: string) => given, isCut = false): JsonBody =>
  readAnswerBody({ bytes: Buffer.from(text), isCut }, clean) as JsonBody;

describe('an answer above the limits', () => {
  it('has its main fields, but no numbers that lose digits', () => {
    const body = bodyOf(large({ ...ACTIVITY, amount: '1e400' }).text.replace('"1e400"', '1e400'));
    expect(body.excess).toBe(EXCESS);
    expect(body.mainFields).toMatchObject({ uid: ACTIVITY.uid, status: ACTIVITY.status });
    expect(body.mainFields).not.toHaveProperty('more');
  });

  it('omits a field that exceeds the limits itself', () => {
    const body = bodyOf(large({ uid: 'act.AbCd.1', status: 'x'.repeat(BOUNDS.kept + 1) }).text);
    expect(body.mainFields).toEqual({ uid: 'act.AbCd.1' });
  });

  it('has the complete fields before a cut', () => {
    const text = '{"uid":"act.AbCd.1","next_action":{"a":1},"status":"requires_act';
    const body = bodyOf(text, (given) => given, true);
    expect([body.isJson, body.excess]).toEqual([false, 'the answer is larger than 2 MiB']);
    expect(body.mainFields).toEqual({ uid: 'act.AbCd.1', next_action: { a: 1 } });
  });

  it('is not JSON if it broke off', () => {
    const body = bodyOf(large(ACTIVITY).text.slice(0, -1));
    expect([body.isJson, body.excess]).toEqual([false, EXCESS]);
  });
});

describe('a body', () => {
  const clean = (text: string): string => text.replaceAll('secret', '[gone]');

  it('loses its byte order mark', () => {
    const marked = bodyOf('\ufeff{"a":1}', clean);
    expect([marked.isJson, marked.value]).toEqual([true, { a: 1 }]);
  });

  it.each([
    ['{"a":"secret"}', '{"a":"[gone]"}'],
    ['{"a":"\\u0073ecret"}', '{"a":"[gone]"}'],
    ['{"a":"secret', '{"a":"[gone]'],
  ])('is redacted in its bytes: %s', (text, cleaned) => {
    const body = readAnswerBody({ bytes: Buffer.from(text), isCut: true }, clean) as JsonBody;
    expect(Buffer.from(body.raw).toString()).toBe(cleaned);
  });
});

type Handler = Required<Dispatcher.DispatchHandler>;

/** A request whose events the test emits. */
const asking = (mayStart?: () => boolean, signal = new AbortController().signal) => {
  const aborted: unknown[] = [];
  const controller = {
    abort: (reason: unknown) => void aborted.push(reason),
  } as unknown as Dispatcher.DispatchController;
  let handler: Handler | undefined;
  const dispatcher = {
    dispatch: (_request: unknown, given: Handler) => {
      handler = given;
      return true;
    },
  } as unknown as Dispatcher;
  const answer = readAnswerTo(dispatcher, { path: '/', method: 'GET' }, signal, mayStart);
  answer.catch(() => undefined);
  if (handler === undefined) throw new Error('nothing was asked');
  const to = handler;
  return {
    answer,
    aborted,
    start: () => to.onRequestStart(controller, {}),
    head: (status: number, headers: Readonly<Record<string, string>> = {}) =>
      to.onResponseStart(controller, status, headers, ''),
    data: (...chunks: readonly Buffer[]) => {
      for (const chunk of chunks) to.onResponseData(controller, chunk);
    },
    end: () => to.onResponseEnd(controller, {}),
    fail: (error: Error) => to.onResponseError(controller, error),
  };
};

const textOf = ({ body }: Awaited<ReturnType<typeof readAnswerTo>>): string =>
  'bytes' in body ? Buffer.from(body.bytes).toString('latin1') : body.fault;
const KIB = 1024;
const TOO_LARGE = 'the answer is larger than 2 MiB';

describe('an answer', () => {
  it('is the last one: 1xx responses are ignored', async () => {
    const asked = asking();
    asked.start();
    asked.head(103, { link: '</x>', 'content-encoding': 'gzip' });
    asked.head(201, { date: 'today' });
    asked.data(Buffer.from('{}'));
    asked.end();
    expect(await asked.answer).toMatchObject({ status: 201, headers: { date: 'today' } });
    expect(textOf(await asked.answer)).toBe('{}');
    expect(asked.aborted).toEqual([]);
  });

  it.each<[string, readonly number[], Readonly<Record<string, string>>]>([
    ['no bytes', [], {}],
    ['many small pieces', Array<number>(300).fill(KIB), {}],
    ['one large piece', [200 * KIB], {}],
    ['a large piece after a small one', [10, 200 * KIB, 10], {}],
    ['its announced length', [100 * KIB, 100 * KIB], { 'content-length': String(200 * KIB) }],
    ['more than its announced length', [10, 100 * KIB], { 'content-length': '10' }],
    ['an invalid content length', [10, 10], { 'content-length': 'many' }],
    ['exactly the limit', [MIB, MIB], {}],
  ])('of %s is read completely', async (_what, sizes, headers) => {
    const asked = asking();
    asked.head(200, headers);
    const chunks = sizes.map((size, index) => Buffer.alloc(size, 97 + (index % 26)));
    asked.data(...chunks);
    asked.end();
    expect(textOf(await asked.answer) === Buffer.concat(chunks).toString('latin1')).toBe(true);
  });

  it('above the limit is cut, and reading stops', async () => {
    const asked = asking();
    asked.head(200);
    asked.data(Buffer.alloc(2 * MIB - 1), Buffer.from('ab'));
    const { body } = await asked.answer;
    expect(body).toEqual({ bytes: expect.anything(), isCut: true });
    expect(textOf(await asked.answer).slice(-2)).toBe('\0a');
    await turn();
    expect(asked.aborted).toEqual([new Error(TOO_LARGE)]);
  });

  it.each([
    ['identity', (bytes: Buffer) => bytes],
    ['Identity', (bytes: Buffer) => bytes],
    ['gzip', gzipSync],
    ['X-GZIP', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['', (bytes: Buffer) => bytes],
  ])('in the encoding %s is read', async (encoding, encode) => {
    const asked = asking();
    asked.head(200, { 'content-encoding': encoding });
    asked.data(encode(Buffer.from('{"uid":"act.AbCd.1"}')));
    asked.end();
    expect(textOf(await asked.answer)).toBe('{"uid":"act.AbCd.1"}');
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('in the encoding %s above the limit is cut', async (encoding, encode) => {
    const asked = asking();
    asked.head(200, { 'content-encoding': encoding });
    asked.data(encode(Buffer.alloc(2 * MIB + 1, 97)));
    asked.end();
    expect((await asked.answer).body).toMatchObject({ isCut: true });
    expect(textOf(await asked.answer) === 'a'.repeat(2 * MIB)).toBe(true);
  });

  it.each([
    ['gzip', gzipSync(Buffer.from('{}')).subarray(0, -3), 'the answer is compressed, and damaged'],
    ['deflate', Buffer.from('{}'), 'the answer is compressed, and damaged'],
    ['zstd', Buffer.from('{}'), 'the answer is compressed in a way that paycli does not read'],
    ['gzip, br', Buffer.from('{}'), 'the answer is compressed in a way that paycli does not read'],
    ['gzip', Buffer.alloc(0), ''],
  ])('in the encoding %s with bad data has an error', async (encoding, bytes, said) => {
    const asked = asking();
    asked.head(200, { 'content-encoding': encoding });
    asked.data(bytes);
    asked.end();
    expect(textOf(await asked.answer)).toBe(said);
  });

  it('that fails rejects with the error', async () => {
    const asked = asking();
    asked.fail(new Error('reset'));
    expect(await thrownBy(asked.answer)).toEqual(new Error('reset'));
  });
});

describe('a request', () => {
  it('is stopped if it is too late', () => {
    const asked = asking(() => false);
    asked.start();
    expect(asked.aborted).toEqual([new Error('it was too late to send it')]);
  });

  it('aborted earlier is not sent', async () => {
    const asked = asking(() => true, AbortSignal.abort('over'));
    expect(await Promise.race([thrownBy(asked.answer), turn('nothing')])).toBe('over');
    asked.start();
    expect(asked.aborted).toEqual(['over']);
  });

  it('aborted before or after sending is stopped', async () => {
    const [before, after] = [new AbortController(), new AbortController()];
    const first = asking(undefined, before.signal);
    before.abort('over');
    first.start();
    const second = asking(undefined, after.signal);
    second.start();
    expect(second.aborted).toEqual([]);
    after.abort('over');
    for (const { answer, aborted } of [first, second]) {
      expect(await thrownBy(answer)).toBe('over');
      expect(aborted).toEqual(['over']);
    }
  });
});
