import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/ledger/entry.ts';
import { thrownBy } from '../../client/support.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import { account, beginCharge, beside, intent, NOON, newPath, open } from '../support/charges.ts';

const ACCEPTED: Outcome = { state: 'accepted', exitCode: 0, activity: account() };

describe('what became of a charge', () => {
  it('of a charge that is not there says which, and what it was about as far as that is known', async () => {
    const ledger = await open(newPath());
    const unrecorded = (await thrownBy(ledger.record('chg-none', ACCEPTED))) as Error & {
      detail: { answer: string };
    };
    expect(unrecorded.message).toMatch(
      /^couldn't save the result of chg-none in the ledger: .* there is no charge chg-none$/,
    );
    expect(JSON.parse(unrecorded.detail.answer)).toMatchObject({ ugwo: '', medium: '', recorded_at: NOON });
  });

  it('that can not be noted says of which payment request and medium it was', async () => {
    const path = newPath();
    const ledger = await open(path);
    const id = await beginCharge(ledger);
    beside(path, 'DELETE FROM charge');
    const unrecorded = (await thrownBy(ledger.record(id, ACCEPTED))) as { detail: { answer: string } };
    expect(JSON.parse(unrecorded.detail.answer)).toEqual({
      ledger_id: id,
      ugwo: intent().about,
      medium: 'bank_transfer',
      recorded_at: NOON,
      state: 'accepted',
      exitCode: 0,
      activity: { ...account() },
    });
  });
});

describe('how an activity stands by now', () => {
  it('is not waited for with a locked ledger, unless that is asked for', async () => {
    const path = newPath();
    const slept: number[] = [];
    const { lockWait } = ledgerOptions(path);
    const sleep = async (ms: number): Promise<void> => {
      slept.push(ms);
      other.exec('ROLLBACK');
    };
    const ledger = await open(path, { lockWait: { ...lockWait, sleep } });
    const id = await beginCharge(ledger);
    await ledger.record(id, ACCEPTED);
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const paid = [account({ status: 'successful' })];
    expect(await thrownBy(ledger.observe(paid))).toMatchObject({ kind: 'ledger' });
    expect(slept).toEqual([]);
    await ledger.observe(paid, {}, true);
    expect(slept).toHaveLength(1);
    expect(await ledger.get(id)).toMatchObject({ activity: { status: 'successful' } });
    other.close();
  });
});
