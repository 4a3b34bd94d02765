import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { newFolder } from '../support/program.ts';
import { connect, ERAS } from './mcp-support.ts';

const READS = [
  'find_customers',
  'get_customer',
  'find_payment_requests',
  'get_payment_request',
  'list_charges',
  'sync',
  'charge_plan',
];
const WRITES = ['update_customer', 'charge_confirm'];

const BY_TRANSFER = { ugwo: SEEDED.ugwo, medium: 'bank_transfer' };

describe.each(ERAS)('a client of others (%s)', (era) => {
  it('reads, plans and charges, once', async () => {
    const agent = await connect(['--local', '--allow', 'money'], { era });
    expect(agent.revision).toBe(era === 'auto' ? '2026-07-28' : '2025-11-25');
    const { tools } = await agent.tools();
    expect(tools.map(({ name }) => name)).toEqual([...READS, ...WRITES]);
    const found = await agent.call('find_payment_requests', { status: ['not-paid'], max: 2 });
    expect(found).toMatchObject({ isError: false, json: { data: [{}, {}] } });
    const plan = await agent.call('charge_plan', BY_TRANSFER);
    expect(plan).toMatchObject({ isError: false, json: { allowed: true, plan: expect.stringMatching(/^plan-/) } });
    const { token } = plan.json;
    const charged = await agent.call('charge_confirm', { token });
    expect(charged.json).toMatchObject({ state: 'accepted', activity: { ugwo_uid: SEEDED.ugwo } });
    const again = await agent.call('charge_confirm', { token });
    expect(again).toMatchObject({ isError: true, json: { state: 'not_charged', error: { kind: 'refused' } } });
    expect(again.text).toContain('already used');
    const { data } = (await agent.call('list_charges')).json as { data: unknown[] };
    expect(data).toHaveLength(1);
  });
});

describe('a read-only server', () => {
  it('offers and runs nothing that changes anything', async () => {
    const home = newFolder();
    const agent = await connect(['--local'], { home });
    const { tools } = await agent.tools();
    expect(tools.map(({ name }) => name)).toEqual(READS);
    const plan = await agent.call('charge_plan', BY_TRANSFER);
    expect(plan.json).toMatchObject({ allowed: true, token: null });
    for (const name of WRITES) {
      const refused = await agent.call(name, { onye: SEEDED.onye, token: 'x' });
      expect(refused.isError).toBe(true);
      expect(refused.text).toContain('read-only');
    }
    expect((await agent.call('list_charges')).json).toMatchObject({ data: [] });
  });
});
