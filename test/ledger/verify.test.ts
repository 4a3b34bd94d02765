import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { COLUMNS, checksumOf, type Row } from '../../src/ledger/rows.ts';
import { thrownBy } from '../client/support.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, begunOf, beside, charge, intent, NOON, newPath, open as openFile } from './support/charges.ts';
import { begin, ID, job } from './support/jobs.ts';
import { memoryLedger } from './support/memory.ts';
import { newSharedPlace } from './support/postgres.ts';

const filled = async (place: Parameters<typeof open>[0]) => {
  const ledger = await open(place);
  await ledger.jobs.open(job(), 1);
  for (const row of [1, 2, 3]) {
    const begun = await begin(ledger, row);
    if (begun.kind !== 'begun') throw new Error(begun.why);
    await ledger.record(begun.id, { state: 'accepted', exitCode: 0, activity: account({ uid: `act.AbCd.${row}` }) });
  }
  return ledger;
};

describe.each(BACKENDS)('verify of a ledger %s', (_where, newPlace) => {
  it('finds no fault in an unchanged ledger', async () => {
    const ledger = await filled(newPlace());
    await ledger.record(begunOf(await begin(ledger, 4)).id, { state: 'rejected', exitCode: 3 });
    expect(await begin(ledger, 4, { retry: true })).toMatchObject({ kind: 'begun' });
    expect(await ledger.verify()).toEqual({ entries: 5, jobs: 1, faults: [] });
  });
});

describe.each(BACKENDS)('verify of a ledger %s', (_where, newPlace) => {
  it('accepts text that a database may store differently', async () => {
    const ledger = await open(newPlace());
    const asked = { ref: 'INV\0\ud800-1', customer: '\0', amount: 1, currency: 'NGN' };
    await ledger.begin(intent({ asked }), { again: false });
    expect((await ledger.verify()).faults).toEqual([]);
  });
});

describe.each(BACKENDS)('verify of a ledger %s', (_where, newPlace) => {
  it('ends at the first signal', async () => {
    const ledger = await filled(newPlace());
    expect(await thrownBy(ledger.verify(AbortSignal.abort('SIGTERM')))).toMatchObject({ kind: 'interrupted' });
  });
});

it.each<[string, (ledger: Ledger) => Promise<unknown>]>([
  ['verify', (ledger) => ledger.verify()],
  ['prunable, which reads nothing else', (ledger) => ledger.prunable(NOON + 1, {})],
])('the walk through a file ends at a signal: %s', async (_what, walk) => {
  const [{ lockWait }, stop] = [ledgerOptions(''), new AbortController()];
  const ledger = await filled((some) => openFile(newPath(), { ...some, lockWait: { ...lockWait, stop: stop.signal } }));
  stop.abort('SIGINT');
  expect(await thrownBy(walk(ledger))).toMatchObject({ kind: 'interrupted' });
});

describe('verify reports an impossible state', () => {
  const made = (more: Partial<Entry>): Entry => charge(more as never);
  it.each<[string, Entry]>([
    ['chg-000000000000 is accepted and has no activity', made({ activity: undefined })],
    ['chg-000000000000 is rejected and has an activity', made({ state: 'rejected' })],
    ['chg-000000000000 is not_sent and has an activity', made({ state: 'not_sent' })],
    ['chg-000000000000 is not_created and has an activity', made({ state: 'not_created' })],
    ['chg-000000000000 is accepted and has the date of another state', made({ recordedAt: undefined })],
    ['chg-000000000000 ends before it started', made({ deadline: 0 })],
    ['chg-000000000000 has a job without a row, or a row without a job', made({ row: 1 })],
    [`chg-000000000000 belongs to ${ID}, which the ledger does not know`, made({ job: ID, row: 1 })],
  ])('of an entry: %s', async (fault, entry) => {
    expect(await memoryLedger([entry]).verify()).toEqual({ entries: 1, jobs: 0, faults: [fault] });
  });

  it.each([0, 11])('of a job whose file has no row %s', async (row) => {
    const ledger = memoryLedger([charge({ job: ID, row })]);
    await ledger.jobs.open(job(), 1);
    expect((await ledger.verify()).faults).toEqual([`${ID} has a row ${row}, and its file has 10`]);
  });

  it('of a job of updates that a charge belongs to', async () => {
    const ledger = memoryLedger([charge({ job: ID, row: 1 })]);
    await ledger.jobs.open(job({ kind: 'update' }), 1);
    expect((await ledger.verify()).faults).toEqual([
      `chg-000000000000 belongs to ${ID}, which the ledger does not know`,
    ]);
  });

  it('of a job with more updates than rows', async () => {
    const ledger = await openFile(newPath());
    await ledger.jobs.open(job({ kind: 'update', rows: 1 }), 1);
    for (const row of [1, 2]) {
      await ledger.jobs.beginUpdate({ job: ID, row, onye: 'ony.AbCd.1', bound: 1 }, { retry: false, looked: false });
    }
    expect((await ledger.verify()).faults).toEqual([`${ID} counts 2 rows, and its file has 1`]);
  });

  it('but accepts one that a person set', async () => {
    const said = charge({ activity: undefined, evidence: [{ kind: 'resolved', at: '2026-11-20T12:00:00+00:00' }] });
    expect((await memoryLedger([said]).verify()).faults).toEqual([]);
  });
});

describe('verify of a changed file', () => {
  it('finds a changed row', async () => {
    const path = newPath();
    const ledger = await openFile(path);
    await ledger.begin(intent(), { again: false });
    await ledger.close();
    beside(path, "UPDATE charge SET ref = 'another'");
    expect((await (await openFile(path)).verify()).faults).toEqual([
      expect.stringMatching(/^chg-\w{12} \(row 1\) is not what paycli wrote$/),
    ]);
  });

  it('finds a damaged index', async () => {
    const path = newPath();
    const ledger = await openFile(path);
    await ledger.begin(intent(), { again: false });
    await ledger.close();
    // Gives the index another definition than its contents have.
    const db = new DatabaseSync(path, { defensive: false });
    db.exec(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '(ugwo, seq)', '(origin, seq)') WHERE name = 'charge_of_ugwo_again'",
    );
    db.close();
    expect((await (await openFile(path)).verify()).faults).toContainEqual(
      expect.stringContaining('charge_of_ugwo_again'),
    );
  });
});

it('a checksum changes with a value that is taken away, or moves into another column', () => {
  const covered = COLUMNS.slice(0, COLUMNS.indexOf('payment'));
  const empty: Row = COLUMNS.map(() => null);
  const rows = [empty, ...covered.map((_name, at) => empty.with(at, 'a'))];
  expect(new Set(rows.map(checksumOf)).size).toBe(rows.length);
});

/** Columns that sums and filters read, each with a value that its entry doesn't have. */
const READ_BY_SUMS = {
  payment: 'NULL',
  received: '900000',
  refunded: '1',
  paid_at: '1',
  paid_twice: '1',
  psp_reference: "'other'",
  account_digest: "'other'",
  pruned: '1',
  disputed: '1',
};

describe('verify of a file', () => {
  it.each(Object.entries(READ_BY_SUMS))('finds a changed %s, which no checksum covers', async (column, value) => {
    const path = newPath();
    const ledger = await filled((some) => openFile(path, some));
    beside(path, `UPDATE charge SET ${column} = ${value} WHERE seq = 2`);
    expect(await ledger.verify()).toMatchObject({
      entries: 3,
      faults: [expect.stringMatching(new RegExp(`^chg-\\w{12} \\(row 2\\) has another ${column} than paycli wrote$`))],
    });
  });
});

describe.skipIf(process.platform === 'win32')('verify of a changed database', () => {
  it('finds changed columns that no checksum covers', async () => {
    const place = newSharedPlace();
    const ledger = await filled(place.open);
    const changes = Object.entries(READ_BY_SUMS).map((change) => change.join(' = '));
    await place.sql(`UPDATE paycli.charge SET ${changes.join()} WHERE job IS NOT NULL AND "row" = 2`);
    expect(await ledger.verify()).toMatchObject({
      entries: 3,
      faults: [expect.stringMatching(`has another ${Object.keys(READ_BY_SUMS).join(', ')} than paycli wrote$`)],
    });
  });

  it('finds a changed row', async () => {
    const place = newSharedPlace();
    const ledger = await filled(place.open);
    await place.sql('UPDATE paycli.charge SET amount = 1 WHERE job IS NOT NULL AND "row" = 2');
    expect(await ledger.verify()).toMatchObject({
      entries: 2,
      faults: [expect.stringContaining('is not what paycli wrote')],
    });
  });
});
