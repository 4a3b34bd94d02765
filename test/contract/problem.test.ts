import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOwnDocument, PROBLEM_FIELDS, type Problem, problemAnswer, readProblem } from '../../src/contract/problem.ts';
import { BOUNDS } from '../../src/core/bounds.ts';
import { pathsOf } from './faults.ts';
import { leanProblem, messageProblem, notFoundProblem, validationProblem } from './fixtures.ts';

describe('readProblem', () => {
  it('reads a validation failure with its violations in order', () => {
    expect(readProblem(validationProblem)).toEqual({
      title: 'Validation Failed',
      detail: 'data.provider: This value should not be blank.',
      violations: [
        { propertyPath: 'data.provider', title: 'This value should not be blank.' },
        { propertyPath: '', title: 'The payment request has no checkout.' },
      ],
    });
  });

  it.each([
    [404, notFoundProblem, { title: 'Not Found', detail: 'ugwo.error.not_found', violations: [] }],
    [401, leanProblem, { title: 'Unauthorized', detail: undefined, violations: [] }],
    [
      422,
      { ...validationProblem, detail: null, violations: [] },
      { title: 'Validation Failed', detail: undefined, violations: [] },
    ],
    [422, { title: 'No', status: 422, violations: null }, { title: 'No', detail: undefined, violations: [] }],
    [409, { title: '', status: 409 }, { title: '', detail: undefined, violations: [] }],
  ])('reads a %d document with fewer fields', (_status, body, problem) => {
    expect(readProblem(body)).toEqual(problem);
  });

  it('reads the second shape, with or without a field name', () => {
    expect(readProblem(messageProblem)).toEqual({
      title: 'nzube.ugwo.error.ref_already_exists',
      detail: undefined,
      violations: [
        { propertyPath: 'ref', title: 'This reference is taken.' },
        { propertyPath: '', title: 'Nothing was created.' },
      ],
    });
    expect(readProblem({ message: 'nzube.ugwo.error.not_found', errors: [] })).toEqual({
      title: 'nzube.ugwo.error.not_found',
      detail: undefined,
      violations: [],
    });
    expect(readProblem({ message: 'bad', errors: [{ message: 'No.' }] })).toMatchObject({ title: 'bad' });
  });

  it.each<[what: string, body: unknown, problem: Partial<Problem>]>([
    ['RFC 7807 without a status', { title: 'No', detail: 'Why' }, { title: 'No', detail: 'Why' }],
    ['a document with another status', { title: 'No', status: 500 }, { title: 'No' }],
    ['a message', { message: 'no Route matched' }, { title: 'no Route matched', detail: undefined }],
    ['a code and a message', { code: 401, message: 'JWT Token not found' }, { title: 'JWT Token not found' }],
    ['a text code', { code: 'ugwo_processed', message: 'Paid.' }, { title: 'Paid.', detail: 'ugwo_processed' }],
    ['a code alone', { code: 'ugwo_processed' }, { title: 'ugwo_processed' }],
    ['an error text', { error: 'forbidden' }, { title: 'forbidden' }],
    ['an error with a message', { error: { code: 5, message: 'Forbidden' } }, { title: 'Forbidden' }],
    ['a detail alone', { detail: 'ugwo.error.not_found' }, { title: 'ugwo.error.not_found', detail: undefined }],
    ['an empty object', {}, { title: '', detail: undefined, violations: [] }],
    ["PHP's empty object", [], { title: '', detail: undefined, violations: [] }],
    ['fields of other types', { title: 5, detail: [], violations: 'x', errors: 7 }, { title: '', violations: [] }],
  ])('reads %s', (_what, body, problem) => {
    expect(readProblem(body)).toMatchObject(problem);
  });

  it.each([
    ['a list', [{ propertyPath: 'ref', title: 'taken' }]],
    ['a list with other names', [{ field: 'ref', message: 'taken' }]],
    ['a list with more names', [{ property_path: 'ref', detail: 'taken', code: 'x' }]],
    ['an object of texts', { ref: 'taken' }],
    ['an object of lists', { ref: ['taken'] }],
    ['an object of objects', { ref: { message: 'taken' } }],
    ['an object of lists of objects', { ref: [{ title: 'taken', code: 'x' }] }],
  ])('reads violations given as %s', (_what, listed) => {
    const violations = [{ propertyPath: 'ref', title: 'taken' }];
    expect(readProblem({ title: 'x', violations: listed })).toMatchObject({ violations });
    expect(readProblem({ message: 'x', errors: listed })).toMatchObject({ violations });
    expect(readProblem({ error: { message: 'x', errors: listed } })).toMatchObject({ title: 'x', violations });
  });

  it('keeps a violation without a path, and drops one without text', () => {
    const listed = [{ title: 'x' }, 'y', { propertyPath: 'z' }, null, 5, []];
    expect(readProblem({ violations: listed })?.violations).toEqual([
      { propertyPath: '', title: 'x' },
      { propertyPath: '', title: 'y' },
    ]);
  });

  it.each([
    ['an HTML page of a proxy', '<html><body>Bad Gateway</body></html>'],
    ['no body', undefined],
    ['null', null],
    ['a number', 404],
    ['a list', [validationProblem]],
  ])('reads nothing from %s', (_what, body) => {
    expect(readProblem(body)).toBeUndefined();
  });

  it('problemAnswer rejects a fractional status', () => {
    expect(pathsOf(problemAnswer(), { ...leanProblem, status: 401.5 })).toEqual(['status']);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (body, listed) => {
        readProblem(body);
        expect(readProblem({ title: body, violations: listed, errors: body, error: listed })).toBeDefined();
      }),
    );
  });
});

describe('isOwnDocument', () => {
  it.each([
    ['of its first shape', 422, validationProblem],
    ['of its second shape', 409, messageProblem],
    ['of its second shape, without a fault', 404, { message: 'nzube.ugwo.error.not_found', errors: [] }],
  ])('accepts a document %s', (_what, status, body) => {
    expect(isOwnDocument(status, body)).toBe(true);
  });

  it.each([
    ['a document of a gateway', 404, { message: 'no Route matched with those values' }],
    ['one that looks like the second shape', 409, { message: 'Conflict', errors: [] }],
    ['a sentence in place of a code', 404, { message: 'nothing is at pay.example.', errors: [] }],
    ['one that names another status', 404, validationProblem],
    ['one without a status', 422, { title: 'Validation Failed', violations: [] }],
    ['an empty object', 429, {}],
  ])('rejects %s', (_what, status, body) => {
    expect(isOwnDocument(status, body)).toBe(false);
  });

  it('accepts a document only under its own status', () => {
    const status = fc.integer({ min: 100, max: 599 });
    fc.assert(
      fc.property(status, fc.oneof(status, fc.constant(undefined)), (named, other) => {
        const arrived = other ?? named;
        expect(isOwnDocument(arrived, { title: 'x', status: named })).toBe(arrived === named);
      }),
    );
  });
});

/** The members, and the members of `error`, that hold a title, in order of preference. */
const WORDS = ['title', 'message', 'error', 'error_description', 'detail', 'code'];
const INNER = ['title', 'message'];
const LISTS = ['violations', 'errors'];

describe('the title of an error document', () => {
  it.each(WORDS)('is read from "%s"', (name) => {
    expect(readProblem({ [name]: ' no \n' })).toEqual({ title: 'no', detail: undefined, violations: [] });
  });

  it.each(INNER)('is read from "%s" of its error', (name) => {
    expect(readProblem({ error: { [name]: 'no' } })).toMatchObject({ title: 'no' });
  });

  it('comes from the first member present; the next one is the detail', () => {
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

  it.each(LISTS)('are read from "%s", at the top level and in its error', (name) => {
    expect(readProblem({ [name]: [one] })).toMatchObject({ violations: [one] });
    expect(readProblem({ error: { [name]: [one] } })).toMatchObject({ violations: [one] });
  });

  it.each(['propertyPath', 'property_path', 'field', 'path', 'property', 'name'])('have their path in "%s"', (name) => {
    expect(readProblem({ errors: [{ [name]: ' ref ', title: 'taken' }] })).toMatchObject({ violations: [one] });
  });

  it.each(['title', 'message', 'detail', 'error', 'code'])('have their title in "%s"', (name) => {
    expect(readProblem({ errors: [{ field: 'ref', [name]: ' taken ' }] })).toMatchObject({ violations: [one] });
  });

  it('are limited, and the rest counted', () => {
    const of = (count: number): unknown => readProblem({ errors: Array.from({ length: count }, () => one) });
    const violations = Array.from({ length: BOUNDS.violations }, () => one);
    expect(of(BOUNDS.violations)).toStrictEqual({ title: '', detail: undefined, violations });
    expect(of(BOUNDS.violations + 2)).toStrictEqual({ title: '', detail: undefined, violations, more: 2 });
  });
});

it('PROBLEM_FIELDS lists all members that are read', () => {
  expect(new Set(PROBLEM_FIELDS.map((path) => path.split('.')[0]))).toEqual(new Set([...WORDS, ...LISTS]));
});

describe('isOwnDocument for the first shape', () => {
  const first = { title: 'no', status: 422 };

  it.each([[[]], [null], [undefined], [[{ propertyPath: 'ref', title: 'taken', code: 5 }]]])(
    'accepts the violations %j',
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
  ])('rejects the violations %j', (violations) => {
    expect(isOwnDocument(422, { ...first, violations })).toBe(false);
  });
});

describe('isOwnDocument for the second shape', () => {
  it.each<[message: string, errors: unknown]>([
    ['no', [{ message: 'taken' }]],
    ['no', [{ field: 'ref', message: 'taken' }]],
    ['ugwo.error.not_found', []],
    ['UGWO.Error-1.x', []],
  ])('accepts the message %j with the errors %j', (message, errors) => {
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
  ])('rejects the message %j with the errors %j', (message, errors) => {
    expect(isOwnDocument(422, { message, errors })).toBe(false);
  });
});
