import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/client/exchange.ts';
import { judge } from '../../src/client/judge.ts';
import type { Body, Outcome } from '../../src/client/transport.ts';
import { operations } from '../../src/contract/operations.ts';
import { ACTIVITY } from '../support/service.ts';

const CHARGE: Exchange = { operation: operations['ugwo.charge'], path: '/v1/ugwo/ugw.A.b/activities', body: '{}' };
const UPDATE: Exchange = { operation: operations['onye.update'], path: '/v1/onye/ony.A.b', body: '{}' };
const ORIGIN = 'http://127.0.0.1:1';

const whole = (value: unknown): Body => ({ text: JSON.stringify(value), json: value });
const answer = (status: number, body: Body): Outcome => ({ kind: 'answer', status, retryAfter: undefined, body });
const document = (status: number): Body => whole({ title: 'No', status });

const stateOf = (outcome: Outcome, exchange = CHARGE): string => {
  const verdict = judge(ORIGIN, exchange, outcome);
  return verdict.state === 'accepted' ? 'accepted' : `${verdict.state} ${verdict.error.kind}`;
};

describe('the answer to a charge', () => {
  it.each([200, 201, 202])('%i with an activity: accepted', (status) => {
    expect(stateOf(answer(status, whole(ACTIVITY)))).toBe('accepted');
  });

  it.each([
    ['not JSON', { fault: 'the answer is not JSON' }],
    ['empty', { fault: 'the answer is empty' }],
    ['no activity', whole({ ok: true })],
    [
      'half an account number',
      whole({ ...ACTIVITY, next_action: { type: 'user_action', headers: { account_number: '012' } } }),
    ],
    ['another resource', whole({ ...ACTIVITY, uid: 'ugw.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l' })],
  ])('200, but %s: unknown', (_what, body) => {
    expect(stateOf(answer(200, body))).toBe('unknown unknown');
  });

  it.each([400, 402, 404, 409, 422])("%i in the service's own document: rejected", (status) => {
    expect(stateOf(answer(status, document(status)))).toBe('refused rejected');
  });

  it.each([401, 403])("%i in the service's own document: auth", (status) => {
    expect(stateOf(answer(status, document(status)))).toBe('refused auth');
  });

  it("429 in the service's own document: slow down, and nothing was applied", () => {
    expect(stateOf(answer(429, document(429)))).toBe('slow_down not_sent');
  });

  it.each([301, 302, 307, 308, 405, 408, 410, 413, 418, 451, 500, 502, 503, 504, 599])(
    '%i: unknown, whatever it says',
    (status) => {
      expect(stateOf(answer(status, document(status)))).toBe('unknown unknown');
    },
  );

  it("409 in a gateway's document of the service's second shape: unknown", () => {
    expect(stateOf(answer(409, whole({ message: 'Conflict', errors: [] })))).toBe('unknown unknown');
  });

  it.each([400, 401, 402, 403, 404, 409, 422, 429])("%i that is not the service's document: unknown", (status) => {
    expect(stateOf(answer(status, { fault: 'the answer is not JSON' }))).toBe('unknown unknown');
    expect(stateOf(answer(status, whole({ error: 'blocked by proxy' })))).toBe('unknown unknown');
    expect(stateOf(answer(status, document(status + 1)))).toBe('unknown unknown');
  });

  it('broken after the hand-over: unknown', () => {
    expect(stateOf({ kind: 'broken', reason: 'ECONNREFUSED' })).toBe('unknown unknown');
  });

  it('is kept where it is the only trace of what was done', () => {
    const odd = { ...ACTIVITY, created_at: 'yesterday' };
    expect(judge(ORIGIN, CHARGE, answer(200, whole(odd)))).toMatchObject({
      error: { detail: { answer: JSON.stringify(odd) } },
    });
  });

  it('not sent: not_sent, and auth where the other end was not trusted', () => {
    expect(stateOf({ kind: 'not_sent', reason: 'ECONNREFUSED', untrusted: false })).toBe('not_sent not_sent');
    expect(stateOf({ kind: 'not_sent', reason: 'CERT_HAS_EXPIRED', untrusted: true })).toBe('refused auth');
  });

  it('of any status that no row names is unknown', () => {
    const named = new Set([400, 401, 402, 403, 404, 409, 422, 429]);
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 999 }), (status) => {
        fc.pre(!named.has(status));
        expect(stateOf(answer(status, document(status)))).toBe('unknown unknown');
      }),
    );
  });

  it('speaks of a charge for a charge and of an update for an update', () => {
    const broken: Outcome = { kind: 'broken', reason: 'reset' };
    expect(judge(ORIGIN, CHARGE, broken)).toMatchObject({
      error: { message: expect.stringContaining('charge may have been made') },
    });
    expect(judge(ORIGIN, UPDATE, broken)).toMatchObject({
      error: { message: expect.stringContaining('update may have been applied') },
    });
  });
});
