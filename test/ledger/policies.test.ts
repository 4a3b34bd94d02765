import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { PAYMENT_NAMES, paymentsThat } from '../../src/charge/payment.ts';
import type { Intent, StoredOutcome } from '../../src/ledger/entry.ts';
import type { BeginResult, Ledger } from '../../src/ledger/ledger.ts';
import { type KeptPolicy, NO_TOTAL, OTHER_PROFILES, type Policy } from '../../src/ledger/policy.ts';
import { policiesBy } from '../../src/ledger/policy-sql.ts';
import { COUNTING } from '../../src/ledger/sql.ts';
import { HOUR } from '../support/units.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, begunOf, intent, NOON } from './support/charges.ts';
import { shown } from './support/shown.ts';

const PROFILE = intent().profile ?? '';

const set = (ledger: Ledger, policy: Policy | undefined, profile = PROFILE): Promise<KeptPolicy> =>
  ledger.policies.set(profile, () => ({ policy, by: 'ada@laptop', at: NOON }));

let ugwos = 0;
/** Begins a charge of a new payment request. */
const next = (ledger: Ledger, more: Partial<Intent> = {}, again = false): Promise<BeginResult> => {
  ugwos += 1;
  return ledger.begin(intent({ about: `ugw.AbCd.${String(ugwos).padStart(24, '0')}`, ...more }), { again });
};
const begun = async (ledger: Ledger, more: Partial<Intent> = {}): Promise<string> =>
  begunOf(await next(ledger, more)).id;
const asking = (amount: number, currency = 'NGN') => ({ asked: { amount, currency } });
const forbidden = (why: string, more: object = {}) => ({
  kind: 'refused',
  why: 'policy',
  policy: { forbidden: { why, ...more } },
});
const accepted = (status: string, uid: string): StoredOutcome => ({
  state: 'accepted',
  exitCode: 0,
  activity: account({ status, uid }),
});

describe.each(BACKENDS)('a ledger %s', (_where, newPlace) => {
  it('has no policy at first and allows every charge', async () => {
    const ledger = await open(newPlace());
    expect(await ledger.policies.list()).toEqual([]);
    expect(await ledger.policies.allowance({ profile: PROFILE, since: 0 })).toBeUndefined();
    await begun(ledger);
  });

  it('stores a policy and who set it, for every process', async () => {
    const place = newPlace();
    const policy = { maxCharges: 3, maxAmount: { NGN: 5 }, mediums: ['ussd'], approveAbove: { NGN: 4 } };
    await set(await open(place), policy);
    const kept = { profile: PROFILE, policy, by: 'ada@laptop', at: NOON };
    const ledger = await open(place);
    expect(await ledger.policies.list()).toEqual([kept]);
    const { policy: other } = await ledger.policies.set('club', (before = {}) => ({
      policy: before,
      by: '',
      at: NOON,
    }));
    expect(other).toEqual({});
    expect(await ledger.policies.allowance({ profile: PROFILE, since: 0 })).toEqual({
      kept,
      spent: { rows: 0, amounts: new Map([['NGN', 0n]]), unknown: 0 },
    });
  });

  it('changes a policy in one transaction: two who set limits at once keep both', async () => {
    const place = newPlace();
    const ledgers = [await open(place), await open(place)];
    await set(ledgers[0] as Ledger, { mediums: ['ussd'] });
    const names = ['maxCharges', 'maxAmount', 'approveAbove'] as const;
    const values = { maxCharges: 3, maxAmount: { NGN: 5 }, approveAbove: { NGN: 4 } };
    const changes = names.map((name, at) =>
      ledgers[at % 2]?.policies.set(PROFILE, (before) => {
        return { policy: { ...before, [name]: values[name] }, by: 'ada@laptop', at: NOON };
      }),
    );
    await Promise.all(changes);
    expect(await ledgers[1]?.policies.list()).toMatchObject([{ policy: { mediums: ['ussd'], ...values } }]);
  });

  it('sums the values that the policy limits', async () => {
    const ledger = await open(newPlace());
    await begun(ledger, asking(3));
    await begun(ledger, asking(4));
    await begun(ledger, asking(5, 'USD'));
    for (const asked of [{}, { amount: 6 }, { currency: 'NGN' }]) await begun(ledger, { asked });
    const of = { profile: PROFILE, since: NOON };
    const spent = async (policy: Policy) => {
      await set(ledger, policy);
      return (await ledger.policies.allowance(of))?.spent;
    };
    expect(await spent({ mediums: [] })).toEqual({ rows: 0, amounts: new Map(), unknown: 0 });
    expect(await spent({ maxCharges: 9 })).toEqual({ rows: 6, amounts: new Map(), unknown: 3 });
    const amounts = new Map(Object.entries({ NGN: 7n, GHS: 0n }));
    expect(await spent({ maxAmount: { NGN: 9, GHS: 9 } })).toEqual({ rows: 6, amounts, unknown: 3 });
    expect((await ledger.policies.allowance({ ...of, since: NOON + 1 }))?.spent.rows).toBe(0);
  });

  it('allows everything after the policy is removed', async () => {
    const ledger = await open(newPlace());
    await set(ledger, { maxCharges: 0 });
    expect(await next(ledger)).toMatchObject(forbidden('charges'));
    await set(ledger, undefined);
    expect(await ledger.policies.list()).toEqual([]);
    await begun(ledger);
  });

  it("applies each profile's own policy, and one policy to all others", async () => {
    const ledger = await open(newPlace());
    await set(ledger, { maxCharges: 1 }, 'shop');
    await set(ledger, { maxCharges: 2 }, OTHER_PROFILES);
    expect((await ledger.policies.list()).map(({ profile }) => profile)).toEqual([OTHER_PROFILES, 'shop']);
    for (const [profile, most] of [
      ['shop', 1],
      ['club', 2],
      [undefined, 2],
    ] as const) {
      for (let count = 0; count < most; count += 1) await begun(ledger, { profile });
      expect(await next(ledger, { profile })).toMatchObject({
        ...forbidden('charges', { most }),
        policy: { profile: profile === 'shop' ? 'shop' : OTHER_PROFILES },
      });
    }
    await set(ledger, undefined, 'shop');
    expect(await next(ledger, { profile: 'shop' })).toMatchObject({ kind: 'begun' });
  });

  it('enforces policies despite --again and stores nothing of a forbidden charge', async () => {
    const ledger = await open(newPlace());
    await set(ledger, { maxCharges: 0 });
    expect(await next(ledger, {}, true)).toMatchObject(forbidden('charges'));
    expect(await ledger.list({ limit: 9 })).toEqual([]);
  });

  it('names an obstacle of the payment request before the policy', async () => {
    const ledger = await open(newPlace());
    await begun(ledger, { about: 'ugw.AbCd.1' });
    await set(ledger, { maxCharges: 0 });
    expect(await next(ledger, { about: 'ugw.AbCd.1' })).toMatchObject({ why: 'in_progress' });
  });

  const REFUND = { kind: 'refund', path: '/', body: '{}' };

  it('limits charges and refunds, each for themselves, and nothing else', async () => {
    const ledger = await open(newPlace());
    await set(ledger, { maxCharges: 0, maxAmount: {}, mediums: [] });
    expect(await next(ledger, REFUND)).toMatchObject({ kind: 'begun' });
    await set(ledger, { maxRefunds: 0, maxRefundAmount: {} });
    expect(await next(ledger)).toMatchObject({ kind: 'begun' });
    expect(await next(ledger, { ...REFUND, kind: 'payment_request' })).toMatchObject({ kind: 'begun' });
    expect(await next(ledger, REFUND)).toMatchObject(forbidden('charges', { most: 0 }));
  });

  it('limits the number and the sum of refunds', async () => {
    const ledger = await open(newPlace());
    await set(ledger, { maxRefunds: 3, maxRefundAmount: { NGN: 100 } });
    expect(await next(ledger, REFUND)).toMatchObject(forbidden('no_amount'));
    expect(await next(ledger, { ...REFUND, ...asking(1, 'USD') })).toMatchObject(forbidden('currency'));
    const failed = await begun(ledger, { ...REFUND, ...asking(100) });
    expect(await next(ledger, { ...REFUND, ...asking(1) })).toMatchObject(forbidden('amount', { left: 0n }));
    const answer = { kind: 'answer', at: '', uid: 'rfd.1', status: 'failed' };
    await ledger.record(failed, { state: 'accepted', exitCode: 11, evidence: answer });
    const made = await begun(ledger, { ...REFUND, ...asking(60) });
    await ledger.record(made, { state: 'accepted', exitCode: 0, evidence: { kind: 'answer', at: '' } });
    expect(await next(ledger, { ...REFUND, ...asking(41) })).toMatchObject(forbidden('amount', { left: 40n }));
    const unknown = await begun(ledger, { ...REFUND, ...asking(20) });
    await ledger.record(unknown, { state: 'unknown', exitCode: 6, evidence: { kind: 'answer', at: '' } });
    await begun(ledger, { ...REFUND, ...asking(20) });
    expect(await next(ledger, { ...REFUND, ...asking(0) })).toMatchObject(forbidden('charges', { most: 3 }));
    const of = { kind: 'refund', profile: PROFILE, since: 0 };
    expect((await ledger.policies.allowance(of))?.spent).toEqual({
      rows: 3,
      amounts: new Map([['NGN', 100n]]),
      unknown: 0,
    });
  });

  it('never lets concurrent refunds exceed the limit', async () => {
    const place = newPlace();
    const [first, second] = [await open(place), await open(place)];
    await set(first, { maxRefunds: 3, maxRefundAmount: { NGN: 1000 } });
    const refunds = Array.from({ length: 10 }, (_, at) =>
      next(at % 2 === 0 ? first : second, { ...REFUND, ...asking(100) }),
    );
    expect((await Promise.all(refunds)).filter(({ kind }) => kind === 'begun')).toHaveLength(3);
  });

  it('does not know the amounts of refunds that an earlier version stored', async () => {
    const ledger = await open(newPlace());
    await begun(ledger, REFUND);
    await set(ledger, { maxRefundAmount: { NGN: 100 } });
    expect(await next(ledger, { ...REFUND, ...asking(1) })).toMatchObject(forbidden('unknown_amounts', { count: 1 }));
  });

  it('allows the remaining amount to the last kobo', async () => {
    const ledger = await open(newPlace());
    await set(ledger, { maxAmount: { NGN: 100 } });
    await begun(ledger, asking(60));
    expect(await next(ledger, asking(41))).toMatchObject(forbidden('amount', { asked: 41, most: 100, left: 40n }));
    await begun(ledger, asking(40));
    expect(await next(ledger, asking(1))).toMatchObject(forbidden('amount', { left: 0n }));
    expect(await next(ledger, asking(1, 'USD'))).toMatchObject(forbidden('currency'));
    expect(await next(ledger)).toMatchObject(forbidden('no_amount'));
  });

  it('sums beyond the safe integer range', async () => {
    const ledger = await open(newPlace());
    for (let count = 0; count < 3; count += 1) await begun(ledger, asking(Number.MAX_SAFE_INTEGER));
    await set(ledger, { maxAmount: { NGN: Number.MAX_SAFE_INTEGER } });
    const left = -2n * BigInt(Number.MAX_SAFE_INTEGER);
    expect(await next(ledger, asking(1))).toMatchObject(forbidden('amount', { left }));
  });

  it('needs all amounts to compute the rest, and learns them from reads', async () => {
    const ledger = await open(newPlace());
    const id = await begun(ledger);
    await ledger.record(id, accepted('requires_action', 'act.AbCd.1'));
    await set(ledger, { maxAmount: { NGN: 100 } });
    expect(await next(ledger, asking(1))).toMatchObject(forbidden('unknown_amounts', { count: 1 }));
    await ledger.observe(
      shown([account({ uid: 'act.AbCd.1', status: 'successful' })], { amount: 99, currency: 'NGN' }),
    );
    expect(await next(ledger, asking(2))).toMatchObject(forbidden('amount', { left: 1n }));
    await begun(ledger, asking(1));
  });

  it.each<[string, StoredOutcome, boolean]>([
    ['is unknown', { state: 'unknown', exitCode: 6 }, true],
    ['was accepted', accepted('requires_action', 'act.AbCd.2'), true],
    ['was paid', accepted('successful', 'act.AbCd.2'), true],
    ['has an unknown status', accepted('anything', 'act.AbCd.2'), true],
    ['failed', accepted('failed', 'act.AbCd.2'), false],
    ['expired', accepted('expired', 'act.AbCd.2'), false],
    ['was rejected', { state: 'rejected', exitCode: 3 }, false],
    ['was not sent', { state: 'not_sent', exitCode: 5 }, false],
  ])('counts a charge that %s: %s', async (_what, outcome, counts) => {
    const ledger = await open(newPlace());
    await set(ledger, { maxCharges: 1 });
    const id = await begun(ledger);
    expect(await next(ledger)).toMatchObject(forbidden('charges'));
    await ledger.record(id, outcome);
    expect(await next(ledger)).toMatchObject(counts ? forbidden('charges') : { kind: 'begun' });
  });

  it('stops counting a charge resolved as not created', async () => {
    const ledger = await open(newPlace());
    await set(ledger, { maxCharges: 1 });
    const id = await begun(ledger);
    await ledger.record(id, { state: 'unknown', exitCode: 6 });
    await ledger.resolve(id, { state: 'not_created', evidence: { kind: 'resolved', at: '' } });
    expect(await next(ledger)).toMatchObject({ kind: 'begun' });
  });

  it('counts per UTC day', async () => {
    let now = NOON;
    const ledger = await open(newPlace(), { now: () => now });
    await set(ledger, { maxCharges: 1 });
    await begun(ledger);
    now = NOON + 12 * HOUR - 1;
    expect(await next(ledger)).toMatchObject(forbidden('charges'));
    now += 1;
    await begun(ledger);
    expect(await next(ledger)).toMatchObject(forbidden('charges'));
  });

  it('never lets concurrent charges exceed the limit', async () => {
    const place = newPlace();
    const [first, second] = [await open(place), await open(place)];
    await set(first, { maxCharges: 3, maxAmount: { NGN: 1000 } });
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, at) => next(at % 2 === 0 ? first : second, asking(100))),
    );
    expect(all.filter(({ kind }) => kind === 'begun')).toHaveLength(3);
  });

  /** Approves a file of `job-1` up to an amount, for everybody but Obi. */
  const approving = async (ledger: Ledger, most: number): Promise<void> => {
    await set(ledger, { approveAbove: { NGN: 100 } });
    const total = { rows: 9, amounts: new Map([['NGN', BigInt(most)]]), unknown: 0 };
    const asked = { job: 'job-1', total, askedBy: 'ada', askedAt: NOON };
    await ledger.policies.approve({ ...asked, approvedBy: 'obi', approvedAt: NOON });
  };
  const ofFile = (row: number, amount: number): Partial<Intent> => ({ job: 'job-1', row, ...asking(amount) });

  it('counts the charges of a file against its approval, whoever sends them', async () => {
    const ledger = await open(newPlace());
    await approving(ledger, 300);
    await begun(ledger, ofFile(1, 200));
    await begun(ledger, { ...ofFile(2, 60), profile: PROFILE });
    expect(await next(ledger, ofFile(3, 41))).toMatchObject(forbidden('unapproved', { asked: { amount: 41 } }));
    expect(await next(ledger, { ...ofFile(3, 40), operator: 'obi' })).toMatchObject(forbidden('unapproved'));
    expect(await next(ledger, { ...ofFile(3, 0), ...asking(1, 'USD') })).toMatchObject(forbidden('unapproved'));
    expect(await next(ledger, { job: 'job-1', row: 3 })).toMatchObject(forbidden('unapproved'));
    expect(await next(ledger, { ...ofFile(1, 101), job: 'job-2' })).toMatchObject(forbidden('unapproved'));
    await begun(ledger, { ...ofFile(1, 100), job: 'job-2' });
    await begun(ledger, asking(1000));
    const plan = { total: NO_TOTAL };
    const about = 'ugw.AbCd.plan';
    expect(await ledger.judge(intent({ about, ...ofFile(3, 30) }), { again: false }, plan)).toMatchObject({
      kind: 'clear',
    });
    expect(await ledger.judge(intent({ about, ...ofFile(4, 11) }), { again: false }, plan)).toMatchObject(
      forbidden('unapproved'),
    );
    expect(await ledger.judge(intent({ about, ...ofFile(4, 10) }), { again: false }, plan)).toMatchObject({
      kind: 'clear',
    });
    await begun(ledger, ofFile(3, 40));
  });

  it('asks for no approval of a file of refunds, nor of a plan, which has its own', async () => {
    const ledger = await open(newPlace());
    await set(ledger, { approveAbove: { NGN: 100 } });
    expect(await next(ledger, ofFile(1, 200))).toMatchObject(forbidden('unapproved'));
    await begun(ledger, { ...REFUND, ...ofFile(1, 200) });
    await begun(ledger, { ...ofFile(1, 200), job: 'plan-1' });
  });

  const WANTS = { approveAbove: { NGN: 100 } };
  it.each<[string, Policy | undefined, Policy, BeginResult['kind']]>([
    ['its own wants one, and that of all others does not', WANTS, {}, 'refused'],
    ['its own wants none, and that of all others does', {}, WANTS, 'begun'],
    ['it has none of its own, and that of all others wants one', undefined, WANTS, 'refused'],
  ])('asks for the approval of a file by the policy of its profile: %s', async (_what, own, others, kind) => {
    const ledger = await open(newPlace());
    if (own !== undefined) await set(ledger, own);
    await set(ledger, others, OTHER_PROFILES);
    await begun(ledger, ofFile(1, 100));
    expect((await next(ledger, ofFile(2, 1))).kind).toBe(kind);
  });

  it('never lets processes that send one file at once exceed its approval, under any profile', async () => {
    const place = newPlace();
    const ledgers = await Promise.all(Array.from({ length: 4 }, () => open(place)));
    await approving(ledgers[0] as Ledger, 300);
    await set(ledgers[0] as Ledger, { approveAbove: { NGN: 100 } }, 'club');
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        next(ledgers[at % 4] as Ledger, { ...ofFile(at + 1, 100), profile: at % 2 === 0 ? PROFILE : 'club' }),
      ),
    );
    expect(all.filter(({ kind }) => kind === 'begun')).toHaveLength(3);
  });

  it('stores who asked for an approval, who gave it and for which total', async () => {
    const place = newPlace();
    const { policies } = await open(place);
    const total = { rows: 3, amounts: new Map([['NGN', 2n ** 60n]]), unknown: 1 };
    const asked = { job: 'job-1', total, askedBy: 'ada@laptop', askedAt: NOON };
    expect(await policies.approval('job-1')).toBeUndefined();
    await policies.approve(asked);
    const unapproved = { ...asked, approvedBy: undefined, approvedAt: undefined };
    expect(await policies.approval('job-1')).toEqual(unapproved);
    expect([await policies.waiting(NOON), await policies.waiting(NOON + 1)]).toEqual([[unapproved], []]);
    const approved = { ...asked, approvedBy: 'obi@desk', approvedAt: NOON + 1 };
    await (await open(place)).policies.approve(approved);
    expect(await policies.approval('job-1')).toEqual(approved);
    expect(await policies.approval('job-2')).toBeUndefined();
    expect(await policies.waiting(NOON)).toEqual([]);
  });
});

it('a policy is changed anew by what each try of its transaction finds', async () => {
  const row = [PROFILE, '{"maxCharges":3}', 'obi@desk', NOON];
  const { set: change } = policiesBy(
    async () => [],
    async (_about, statement) => void [statement([]), statement([row])],
    '',
    '',
  );
  const policy = { maxCharges: 3, mediums: ['ussd'] };
  const kept = await change(PROFILE, (before) => ({
    policy: { ...before, mediums: ['ussd'] },
    by: 'ada@laptop',
    at: NOON,
  }));
  expect(kept.policy).toEqual(policy);
});

it('the condition of the counted charges leaves out those that free their payment request', () => {
  const db = new DatabaseSync(':memory:');
  const counts = db.prepare(
    `SELECT ${COUNTING} AS counts FROM (SELECT 'charge' AS kind, 'accepted' AS state, ? AS payment)`,
  );
  const left = PAYMENT_NAMES.filter((payment) => counts.get(payment)?.['counts'] === 0);
  expect(left).toEqual(paymentsThat('frees'));
  expect(counts.get(null)?.['counts']).toBe(1);
  db.close();
});
