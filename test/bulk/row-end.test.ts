import { describe, expect, it } from 'vitest';
import { faultsOf, rowEndOf } from '../../src/bulk/row-end.ts';
import { type ErrorKind, EXIT_CODES, interrupted, PayError, usageError } from '../../src/core/error.ts';

const error = (kind: ErrorKind, detail: ConstructorParameters<typeof PayError>[2] = {}): PayError =>
  new PayError(kind, 'no', detail);

const BEGUN = { started: true };

describe('endOf an error', () => {
  it.each<[PayError, state: string, exitCode: number]>([
    [error('rejected', { status: 422 }), 'rejected', 3],
    [error('auth', { status: 401 }), 'rejected', 4],
    [error('auth'), 'not_sent', 4],
    [error('not_sent'), 'not_sent', 5],
    [interrupted('SIGTERM'), 'not_sent', 143],
    [error('refused'), 'refused', 9],
    [usageError('no'), 'not_sent', 2],
    [error('read_failed'), 'unknown', 8],
  ])('after the start is the certain outcome: %j', (thrown, state, exitCode) => {
    expect(rowEndOf(thrown, BEGUN)).toMatchObject({ state, exitCode });
    // A row with a ledger id was started.
    expect(rowEndOf(thrown.with({ ledgerId: 'chg-1' }))).toMatchObject({ state, exitCode });
  });

  it.each<[PayError, state: string, exitCode: number]>([
    [error('rejected', { status: 404 }), 'rejected', 3],
    [error('auth', { status: 401 }), 'not_sent', 4],
    [error('auth'), 'not_sent', 4],
    [error('not_sent'), 'not_sent', 5],
    [error('read_failed'), 'not_sent', 8],
    [error('refused'), 'refused', 9],
    [usageError('no'), 'invalid', 2],
    [error('unknown'), 'unknown', 6],
  ])('before the start: %j', (thrown, state, exitCode) => {
    expect(rowEndOf(thrown)).toMatchObject({ state, exitCode });
  });

  it('has a ledger entry only if the row was started', () => {
    const none = { noEntry: true };
    expect(rowEndOf(error('read_failed'))).toMatchObject(none);
    // The blocking entry belongs to another row.
    expect(rowEndOf(error('refused', { ledgerId: 'chg-1' }))).toMatchObject(none);
    for (const end of [rowEndOf(error('not_sent'), BEGUN), rowEndOf(error('rejected', { ledgerId: 'chg-1' }))])
      expect(end).not.toHaveProperty('noEntry');
  });

  it('is unknown unless certain', () => {
    const certain: readonly string[] = ['rejected', 'auth', 'not_sent', 'interrupted', 'refused', 'usage'];
    const others = (Object.keys(EXIT_CODES) as ErrorKind[]).filter((kind) => !certain.includes(kind));
    for (const kind of others) expect(rowEndOf(error(kind), BEGUN).state).toBe('unknown');
  });

  it('contains everything in one line', () => {
    const violations = [
      { propertyPath: 'data.provider', title: 'is unknown', option: 'provider' },
      { propertyPath: 'x', title: 'y' },
    ];
    const said = rowEndOf(new PayError('rejected', 'first\n  second', { violations })).error;
    expect(said).toBe('first; second; provider: is unknown; x: y');
  });
});

describe('the line for an error', () => {
  it.each([
    [undefined, 'no'],
    [[], 'no'],
    [[{ propertyPath: '', title: 'a' }], 'no; a'],
    [[{ propertyPath: 'x', title: '' }], 'no; x'],
    [[{ propertyPath: 'x', title: 'a', suggestion: 'b' }], 'no; x: a (did you mean b?)'],
  ])('with the violations %j is %s', (violations, said) => {
    expect(rowEndOf(new PayError('rejected', 'no', violations === undefined ? {} : { violations })).error).toBe(said);
  });
});

describe('the effect on other rows', () => {
  it.each<[PayError, stops: boolean]>([
    [error('rejected', { status: 422 }), false],
    [error('auth', { status: 403 }), true],
    [error('refused', { spent: true }), true],
    [error('refused'), false],
    [error('auth'), true],
    [error('unknown'), false],
    [error('not_sent'), false],
    [error('rejected', { answer: '{}', unrecorded: true }), true],
    [error('ledger'), true],
  ])('of %j: stops them: %s', (thrown, stops) => {
    expect(rowEndOf(thrown).stops).toBe(stops ? thrown : undefined);
  });

  it('stops after a failure to record', () => {
    const unnoted = error('unknown', { answer: '{}', unrecorded: true });
    expect(rowEndOf(unnoted)).toMatchObject({ stops: unnoted, unrecorded: unnoted });
  });

  it('leaves a row unchanged if nothing was started', () => {
    expect(rowEndOf(error('ledger')).untouched).toBe(true);
    expect(rowEndOf(interrupted('SIGINT'))).not.toHaveProperty('stops');
    expect(rowEndOf(interrupted('SIGINT')).untouched).toBe(true);
    expect(rowEndOf(interrupted('SIGINT').with({ ledgerId: 'chg-1' })).untouched).toBeUndefined();
    expect(rowEndOf(interrupted('SIGINT'), BEGUN).untouched).toBeUndefined();
  });

  it('slows down if nobody answers', () => {
    expect(rowEndOf(error('not_sent')).slowDown).toBe(0);
    expect(rowEndOf(error('read_failed')).slowDown).toBe(0);
    expect(rowEndOf(error('rejected')).slowDown).toBeUndefined();
  });

  it('rethrows a defect', () => {
    expect(() => rowEndOf(new TypeError('a defect'))).toThrow('a defect');
  });
});

describe('faultsOf', () => {
  it('names the column of each violation, and throws other errors', () => {
    const violations = [
      { propertyPath: 'data.phone', title: 'a', option: 'phone' },
      { propertyPath: 'x', title: 'b' },
    ];
    expect(faultsOf(usageError('no', { violations }))).toEqual([
      { column: 'phone', what: 'a' },
      { column: 'x', what: 'b' },
    ]);
    expect(faultsOf(usageError('whole'))).toEqual([{ column: undefined, what: 'whole' }]);
    expect(() => faultsOf(new TypeError('a defect'))).toThrow('a defect');
  });
});
