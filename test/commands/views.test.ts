import { expect, it } from 'vitest';
import { deliveryView } from '../../src/commands/emulator/emulator.ts';
import { onyeView } from '../../src/commands/onye/view.ts';
import { ugwoView, wholeUgwoView } from '../../src/commands/ugwo/view.ts';
import { replayedView } from '../../src/commands/webhook/events.ts';
import type { ApiRecord } from '../../src/core/record.ts';
import type { View } from '../../src/core/result.ts';
import { render } from '../../src/output/render.ts';
import { widthOf } from '../../src/output/text.ts';
import { boardView, changeRecord, changesView } from '../../src/records/change.ts';
import { entryRecord, hitView, viewFor } from '../../src/records/entry.ts';
import { eventListView, receivedView } from '../../src/records/event.ts';
import { sentRefundsView } from '../../src/records/refund.ts';
import { charge } from '../ledger/support/memory.ts';
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
  'a table of customers has whole e-mail addresses at %d columns, and no objects',
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

const REFS = ['INV-2', 'SCHOOL-FEES-2026-TERM-1-000431', 'INV-000120'];
const AMOUNTS = [90_000, 125_000_000, 100_000_000_000];
const CREATED_AT = '2026-11-20T10:00:00+00:00';
const uidOf = (prefix: string, index: number): string => `${prefix}.AbCd.${String(index).padStart(24, '0')}`;

it('a table of deliveries cuts a long error, and keeps what the delivery is about', async () => {
  const io = terminal(100);
  const error = 'connect ECONNREFUSED 127.0.0.1:34567, after the address of a name was looked up';
  const about = uidOf('ugw', 1);
  const pages = (async function* () {
    const delivery = { id: 1, event: 'ugwo.paid', state: 'failed', status: null, error, about };
    yield { records: [recordOf(delivery)], cursor: undefined, nextCursor: null };
  })();
  await render({ kind: 'list', pages, view: deliveryView }, io, options({ format: 'table' }));
  expect(io.stdout.text).toMatch(new RegExp(`^1 .* failed .* connect ECONNREF.*… +${about}`, 'm'));
});

const MAILS = ['adebayo.olanrewaju-fashola@lagoslogistics.example.com', null, 'ada@example.com'];
const NAMES = { first_name: 'Adebayo Oluwaseun', last_name: 'Olanrewaju-Fashola' };
const requests = ['requires_ugwo', 'partially_refunded', ['ugwo_successful', 'enum.x']].map((status, index) =>
  recordOf({
    uid: uidOf('ugw', index),
    status,
    amount: AMOUNTS[index],
    currency: 'NGN',
    ref: REFS[index],
    onye: { uid: uidOf('ony', index), email: MAILS[index], ...NAMES },
    description: 'School fees, first term, two children',
    created_at: CREATED_AT,
  }),
);

const STATES = ['accepted', 'not_created', 'unknown'] as const;
const charges = STATES.map((state, index) => {
  const asked = { amount: AMOUNTS[index], currency: 'NGN', ref: REFS[index], email: MAILS[index] ?? undefined };
  const activity = { uid: uidOf('act', index), status: 'successful', nextAction: null, createdAt: undefined };
  return entryRecord(charge({ id: `chg-00000000000${index}`, asked, state, activity }));
});

const hits = charges.map(({ value }) =>
  recordOf({ ...(value as object), command: 'paycli ledger show chg-000000000001' }),
);

const changes = (['not_created', 'open', 'refunded'] as const).map((now, index) => {
  const email = MAILS[index] ?? undefined;
  const asked = { amount: AMOUNTS[index], currency: 'NGN', ref: REFS[index], customer: uidOf('ony', index), email };
  const changed = charge({ asked });
  return changeRecord({ charge: changed, now, before: 'open', at: Date.parse(CREATED_AT) });
});

const refunds = ['refund_open', null, 'paid_back'].map((refund, index) =>
  recordOf({
    id: `refund-00000000000${index}`,
    state: refund === null ? 'unknown' : 'accepted',
    refund,
    status: 'processing',
    amount: AMOUNTS[index],
    currency: 'NGN',
    ugwo_ref: REFS[index],
    customer_email: MAILS[index],
    activity: uidOf('act', index),
    created_at: CREATED_AT,
  }),
);

const events = (['waiting', 'forwarded', 'kept'] as const).map((state, index) =>
  recordOf({
    uid: uidOf('evt', index),
    event: ['ugwo.successful', 'ugwo.activity.double_charge_detected', 'nzube.onye.updated'][index],
    state,
    ref: REFS[index],
    amount: AMOUNTS[index],
    currency: 'NGN',
    ugwo: uidOf('ugw', index),
    activity: uidOf('act', index),
    received_at: CREATED_AT,
    delivery_id: uidOf('dlv', index),
    to: 'http://127.0.0.1:3000/webhooks/payments',
    answer: '200',
    ms: 12,
  }),
);

const activities = {
  columns: wholeUgwoView.lists?.[0]?.columns ?? [],
};
const attempts = ['partially_refunded', 'requires_action', 'processing'].map((status, index) =>
  recordOf({ uid: uidOf('act', index), status, created_at: CREATED_AT }),
);

interface Layouts {
  readonly view: View;
  readonly records: readonly ApiRecord[];
  readonly statuses: readonly string[];
  /** The headings by width; undefined if stacked. */
  readonly heads: Readonly<Record<number, string | undefined>>;
}

const LAYOUTS: Readonly<Record<string, Layouts>> = {
  'ugwo list': {
    view: ugwoView,
    records: requests,
    statuses: ['not paid', 'part refunded', 'paid'],
    heads: {
      60: 'ref customer amount status',
      80: 'ref customer amount status created_at',
      100: 'ref customer amount status created_at',
      140: 'ref customer amount status created_at uid description',
    },
  },
  'ledger list': {
    view: viewFor('charge', false),
    records: charges,
    statuses: ['paid', 'not created', 'unknown'],
    heads: {
      60: 'ref customer_email amount status',
      80: 'ref customer_email amount status received',
      100: 'ref customer_email amount status received created_at',
      140: 'ref customer_email amount status received created_at id medium',
    },
  },
  'ledger list, all kinds': {
    view: viewFor('all', false),
    records: charges,
    statuses: ['paid', 'not created', 'unknown'],
    heads: {
      60: 'kind amount status',
      80: 'kind amount status about',
      100: 'kind amount status about created_at',
      140: 'kind amount status about created_at id origin',
    },
  },
  find: {
    view: hitView,
    records: hits,
    statuses: ['paid', 'not created', 'unknown'],
    heads: {
      60: undefined,
      80: undefined,
      100: undefined,
      140: 'ref customer_email amount status received paid_at command',
    },
  },
  'watch, as lines': {
    view: changesView,
    records: changes,
    statuses: ['not created', 'open', 'refunded'],
    heads: {
      60: 'ref customer_email amount now',
      80: 'ref customer_email amount now received',
      100: 'ref customer_email amount now received at before',
      140: 'ref customer_email amount now received at before medium ugwo',
    },
  },
  'watch, as a board': {
    view: boardView,
    records: changes,
    statuses: ['not created', 'open', 'refunded'],
    heads: {
      60: 'ref customer_email amount now',
      80: 'ref customer_email amount now received',
      100: 'ref customer_email amount now received changed medium',
      140: 'ref customer_email amount now received changed medium ugwo',
    },
  },
  'refund list': {
    view: sentRefundsView,
    records: refunds,
    statuses: ['refund open', 'unknown', 'paid back'],
    heads: {
      60: 'ref customer_email amount refund',
      80: 'ref customer_email amount refund created_at',
      100: 'ref customer_email amount refund created_at id',
      140: 'ref customer_email amount refund created_at id activity',
    },
  },
  'webhook events list': {
    view: eventListView,
    records: events,
    statuses: [],
    heads: {
      60: undefined,
      80: 'uid event ref amount',
      100: 'uid event ref amount',
      140: 'uid event ref amount state received_at',
    },
  },
  'webhook listen': {
    view: receivedView,
    records: events,
    statuses: [],
    heads: { 60: undefined, 80: undefined, 100: undefined, 140: 'uid event ugwo' },
  },
  'webhook events replay': {
    view: replayedView,
    records: events,
    statuses: [],
    heads: { 60: undefined, 80: undefined, 100: 'uid event to answer ms', 140: 'uid event to answer ms' },
  },
  'the activities of ugwo get': {
    view: activities,
    records: attempts,
    statuses: ['part refunded', 'not paid', 'processing'],
    heads: {
      60: undefined,
      80: 'status created_at uid',
      100: 'status created_at uid',
      140: 'status created_at uid',
    },
  },
};

const CASES = Object.entries(LAYOUTS).flatMap(([what, { heads, ...layout }]) =>
  Object.entries(heads).map(([width, head]) => ({ what, width: Number(width), head, ...layout })),
);

it.each(CASES)(
  '$what at $width columns shows the important columns first, with whole statuses and amounts',
  async ({ width, head, view, records, statuses }) => {
    const io = terminal(width);
    const pages = (async function* () {
      yield { records, cursor: undefined, nextCursor: null };
    })();
    await render({ kind: 'list', pages, view }, io, options({ format: 'table' }));
    const [first = '', , ...rows] = io.stdout.text.trimEnd().split('\n');
    expect(Math.max(...io.stdout.text.split('\n').map(widthOf))).toBeLessThanOrEqual(width);
    if (head === undefined) expect(first).toMatch(/^(?:status|uid|ref) +\S/);
    else expect(first.split(/ +/).join(' ')).toBe(head);
    for (const [index, status] of statuses.entries()) {
      if (head === undefined) expect(io.stdout.text).toContain(`${status}\n`);
      else expect(` ${rows[index]} `).toContain(` ${status} `);
    }
    if (head?.includes('amount')) expect(rows[2]).toContain('NGN 1,000,000,000.00');
  },
);

it('a list names hidden columns and how to show them', async () => {
  const io = terminal(80);
  const pages = (async function* () {
    yield { records: requests, cursor: undefined, nextCursor: null };
  })();
  await render({ kind: 'list', pages, view: ugwoView }, io, options({ format: 'table' }));
  expect(io.stderr.text.replaceAll('\n', ' ')).toContain(
    'Not shown at this width: uid, description. Choose with --columns ref,uid, or see all with -o json.',
  );
});

const IDS = ['uid', 'id', 'ugwo', 'activity', 'charge', 'job', 'onye.uid'];

it.each(Object.entries(LAYOUTS))('%s cuts no identifier', (_what, { view }) => {
  const columns = (view.table ?? view.columns).filter(({ path }) => IDS.includes(path));
  // An id of the sandbox is the longest one.
  const whole = `${uidOf('evt', 1)}_t`.length;
  const cut = columns.filter(({ flexible, least = whole }) => flexible === true || least < whole);
  expect(cut.map(({ path }) => path)).toEqual([]);
});

it.each([
  [60, ''],
  [200, uidOf('ony', 1)],
])('a customer without an e-mail address or name is a whole id, or nothing: %d columns', async (columns, text) => {
  const io = terminal(columns);
  const records = [requests[0], recordOf({ ...(requests[1]?.value as object), onye: { uid: uidOf('ony', 1) } })];
  const pages = (async function* () {
    yield { records: records as ApiRecord[], cursor: undefined, nextCursor: null };
  })();
  await render({ kind: 'list', pages, view: ugwoView }, io, options({ format: 'table' }));
  const row = io.stdout.text.split('\n')[3] ?? '';
  expect(row).toMatch(text === '' ? /^\S+ {3,}NGN/ : new RegExp(`^\\S+ +${text} +NGN`));
  expect(row).not.toMatch(text === '' ? /ony|…$/ : /…/);
});

const TRANSFER = {
  ...{ uid: uidOf('act', 1), status: 'requires_action', created_at: CREATED_AT },
  next_action: {
    type: 'user_action',
    headers: { bank_name: 'Wema', account_name: 'Ada', account_number: '0123456789', expires_at: CREATED_AT },
  },
};
const DIAL = {
  ...{ uid: uidOf('act', 2), status: ['successful', 'x'], created_at: CREATED_AT, charged_amount: 40_000 },
  next_action: { type: 'user_action', headers: { ussd: '*737*000*1#' } },
};

it.each([60, 80, 100, 140])('ugwo get at %d columns shows what each activity asks for and brought', async (columns) => {
  const io = terminal(columns);
  const record = recordOf({
    uid: uidOf('ugw', 1),
    amount: 90_000,
    currency: ['NGN', 'x'],
    activities: [TRANSFER, DIAL],
  });
  await render({ kind: 'record', record, view: wholeUgwoView }, io, options({ format: 'table' }));
  const list = io.stdout.text.slice(io.stdout.text.indexOf('Activities'));
  const words = ['bank_transfer', '0123456789', 'ussd', '*737*000*1#', 'NGN 400.00', uidOf('act', 1), uidOf('act', 2)];
  for (const word of words) expect(list).toContain(word);
  expect(list.match(/2026-11-20/g)).toHaveLength(3);
  expect(list).not.toContain('NGN 0.00');
  expect(Math.max(...list.split('\n').map(widthOf))).toBeLessThanOrEqual(columns);
});

it('reads each activity of a payment request as often, however many there are', () => {
  const readsOf = (count: number): number => {
    let reads = 0;
    const activity = {
      get status() {
        reads += 1;
        return 'failed';
      },
    };
    wholeUgwoView.lists?.[0]?.rowsOf?.({ activities: Array.from({ length: count }, () => activity) });
    return reads / count;
  };
  expect(readsOf(100)).toBe(readsOf(10));
});
