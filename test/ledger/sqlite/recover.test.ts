import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { leftBehind, openEmergencyFile } from '../../../src/ledger/local/emergency.ts';
import { thrownBy } from '../../client/support.ts';
import { rewrite } from '../../support/ledger.ts';
import { account, beginCharge, beside, intent, MINUTE, NOON, newPath, open, SELF } from '../support/charges.ts';

const OTHER = { ...SELF, pid: 4712 };
const GONE = { hasEnded: ({ pid }: { readonly pid: number }) => pid === OTHER.pid };

/** A dead process that left these lines. */
const left = (path: string, lines: readonly object[]): string => {
  const file = openEmergencyFile(path, OTHER, lines.length);
  for (const line of lines) file.write(JSON.stringify(line));
  file.close();
  return leftBehind(path).find(({ sender }) => sender.pid === OTHER.pid)?.path ?? '';
};
const line = (id: string, more: object = {}): object => ({
  ledger_id: id,
  ugwo: intent().about,
  medium: 'bank_transfer',
  recorded_at: NOON + MINUTE,
  state: 'accepted',
  exitCode: 0,
  activity: account(),
  ...more,
});

describe('the emergency lines of a dead process', () => {
  it('are each applied once, beside other evidence', async () => {
    const path = newPath();
    const ledger = await open(path);
    const id = await beginCharge(ledger);
    await ledger.record(id, { state: 'unknown', exitCode: 6, evidence: { kind: 'answer', at: 'then' } });
    const lines = [line(id, { state: 'unknown', activity: undefined }), line(id, { recorded_at: NOON + 2 * MINUTE })];
    left(path, lines);
    const running = { hasEnded: () => false };
    await (await open(path, running)).close();
    const charge = await (await open(path, GONE)).get(id);
    expect(charge).toMatchObject({ state: 'accepted', recordedAt: NOON + 2 * MINUTE });
    expect(charge?.evidence.map(({ kind }) => kind)).toEqual(['answer', 'emergency_line', 'emergency_line']);
  });

  it('keep the duration of the sending, and a payment', async () => {
    const path = newPath();
    const ledger = await open(path);
    const id = await beginCharge(ledger);
    await ledger.record(id, { state: 'accepted', exitCode: 0, activity: account({ status: 'successful' }) });
    rewrite(path, 'UPDATE charge SET took = 7');
    left(path, [line(id)]);
    expect(await (await open(path, GONE)).get(id)).toMatchObject({ took: 7, activity: { status: 'successful' } });
  });

  it('may lack an activity', async () => {
    const path = newPath();
    const id = await beginCharge(await open(path));
    left(path, [line(id, { state: 'rejected', exitCode: 3, activity: undefined })]);
    expect(await (await open(path, GONE)).get(id)).toMatchObject({
      state: 'rejected',
      exitCode: 3,
      activity: undefined,
    });
  });

  it('stay in the file if one belongs to another ledger; the others are applied', async () => {
    const path = newPath();
    const ledger = await open(path);
    const [first, second] = [await beginCharge(ledger), await beginCharge(ledger, { about: 'ugw.AbCd.2' })];
    const file = left(path, [line(first), line('chg-elsewhere'), line(second, { activity: undefined })]);
    const next = await open(path, GONE);
    expect([(await next.get(first))?.state, (await next.get(second))?.state]).toEqual(['accepted', 'accepted']);
    expect(existsSync(file)).toBe(true);
  });

  it("stay in the file if the ledger can't store them, and it is closed", async () => {
    const path = newPath();
    const ledger = await open(path);
    const file = left(path, [line(await beginCharge(ledger))]);
    await ledger.close();
    beside(path, "CREATE TRIGGER broken BEFORE UPDATE ON charge BEGIN SELECT RAISE(FAIL, 'the disk is full'); END");
    expect(await thrownBy(open(path, GONE))).toMatchObject({ message: expect.stringContaining('the disk is full') });
    expect([file, `${path}-wal`].map((name) => existsSync(name))).toEqual([true, false]);
  });

  it('are removed once applied', async () => {
    const path = newPath();
    const id = await beginCharge(await open(path));
    const file = left(path, [line(id)]);
    await open(path, GONE);
    expect(existsSync(file)).toBe(false);
  });
});
