import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemAnswer, readProblem } from '../../src/contract/problem.ts';
import { pathsOf } from './faults.ts';
import { leanProblem, messageProblem, notFoundProblem, validationProblem } from './fixtures.ts';

describe('readProblem', () => {
  it('reads a validation failure with its violations, in their order', () => {
    expect(readProblem(422, validationProblem)).toEqual({
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
  ])('reads a %d document with less in it', (status, body, problem) => {
    expect(readProblem(status, body)).toEqual(problem);
  });

  it('reads the second shape, a fault without a field included', () => {
    expect(readProblem(409, messageProblem)).toEqual({
      title: 'nzube.ugwo.error.ref_already_exists',
      detail: undefined,
      violations: [
        { propertyPath: 'ref', title: 'This reference is taken.' },
        { propertyPath: '', title: 'Nothing was created.' },
      ],
    });
    expect(readProblem(404, { message: 'nzube.ugwo.error.not_found', errors: [] })).toEqual({
      title: 'nzube.ugwo.error.not_found',
      detail: undefined,
      violations: [],
    });
    expect(readProblem(400, { message: 'bad', errors: [{ message: 'No.' }] })).toMatchObject({ title: 'bad' });
  });

  it.each([
    ['a page of a proxy', 502, '<html><body>Bad Gateway</body></html>'],
    ['no body', 404, undefined],
    ['null', 404, null],
    ['a number', 404, 404],
    ['a list', 422, [validationProblem]],
    ['an empty object', 404, {}],
    ['a document of a gateway', 404, { message: 'no Route matched with those values' }],
    ['a document of another gateway', 403, { error: 'forbidden', message: 'Forbidden' }],
    ['a document of a gateway that looks like the second shape', 409, { message: 'Conflict', errors: [] }],
    ['a sentence for a code', 404, { message: 'nothing is at pay.example.', errors: [] }],
    ['a problem that names another status', 404, validationProblem],
    ['a problem that names a success', 422, { ...validationProblem, status: 200 }],
    ['a problem of another status that has the second shape too', 404, { ...validationProblem, ...messageProblem }],
    ['a problem without a status', 422, { title: 'Validation Failed', violations: [] }],
    ['a problem whose status is a text', 422, { ...validationProblem, status: '422' }],
    ['a problem whose status is no whole number', 422, { ...validationProblem, status: 422.5 }],
    ['a problem without a title', 422, { status: 422 }],
    ['violations that are no list', 422, { ...validationProblem, violations: { ref: 'taken' } }],
    ['a violation without a path', 422, { ...validationProblem, violations: [{ title: 'x' }] }],
    ['a violation without a title', 422, { ...validationProblem, violations: [{ propertyPath: 'x' }] }],
    ['errors that are no list', 422, { message: 'x', errors: { ref: ['taken'] } }],
    ['errors without a message', 422, { message: 'x', errors: [{ field: 'ref' }] }],
    ['errors that are texts', 422, { message: 'x', errors: ['taken'] }],
  ])('proves nothing by %s', (_what, status, body) => {
    expect(readProblem(status, body)).toBeUndefined();
  });

  it('is written by no one with a status that is no whole number', () => {
    expect(pathsOf(problemAnswer, { ...leanProblem, status: 401.5 })).toEqual(['status']);
  });

  it('reads a problem under the status that it names and under no other', () => {
    const status = fc.integer({ min: 100, max: 599 });
    fc.assert(
      fc.property(status, fc.oneof(status, fc.constant(undefined)), (named, other) => {
        const arrived = other ?? named;
        expect(readProblem(arrived, { title: 'x', status: named }) !== undefined).toBe(arrived === named);
      }),
    );
  });

  it('throws at no document whatever', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(readProblem(422, body)).toBeUndefined();
      }),
    );
  });
});
