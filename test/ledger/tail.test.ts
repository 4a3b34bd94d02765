import { expect, it } from 'vitest';
import type { Charge } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openTail } from '../../src/ledger/tail.ts';
import { account } from './support/charges.ts';
import { charge, memoryLedger, SENT } from './support/memory.ts';

const charges = (status: string) =>
  [1, 2, 3].map((seq) =>
    charge({
      id: `chg-${String(seq).padStart(12, '0')}`,
      seq,
      state: 'accepted',
      activity: { uid: `act.AbCd.${seq}`, status, nextAction: undefined, createdAt: undefined },
    }),
  );

/** A tail of a ledger that holds other charges before each read. */
const tailing = () => {
  let now = memoryLedger();
  const ledger = { list: (filter) => now.list(filter), get: (id) => now.get(id) } as Ledger;
  const tail = openTail(ledger, { filters: [{}], unsettledOnly: false }, () => SENT);
  const read = async (all: readonly Charge[]) => {
    now = memoryLedger(all);
    return (await tail.changes()).map(({ charge: { seq }, now: stands }) => [seq, stands]);
  };
  return { tail, read };
};

it('changes that one read finds are reported oldest first', async () => {
  const { read } = tailing();
  expect(await read(charges('requires_action'))).toEqual([1, 2, 3].map((seq) => [seq, 'open']));
  expect(await read(charges('successful'))).toEqual([1, 2, 3].map((seq) => [seq, 'paid']));
});

it('an open charge is reported that appears before others which were read already', async () => {
  const { read } = tailing();
  const all = charges('requires_action');
  await read(all.filter(({ seq }) => seq !== 2));
  expect(await read(all)).toEqual([[2, 'open']]);
});

it('a charge whose terms are learned with its payment leaves the sum of the open ones', async () => {
  const { tail, read } = tailing();
  const [open] = charges('requires_action');
  const [paid] = charges('successful');
  await read(open === undefined ? [] : [open]);
  const asked = { amount: 5, currency: 'NGN' };
  await read(paid === undefined ? [] : [{ ...paid, asked }]);
  expect(tail.sums()).toMatchObject([{ payment: 'paid', count: 1, amount: 5n }]);
});

it.each<[string, Partial<Charge>, string]>([
  ['was not made', { state: 'not_created', activity: undefined }, 'not_created'],
  ['made another activity', { activity: account({ uid: 'act.AbCd.2', status: 'failed' }) }, 'failed'],
])('an open charge is reported of which a person says that it %s', async (_what, said, stands) => {
  const { read } = tailing();
  const made = { state: 'accepted', activity: account() } as const;
  await read([charge(made)]);
  expect(await read([charge({ ...made, ...said })])).toEqual([[1, stands]]);
});
