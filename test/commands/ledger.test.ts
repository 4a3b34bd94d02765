import { describe, expect, it } from 'vitest';
import { ledgerCommands } from '../../src/commands/ledger/spec.ts';
import { interrupted } from '../../src/core/error.ts';
import { formatLocal } from '../../src/core/time.ts';
import type { Evidence, Money } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { operator } from '../../src/ledger/sender.ts';
import { charge, memoryLedger, moneyOf, SENT, UGWO } from '../ledger/support/memory.ts';
import { MINUTE } from '../support/units.ts';
import { call, idOf, numbered } from './ledger-call.ts';

const ACTIVITY = 'act.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
const OTHER = 'act.AbCd.000000000000000000000002';
const DIAL = { type: 'user_action', instruction: 'Dial', headers: { ussd: '*737*1#' } };
const NOW = SENT + MINUTE;
const kept = (uid: string) => ({ uid, status: 'requires_action', nextAction: DIAL, createdAt: undefined });
const DISPUTED: Money = {
  ...{ payment: 'paid', received: 5, receivedAssumed: false, refunded: 0 },
  disputed: { payment: 'open', received: 0, at: SENT },
};
const many = (count: number) => Array.from({ length: count }, (_, index) => charge(numbered(index + 1)));

describe('a ledger row', () => {
  it('has every field in order, null if missing', async () => {
    const unknown = charge();
    const { rows } = await call('show', { ledger: memoryLedger([unknown]), args: [unknown.id] });
    expect(JSON.stringify(rows[0])).toBe(
      JSON.stringify({
        id: 'chg-000000000001',
        state: 'unknown',
        ugwo: UGWO,
        medium: 'ussd',
        origin: 'https://pay.example',
        profile: 'shop',
        activity: null,
        status: null,
        amount: null,
        currency: null,
        ref: null,
        customer: null,
        next_action: null,
        job: null,
        row: null,
        created_at: '2026-11-20T12:00:00+00:00',
        recorded_at: '2026-11-20T12:00:10+00:00',
        exit_code: 6,
        evidence: [],
        provider: 'gtb',
        phone: null,
        payment: null,
        kind: 'charge',
        about: unknown.about,
        request: null,
        received: null,
        received_assumed: null,
        missing: null,
        excess: null,
        refunded: null,
        paid_at: null,
        customer_email: null,
        operator: null,
        paid_twice: null,
        account_last4: null,
        disputed: null,
      }),
    );
  });

  it('has the existing values', async () => {
    const evidence = [{ kind: 'answer', at: '2026-11-20T12:00:00+00:00', message: 'x' }];
    const some = charge({
      state: 'accepted',
      activity: kept(ACTIVITY),
      profile: undefined,
      provider: undefined,
      recordedAt: undefined,
      exitCode: undefined,
      phone: '…4567',
      job: 'j1',
      row: 7,
      evidence,
    });
    const { rows } = await call('show', { ledger: memoryLedger([some]), args: [some.id] });
    expect(rows[0]).toMatchObject({
      profile: null,
      activity: ACTIVITY,
      status: 'requires_action',
      next_action: DIAL,
      job: 'j1',
      row: 7,
      recorded_at: null,
      exit_code: null,
      evidence,
      provider: null,
      phone: '…4567',
    });
  });
});

describe('a charge of a payment request that was paid twice', () => {
  const activity = kept(ACTIVITY);
  const money = {
    ...({ payment: 'paid', received: 900, receivedAssumed: false, refunded: 0 } as const),
    ...{ isPaidTwice: true, excess: 90_000, surplus: [{ activity: ACTIVITY, amount: 90_000 }] },
  };
  const twice = charge({ state: 'accepted', activity, money, asked: { amount: 90_000, currency: 'NGN' } });
  const line = `${UGWO} was paid twice: NGN 900.00 too much came; pay it back with: paycli refund create ${ACTIVITY} --ugwo ${UGWO} --amount 900.00 --profile shop`;

  it('names the excess and the refund in ledger show', async () => {
    const { result, rows } = await call('show', { ledger: memoryLedger([twice]), args: [twice.id] });
    expect(result).toMatchObject({ notice: [line] });
    expect(rows[0]).toMatchObject({ paid_twice: true, excess: 90_000, received: 900 });
  });

  it('names them once in ledger list, which can select those charges', async () => {
    const ledger = memoryLedger([twice, charge(numbered(2, { state: 'accepted', activity: kept(OTHER) }))]);
    const { notices, rows } = await call('list', { ledger, given: { paidTwice: true } });
    expect(rows.map(({ id }) => id)).toEqual([twice.id]);
    expect(notices).toEqual([[line]]);
  });
});

describe('ledger show', () => {
  it('suggests an id for a typo, and the search for what else it may be', async () => {
    const ledger = memoryLedger([charge({ id: 'chg-k3v9x2m7q4ab' }), charge(numbered(2))]);
    const { error } = await call('show', { ledger, args: ['chg-k3v9x2m7q4az'] });
    expect(error).toMatchObject({ kind: 'usage', message: 'no charge "chg-k3v9x2m7q4az" in the ledger' });
    expect(error?.detail.hint).toBe(
      'did you mean chg-k3v9x2m7q4ab?\nlook for it: `paycli find chg-k3v9x2m7q4az --all-profiles`',
    );
    const hint = async (id: string) => (await call('show', { ledger, args: [id] })).error?.detail.hint;
    expect(await hint(ACTIVITY)).toBe(`look for it: \`paycli find ${ACTIVITY} --all-profiles\``);
    expect(await hint('ORD 35')).toBe("look for it: `paycli find 'ORD 35' --all-profiles`");
    expect(await hint('ugw.$(reboot)')).toBe("look for it: `paycli find 'ugw.$(reboot)' --all-profiles`");
    const dashed = await call('show', { ledger, args: ['-x'], globals: { local: true } });
    expect(dashed.error?.detail.hint).toBe('look for it: `paycli find --all-profiles --local -- -x`');
  });

  it.each([
    ['accepted', 'requires_action', 'dial'],
    ['accepted', 'successful', undefined],
    ['accepted', 'failed', undefined],
    ['unknown', 'requires_action', undefined],
  ] as const)('shows the next action of a charge that is %s and %s', async (state, status, kind) => {
    const some = charge({ state, activity: { ...kept(ACTIVITY), status } });
    const { result, rows } = await call('show', { ledger: memoryLedger([some]), args: [some.id] });
    const action = result?.kind === 'record' ? result.view.nextAction?.(rows[0]) : 'no record';
    expect((action as { kind?: string } | undefined)?.kind).toBe(kind);
  });
});

describe('the lists under a card', () => {
  const headings = async (evidence: readonly Evidence[]) => {
    const { result } = await call('show', { ledger: memoryLedger([charge({ evidence })]), args: [idOf(1)] });
    const lists = result?.kind === 'record' ? result.view.lists : undefined;
    return lists?.map(({ heading, path }) => `${heading}: ${path}`);
  };
  const look = { kind: 'look', at: '2026-11-20T12:00:00+00:00' };

  it('are the evidence and the activities of the last read', async () => {
    expect(await headings([])).toEqual([]);
    expect(await headings([{ ...look, kind: 'broken' }])).toEqual(['evidence: evidence']);
    expect(await headings([{ ...look, candidates: [{}], excluded: [] }])).toEqual([
      'evidence: evidence',
      'possible activities: evidence.0.candidates',
    ]);
    const late = { ...look, candidates: [], excluded: [{}] };
    expect(await headings([{ ...look, candidates: [{}] }, late, { ...look, kind: 'resolved' }])).toEqual([
      'evidence: evidence',
      'excluded activities: evidence.1.excluded',
    ]);
  });
});

describe('ledger list', () => {
  it('lists all, newest first, in pages', async () => {
    const { rows, pages } = await call('list', { ledger: memoryLedger(many(250)) });
    expect(rows.map(({ id }) => id)).toEqual(
      many(250)
        .map(({ id }) => id)
        .reverse(),
    );
    expect(pages.map(({ size }) => size)).toEqual([100, 100, 50]);
    expect(pages.at(-1)?.next).toBeNull();
  });

  it('prints one empty page for an empty ledger, and no extra page', async () => {
    expect((await call('list', { ledger: memoryLedger() })).pages).toMatchObject([{ size: 0, next: null }]);
    expect((await call('list', { ledger: memoryLedger(many(100)) })).pages).toMatchObject([{ size: 100, next: null }]);
  });

  it.each([1, 99, 100, 101, 250])('continues from a cursor after --max %d', async (max) => {
    const ledger = memoryLedger(many(250));
    const first = await call('list', { ledger, given: { max, state: ['unknown'], ugwo: undefined } });
    expect(first.rows.length).toBe(max);
    const next = first.pages.at(-1)?.next;
    if (max === 250) return expect(next).toBeNull();
    const rest = await call('list', { ledger, given: { cursor: next } });
    expect([...first.rows, ...rest.rows].map(({ id }) => id)).toEqual(
      many(250)
        .map(({ id }) => id)
        .reverse(),
    );
  });

  it('returns each page with its cursor', async () => {
    const { pages } = await call('list', { ledger: memoryLedger(many(250)) });
    const cursors = pages.flatMap(({ cursor, next }) => [cursor, next]);
    const [, first, , second] = cursors;
    expect(cursors).toEqual([undefined, first, first, second, second, null]);
    expect(first).not.toBe(second);
  });

  it('prints the command for the next page', async () => {
    const time = { since: { ago: MINUTE }, until: { daysAgo: -1, zone: 'utc' } };
    const filters = { payment: ['paid'], kind: 'all', state: ['unknown', 'accepted'] };
    const given = { ...filters, ...time, ref: 'INV 1', customer: 'ony.AbCd.1', ugwo: UGWO, max: 1 };
    const globals = { profile: 'team', format: 'csv', columns: ['id', 'state'], rawCsv: true } as const;
    const { result } = await call('list', { ledger: memoryLedger(many(2)), given, globals, now: NOW });
    expect(result?.kind === 'list' ? result.goOn?.('abc') : '').toBe(
      `paycli ledger list --profile team -o csv --columns id,state --raw-csv --kind all --payment paid --state unknown --state accepted --since 2026-11-20T12:00:00.000Z --until 2026-11-21T00:00:00.000Z --ref 'INV 1' --customer ony.AbCd.1 --ugwo ${UGWO} --max 1 --cursor abc`,
    );
  });

  it('filters by state and payment request', async () => {
    const rows = [
      charge(numbered(1)),
      charge(numbered(2, { state: 'rejected' })),
      charge(numbered(3, { state: 'accepted' })),
    ];
    const ids = async (given: object) =>
      (await call('list', { ledger: memoryLedger(rows), given: { ...given } })).rows.map(({ id }) => id);
    expect(await ids({ state: ['unknown', 'accepted'] })).toEqual([idOf(3), idOf(1)]);
    expect(await ids({ ugwo: rows[1]?.about })).toEqual([idOf(2)]);
  });

  it('filters by payment, however many other charges come first', async () => {
    const paid = charge(numbered(1, { state: 'accepted', activity: { ...kept(ACTIVITY), status: 'successful' } }));
    const ledger = memoryLedger([paid, ...many(450).slice(1)]);
    const { rows } = await call('list', { ledger, given: { payment: ['paid', 'expired'] } });
    expect(rows.map(({ id }) => id)).toEqual([idOf(1)]);
  });

  it.each(['abc', '', 'c2VxOg', 'c2VxOjEy=', 'eyJ1aWQiOiJ1Z3cifQ', Buffer.from('seq:012').toString('base64url')])(
    'rejects the invalid cursor "%s"',
    async (cursor) => {
      const { error } = await call('list', { ledger: memoryLedger(many(2)), given: { cursor } });
      expect(error).toMatchObject({ kind: 'usage', message: `--cursor: "${cursor}" is not a cursor of this list` });
    },
  );

  it('rejects an id that is not a payment request', async () => {
    const { error } = await call('list', { ledger: memoryLedger(), given: { ugwo: ACTIVITY } });
    expect(error?.message).toMatch(/^--ugwo: .* is the identifier of an activity/);
  });
});

describe('ledger resolve', () => {
  const yes = { globals: { yes: true } } as const;
  it('records who, when, why and the result', async () => {
    const ledger = memoryLedger([charge()]);
    const given = { as: 'created', activity: ACTIVITY, reason: '  seen in the dashboard ' };
    const done = await call('resolve', { ledger, args: [idOf(1)], given, now: NOW, ...yes });
    expect(done.error).toBeUndefined();
    expect(done.rows).toMatchObject([
      {
        state: 'accepted',
        activity: ACTIVITY,
        status: null,
        evidence: [
          {
            kind: 'resolved',
            at: '2026-11-20T12:01:00+00:00',
            as: 'created',
            by: operator(),
            reason: 'seen in the dashboard',
            activity: ACTIVITY,
          },
        ],
      },
    ]);
    expect(done.asked).toEqual([]);
  });

  it('records "not created", and "created" without an activity', async () => {
    for (const [as, state] of [
      ['not-created', 'not_created'],
      ['created', 'accepted'],
    ]) {
      const given = { as, reason: 'asked the customer' };
      const done = await call('resolve', { ledger: memoryLedger([charge()]), args: [idOf(1)], given, ...yes });
      expect(done.rows).toMatchObject([
        { state, activity: null, evidence: [{ kind: 'resolved', as: as?.replace('-', '_') }] },
      ]);
    }
  });

  it.each([
    [[], 'never checked'],
    [['look', 'answer'], 'checked once'],
    [['look', 'look'], 'checked 2 times'],
  ])('prints the entry first, with the evidence %j', async (kinds, looked) => {
    const evidence = kinds.map((kind) => ({ kind, at: '2026-11-20T12:00:00+00:00' }));
    const ledger = memoryLedger([charge({ evidence })]);
    const given = { as: 'created', reason: 'x' };
    const { notices } = await call('resolve', { ledger, args: [idOf(1)], given, now: NOW, ...yes });
    expect(notices).toEqual([`${idOf(1)}: ${UGWO} by ussd (gtb), sent ${formatLocal(SENT, NOW)}, ${looked}`]);
  });

  it('asks for the reason and confirmation on a terminal', async () => {
    const ledger = memoryLedger([charge()]);
    const given = { as: 'not-created' };
    const done = await call('resolve', { ledger, args: [idOf(1)], given, lines: ['not in the dashboard', 'y'] });
    expect(done.prompts).toEqual([
      'How do you know? ',
      `Record chg-000000000001 as not created? ${UGWO} can then be charged again. If it was created after all, the customer may pay twice. [y/N] `,
    ]);
    expect(done.rows).toMatchObject([{ state: 'not_created', evidence: [{ reason: 'not in the dashboard' }] }]);
  });

  it.each([
    ['no reason in a script', {}, yes, /a reason is required/],
    ['--no-input', {}, { lines: ['x', 'y'], globals: { input: false } }, /a reason is required/],
    ['no confirmation in a script', { reason: 'x' }, {}, /needs a yes, and there is no terminal/],
    ['a blank reason', {}, { lines: ['  '] }, /^cancelled; nothing was changed$/],
    ['no input', {}, { lines: [] }, /^cancelled; nothing was changed$/],
    ['the answer no', { reason: 'x' }, { lines: ['n'] }, /^cancelled; nothing was changed$/],
  ])('changes nothing with %s', async (_what, given, how, message) => {
    const ledger = memoryLedger([charge()]);
    const done = await call('resolve', { ledger, args: [idOf(1)], given: { as: 'not-created', ...given }, ...how });
    expect(done.error).toMatchObject({ message: expect.stringMatching(message) });
    expect(await ledger.get(idOf(1))).toEqual(charge());
  });

  it.each([
    ['accepted', 'is already accepted'],
    ['rejected', 'was rejected by the service'],
    ['not_sent', 'was never sent'],
    ['not_created', 'is already recorded as not created'],
    ['sending', 'is still being sent: wait until that process ends'],
  ] as const)('rejects an entry that is %s', async (state, words) => {
    const ledger = memoryLedger([charge({ state })]);
    const done = await call('resolve', { ledger, args: [idOf(1)], given: { as: 'created', reason: 'x' }, ...yes });
    expect(done.error).toMatchObject({ kind: 'usage', message: `chg-000000000001 ${words}` });
    expect(done.error?.detail.hint).toMatch(/`paycli ledger show chg-000000000001`/);
  });

  const paidLater = charge({ state: 'accepted', activity: { ...kept(ACTIVITY), status: 'successful' } });
  const said = { kind: 'resolved', at: '2026-11-20T12:00:00+00:00' };
  it.each([
    ['a final charge', charge({ state: 'rejected' }), { as: 'created' }, 'was rejected by the service'],
    ['a charge that is not disputed', charge({ state: 'accepted' }), { as: 'reversed' }, 'is not disputed'],
    [
      'a paid charge of another activity',
      { ...paidLater, money: moneyOf(paidLater), evidence: [said] },
      { as: 'created', activity: OTHER },
      `was created: the service has shown its money (${ACTIVITY})`,
    ],
    [
      'a refund that is not open',
      charge({ state: 'accepted' }),
      { as: 'failed' },
      'is no refund that is open or disputed',
    ],
  ])('rejects %s before asking', async (_what, entry, given, words) => {
    const done = await call('resolve', { ledger: memoryLedger([entry]), args: [idOf(1)], given, lines: ['x', 'y'] });
    expect(done).toMatchObject({ prompts: [], notices: [], error: { kind: 'usage', message: `${idOf(1)} ${words}` } });
  });

  it('takes the same activity again', async () => {
    const ledger = memoryLedger([charge()]);
    const given = { as: 'created', activity: ACTIVITY, reason: 'x' };
    for (const _time of [1, 2]) {
      const done = await call('resolve', { ledger, args: [idOf(1)], given, ...yes });
      expect([done.error, done.rows]).toMatchObject([undefined, [{ state: 'accepted', activity: ACTIVITY }]]);
    }
  });

  it('rejects an activity of another charge before asking', async () => {
    const rows = [charge(), charge(numbered(2, { state: 'accepted', activity: kept(ACTIVITY) }))];
    const given = { as: 'created', activity: ACTIVITY };
    const done = await call('resolve', { ledger: memoryLedger(rows), args: [idOf(1)], given, lines: ['x', 'y'] });
    expect(done).toMatchObject({
      prompts: [],
      error: { kind: 'usage', message: expect.stringMatching(/belongs to another charge/) },
    });
  });

  it('shows the state if another process was first', async () => {
    const inner = memoryLedger([charge()]);
    const ledger: Ledger = {
      ...inner,
      resolve: async (id, resolution) => {
        const { evidence } = resolution;
        await inner.resolve(id, { state: 'not_created', evidence: { ...evidence, kind: 'look' } });
        return inner.resolve(id, resolution);
      },
    };
    const done = await call('resolve', { ledger, args: [idOf(1)], given: { as: 'created', reason: 'x' }, ...yes });
    expect(done.error?.message).toBe('chg-000000000001 is already recorded as not created');
  });

  it.each([
    ['paid', { money: DISPUTED }, 'chg-000000000001 is not disputed'],
    [
      'failed',
      { refund: { state: 'refund_open', uid: undefined, at: SENT } },
      'chg-000000000001 is no refund that is open or disputed',
    ],
  ] as const)('changes nothing if another process was first: %s', async (as, entry, message) => {
    const inner = memoryLedger([charge({ state: 'accepted', activity: kept(ACTIVITY), ...entry })]);
    const ledger: Ledger = { ...inner, settle: async () => false, settleRefund: async () => false };
    const done = await call('resolve', { ledger, args: [idOf(1)], given: { as, reason: 'x' }, ...yes });
    expect(done.error?.message).toBe(message);
  });

  it('names the owner of the activity if another process was first', async () => {
    const inner = memoryLedger([charge(), charge(numbered(2))]);
    const ledger: Ledger = {
      ...inner,
      resolve: async (id, resolution) => {
        await inner.resolve(idOf(2), resolution);
        return inner.resolve(id, resolution);
      },
    };
    const given = { as: 'created', activity: ACTIVITY, reason: 'x' };
    const done = await call('resolve', { ledger, args: [idOf(1)], given, ...yes });
    expect(done.error?.message).toBe(`--activity ${ACTIVITY} belongs to another charge in the ledger`);
  });

  it('accepts a reason of up to 1000 characters, but no blank one', () => {
    const spec = ledgerCommands.find(({ path }) => path[1] === 'resolve');
    const parse = spec?.options['reason']?.parse as (text: string) => unknown;
    expect(parse('x'.repeat(1000))).toBe('x'.repeat(1000));
    expect(() => parse('x'.repeat(1001))).toThrow('is longer than 1000 characters');
    expect(() => parse(' ')).toThrow('is empty');
  });

  it('redacts a key in the reason', async () => {
    const given = { as: 'created', reason: 'the key sk.AbCd.0123456789 said so' };
    const done = await call('resolve', { ledger: memoryLedger([charge()]), args: [idOf(1)], given, ...yes });
    expect(done.rows).toMatchObject([{ evidence: [{ reason: 'the key [secret …6789] said so' }] }]);
  });

  it.each([
    ['no --as', {}, /--as is required/],
    ['--activity with not-created', { as: 'not-created', activity: ACTIVITY }, /--activity can't be used with/],
    [
      'an id that is not an activity',
      { as: 'created', activity: UGWO },
      /--activity: .* is the identifier of a payment request/,
    ],
  ])('rejects %s', async (_what, given, message) => {
    const done = await call('resolve', { ledger: memoryLedger([charge()]), args: [idOf(1)], given });
    expect(done.error).toMatchObject({ kind: 'usage', message: expect.stringMatching(message) });
  });
});

describe('ledger prune', () => {
  const ledgerWith = (prune: Ledger['prune']): Ledger =>
    ({
      moment: () => ({ at: 0 }),
      jobs: { endPlans: async () => undefined },
      prunable: async () => ({ count: 1000, open: 0 }),
      prune,
    }) as unknown as Ledger;
  const given = { before: { ago: 86_400_000_000 } };

  it('says after a signal that pruned entries stay pruned', async () => {
    const { error } = await call('prune', {
      ledger: ledgerWith(() => Promise.reject(interrupted('SIGINT'))),
      given,
      globals: { yes: true },
      stop: AbortSignal.abort('SIGINT'),
    });
    expect(error).toMatchObject({
      kind: 'interrupted',
      message: 'cancelled by Ctrl-C; what is pruned by now stays pruned',
    });
  });

  it.each([
    ['1000', true],
    ['yes', false],
    ['999', false],
  ])('wants the number of entries typed: %s', async (typed, isPruned) => {
    let isCalled = false;
    const ledger = ledgerWith(async () => {
      isCalled = true;
      return { count: 1000, compacted: true };
    });
    const { prompts } = await call('prune', { ledger, given, lines: [typed] });
    expect([prompts.length, isCalled]).toEqual([1, isPruned]);
  });
});
