import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Exchange, judgeAttempt } from '../../src/client/answer.ts';
import type { AnswerBody } from '../../src/client/body.ts';
import type { AttemptResult } from '../../src/client/transport.ts';
import { operations } from '../../src/contract/operations.ts';
import { ACTIVITY } from '../support/service.ts';
import { bodyOf, large, whole } from './scripted.ts';

const CHARGE: Exchange = {
  operation: operations['ugwo.charge'],
  path: '/v1/ugwo/ugw.A.b/activities',
  body: '{}',
  params: { ugwoUid: 'ugw.A.b' },
};
const UPDATE: Exchange = {
  operation: operations['onye.update'],
  path: '/v1/onye/ony.A.b',
  body: '{}',
  params: { uid: 'ony.A.b' },
};
const ORIGIN = 'http://127.0.0.1:1';

const answer = (status: number, body: AnswerBody): AttemptResult => ({
  kind: 'answer',
  status,
  retryAfter: undefined,
  body,
});
const document = (status: number): AnswerBody => whole({ title: 'No', status });

/** An unreadable body. */
const hopeless = (): AnswerBody => {
  const body = bodyOf('{}');
  Object.defineProperty(body, 'value', {
    get: () => {
      throw new RangeError('too deep');
    },
  });
  return body;
};

const stateOf = (outcome: AttemptResult, exchange = CHARGE): string => {
  const verdict = judgeAttempt(ORIGIN, exchange, outcome);
  if (verdict.certain === 'accepted') return 'accepted';
  return `${verdict.slowDown === undefined ? verdict.certain : 'slow_down'} ${verdict.error.kind}`;
};

describe('the judgement of a charge', () => {
  it.each([200, 201, 202])('%i with an activity: accepted', (status) => {
    expect(stateOf(answer(status, whole(ACTIVITY)))).toBe('accepted');
  });

  it.each([
    ['not JSON', { fault: 'the answer is not JSON' }],
    ['empty', { fault: 'the answer is empty' }],
    ['no activity', whole({ ok: true })],
    ['another resource', whole({ ...ACTIVITY, uid: 'ugw.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l' })],
    ['an empty list', whole([])],
    ["another request's", whole({ ...ACTIVITY, ugwo_uid: 'ugw.A.c' })],
    ['a refund', whole({ ...ACTIVITY, activity_type: ['refund', 'Refund'] })],
  ])('200, but %s: unknown', (_what, body) => {
    expect(stateOf(answer(200, body))).toBe('unknown unknown');
  });

  it('an exception while judging: unknown', () => {
    for (const status of [200, 400, 429]) expect(stateOf(answer(status, hopeless()))).toBe('unknown unknown');
  });

  it('above the size limit: accepted with the main fields; no proof for a 429', () => {
    expect(stateOf(answer(200, large(ACTIVITY)))).toBe('accepted');
    expect(stateOf(answer(200, bodyOf(large(ACTIVITY).text.slice(0, -1))))).toBe('unknown unknown');
    expect(stateOf(answer(422, large({ title: 'No', status: 422 })))).toBe('rejected rejected');
    expect(stateOf(answer(422, whole(Array.from({ length: 100_001 }, () => []))))).toBe('unknown unknown');
    expect(stateOf(answer(429, large({ title: 'No', status: 429 })))).toBe('unknown unknown');
  });

  it.each([400, 402, 404, 405, 409, 415, 422])("%i with the service's error document: rejected", (status) => {
    expect(stateOf(answer(status, document(status)))).toBe('rejected rejected');
  });

  it.each([401, 403])("%i with the service's error document: auth", (status) => {
    expect(stateOf(answer(status, document(status)))).toBe('rejected auth');
  });

  it("429 with the service's error document: slow down, not applied", () => {
    expect(stateOf(answer(429, document(429)))).toBe('slow_down not_sent');
  });

  it.each([199, 300, 301, 302, 307, 308, 408, 410, 413, 418, 451, 500, 502, 503, 504, 599])(
    '%i: unknown, whatever the body',
    (status) => {
      for (const body of [document(status), whole(ACTIVITY)]) {
        expect(stateOf(answer(status, body))).toBe('unknown unknown');
      }
    },
  );

  const NO = [400, 402, 404, 405, 409, 415, 422];
  const WORDS: readonly unknown[] = [
    { message: 'Conflict', errors: [] },
    { error: 'blocked by proxy' },
    { code: 401, message: 'JWT Token not found' },
    { title: 'No', status: 299 },
    { detail: 'ugwo.error.not_found' },
    { violations: { 'data[provider]': ['Unknown bank.'] } },
    {},
    [],
  ];

  it.each(NO)('%i with any JSON object: rejected', (status) => {
    for (const body of WORDS) expect(stateOf(answer(status, whole(body)))).toBe('rejected rejected');
  });

  it('401 with any body, and 403 with a JSON object: auth', () => {
    for (const body of WORDS) expect(stateOf(answer(403, whole(body)))).toBe('rejected auth');
    for (const body of [...WORDS, 'no', null]) expect(stateOf(answer(401, whole(body)))).toBe('rejected auth');
    expect(stateOf(answer(401, { fault: 'the answer is empty' }))).toBe('rejected auth');
  });

  it.each([...NO, 403, 429])('%i without a JSON object: unknown', (status) => {
    expect(stateOf(answer(status, { fault: 'the answer is not JSON' }))).toBe('unknown unknown');
    for (const body of ['no', 5, null, [{ title: 'No' }]]) {
      expect(stateOf(answer(status, whole(body)))).toBe('unknown unknown');
    }
  });

  it('429 with another document: unknown', () => {
    const others = WORDS.filter((body) => !(typeof body === 'object' && body !== null && 'status' in body));
    for (const body of [...others, { title: 'No', status: 430 }]) {
      expect(stateOf(answer(429, whole(body)))).toBe('unknown unknown');
    }
  });

  it('broken after sending: unknown', () => {
    expect(stateOf({ kind: 'broken', reason: 'ECONNREFUSED' })).toBe('unknown unknown');
  });

  it('unknown keeps the answer, which may be the only trace', () => {
    const odd = { ...ACTIVITY, uid: 'activity 7' };
    expect(judgeAttempt(ORIGIN, CHARGE, answer(200, whole(odd)))).toMatchObject({
      error: { detail: { answer: JSON.stringify(odd) } },
    });
  });

  it('not sent: not_sent, or auth if the certificate is untrusted', () => {
    expect(stateOf({ kind: 'not_sent', reason: 'ECONNREFUSED', untrusted: false })).toBe('not_sent not_sent');
    expect(stateOf({ kind: 'not_sent', reason: 'CERT_HAS_EXPIRED', untrusted: true })).toBe('not_sent auth');
  });

  it('any other status: unknown', () => {
    const named = new Set([400, 401, 402, 403, 404, 405, 409, 415, 422, 429]);
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 999 }), (status) => {
        fc.pre(!named.has(status));
        expect(stateOf(answer(status, document(status)))).toBe('unknown unknown');
      }),
    );
  });

  it('299 with an activity: accepted', () => {
    expect(stateOf(answer(299, whole(ACTIVITY)))).toBe('accepted');
  });
});

describe('the error of a write', () => {
  const AGAIN = 'it is safe to run the same command again';
  const MADE = "don't run it again until you know, or the customer may pay twice";
  const APPLIED = 'check the record; sending the same values again does no harm';

  it.each<[string, AttemptResult, string, object]>([
    [
      'no answer',
      { kind: 'broken', reason: 'reset' },
      'the charge may have been made: the request was sent, but no complete answer came back: reset',
      { hint: MADE },
    ],
    [
      'an unreadable answer',
      answer(200, { fault: 'the answer is empty' }),
      'the charge may have been made: the service answered 200, but the answer is empty',
      { hint: MADE, status: 200 },
    ],
    [
      'an answer without proof, which is kept',
      answer(201, whole({ ok: 1 })),
      expect.stringMatching(/^the charge may have been made: the service answered 201, but /),
      { hint: MADE, status: 201, answer: '{"ok":1}' },
    ],
    [
      'an error',
      answer(503, whole({ title: 'Busy', detail: 'come back' })),
      'the charge may have been made: the service answered 503 Busy',
      { hint: MADE, status: 503 },
    ],
    [
      'an error without a document',
      answer(500, whole({})),
      'the charge may have been made: the service answered 500',
      { hint: MADE, status: 500 },
    ],
    [
      "a proxy's HTML page",
      answer(502, { fault: 'the answer is not JSON' }),
      'the charge may have been made: the answer was 502 and not a JSON object',
      { hint: MADE, status: 502 },
    ],
    [
      'an exception while judging',
      answer(200, hopeless()),
      "the charge may have been made: its answer couldn't be understood: too deep",
      { hint: MADE, status: 200 },
    ],
    [
      'a 429',
      answer(429, document(429)),
      'nothing was applied: the service answered 429 No',
      { hint: AGAIN, status: 429 },
    ],
    [
      'no connection',
      { kind: 'not_sent', reason: 'nobody is there', untrusted: false },
      'nothing was applied: nobody is there',
      { hint: AGAIN },
    ],
  ])('for %s', (_what, outcome, message, detail) => {
    const verdict = judgeAttempt(ORIGIN, CHARGE, outcome);
    if (verdict.certain === 'accepted') throw new Error('it was accepted');
    expect(verdict.error.message).toEqual(message);
    expect(verdict.error.detail).toStrictEqual({ ...detail, request: { method: 'POST', path: CHARGE.path } });
  });

  it('of an update says that it may have been applied', () => {
    expect(judgeAttempt(ORIGIN, UPDATE, { kind: 'broken', reason: 'reset' })).toMatchObject({
      error: {
        message: 'the update may have been applied: the request was sent, but no complete answer came back: reset',
        detail: { hint: APPLIED, request: { method: 'PATCH', path: UPDATE.path } },
      },
    });
  });

  it('of an untrusted host names the host and says that nothing was sent', () => {
    expect(
      judgeAttempt(ORIGIN, CHARGE, { kind: 'not_sent', reason: 'its certificate is old', untrusted: true }),
    ).toMatchObject({
      error: {
        message: "couldn't verify the certificate of 127.0.0.1:1, so nothing was sent: its certificate is old",
        detail: {
          hint: 'if you run your own certificate authority, name its file in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS',
        },
      },
    });
  });

  it.each([
    ['30 s ahead', { servedAt: 0, askedAt: 30_000 }, undefined],
    ['further ahead', { servedAt: 0, askedAt: 31_000 }, "this machine's clock is 31 s ahead of the service's"],
    ['further behind', { servedAt: 31_000, askedAt: 0 }, "this machine's clock is 31 s behind the service's"],
    ['ahead of an answer from a cache', { servedAt: 0, askedAt: 31_000, age: 1000 }, undefined],
  ])('for an expiry blames a clock that is off: %s', (_what, times, blame) => {
    const violations = [{ propertyPath: 'data.expires_at', title: 'wrong' }];
    const no = { ...answer(422, whole({ title: 'No', violations })), ...times } as AttemptResult;
    const verdict = judgeAttempt(ORIGIN, CHARGE, no);
    if (verdict.certain === 'accepted') throw new Error('it was accepted');
    expect(verdict.error.detail.hint?.split(':')[0]).toBe(blame);
  });

  it('of a 429 has the requested delay', () => {
    expect(
      judgeAttempt(ORIGIN, CHARGE, { ...answer(429, document(429)), retryAfter: '7' } as AttemptResult),
    ).toMatchObject({
      certain: 'not_sent',
      slowDown: { retryAfter: '7' },
    });
  });
});
