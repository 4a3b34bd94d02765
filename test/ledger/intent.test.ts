import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import { madeHere } from '../../src/core/record.ts';
import { snapshotOf } from '../../src/ledger/snapshot.ts';
import { thrownBy } from '../client/support.ts';
import { accepting, type OneCharge, sendOnce } from '../support/outcome.ts';
import { ACTIVITY } from '../support/service.ts';
import { NOON, PLACE } from './support/charges.ts';
import { memoryLedger, UGWO } from './support/memory.ts';

const KEY = 'sk.Test.secret';
const clean = (text: string): string => text.replaceAll(KEY, '[secret]');

/** Sends a charge with a ledger in memory; returns its entry and its intent. */
const charging = async (some: Partial<OneCharge>, answer: unknown = madeHere(ACTIVITY)) => {
  const ledger = memoryLedger([], () => NOON, clean);
  const request: OneCharge = {
    ugwo: UGWO,
    data: { medium: 'ussd', provider: 'gtb' },
    again: false,
    ...some,
  };
  const client = { longestWrite: 1000, longestAttempt: 100 };
  const context = { client, ledger, place: PLACE };
  const charged = sendOnce(context, request, {
    now: () => NOON,
    send: accepting(async () => {
      if (answer instanceof Error) throw answer;
      return answer as ReturnType<typeof madeHere>;
    }),
  });
  const [ended] = await Promise.allSettled([charged]);
  const thrown = ended.status === 'rejected' ? await thrownBy(charged) : undefined;
  return { ended, thrown, row: (await ledger.list({ limit: 1 }))[0] };
};

describe('the intent of a charge', () => {
  it("has the phone's last digits and digest, and the expiry of the account", async () => {
    const data = { medium: 'mobile_money', phone: '+234 803 123 4567', expires_at: '2026-11-20T12:10:00+00:00' };
    expect((await charging({ data })).row).toMatchObject({
      medium: 'mobile_money',
      provider: undefined,
      phone: '…4567',
      termsDigest: memoryLedger().digest('2348031234567'),
      expiresAt: NOON + 600_000,
      deadline: NOON + 1000,
    });
  });

  it.each([
    [
      '{"expires_at":"…1120T12:10:00+00:00","medium":"bank_transfer"}',
      { medium: 'bank_transfer', expires_at: '2026-11-20T12:10:00+00:00' },
    ],
    ['{"medium":"ussd","provider":"gtb"}', { provider: 'gtb', medium: 'ussd' }],
    [
      '{"medium":"mobile_money","phone":"…4567","provider":"mtn"}',
      { medium: 'mobile_money', provider: 'mtn', phone: '+2348031234567' },
    ],
    ['{"bank":"gtb","medium":"pay_with_bank"}', { medium: 'pay_with_bank', bank: 'gtb' }],
  ])('has a digest of its data: %s', async (text, data) => {
    expect((await charging({ data })).row?.digest).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('has a digest of the terms that are not stored, and its evidence does not name them', async () => {
    const data = { medium: 'pay_with_bank', token: 'tok_12345678', phone: '+234 803 123 4567', n: 1 };
    const said = new PayError('unknown', 'tok_12345678 is odd', { answer: '{"token":"tok_12345678","n":1}' });
    const { row } = await charging({ data }, said);
    expect(row).toMatchObject({ phone: '…4567' });
    expect(row?.termsDigest).toBe(memoryLedger().digest('2348031234567 {"n":1,"token":"tok_12345678"}'));
    expect(row?.evidence).toMatchObject([{ message: '[token] is odd', answer: '{"token":"[token]","n":1}' }]);
    expect(row).not.toHaveProperty('otherTerms');
  });

  it('omits missing values', async () => {
    expect((await charging({ data: {} })).row).toMatchObject({
      ...PLACE,
      kind: 'charge',
      about: UGWO,
      medium: '',
      provider: undefined,
      phone: undefined,
      expiresAt: undefined,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      operator: expect.stringMatching(/.@./),
      asked: {},
    });
  });

  it('has the row and the terms of the read, but no key', async () => {
    const shown = snapshotOf({ amount: 500, currency: 'NGN', ref: `for ${KEY}` });
    const row = { job: 'job-1', number: 3, retry: false };
    expect((await charging({ shown, row, data: { medium: 'ussd', provider: KEY } })).row).toMatchObject({
      job: 'job-1',
      row: 3,
      provider: '[secret]',
      asked: { amount: 500, currency: 'NGN', ref: 'for [secret]' },
    });
  });
});

describe('the outcome of a charge', () => {
  it('is accepted even if the answer has no time', async () => {
    const { created_at: _, ...timeless } = ACTIVITY as Readonly<Record<string, unknown>>;
    const { ended, row } = await charging({}, madeHere(timeless));
    expect(ended).toMatchObject({ status: 'fulfilled', value: { kind: 'accepted', odd: [] } });
    expect(row?.activity).not.toHaveProperty('servedAt');
  });

  it('is rejected, even without a status', async () => {
    const { row } = await charging({}, new PayError('rejected', 'no'));
    expect(row).toMatchObject({ state: 'rejected', exitCode: 3 });
  });

  it("is unknown with the service's answer or the exception as evidence", async () => {
    const said = await charging({}, new PayError('unknown', 'who knows', { status: 502, answer: 'x'.repeat(3000) }));
    expect(said.row?.evidence).toEqual([
      { kind: 'answer', at: '2026-11-20T12:00:00+00:00', message: 'who knows', status: 502, answer: 'x'.repeat(2000) },
    ]);
    const broken = new TypeError('broken');
    const other = await charging({}, broken);
    expect(other.thrown).toMatchObject({
      kind: 'unknown',
      message: 'the charge may have been made: broken',
      detail: { cause: broken },
    });
    expect(other.row?.evidence).toStrictEqual([
      { kind: 'answer', at: '2026-11-20T12:00:00+00:00', message: 'the charge may have been made: broken' },
    ]);
  });
});
