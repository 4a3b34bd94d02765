import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import type { Entry } from '../../src/ledger/entry.ts';
import { charge, memoryLedger, SENT } from '../ledger/support/memory.ts';
import type { Row } from './ledger-call.ts';
import { call, idOf, numbered, shows } from './ledger-call.ts';

const ID = 'refund-000000000001';
const ACT = 'act.AbCd.1';
const BODY = { ugwo_activity: ACT, amount: 5000 };
const RESOLVE = `\`paycli ledger resolve ${ID} --as created\`, or \`--as not-created\``;

/** An unknown refund, which has no charge terms. */
const refund = (some: Partial<Entry> = {}): Entry => {
  const { medium, provider, phone, asked, ...rest } = charge(numbered(9));
  return { ...rest, id: ID, kind: 'refund', about: ACT, path: '/v1/refunds', body: JSON.stringify(BODY), ...some };
};

const valuesOf = async (path: string, columns: readonly string[]): Promise<unknown[]> => {
  const { rows } = await call(path, {
    ledger: memoryLedger([refund()]),
    args: path === 'show' ? [ID] : [],
    given: { kind: 'all' },
  });
  return columns.map((name) => (rows[0] as Row)[name]);
};

describe('an entry of another kind', () => {
  it.each(['show', 'list'])('has its kind and its request in `ledger %s`', async (path) => {
    expect(await valuesOf(path, ['id', 'kind', 'state', 'about', 'request', 'ugwo', 'medium', 'payment'])).toEqual([
      ...[ID, 'refund', 'unknown', ACT, { path: '/v1/refunds', body: BODY }],
      ...[null, null, null],
    ]);
  });

  it('has its own card', async () => {
    const { result } = await call('show', { ledger: memoryLedger([refund()]), args: [ID] });
    const view = result?.kind === 'record' ? result.view : undefined;
    expect(view?.columns.filter(({ machineOnly }) => machineOnly !== true).map(({ path }) => path)).toEqual([
      ...['id', 'kind', 'state', 'about', 'request.path', 'request.body', 'origin', 'profile'],
      ...['created_at', 'recorded_at', 'exit_code'],
    ]);
  });

  it("can't be resolved by ledger sync, which says who can", async () => {
    const { error, asked } = await call('sync', { ledger: memoryLedger([refund()]) });
    expect(error).toMatchObject({
      kind: 'unknown',
      message: `${ID} is still unknown`,
      detail: { ledgerId: ID, hint: `${ID}: look for the refund at the service, then run ${RESOLVE}` },
    });
    expect(asked).toEqual(['place']);
  });

  it('counts as a request beside charges', async () => {
    const get = shows([], SENT);
    const { error } = await call('sync', { ledger: memoryLedger([refund(), charge(numbered(1))]), get });
    expect(error?.message).toBe('2 requests are still unknown');
    expect(error?.detail.hint?.split('\n').map((line) => line.split(':')[0])).toEqual([idOf(1), ID]);
  });

  it('has a line of its own for its kind', async () => {
    const other = refund({ id: 'customer-000000000002', seq: 10, kind: 'customer', path: '/v1/onye' });
    const { error } = await call('sync', { ledger: memoryLedger([refund(), other]) });
    expect(error?.detail.hint?.split('\n').map((line) => line.split(',')[0])).toEqual([
      `${ID}: look for the refund at the service`,
      `${other.id}: look for the customer at the service`,
    ]);
  });

  it.each([
    ['created', 'It is then no longer unknown.'],
    ['not-created', `Another refund for ${ACT} can then be sent. If it was created after all, there will be two.`],
  ])('can be resolved as %s', async (as, then) => {
    const ledger = memoryLedger([refund()]);
    const { rows, prompts, notices } = await call('resolve', {
      ledger,
      args: [ID],
      given: { as, reason: 'seen' },
      lines: ['yes'],
    });
    expect(notices[0]).toMatch(new RegExp(`^${ID}: refund for ${ACT}, sent [^,]+$`));
    expect(prompts.join('\n')).toContain(`Record ${ID} as ${as.replace('-', ' ')}? ${then}`);
    expect(rows).toMatchObject([{ id: ID, kind: 'refund', state: as === 'created' ? 'accepted' : 'not_created' }]);
    expect(await ledger.unknown()).toEqual([]);
  });

  it('whose money is disputed names both words about it', async () => {
    const evidence = [{ kind: 'resolved', at: '2026-11-20T12:00:00+00:00' }];
    const made = refund({
      state: 'accepted',
      refund: { state: 'refund_disputed', uid: undefined, at: SENT },
      evidence,
    });
    const { error } = await call('resolve', { ledger: memoryLedger([made]), args: [ID], given: { as: 'not-created' } });
    expect(error).toMatchObject({ kind: 'usage', message: `${ID} was created: its money went back` });
    expect(error?.detail.hint).toBe(
      `say where the money is: \`paycli ledger resolve ${ID} --as paid-back\`, or \`paycli ledger resolve ${ID} --as failed\``,
    );
  });

  it('has no activity and no payment', async () => {
    const ledger = memoryLedger([refund()]);
    const given = { as: 'created', activity: 'act.AbCd.000000000000000000000002', reason: 'x' };
    const { error } = await call('resolve', { ledger, args: [ID], given });
    expect(error).toMatchObject({ kind: 'usage', message: `--activity: ${ID} is no charge` });
    expect(error).toBeInstanceOf(PayError);
  });
});
