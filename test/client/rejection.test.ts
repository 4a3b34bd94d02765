import { describe, expect, it } from 'vitest';
import { rejection } from '../../src/client/answer.ts';
import { operations } from '../../src/contract/operations.ts';
import type { Problem } from '../../src/contract/problem.ts';

const READ = {
  operation: operations['ugwo.list'],
  path: '/v1/ugwo?cursor=abc',
  body: undefined,
  params: {},
};
const problem = (some: Partial<Problem> = {}): Problem => ({ title: '', detail: undefined, violations: [], ...some });
const FAULT = { propertyPath: 'amount', title: 'too low' };

describe('a rejection by the service', () => {
  it.each<[string, number, Problem | undefined, string]>([
    ['without a document', 401, undefined, 'the service answered 401'],
    ['with an empty document', 404, problem(), 'the service answered 404'],
    ['with a title', 404, problem({ title: 'No' }), 'the service answered 404: No'],
    ['with a detail', 404, problem({ title: 'No', detail: 'gone' }), 'the service answered 404: No: gone'],
    ['with only a detail', 404, problem({ detail: 'gone' }), 'the service answered 404: gone'],
    ['with an empty detail', 404, problem({ title: 'No', detail: '' }), 'the service answered 404: No'],
    [
      'with violations that equal the detail',
      422,
      problem({ title: 'No', detail: 'amount: too low', violations: [FAULT] }),
      'the service answered 422: No',
    ],
    [
      'with more violations than shown',
      422,
      problem({ title: 'No', violations: [FAULT, FAULT], more: 1998 }),
      'the service answered 422: No (showing 2 of 2,000 violations)',
    ],
  ])('%s', (_what, status, said, message) => {
    expect(rejection(READ, status, said).message).toBe(message);
  });

  it('contains status, title, violations and the request without its query', () => {
    const said = problem({ title: 'No', violations: [FAULT] });
    expect(rejection(READ, 422, said).detail).toStrictEqual({
      status: 422,
      request: { method: 'GET', path: '/v1/ugwo' },
      violations: [FAULT],
      title: 'No',
    });
    const bare = { status: 422, request: { method: 'GET', path: '/v1/ugwo' }, violations: [] };
    expect(rejection(READ, 422, problem()).detail).toStrictEqual(bare);
    expect(rejection(READ, 422, undefined).detail).toStrictEqual(bare);
  });

  it.each([
    [400, 'rejected', undefined],
    [401, 'auth', /^the key of the profile was rotated$/],
    [402, 'rejected', /^top up the workspace's balance, then /],
    [403, 'auth', /use another key/],
    [404, 'rejected', /^check the identifier, and that your profile is for the same workspace$/],
    [405, 'rejected', /has no such operation/],
    [409, 'rejected', /its current status does not allow this: see it with `paycli ugwo get` or `paycli onye get`/],
  ])('%i has the kind %s', (status, kind, hint) => {
    const { kind: of, detail } = rejection(
      { ...READ, keyHint: 'the key of the profile was rotated' },
      status,
      undefined,
    );
    expect(of).toBe(kind);
    if (hint === undefined) expect(detail).not.toHaveProperty('hint');
    else expect(detail.hint).toMatch(hint);
  });

  it('has no hint for its status if a field is at fault', () => {
    expect(rejection(READ, 409, problem({ title: 'Conflict', violations: [FAULT] })).detail).not.toHaveProperty('hint');
  });
});
