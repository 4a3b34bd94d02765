import { expect, it } from 'vitest';
import { unknownHint } from '../../src/charge/words.ts';
import { CHARGE, REFUND } from '../../src/core/charge.ts';

it.each([
  [CHARGE, '`paycli ledger sync id --profile shop`'],
  [REFUND, '`paycli ledger resolve id --as created --profile shop`'],
])('an unknown %s is looked up in the ledger of the same profile', (kind, line) => {
  expect(unknownHint('id', { kind, hint: 'unknown', done: 'done' }, ['--profile', 'shop'])).toContain(line);
});
