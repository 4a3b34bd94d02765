import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/client/answer.ts';
import { longestWrite, sayHeld, sendWrite, type WriteOptions } from '../../src/client/send.ts';
import type { AttemptResult } from '../../src/client/transport.ts';
import { operations } from '../../src/contract/operations.ts';
import { ACTIVITY, UGWO_ID } from '../support/service.ts';
import { answer, type Script, scripted, whole } from './scripted.ts';
import { thrownBy } from './support.ts';

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
const BROKEN: AttemptResult = { kind: 'broken', reason: 'reset', code: 'ECONNRESET' };
const STOOD_STILL = {
  kind: 'not_sent',
  message: 'nothing was applied: this process was paused for too long before it could send',
  detail: {
    request: { method: 'POST', path: CHARGE.path },
    hint: 'it is safe to run the same command again',
  },
};

/** A charge whose attempts end as these. */
const writing = async (outcomes: readonly AttemptResult[], script: Script = {}, options?: WriteOptions) => {
  const { context, transport, ...seen } = scripted(outcomes, script);
  const write = sendWrite({ ...context, held: () => undefined }, transport, CHARGE, options);
  const [made] = await Promise.allSettled([write]);
  const thrown = made.status === 'rejected' ? await thrownBy(write) : undefined;
  return { made, thrown, flight: context.flight, ...seen };
};

describe('the attempts of a write', () => {
  it('are one, where it is accepted', async () => {
    const { made, attempts, flight } = await writing([MADE]);
    expect(made).toMatchObject({ value: { value: { uid: ACTIVITY.uid } } });
    expect(attempts).toMatchObject([
      { method: 'POST', path: CHARGE.path, body: CHARGE.body, fresh: true, timeout: 5000 },
    ]);
    expect(flight).toEqual({ open: 0, accepted: 1 });
  });

  it.each<[string, readonly AttemptResult[], object, readonly number[], number]>([
    ['refused', [NO], { kind: 'rejected' }, [], 0],
    ['unknown', [BROKEN], { kind: 'unknown', detail: { code: 'ECONNRESET' } }, [], 1],
    ['answered with an error', [answer(503)], { kind: 'unknown', detail: { status: 503 } }, [], 1],
    [
      'without a connection, thrice',
      [NOBODY, NOBODY, NOBODY],
      { kind: 'not_sent', detail: { code: 'ECONNREFUSED' } },
      [250, 500],
      0,
    ],
    [
      'told to slow down, thrice',
      [slow(), slow(), slow()],
      { kind: 'not_sent', detail: { status: 429 } },
      [250, 500],
      0,
    ],
  ])('end where it is %s', async (_what, outcomes, error, waits, open) => {
    const { thrown, waits: waited, attempts, flight } = await writing(outcomes);
    expect(thrown).toMatchObject(error);
    expect([waited, attempts.length]).toEqual([waits, outcomes.length]);
    expect(flight).toEqual({ open, accepted: 0 });
  });

  it.each<[string, readonly AttemptResult[], readonly number[]]>([
    ['connections and 429 are counted each for itself', [NOBODY, slow(), NOBODY, slow(), MADE], [250, 500, 1000, 2000]],
    ['as the service says, up to two minutes', [slow('120'), MADE], [120_000]],
  ])('go on after waiting: %s', async (_what, outcomes, waits) => {
    const { made, waits: waited } = await writing(outcomes);
    expect([made.status, waited]).toEqual(['fulfilled', waits]);
  });

  it('end at once where the service asks for more than two minutes', async () => {
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
    ['shows nothing new: nothing was applied, and no more is sent for long', true, '3600', 'not_sent'],
    ['shows something new, or fails: unknown', false, undefined, 'unknown'],
  ] as const)('that end with a 429 in other words, and a read that %s', async (_what, isNothing, after, kind) => {
    const told: number[] = [];
    const options = { isNothing: async () => isNothing, slowDown: (ms: number) => void told.push(ms) };
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
    'ask no read to settle what is no 429',
    async (outcome) => {
      const { thrown } = await writing([outcome], {}, { isNothing: async () => true });
      expect(thrown).toMatchObject({ kind: 'unknown' });
    },
  );

  it('say why they wait', async () => {
    const { debug } = await writing([NOBODY, slow('3'), MADE]);
    expect(debug).toEqual([
      '. nothing was applied; waiting 250 ms to send it again',
      '. nothing was applied; waiting 3000 ms to send it again',
    ]);
  });

  it('tell whoever asks of each 429 of the service, and of nothing else', async () => {
    const told: number[] = [];
    const slowDown = (ms: number): void => void told.push(ms);
    await writing([NOBODY, slow('3'), slow(), MADE], {}, { slowDown });
    expect(told).toEqual([3000, 0]);
  });
});

describe('a write that is overdue', () => {
  it('is not begun', async () => {
    const { thrown, attempts } = await writing([MADE], {}, { overdue: () => true });
    expect(thrown).toMatchObject(STOOD_STILL);
    expect(attempts).toEqual([]);
  });

  it('is not begun again', async () => {
    let late = false;
    const onWait = (): void => {
      late = true;
    };
    const { thrown, attempts } = await writing([NOBODY], { onWait }, { overdue: () => late });
    expect(thrown).toMatchObject(STOOD_STILL);
    expect(attempts).toHaveLength(1);
  });

  it('is kept back in the turn in which it would be handed over', async () => {
    const asked: boolean[] = [];
    const left = [false, true];
    const onSend: Script['onSend'] = ({ mayStart }) => void asked.push(mayStart?.() ?? true);
    const { thrown, flight } = await writing([NOBODY], { onSend }, { overdue: () => left.shift() ?? false });
    expect(asked).toEqual([false]);
    expect(thrown).toMatchObject(STOOD_STILL);
    expect(flight).toEqual({ open: 0, accepted: 0 });
  });

  it('may be handed over where nobody says that it is', async () => {
    const asked: (boolean | undefined)[] = [];
    await writing([MADE], { onSend: ({ mayStart }) => void asked.push(mayStart?.()) });
    expect(asked).toEqual([true]);
  });
});

describe('a signal', () => {
  it.each(['before', 'at the answer', 'in the wait'])(
    '%s ends it as interrupted: nothing was applied',
    async (when) => {
      const stop = new AbortController();
      const end = (): void => stop.abort('SIGINT');
      if (when === 'before') end();
      const script = { stop, ...(when === 'at the answer' ? { onSend: end } : { onWait: end }) };
      const { thrown, attempts, waits } = await writing([NOBODY, MADE], script);
      expect(thrown).toMatchObject({ kind: 'interrupted', detail: { exitCode: 130 } });
      expect([attempts.length, waits.length]).toEqual(
        { before: [0, 0], 'at the answer': [1, 0], 'in the wait': [1, 1] }[when],
      );
    },
  );

  it('at the answer leaves what was accepted accepted', async () => {
    const stop = new AbortController();
    const { made } = await writing([MADE], { stop, onSend: () => stop.abort('SIGINT') });
    expect(made.status).toBe('fulfilled');
  });

  it('is spoken of once, however many writes it finds', () => {
    const said: string[] = [];
    const { context } = scripted([]);
    const held = sayHeld({ ...context, timeout: 30_000, notice: (line) => void said.push(line) });
    held();
    held();
    expect(said).toEqual([
      'Finishing requests in flight (up to 30 s). Ctrl-C again stops now and leaves them unknown.',
    ]);
  });
});

it('a write lasts no longer than five attempts and four waits', () => {
  expect(longestWrite(1000)).toBe(5 * 1000 + 4 * 120_000);
});
