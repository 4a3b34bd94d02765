import { expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import type { ErrorKind } from '../../src/core/exit.ts';
import { EXIT_CODES } from '../../src/core/exit.ts';
import { provedBy } from '../../src/core/proved.ts';

const PROVES_SOMETHING: Readonly<Record<string, string>> = {
  rejected: 'rejected',
  auth: 'not_sent',
  not_sent: 'not_sent',
  usage: 'not_sent',
  interrupted: 'not_sent',
};

it.each(Object.keys(EXIT_CODES) as ErrorKind[])('what %s proves of a write is only what can be known', (kind) => {
  expect(provedBy(new PayError(kind, 'x'))).toBe(PROVES_SOMETHING[kind] ?? 'unknown');
});

it('takes a key that the service refused for a refusal, and one that was not even sent for nothing sent', () => {
  expect(provedBy(new PayError('auth', 'x', { status: 401 }))).toBe('rejected');
  expect(provedBy(new PayError('auth', 'x', {}))).toBe('not_sent');
});
