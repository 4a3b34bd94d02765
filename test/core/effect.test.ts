import { describe, expect, it } from 'vitest';
import { ANY_WRITE, CHARGE_WRITE, countText, mayBeDone } from '../../src/core/charge.ts';

describe('what is said of a write whose end is unknown', () => {
  it('names what may have been done, and what to mind', () => {
    expect(mayBeDone(CHARGE_WRITE)).toBe('the charge may have been made');
    expect(mayBeDone(ANY_WRITE)).toBe('the request may have been applied');
    expect(mayBeDone({ kind: 'payment_request', done: 'made' })).toBe('the payment request may have been made');
    expect(CHARGE_WRITE.hint).toBe("don't run it again until you know, or the customer may pay twice");
    expect(ANY_WRITE.hint).toBe("don't send it again until you know, or it may be applied twice");
  });

  it.each([
    ['0 charges', []],
    ['1 charge', ['charge']],
    ['2 charges', ['charge', 'charge']],
    ['1 payment request', ['payment_request']],
    ['2 payment requests', ['payment_request', 'payment_request']],
    ['3 requests', ['charge', 'refund', 'charge']],
  ])('counts %s', (text, kinds) => {
    expect(countText(kinds.map((kind) => ({ kind })))).toBe(text);
  });
});
