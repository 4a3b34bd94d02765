import { describe, expect, it } from 'vitest';
import {
  defect,
  ERRORS,
  type ErrorKind,
  EXIT_CODES,
  outcomeOf,
  PayError,
  reasonOf,
  usageError,
} from '../../src/core/error.ts';

describe('PayError', () => {
  it('has a message, a kind and details', () => {
    const error = new PayError('rejected', 'the service said no', { status: 422, hint: 'mend it' });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'PayError', kind: 'rejected', message: 'the service said no' });
    expect(error.detail).toEqual({ status: 422, hint: 'mend it' });
    expect(error.stack).toContain('error.test.ts');
  });

  it('has a cause only if given', () => {
    const cause = new Error('socket hang up');
    expect(new PayError('unknown', 'x', { cause }).cause).toBe(cause);
    expect('cause' in new PayError('unknown', 'x')).toBe(false);
  });

  it('can be copied with more details', () => {
    const first = new PayError('auth', 'no key', { status: 401, hint: 'old' });
    const second = first.with({ hint: 'new', title: 'Unauthorized' });
    expect(second).toMatchObject({ kind: 'auth', message: 'no key' });
    expect(second.detail).toEqual({ status: 401, hint: 'new', title: 'Unauthorized' });
    expect(first.detail).toEqual({ status: 401, hint: 'old' });
  });

  it('has the kind usage for wrong arguments', () => {
    expect(usageError('bad', { hint: 'look' })).toMatchObject({
      kind: 'usage',
      message: 'bad',
      detail: { hint: 'look' },
    });
    expect(usageError('bad').detail).toEqual({});
  });
});

describe('reasonOf', () => {
  it.each([
    ['the message of an error', new TypeError('no such host'), 'no such host'],
    ['its code if it has no message', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    ['its name if it has neither', new RangeError(''), 'RangeError'],
    ['its name if the code is not text', Object.assign(new RangeError(''), { code: 7 }), 'RangeError'],
    ['thrown text', 'stop', 'stop'],
    ['a thrown undefined', undefined, 'undefined'],
    ['a thrown null', null, 'null'],
    ["the type of a value that can't become text", Object.create(null), '[object Object]'],
  ])('returns %s', (_what, thrown, reason) => {
    expect(reasonOf(thrown)).toBe(reason);
  });
});

it('defect has the cause and a hint', () => {
  const cause = new TypeError('x is not a function');
  const error = defect(cause);
  expect([error.kind, error.message, error.cause]).toEqual(['internal', 'a bug in paycli: x is not a function', cause]);
  expect(error.detail.hint).toBe('run it again with --debug and report what it prints');
});

describe('exit codes', () => {
  it.each([
    ['internal', 1],
    ['usage', 2],
    ['rejected', 3],
    ['auth', 4],
    ['not_sent', 5],
    ['unknown', 6],
    ['unrecorded', 7],
    ['read_failed', 8],
    ['charge_failed', 11],
    ['interrupted', 130],
  ] as const)('%s exits with %d, which never changes', (kind, code) => {
    expect(EXIT_CODES[kind]).toBe(code);
  });

  it('are distinct, not 0, and explained', () => {
    const codes: number[] = Object.values(EXIT_CODES);
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes).not.toContain(0);
    for (const { meaning, again } of Object.values(ERRORS)) expect([meaning, again]).not.toContain('');
  });

  it('invite repeating the same command after three kinds of error only, and a wait only as a wait', () => {
    const again = Object.entries(ERRORS).filter(([, row]) => row.again.startsWith('yes'));
    for (const kind of ['pending', 'interrupted'] as const) {
      expect(ERRORS[kind].again).toContain('`paycli activity wait`');
    }
    expect(again.map(([kind]) => kind)).toEqual(['read_failed', 'interrupted', 'not_sent']);
  });
});

const PROVES_SOMETHING: Readonly<Record<string, string>> = {
  rejected: 'rejected',
  auth: 'not_sent',
  not_sent: 'not_sent',
  usage: 'not_sent',
  interrupted: 'not_sent',
};

it.each(Object.keys(EXIT_CODES) as ErrorKind[])('outcomeOf %s claims only what is certain', (kind) => {
  expect(outcomeOf(new PayError(kind, 'x'))).toBe(PROVES_SOMETHING[kind] ?? 'unknown');
});

it('outcomeOf maps a rejected key to rejected, and a missing one to not_sent', () => {
  expect(outcomeOf(new PayError('auth', 'x', { status: 401 }))).toBe('rejected');
  expect(outcomeOf(new PayError('auth', 'x', {}))).toBe('not_sent');
});
