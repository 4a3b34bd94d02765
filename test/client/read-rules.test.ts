import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/client/answer.ts';
import type { AnswerBody } from '../../src/client/body.ts';
import { sendRead } from '../../src/client/send.ts';
import type { AttemptResult } from '../../src/client/transport.ts';
import { operations } from '../../src/contract/operations.ts';
import { PayError } from '../../src/core/error.ts';
import { ONYE_ID } from '../support/service.ts';
import { answer, type Script, scripted, whole } from './scripted.ts';
import { thrownBy } from './support.ts';

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

/** A read whose attempts end as these. */
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

describe('what a read is taken for', () => {
  it.each([200, 299])('%i with the record: found, at the first attempt', async (status) => {
    const { found, attempts } = await reading([{ ...FOUND, status } as AttemptResult]);
    expect(found).toMatchObject({ value: { value: { uid: ONYE_ID } } });
    expect(attempts).toMatchObject([{ method: 'GET', path: READ.path, fresh: false, timeout: 5000 }]);
  });

  it.each<[string, AttemptResult, string, object]>([
    ['a record that can not be read', answer(200, PAGE), 'the answer is not JSON', { status: 200 }],
    [
      'another record',
      answer(200, whole({ uid: 'ony.AbCd.other' })),
      'the service answered with another customer (onye), ony.AbCd.other',
      { status: 200, isOther: true },
    ],
    ['what comes before an answer', answer(199), 'the answer was 199, not one that the service gives', { status: 199 }],
    [
      'the first of the redirects',
      answer(300),
      'the answer was 300, a redirect, which is never followed',
      { status: 300 },
    ],
    ['the last of them', answer(399), 'the answer was 399, a redirect, which is never followed', { status: 399 }],
    ['a 400 in no words', answer(400, PAGE), 'the answer was 400, not one that the service gives', { status: 400 }],
    ["a proxy's page", answer(404, PAGE), 'the answer was 404, not one that the service gives', { status: 404 }],
    [
      'what is not built, in no words',
      answer(501, PAGE),
      'the answer was 501, not one that the service gives',
      { status: 501 },
    ],
  ])('%s: failed, and not asked for again', async (_what, outcome, reason, detail) => {
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
  ])("%i: the service's no, and not asked for again", async (status, body, kind) => {
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
  ])('%i %s: asked for again, at most four times in all', async (status, title) => {
    const { found, waits } = await reading([answer(status, whole({ title })), FOUND]);
    expect([found.status, waits]).toEqual(['fulfilled', [250]]);
    const fault = await faultOf(answer(status, whole({ title })));
    expect(fault.message).toBe(
      `couldn't read from the service: the service answered ${status}${title === '' ? '' : ` ${title}`}`,
    );
    expect(fault.detail).toStrictEqual({ status, request: REQUEST, hint: AGAIN });
  });

  it('an overload without a document is told by its number', async () => {
    expect((await faultOf(answer(503, PAGE))).message).toBe("couldn't read from the service: the service answered 503");
  });

  it.each<[string, AttemptResult]>([
    ['broken', BROKEN],
    ['without a connection', { kind: 'not_sent', reason: 'reset', code: 'ECONNRESET', untrusted: false }],
  ])('%s: asked for again, and failed with its code', async (_what, outcome) => {
    const { found, waits } = await reading([outcome, outcome, outcome, FOUND]);
    expect([found.status, waits]).toEqual(['fulfilled', [250, 500, 1000]]);
    const fault = await faultOf(outcome);
    expect(fault.message).toBe("couldn't reach the service: reset");
    expect(fault.detail).toStrictEqual({ request: REQUEST, hint: AGAIN, code: 'ECONNRESET' });
  });

  it('a host that is not trusted: not asked again', async () => {
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
  it('wait as the service says, and say so', async () => {
    const { waits, debug } = await reading([answer(429, undefined, '3'), BROKEN, FOUND]);
    expect(waits).toEqual([3000, 500]);
    expect(debug).toEqual(['. waiting 3000 ms before attempt 2 of 4', '. waiting 500 ms before attempt 3 of 4']);
  });

  it.each([
    ['the last one begins when the minute is over', 0, 60, 'fulfilled'],
    ['none begins later', 1, 60, 'rejected'],
    ['what they took counts', 31_000, 30, 'rejected'],
  ])('have a minute: %s', async (_what, took, seconds, status) => {
    const { found } = await reading([answer(503, undefined, String(seconds)), FOUND], { took });
    expect(found.status).toBe(status);
  });

  it('end where nobody waits for the page any more', async () => {
    const given = new AbortController();
    const { thrown, attempts, waits } = await reading([BROKEN, FOUND], {
      signal: given.signal,
      onSend: () => given.abort(new Error('given up')),
    });
    expect(thrown).toMatchObject({ message: "couldn't reach the service: reset" });
    expect([attempts.length, waits]).toEqual([1, []]);
    expect(attempts[0]?.signal.aborted).toBe(true);
  });

  it('end in a wait, too, where nobody waits for the page any more', async () => {
    const [given, reason] = [new AbortController(), new Error('given up')];
    const { thrown, attempts } = await reading([BROKEN, FOUND], {
      signal: given.signal,
      onWait: () => given.abort(reason),
    });
    expect(thrown).toBe(reason);
    expect(attempts).toHaveLength(1);
  });

  it('end at a signal, whenever it comes, and whatever the answer is', async () => {
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
