import { describe, expect, it } from 'vitest';
import {
  defect,
  type ErrorKind,
  EXIT_CODES,
  EXIT_MEANINGS,
  outcomeOf,
  PayError,
  reasonOf,
  usageError,
} from '../../src/core/error.ts';

describe('PayError', () => {
  it('says what happened, of which kind it is, and what is known about it', () => {
    const error = new PayError('rejected', 'the service said no', { status: 422, hint: 'mend it' });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'PayError', kind: 'rejected', message: 'the service said no' });
    expect(error.detail).toEqual({ status: 422, hint: 'mend it' });
    expect(error.stack).toContain('error.test.ts');
  });

  it('keeps its cause where errors keep it, and has none when there is none', () => {
    const cause = new Error('socket hang up');
    expect(new PayError('unknown', 'x', { cause }).cause).toBe(cause);
    expect('cause' in new PayError('unknown', 'x')).toBe(false);
  });

  it('becomes the same error with more known about it, and stays as it was itself', () => {
    const first = new PayError('auth', 'no key', { status: 401, hint: 'old' });
    const second = first.with({ hint: 'new', title: 'Unauthorized' });
    expect(second).toMatchObject({ kind: 'auth', message: 'no key' });
    expect(second.detail).toEqual({ status: 401, hint: 'new', title: 'Unauthorized' });
    expect(first.detail).toEqual({ status: 401, hint: 'old' });
  });

  it('is of the kind usage when the arguments were at fault', () => {
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
    [
      'its code where it has no message',
      Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
      'ECONNREFUSED',
    ],
    ['its name where it has neither', new RangeError(''), 'RangeError'],
    ['its name where the code is no text', Object.assign(new RangeError(''), { code: 7 }), 'RangeError'],
    ['a thrown text', 'stop', 'stop'],
    ['a thrown nothing', undefined, 'undefined'],
    ['a thrown null', null, 'null'],
    ['the kind of what refuses to become a text', Object.create(null), '[object Object]'],
  ])('is %s', (_what, thrown, reason) => {
    expect(reasonOf(thrown)).toBe(reason);
  });
});

it('what nothing expected is a defect, with its cause and what to do', () => {
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
  ] as const)('%s ends the program with %d, now and for ever', (kind, code) => {
    expect(EXIT_CODES[kind]).toBe(code);
  });

  it('are all different, none is success, and each is explained', () => {
    const codes: number[] = Object.values(EXIT_CODES);
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes).not.toContain(0);
    expect(Object.keys(EXIT_MEANINGS)).toEqual(Object.keys(EXIT_CODES));
    for (const [meaning, again] of Object.values(EXIT_MEANINGS)) expect([meaning, again]).not.toContain('');
  });

  it('let a script run the same again after four kinds of end only, and a wait only as a wait', () => {
    const again = Object.entries(EXIT_MEANINGS).filter(([, [, advice]]) => advice.startsWith('yes'));
    for (const kind of ['pending', 'interrupted'] as const) {
      expect(EXIT_MEANINGS[kind][1]).toContain('`paycli activity wait`');
    }
    expect(again.map(([kind]) => kind)).toEqual(['not_sent', 'read_failed', 'pending', 'interrupted']);
  });
});

const PROVES_SOMETHING: Readonly<Record<string, string>> = {
  rejected: 'rejected',
  auth: 'not_sent',
  not_sent: 'not_sent',
  usage: 'not_sent',
  interrupted: 'not_sent',
};

it.each(Object.keys(EXIT_CODES) as ErrorKind[])('what %s proves of a write is only what can be known', (kind) => {
  expect(outcomeOf(new PayError(kind, 'x'))).toBe(PROVES_SOMETHING[kind] ?? 'unknown');
});

it('takes a key that the service refused for a refusal, and one that was not even sent for nothing sent', () => {
  expect(outcomeOf(new PayError('auth', 'x', { status: 401 }))).toBe('rejected');
  expect(outcomeOf(new PayError('auth', 'x', {}))).toBe('not_sent');
});
