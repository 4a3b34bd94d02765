import { expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openTail } from '../../src/ledger/tail.ts';
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

it('changes that one read finds are reported oldest first', async () => {
  let now = memoryLedger(charges('requires_action'));
  const ledger = { list: (filter) => now.list(filter), get: (id) => now.get(id) } as Ledger;
  const tail = openTail(ledger, { filters: [{}], unsettledOnly: false }, () => SENT);
  const read = async () => (await tail.changes()).map(({ charge: { seq }, now }) => [seq, now]);
  expect(await read()).toEqual([1, 2, 3].map((seq) => [seq, 'open']));
  now = memoryLedger(charges('successful'));
  expect(await read()).toEqual([1, 2, 3].map((seq) => [seq, 'paid']));
});
