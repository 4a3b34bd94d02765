import { describe, expect, it } from 'vitest';
import { questionOf } from '../../src/bulk/run-file.ts';

describe('the confirmation before a bulk run', () => {
  const question = { verb: 'Charge', one: 'request', rows: 3, before: 0, what: 'ussd' };
  const place = { origin: 'https://api.kwugwo.africa', profile: undefined };

  it.each([
    [{}, 'Charge 3 requests (ussd)?'],
    [{ rows: 1 }, 'Charge 1 request (ussd)?'],
    [{ before: 2 }, 'Charge 3 requests (ussd; 2 started before)?'],
    [{ total: 'NGN 15.00' }, 'Charge 3 requests for NGN 15.00 (ussd)?'],
  ])('with %j is %s', (rest, line) => {
    expect(questionOf({ ...question, ...rest }, place)).toEqual(['live: https://api.kwugwo.africa', line]);
  });

  it('names the profile', () => {
    const [where] = questionOf(question, { ...place, profile: 'shop' });
    expect(where).toBe('live: https://api.kwugwo.africa, profile shop');
  });
});
