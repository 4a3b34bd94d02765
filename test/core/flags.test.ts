import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import { namingFlags } from '../../src/core/input.ts';

const refusal = new PayError('rejected', 'the service said no', {
  status: 422,
  violations: [
    { propertyPath: 'data.provider', title: 'Unknown bank.' },
    { propertyPath: 'data.phone', title: 'Not a phone number.' },
  ],
});
const flagOf = (path: string): string | undefined => (path === 'data.provider' ? '--provider' : undefined);
const named = (typed: string): unknown =>
  namingFlags(refusal, flagOf, (path) => (path === 'data.provider' ? { typed, known: ['gtb', 'zenith'] } : undefined));

describe('namingFlags', () => {
  it('names the flag behind each property path that has one, and what may have been meant', () => {
    expect(named('zenit')).toMatchObject({ kind: 'rejected', message: 'the service said no' });
    expect((named('zenit') as PayError).detail).toStrictEqual({
      status: 422,
      nameOf: flagOf,
      violations: [
        { propertyPath: 'data.provider', title: 'Unknown bank.', option: '--provider', suggestion: 'zenith' },
        { propertyPath: 'data.phone', title: 'Not a phone number.' },
      ],
    });
  });

  it.each([
    ['nothing is near', 'monzo'],
    ['the very word was typed', 'zenith'],
  ])('asks nobody what was meant where %s', (_why, typed) => {
    expect((named(typed) as PayError).detail.violations?.[0]).not.toHaveProperty('suggestion');
  });

  it('guesses nothing where it is not told what was typed', () => {
    expect((namingFlags(refusal, flagOf) as PayError).detail.violations).toEqual([
      { propertyPath: 'data.provider', title: 'Unknown bank.', option: '--provider' },
      { propertyPath: 'data.phone', title: 'Not a phone number.' },
    ]);
  });

  it.each([
    ['an error without violations', new PayError('auth', 'no key')],
    ['another error', new Error('x')],
    ['what is no error', 'x'],
  ])('gives back %s as it is', (_what, thrown) => {
    expect(namingFlags(thrown, flagOf)).toBe(thrown);
  });
});
