import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { keptAccount, type StoredOutcome } from '../../../src/ledger/entry.ts';
import { thrownBy } from '../../client/support.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import { account, beginCharge, beside, intent, NOON, newPath, open } from '../support/charges.ts';
import { shown } from '../support/shown.ts';

const ACCEPTED: StoredOutcome = { state: 'accepted', exitCode: 0, activity: account() };

describe('a failure to record an outcome', () => {
  it('names the missing charge, and its payment request if known', async () => {
    const ledger = await open(newPath());
    const unrecorded = (await thrownBy(ledger.record('chg-none', ACCEPTED))) as Error & {
      detail: { answer: string };
    };
    expect(unrecorded.message).toMatch(
      /^couldn't save the result of chg-none in the ledger: .* there is no charge chg-none$/,
    );
    expect(JSON.parse(unrecorded.detail.answer)).toMatchObject({ ugwo: '', medium: '', recorded_at: NOON });
  });

  it('names the payment request and the medium', async () => {
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
      activity: { ...account(), ...keptAccount('0123456789', ledger.digest) },
    });
  });
});

describe('observe', () => {
  it('waits for a locked ledger only if asked to', async () => {
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
    const paid = shown([account({ status: 'successful' })]);
    expect(await thrownBy(ledger.observe(paid))).toMatchObject({ kind: 'ledger' });
    expect(slept).toEqual([]);
    await ledger.observe(paid, true);
    expect(slept).toHaveLength(1);
    expect(await ledger.get(id)).toMatchObject({ activity: { status: 'successful' } });
    other.close();
  });
});
