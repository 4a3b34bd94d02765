import { expect, it } from 'vitest';
import { recordOf as entryRecord, listView } from '../../src/commands/ledger/view.ts';
import { onyeView } from '../../src/commands/onye/view.ts';
import { render } from '../../src/output/render.ts';
import { charge, UGWO } from '../ledger/support/memory.ts';
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

it.each(['chg-000000000001', 'payment_request-000000000001'])(
  'a table of charges names their payment requests at 80 columns, and their origins last: %s',
  async (id) => {
    const io = terminal();
    const asked = { amount: 1_000_000_000, currency: 'NGN', ref: 'INV-000120', customer: undefined };
    const entry = charge({ id, asked, state: 'not_created', origin: 'http://127.0.0.1:38125' });
    const pages = (async function* () {
      yield { records: [entryRecord(entry, undefined)], cursor: undefined, nextCursor: null };
    })();
    await render({ kind: 'list', pages, view: listView }, io, options({ format: 'table' }));
    expect(io.stdout.text).toContain(UGWO);
    expect(io.stdout.text).toMatch(/^id +state +ugwo/);
    expect(io.stderr.text.replaceAll('\n', ' ')).toContain('created, origin (pick columns');
  },
);
