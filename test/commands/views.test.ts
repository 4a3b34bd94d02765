import { expect, it } from 'vitest';
import { onyeView } from '../../src/commands/onye/view.ts';
import { render } from '../../src/output/render.ts';
import { options, recordOf, terminal } from '../output/support.ts';

const CUSTOMER = {
  uid: `ony.AbCd.${'a'.repeat(24)}`,
  email: 'yetunde.mohammed24@example.com',
  first_name: 'Yetunde',
  last_name: 'Mohammed',
  ref: 'CUST-00024',
  status: 'active',
  billing_address: { city: 'Lagos' },
  meta: { tier: 'vip' },
};

it.each([80, 100, 140])(
  'a table of customers has their e-mail addresses whole at %d columns, and no objects',
  async (columns) => {
    const io = terminal(columns);
    const pages = (async function* () {
      yield { records: [recordOf(CUSTOMER)], cursor: undefined, nextCursor: null };
    })();
    await render({ kind: 'list', pages, view: onyeView }, io, options({ format: 'table' }));
    expect(io.stdout.text).toContain(CUSTOMER.email);
    expect(io.stdout.text).not.toMatch(/\{|billing_address|meta/);
  },
);
