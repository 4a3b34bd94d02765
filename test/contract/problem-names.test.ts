import { describe, expect, it } from 'vitest';
import { isOwnDocument, PROBLEM_FIELDS, readProblem } from '../../src/contract/problem.ts';
import { BOUNDS } from '../../src/core/bounds.ts';

/** What members and what members of `error` say a title, the first that is there before the others. */
const WORDS = ['title', 'message', 'error', 'error_description', 'detail', 'code'];
const INNER = ['title', 'message'];
const LISTS = ['violations', 'errors'];

describe('the words of an error document', () => {
  it.each(WORDS)('are read from "%s"', (name) => {
    expect(readProblem({ [name]: ' no \n' })).toEqual({ title: 'no', detail: undefined, violations: [] });
  });

  it.each(INNER)('are read from "%s" of its error', (name) => {
    expect(readProblem({ error: { [name]: 'no' } })).toMatchObject({ title: 'no' });
  });

  it('come in an order, the second being the detail', () => {
    const all = Object.fromEntries(WORDS.map((name) => [name, name]));
    for (const [index, name] of WORDS.entries()) {
      expect(readProblem(all)).toMatchObject({ title: name, ...(index < 5 ? { detail: WORDS[index + 1] } : {}) });
      delete all[name];
    }
    expect(readProblem({ title: ' ', detail: 'why' })).toMatchObject({ title: 'why', detail: undefined });
    expect(readProblem({ title: 'no', message: 'no', detail: 'why' })).toMatchObject({ title: 'no', detail: 'why' });
  });
});

describe('the violations of an error document', () => {
  const one = { propertyPath: 'ref', title: 'taken' };

  it.each(LISTS)('are read from "%s", and from those of its error', (name) => {
    expect(readProblem({ [name]: [one] })).toMatchObject({ violations: [one] });
    expect(readProblem({ error: { [name]: [one] } })).toMatchObject({ violations: [one] });
  });

  it.each(['propertyPath', 'property_path', 'field', 'path', 'property', 'name'])('have their path in "%s"', (name) => {
    expect(readProblem({ errors: [{ [name]: ' ref ', title: 'taken' }] })).toMatchObject({ violations: [one] });
  });

  it.each(['title', 'message', 'detail', 'error', 'code'])('have their title in "%s"', (name) => {
    expect(readProblem({ errors: [{ field: 'ref', [name]: ' taken ' }] })).toMatchObject({ violations: [one] });
  });

  it('are bounded, and the others counted', () => {
    const of = (count: number): unknown => readProblem({ errors: Array.from({ length: count }, () => one) });
    const violations = Array.from({ length: BOUNDS.violations }, () => one);
    expect(of(BOUNDS.violations)).toStrictEqual({ title: '', detail: undefined, violations });
    expect(of(BOUNDS.violations + 2)).toStrictEqual({ title: '', detail: undefined, violations, more: 2 });
  });
});

it('names the members that all this is read from', () => {
  expect(new Set(PROBLEM_FIELDS)).toEqual(new Set([...WORDS, ...LISTS]));
});

describe('a document of the first shape', () => {
  const first = { title: 'no', status: 422 };

  it.each([[[]], [null], [undefined], [[{ propertyPath: 'ref', title: 'taken', code: 5 }]]])(
    'may have the violations %j',
    (violations) => {
      expect(isOwnDocument(422, { ...first, violations })).toBe(true);
    },
  );

  it.each([
    [['taken']],
    [[{ title: 'taken' }]],
    [[{ propertyPath: 'ref' }]],
    [[{ propertyPath: 1, title: 'x' }]],
    ['x'],
  ])('has not the violations %j', (violations) => {
    expect(isOwnDocument(422, { ...first, violations })).toBe(false);
  });
});

describe('a document of the second shape', () => {
  it.each<[message: string, errors: unknown]>([
    ['no', [{ message: 'taken' }]],
    ['no', [{ field: 'ref', message: 'taken' }]],
    ['ugwo.error.not_found', []],
    ['UGWO.Error-1.x', []],
  ])('has the message %j and the errors %j', (message, errors) => {
    expect(isOwnDocument(422, { message, errors })).toBe(true);
  });

  it.each<[message: unknown, errors: unknown]>([
    ['no', []],
    ['not a.code', []],
    ['a.code not', []],
    ['1a.b', []],
    ['a..b', []],
    ['a.b.', []],
    ['ugwo.error', undefined],
    ['ugwo.error', ['taken']],
    ['ugwo.error', [{}]],
    ['ugwo.error', [{ message: 5 }]],
    ['ugwo.error', [{ field: 5, message: 'taken' }]],
    [5, [{ message: 'taken' }]],
  ])('has not the message %j and the errors %j', (message, errors) => {
    expect(isOwnDocument(422, { message, errors })).toBe(false);
  });
});
