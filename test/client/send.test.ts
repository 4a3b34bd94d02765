import { syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Exchange, openRequestedPause, type RequestPace } from '../../src/client/answer.ts';
import type { AnswerBody } from '../../src/client/body.ts';
import {
  longestWrite,
  noticeFinishing,
  sendRead,
  sendWrite,
  type Walk,
  type WriteOptions,
  walkPages,
} from '../../src/client/send.ts';
import type { AttemptResult } from '../../src/client/transport.ts';
import { operations } from '../../src/contract/operations.ts';
import { PayError } from '../../src/core/error.ts';
import type { ApiPage } from '../../src/core/record.ts';
import { ACTIVITY, ONYE_ID, UGWO_ID } from '../support/service.ts';
import { answer, type Script, scripted, whole } from './scripted.ts';
import { thrownBy } from './support.ts';

/** A list as a graph: each cursor (the first is '') has records and a next cursor. */
type Graph = Readonly<Record<string, { readonly records: readonly number[]; readonly next: string | null }>>;

const arrived = (page: ApiPage<number>) => ({
  count: page.records.length,
  nextCursor: page.nextCursor,
  open: () => page,
});

const fetchFrom =
  (graph: Graph, asked: string[] = []) =>
  async (cursor: string | undefined) => {
    asked.push(cursor ?? '');
    const node = graph[cursor ?? ''];
    if (node === undefined) throw new PayError('read_failed', `no page at ${cursor}`);
    const records = node.records.map((value) => ({ value, text: String(value) }));
    return arrived({ records, cursor, nextCursor: node.next });
  };

const collect = async (
  graph: Graph,
  walk: Walk = {},
): Promise<{ numbers: number[]; thrown: unknown; asked: string[] }> => {
  const numbers: number[] = [];
  const asked: string[] = [];
  let thrown: unknown;
  try {
    for await (const page of walkPages(fetchFrom(graph, asked), walk))
      numbers.push(...page.records.map(({ value }) => value));
  } catch (error) {
    thrown = error;
  }
  return { numbers, thrown, asked };
};

const CHAIN: Graph = {
  '': { records: [1, 2], next: 'a' },
  a: { records: [], next: 'b' },
  b: { records: [3], next: 'c' },
  c: { records: [4], next: null },
};

describe('walkPages', () => {
  it('follows next_cursor until null, also over an empty page', async () => {
    expect(await collect(CHAIN)).toEqual({ numbers: [1, 2, 3, 4], thrown: undefined, asked: ['', 'a', 'b', 'c'] });
  });

  it('starts at a cursor', async () => {
    expect((await collect(CHAIN, { from: 'b' })).numbers).toEqual([3, 4]);
  });

  it('stops after `pages` pages without requesting the next', async () => {
    expect(await collect(CHAIN, { pages: 1 })).toEqual({ numbers: [1, 2], thrown: undefined, asked: [''] });
  });

  it('stops once it has enough records', async () => {
    expect(await collect(CHAIN, { records: 3 })).toEqual({
      numbers: [1, 2, 3],
      thrown: undefined,
      asked: ['', 'a', 'b'],
    });
  });

  it.each([
    ['itself', { '': { records: [1], next: 'a' }, a: { records: [2], next: 'a' } }, [1, 2]],
    [
      'an earlier page',
      { '': { records: [1], next: 'a' }, a: { records: [2], next: 'b' }, b: { records: [3], next: 'a' } },
      [1, 2, 3],
    ],
  ])('ends with an error at a cursor that leads back to %s, after the records', async (_where, graph, numbers) => {
    const walked = await collect(graph);
    expect(walked.numbers).toEqual(numbers);
    expect(walked.thrown).toMatchObject({ kind: 'read_failed', message: expect.stringContaining('same cursor') });
  });

  it('ends with an error at its start cursor', async () => {
    const walked = await collect({ x: { records: [1], next: 'x' } }, { from: 'x' });
    expect(walked).toMatchObject({
      numbers: [1],
      asked: ['x'],
      thrown: {
        kind: 'read_failed',
        detail: { hint: 'everything shown so far is complete; report the cursor to the service' },
      },
    });
  });

  it('compares long cursors completely', async () => {
    const [one, two] = [`${'c'.repeat(70)}1`, `${'c'.repeat(70)}2`];
    const walked = await collect({
      '': { records: [1], next: one },
      [one]: { records: [2], next: two },
      [two]: { records: [3], next: one },
    });
    expect(walked).toMatchObject({ numbers: [1, 2, 3], thrown: { kind: 'read_failed' } });
  });

  it('continues over any number of pages with records', async () => {
    let made = 0;
    const fetch = async (cursor: string | undefined) => {
      made += 1;
      const nextCursor = made < 1500 ? `c${made}` : null;
      return arrived({ records: [{ value: made, text: String(made) }], cursor, nextCursor });
    };
    let seen = 0;
    for await (const { records } of walkPages<number>(fetch, {})) seen += records.length;
    expect(seen).toBe(1500);
  });

  // Tests an internal effect: the memory only differs after a million records (row 6 of the bench).
  it('limits the memory for new objects only in a long walk', async () => {
    const flags = vi.spyOn(v8, 'setFlagsFromString').mockReturnValue(undefined);
    syncBuiltinESMExports();
    onTestFinished(() => {
      flags.mockRestore();
      syncBuiltinESMExports();
    });
    const chain = (pages: number): Graph =>
      Object.fromEntries(
        Array.from({ length: pages }, (_, at) => [
          at === 0 ? '' : `c${at}`,
          { records: [at], next: at + 1 === pages ? null : `c${at + 1}` },
        ]),
      );
    await collect(chain(63));
    expect(flags).not.toHaveBeenCalled();
    await collect(chain(64));
    expect(flags.mock.calls).toEqual([['--semi-space-growth-factor=1']]);
  });

  it('gives up after many empty pages', async () => {
    let made = 0;
    const pages = walkPages<number>(async (cursor) => arrived({ records: [], cursor, nextCursor: `c${made++}` }), {});
    const all = async (): Promise<void> => {
      for await (const page of pages) expect(page.records).toEqual([]);
    };
    await expect(all()).rejects.toMatchObject({ kind: 'read_failed', message: expect.stringContaining('empty pages') });
    expect(made).toBe(1000);
  });

  it('ends for any graph and requests no cursor twice', async () => {
    const cursors = fc.constantFrom('a', 'b', 'c', 'd');
    const node = fc.record({ records: fc.array(fc.nat(), { maxLength: 2 }), next: fc.option(cursors, { nil: null }) });
    await fc.assert(
      fc.asyncProperty(fc.record({ '': node, a: node, b: node, c: node, d: node }), async (graph) => {
        const { asked } = await collect(graph);
        expect(new Set(asked).size).toBe(asked.length);
      }),
    );
  });

  it('prefetches the next page', async () => {
    const asked: string[] = [];
    const pages = walkPages(fetchFrom(CHAIN, asked), {});
    await pages.next();
    expect(asked).toEqual(['', 'a']);
    await pages.return(undefined);
  });

  it('prefetches before checking a page, and aborts the prefetch if the page is invalid', async () => {
    const events: string[] = [];
    const signals: AbortSignal[] = [];
    const pages = walkPages<number>(async (cursor, signal) => {
      events.push(`asked for ${cursor}`);
      signals.push(signal);
      if (cursor !== undefined) return new Promise(() => undefined);
      const open = (): never => {
        events.push('opened');
        throw new PayError('read_failed', 'breaks the contract');
      };
      return { count: 1, nextCursor: 'next', open };
    }, {});
    await expect(pages.next()).rejects.toMatchObject({ message: 'breaks the contract' });
    expect(events).toEqual(['asked for undefined', 'asked for next', 'opened']);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('aborts the prefetch when the consumer stops', async () => {
    const signals: AbortSignal[] = [];
    const pages = walkPages<number>(async (cursor, signal) => {
      signals.push(signal);
      if (cursor === undefined) return arrived({ records: [], cursor, nextCursor: 'next' });
      return new Promise(() => undefined);
    }, {});
    await pages.next();
    await pages.return(undefined);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('yields a page before failing with the next one', async () => {
    const walked = await collect({ '': { records: [1], next: 'gone' } });
    expect(walked.numbers).toEqual([1]);
    expect(walked.thrown).toMatchObject({ message: 'no page at gone' });
  });
});

const READ: Exchange = {
  operation: operations['onye.get'],
  path: `/v1/onye/${ONYE_ID}`,
  body: undefined,
  params: { uid: ONYE_ID },
  subject: { prefix: 'ony', uid: ONYE_ID },
};
const REQUEST = { method: 'GET', path: READ.path };
const AGAIN = 'nothing was changed; run the same command again';

const FOUND = answer(200, whole({ uid: ONYE_ID }));
const BROKEN: AttemptResult = { kind: 'broken', reason: 'reset', code: 'ECONNRESET' };
const PAGE: AnswerBody = { fault: 'the answer is not JSON' };

/** A read with scripted attempts. */
const reading = async (
  outcomes: readonly AttemptResult[],
  { signal, ...script }: Script & { readonly signal?: AbortSignal } = {},
) => {
  const { context, transport, ...seen } = scripted(outcomes, script);
  const read = sendRead(context, transport, READ, signal);
  const [found] = await Promise.allSettled([read]);
  const thrown = found.status === 'rejected' ? await thrownBy(read) : undefined;
  return { found, thrown, ...seen };
};

const faultOf = async (outcome: AttemptResult): Promise<PayError> => {
  const { thrown } = await reading(Array<AttemptResult>(4).fill(outcome));
  if (!(thrown instanceof PayError)) throw new Error('it did not fail');
  return thrown;
};

describe('a read', () => {
  it.each([200, 299])('%i with the record: succeeds at the first attempt', async (status) => {
    const { found, attempts } = await reading([{ ...FOUND, status } as AttemptResult]);
    expect(found).toMatchObject({ value: { value: { uid: ONYE_ID } } });
    expect(attempts).toMatchObject([{ method: 'GET', path: READ.path, fresh: false, timeout: 5000 }]);
  });

  it.each<[string, AttemptResult, string, object]>([
    ['an unreadable record', answer(200, PAGE), 'the answer is not JSON', { status: 200 }],
    [
      'another record',
      answer(200, whole({ uid: 'ony.AbCd.other' })),
      'the service answered with another customer (onye), ony.AbCd.other',
      { status: 200, isOther: true },
    ],
    ['a 1xx response', answer(199), 'the answer was 199, not one that the service gives', { status: 199 }],
    [
      'the first redirect code',
      answer(300),
      'the answer was 300, a redirect, which is never followed',
      { status: 300 },
    ],
    ['the last redirect code', answer(399), 'the answer was 399, a redirect, which is never followed', { status: 399 }],
    [
      'a 400 without a document',
      answer(400, PAGE),
      'the answer was 400, not one that the service gives',
      { status: 400 },
    ],
    ["a proxy's page", answer(404, PAGE), 'the answer was 404, not one that the service gives', { status: 404 }],
    [
      'a 501 without a document',
      answer(501, PAGE),
      'the answer was 501, not one that the service gives',
      { status: 501 },
    ],
  ])('%s: fails and is not repeated', async (_what, outcome, reason, detail) => {
    const { thrown, attempts } = await reading([outcome]);
    expect(thrown).toMatchObject({ kind: 'read_failed', message: `couldn't read from the service: ${reason}` });
    expect((thrown as PayError).detail).toStrictEqual({ ...detail, request: REQUEST, hint: AGAIN });
    expect(attempts).toHaveLength(1);
  });

  it.each<[number, AnswerBody | undefined, string]>([
    [400, undefined, 'rejected'],
    [404, undefined, 'rejected'],
    [501, undefined, 'rejected'],
    [401, PAGE, 'auth'],
    [403, PAGE, 'auth'],
  ])('%i: rejected and not repeated', async (status, body, kind) => {
    const { thrown, attempts } = await reading([answer(status, body)]);
    expect(thrown).toMatchObject({ kind, detail: { status } });
    expect(attempts).toHaveLength(1);
  });

  it.each([
    [408, ''],
    [429, ''],
    [500, ''],
    [502, ''],
    [599, ''],
    [503, 'Busy'],
  ])('%i %s: repeated, at most four attempts', async (status, title) => {
    const { found, waits } = await reading([answer(status, whole({ title })), FOUND]);
    expect([found.status, waits]).toEqual(['fulfilled', [250]]);
    const fault = await faultOf(answer(status, whole({ title })));
    expect(fault.message).toBe(
      `couldn't read from the service: the service answered ${status}${title === '' ? '' : ` ${title}`}`,
    );
    expect(fault.detail).toStrictEqual({ status, request: REQUEST, hint: AGAIN });
  });

  it('503 without a document: the error has its number', async () => {
    expect((await faultOf(answer(503, PAGE))).message).toBe("couldn't read from the service: the service answered 503");
  });

  it.each<[string, AttemptResult]>([
    ['broken', BROKEN],
    ['without a connection', { kind: 'not_sent', reason: 'reset', code: 'ECONNRESET', untrusted: false }],
  ])('%s: repeated, then fails with its code', async (_what, outcome) => {
    const { found, waits } = await reading([outcome, outcome, outcome, FOUND]);
    expect([found.status, waits]).toEqual(['fulfilled', [250, 500, 1000]]);
    const fault = await faultOf(outcome);
    expect(fault.message).toBe("couldn't reach the service: reset");
    expect(fault.detail).toStrictEqual({ request: REQUEST, hint: AGAIN, code: 'ECONNRESET' });
  });

  it('untrusted certificate: not repeated', async () => {
    const { thrown, attempts } = await reading([
      { kind: 'not_sent', reason: 'its certificate is old', code: 'CERT_HAS_EXPIRED', untrusted: true },
    ]);
    expect(thrown).toMatchObject({
      kind: 'auth',
      message: "couldn't verify the certificate of pay.example, so nothing was sent: its certificate is old",
      detail: { code: 'CERT_HAS_EXPIRED' },
    });
    expect(attempts).toHaveLength(1);
  });
});

describe('the attempts of a read', () => {
  it('wait as long as the service requests, with a debug line', async () => {
    const dated = answer(503, undefined, 'Thu, 01 Jan 1970 00:00:07 GMT');
    const { waits, debug } = await reading([answer(429, undefined, '3'), BROKEN, dated, FOUND]);
    expect(waits).toEqual([3000, 500, 7000]);
    expect(debug.slice(0, 2)).toEqual([
      '. waiting 3000 ms before attempt 2 of 4',
      '. waiting 500 ms before attempt 3 of 4',
    ]);
  });

  it.each([
    ['the last one starts within the minute', 0, 60, 'fulfilled'],
    ['none starts later', 1, 60, 'rejected'],
    ['their duration counts', 31_000, 30, 'rejected'],
  ])('have one minute: %s', async (_what, took, seconds, status) => {
    const { found } = await reading([answer(503, undefined, String(seconds)), FOUND], { took });
    expect(found.status).toBe(status);
  });

  it('end when nobody needs the page any more', async () => {
    const given = new AbortController();
    const { thrown, attempts, waits } = await reading([BROKEN, FOUND], {
      signal: given.signal,
      onSend: () => given.abort(new Error('given up')),
    });
    expect(thrown).toMatchObject({ message: "couldn't reach the service: reset" });
    expect([attempts.length, waits]).toEqual([1, []]);
    expect(attempts[0]?.signal.aborted).toBe(true);
  });

  it('end in a pause, too, when nobody needs the page any more', async () => {
    const [given, reason] = [new AbortController(), new Error('given up')];
    const { thrown, attempts } = await reading([BROKEN, FOUND], {
      signal: given.signal,
      onWait: () => given.abort(reason),
    });
    expect(thrown).toBe(reason);
    expect(attempts).toHaveLength(1);
  });

  it('end on a signal at any time, whatever the answer', async () => {
    const stopped = () => {
      const stop = new AbortController();
      return { stop, end: () => stop.abort('SIGINT') };
    };
    const [before, during, between] = [stopped(), stopped(), stopped()];
    before.end();
    const ends = [
      await reading([FOUND], { stop: before.stop }),
      await reading([FOUND], { stop: during.stop, onSend: during.end }),
      await reading([BROKEN, FOUND], { stop: between.stop, onWait: between.end }),
    ];
    for (const { thrown } of ends) expect(thrown).toMatchObject({ kind: 'interrupted', detail: { exitCode: 130 } });
    expect(ends.map(({ attempts }) => attempts.length)).toEqual([0, 1, 1]);
    expect(ends[1]?.attempts[0]?.signal).toBe(during.stop.signal);
  });
});

const CHARGE: Exchange = {
  operation: operations['ugwo.charge'],
  path: `/v1/ugwo/${UGWO_ID}/activities`,
  body: '{"type":"charge"}',
  params: { ugwoUid: UGWO_ID },
};
const MADE = answer(200, whole(ACTIVITY));
const NO = answer(422, whole({ title: 'No', status: 422 }));
const slow = (seconds?: string): AttemptResult => answer(429, whole({ title: 'Slow', status: 429 }), seconds);
const NOBODY: AttemptResult = { kind: 'not_sent', reason: 'nobody is there', code: 'ECONNREFUSED', untrusted: false };
const TOO_LATE = {
  kind: 'not_sent',
  message: 'nothing was applied: the last check was too old before it could be sent',
  detail: {
    request: { method: 'POST', path: CHARGE.path },
    hint: 'it is safe to run the same command again',
  },
};

/** A charge with scripted attempts. */
const writing = async (
  outcomes: readonly AttemptResult[],
  script: Script = {},
  { pace, ...options }: WriteOptions & { readonly pace?: RequestPace } = {},
) => {
  const { context, transport, ...seen } = scripted(outcomes, script);
  const write = sendWrite({ ...context, pace, onLateStop: () => undefined }, transport, CHARGE, options);
  const made = await write;
  return { made, thrown: made.certain === 'accepted' ? undefined : made.error, flight: context.flight, ...seen };
};

describe('the attempts of a write', () => {
  it('end after an accepted one', async () => {
    const { made, attempts, flight } = await writing([MADE]);
    expect(made).toMatchObject({ certain: 'accepted', record: { value: { uid: ACTIVITY.uid } } });
    expect(attempts).toMatchObject([
      { method: 'POST', path: CHARGE.path, body: CHARGE.body, fresh: true, timeout: 5000 },
    ]);
    expect(flight).toEqual({ open: 0, accepted: 1 });
  });

  it.each<[string, readonly AttemptResult[], object, readonly number[], number]>([
    ['rejected', [NO], { kind: 'rejected' }, [], 0],
    ['unknown', [BROKEN], { kind: 'unknown', detail: { code: 'ECONNRESET' } }, [], 1],
    ['answered with an error', [answer(503)], { kind: 'unknown', detail: { status: 503 } }, [], 1],
    [
      'without a connection three times',
      [NOBODY, NOBODY, NOBODY],
      { kind: 'not_sent', detail: { code: 'ECONNREFUSED' } },
      [250, 500],
      0,
    ],
    [
      'answered with 429 three times',
      [slow(), slow(), slow()],
      { kind: 'not_sent', detail: { status: 429 } },
      [250, 500],
      0,
    ],
  ])('end if the write is %s', async (_what, outcomes, error, waits, open) => {
    const { thrown, waits: waited, attempts, flight } = await writing(outcomes);
    expect(thrown).toMatchObject(error);
    expect([waited, attempts.length]).toEqual([waits, outcomes.length]);
    expect(flight).toEqual({ open, accepted: 0 });
  });

  it.each<[string, readonly AttemptResult[], readonly number[]]>([
    ['connections and 429s are counted separately', [NOBODY, slow(), NOBODY, slow(), MADE], [250, 500, 1000, 2000]],
    ['as the service says, up to two minutes', [slow('120'), MADE], [120_000]],
    ['until a date that the service names', [slow('Thu, 01 Jan 1970 00:00:03 GMT'), MADE], [3000]],
  ])('continue after waiting: %s', async (_what, outcomes, waits) => {
    const { made, waits: waited } = await writing(outcomes);
    expect([made.certain, waited]).toEqual(['accepted', waits]);
  });

  it('end at once if the service requests more than two minutes', async () => {
    const { thrown, waits, attempts, flight } = await writing([slow('121')]);
    expect(thrown).toMatchObject({
      kind: 'not_sent',
      message: expect.stringContaining('answered 429 Slow; the service asks to wait 2 min, until'),
      detail: { status: 429, retryAt: 121_000 },
    });
    expect([waits, attempts.length, flight.open]).toEqual([[], 1, 0]);
  });

  it.each([
    ['shows nothing new: nothing was applied', true, undefined, 'not_sent'],
    ['shows nothing new: nothing was applied, with a long delay', true, '3600', 'not_sent'],
    ['shows something new, or fails: unknown', false, undefined, 'unknown'],
  ] as const)('that end with an unknown 429 and a read that %s', async (_what, isNothing, after, kind) => {
    const told: number[] = [];
    const options = { isNothing: async () => isNothing, pace: { slowDown: (ms: number) => void told.push(ms) } };
    const { thrown, attempts, flight } = await writing(
      [answer(429, whole({ message: 'Too Many Attempts.' }), after)],
      {},
      options,
    );
    expect(thrown).toMatchObject({ kind, detail: after === undefined ? { status: 429 } : { retryAt: 3_600_000 } });
    expect([attempts.length, flight.open, told]).toEqual([
      1,
      isNothing ? 0 : 1,
      kind === 'unknown' || after !== undefined ? [] : [0],
    ]);
  });

  it.each([[answer(500, whole({}))], [answer(503, { fault: 'the answer is not JSON' })], [BROKEN]])(
    'use no read after another error',
    async (outcome) => {
      const { thrown } = await writing([outcome], {}, { isNothing: async () => true });
      expect(thrown).toMatchObject({ kind: 'unknown' });
    },
  );

  it.each([
    [0, slow('3'), 3000],
    [1, slow(), 1000],
    [2, slow(), undefined],
  ])('end at a 429 if the caller checks before it sends anew: after %i earlier tries', async (tries, refusal, wait) => {
    const { thrown, attempts, waits, flight } = await writing([NOBODY, refusal], {}, { tries });
    expect(thrown).toMatchObject({ kind: 'not_sent', detail: { status: 429 } });
    expect(thrown?.detail.resendAfter).toBe(wait);
    expect([attempts.length, waits.length, flight]).toEqual([2, 1, { open: 0, accepted: 0 }]);
  });

  it('log why they wait', async () => {
    const { debug } = await writing([NOBODY, slow('3'), MADE]);
    expect(debug).toEqual([
      '. nothing was applied; waiting 250 ms to send it again',
      '. nothing was applied; waiting 3000 ms to send it again',
    ]);
  });

  it('report each 429 of the service, and nothing else', async () => {
    const told: number[] = [];
    const slowDown = (ms: number): void => void told.push(ms);
    await writing([NOBODY, slow('3'), slow(), MADE], {}, { pace: { slowDown } });
    expect(told).toEqual([3000, 0]);
  });
});

it('a write waits for its turn before each attempt', async () => {
  const turns: number[] = [];
  const { attempts } = await writing(
    [NOBODY, slow('3'), MADE],
    {},
    { pace: { turn: async () => void turns.push(turns.length) } },
  );
  expect([turns, attempts.length]).toEqual([[0, 1, 2], 3]);
});

describe('a requested pause', () => {
  it('lasts as long as the longest delay that was requested, by a clock that nobody sets', () => {
    let [ticks, now] = [1000, 50_000];
    const { begin, check } = openRequestedPause({ ticks: () => ticks, now: () => now });
    const [refused, fault] = [new PayError('not_sent', 'No'), (reason: string) => new PayError('not_sent', reason)];
    expect(check(fault)).toBeUndefined();
    expect([3000, 1000].map((ms) => begin(refused, ms).detail.retryAt)).toEqual([53_000, 51_000]);
    [ticks, now] = [3999, 90_000];
    expect(check(fault)?.detail.retryAt).toBe(90_001);
    ticks = 4000;
    expect(check(fault)).toBeUndefined();
  });

  it.each<[string, (stop: AbortController, begin: () => void) => void, object]>([
    ['a pause', (_stop, begin) => begin(), { kind: 'not_sent', detail: { retryAt: 5000 } }],
    ['a signal', (stop) => stop.abort('SIGINT'), { kind: 'interrupted' }],
  ])('that begins while a write waits for its turn holds it back, as %s does', async (_what, happens, error) => {
    const stop = new AbortController();
    const { context, transport, attempts } = scripted([], { stop });
    const begin = (): void => void context.requestedPause.begin(new PayError('not_sent', 'No'), 5000);
    const pace = { turn: async () => happens(stop, begin) };
    const made = await sendWrite({ ...context, pace, onLateStop: () => undefined }, transport, CHARGE);
    expect(made).toMatchObject({ certain: 'not_sent', error });
    expect(attempts).toEqual([]);
  });
});

describe('an overdue write', () => {
  it('is not started', async () => {
    const { thrown, attempts } = await writing([MADE], {}, { isOverdue: () => true });
    expect(thrown).toMatchObject(TOO_LATE);
    expect(attempts).toEqual([]);
  });

  it('is not repeated', async () => {
    let late = false;
    const onWait = (): void => {
      late = true;
    };
    const { thrown, attempts } = await writing([NOBODY], { onWait }, { isOverdue: () => late });
    expect(thrown).toMatchObject(TOO_LATE);
    expect(attempts).toHaveLength(1);
  });

  it('is checked and sent anew at once, if its caller does that', async () => {
    const { thrown } = await writing([MADE], {}, { isOverdue: () => true, tries: 0 });
    expect(thrown).toMatchObject({ kind: 'not_sent', detail: { resendAfter: 0 } });
    expect((await writing([MADE], {}, { isOverdue: () => true })).thrown?.detail).not.toHaveProperty('resendAfter');
  });

  it('is stopped in the tick of sending', async () => {
    const asked: boolean[] = [];
    const left = [false, true];
    const onSend: Script['onSend'] = ({ mayStart }) => void asked.push(mayStart?.() ?? true);
    const { thrown, flight } = await writing([NOBODY], { onSend }, { isOverdue: () => left.shift() ?? false });
    expect(asked).toEqual([false]);
    expect(thrown).toMatchObject(TOO_LATE);
    expect(flight).toEqual({ open: 0, accepted: 0 });
  });

  it('is not checked without a time limit', async () => {
    const asked: (boolean | undefined)[] = [];
    await writing([MADE], { onSend: ({ mayStart }) => void asked.push(mayStart?.()) });
    expect(asked).toEqual([true]);
  });
});

describe('a signal', () => {
  it.each(['before', 'at the answer', 'in the wait'])('%s interrupts the write: nothing was applied', async (when) => {
    const stop = new AbortController();
    const end = (): void => stop.abort('SIGINT');
    if (when === 'before') end();
    const script = { stop, ...(when === 'at the answer' ? { onSend: end } : { onWait: end }) };
    const { thrown, attempts, waits } = await writing([NOBODY, MADE], script);
    expect(thrown).toMatchObject({ kind: 'interrupted', detail: { exitCode: 130 } });
    expect([attempts.length, waits.length]).toEqual(
      { before: [0, 0], 'at the answer': [1, 0], 'in the wait': [1, 1] }[when],
    );
  });

  it('with the answer leaves an accepted write accepted', async () => {
    const stop = new AbortController();
    const { made } = await writing([MADE], { stop, onSend: () => stop.abort('SIGINT') });
    expect(made.certain).toBe('accepted');
  });

  it('causes one notice for any number of writes', () => {
    const said: string[] = [];
    const { context } = scripted([]);
    const finishing = noticeFinishing({ ...context, timeout: 30_000, notice: (line) => void said.push(line) });
    finishing();
    finishing();
    expect(said).toEqual([
      'Finishing requests in flight (up to 30 s). Ctrl-C again stops now and leaves them unknown.',
    ]);
  });
});

it('longestWrite is five attempts and four waits', () => {
  expect(longestWrite(1000)).toBe(5 * 1000 + 4 * 120_000);
});
