import { expect, it } from 'vitest';
import { type ErrorKind, EXIT_CODES, outcomeOf, PayError } from '../../src/core/error.ts';

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
