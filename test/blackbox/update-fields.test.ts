import { describe, expect, it } from 'vitest';
import { errorOf, paycli } from '../support/program.ts';
import { json, ONYE_ID, serve } from '../support/service.ts';

const UPDATE = ['onye', 'update', ONYE_ID];
const bodyOf = async (...args: readonly string[]): Promise<unknown> => {
  const service = await serve([json(200, { uid: ONYE_ID, meta: {} })]);
  expect(await paycli([...UPDATE, ...args], { service })).toMatchObject({ code: 0 });
  return JSON.parse(service.seen[0]?.body ?? '');
};

describe('onye update', () => {
  it('sends the billing address by its parts, those alone that were given', async () => {
    expect(await bodyOf('--address', '1 Broad St', '--address2', '', '--zip', '101', '--country', 'NG')).toEqual({
      billing_address: { address: '1 Broad St', address2: '', zip: '101', country: 'NG' },
    });
  });

  it('clears texts with an empty one and metadata with an empty map', async () => {
    expect(await bodyOf('--clear', 'ref', '--clear', 'first-name', '--clear', 'meta', '--last-name', 'Obi')).toEqual({
      ref: '',
      first_name: '',
      last_name: 'Obi',
      meta: {},
    });
  });

  it.each([
    [['--clear', 'email'], '--clear: a customer always has an e-mail address'],
    [['--clear', 'billing_address'], '--clear: the service takes no empty address'],
    [['--clear', 'colour'], '--clear: "colour" is no field that can be cleared'],
    [['--clear', 'ref', '--ref', 'a'], "--clear ref and --ref can't be used together"],
    [['--clear', 'meta', '--meta', 'a=b'], "can't be used together"],
    [['--city', 'Lagos', '--billing-address', '{}'], "--billing-address and --city can't be used together"],
    [['--city', ''], 'the service would refuse this'],
  ])('refuses %j', async (args, why) => {
    const ended = await paycli([...UPDATE, ...args, '--json'], { service: await serve([]) });
    expect(ended.code).toBe(2);
    expect(errorOf(ended)['message']).toContain(why);
  });
});
