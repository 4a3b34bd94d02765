import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/open.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { LEDGER_FILE } from '../../../src/ledger/sqlite/schema.ts';
import { thrownBy } from '../../client/support.ts';
import { rewrite } from '../../support/ledger.ts';
import { beside, intent, newPath, open } from '../support/charges.ts';

/** The last schema version that had only charges. */
const BEFORE = 4;
const NAMES = 'id, state, service, origin, ugwo, medium, digest, deadline, created_at, begun_uptime, recorded_at';

/** A ledger of that version with an unknown charge and a job of each command. */
const olderLedger = (): string => {
  const path = newPath();
  openDatabase(path, { ...LEDGER_FILE, migrations: LEDGER_FILE.migrations.slice(0, BEFORE) }, (db) => {
    db.exec(`INSERT INTO charge (${NAMES}, pid, boot, started, phone)
      VALUES ('chg-old', 'unknown', '${intent().service}', 'o', '${intent().about}', 'ussd', '', 0, 0, 0, 0, 1, '', '', '…4567')`);
    for (const [id, command] of [
      ['job-1', 'ugwo charge'],
      ['job-2', 'onye update'],
    ]) {
      db.exec(`INSERT INTO job (id, command, name, service, origin, rows, created_at, run_at)
        VALUES ('${id}', '${command}', 'a.csv', 's', 'o', 3, 1, 2)`);
    }
    db.close();
  });
  rewrite(path, '');
  return path;
};

const refund = (ledger: Ledger) =>
  ledger.begin(
    { ...intent({ about: 'act.AbCd.1' }), kind: 'refund', path: '/v1/refunds', body: '{}' },
    { again: false },
  );

describe('a migrated ledger that had only charges', () => {
  it('has the same charges with the same checksums', async () => {
    const path = olderLedger();
    const [before] = beside(path, 'SELECT * FROM charge');
    const ledger = await open(path);
    expect(beside(path, 'SELECT * FROM charge')).toMatchObject([{ ...before, kind: 'charge', path: null, body: null }]);
    expect(await ledger.get('chg-old')).toMatchObject({ kind: 'charge', about: intent().about, phone: '…4567' });
    expect(await ledger.begin(intent(), { again: false })).toMatchObject({ kind: 'refused', why: 'unresolved' });
  });

  it('has the jobs in order, with their rows, and can resume them', async () => {
    const ledger = await open(olderLedger());
    const [job] = [{ name: 'a.csv', service: 's', origin: 'o', rows: 3, createdAt: 1, runAt: 2 }];
    const all = [
      { ...job, id: 'job-2', kind: 'update', command: 'onye update' },
      { ...job, id: 'job-1', kind: 'charge', command: 'ugwo charge' },
    ];
    expect(await ledger.jobs.list({ limit: 9 })).toMatchObject(all);
    await ledger.jobs.open({ ...all[0], name: 'b.csv', profile: undefined } as never, 1);
    await ledger.jobs.open({ ...all[0], id: 'job-3', command: 'any new', profile: undefined } as never, 1);
    expect(await ledger.jobs.list({ limit: 9 })).toMatchObject([
      { id: 'job-3', command: 'any new' },
      { id: 'job-2', name: 'b.csv', createdAt: 1 },
      { id: 'job-1' },
    ]);
  });

  it('still detects a changed row', async () => {
    const path = olderLedger();
    beside(path, "UPDATE charge SET state = 'rejected'");
    expect(await thrownBy((await open(path)).get('chg-old'))).toMatchObject({ kind: 'ledger' });
  });
});

describe('the kind of an entry', () => {
  it.each(["kind = 'charge'", "path = '/v1/other'", "body = '[]'", 'body = NULL'])(
    'is part of its checksum: %s',
    async (change) => {
      const path = newPath();
      const ledger = await open(path);
      await refund(ledger);
      expect(await ledger.list({ limit: 1 })).toMatchObject([{ kind: 'refund', path: '/v1/refunds', body: '{}' }]);
      beside(path, `UPDATE charge SET ${change}`);
      expect(await thrownBy(ledger.list({ limit: 1 }))).toMatchObject({
        kind: 'ledger',
        message: expect.stringContaining('is not what paycli wrote'),
      });
    },
  );

  it("can't be changed", async () => {
    const path = newPath();
    const ledger = await open(path);
    await ledger.begin(intent(), { again: false });
    beside(path, "UPDATE charge SET kind = 'refund'");
    expect(await thrownBy(ledger.begin(intent(), { again: false }))).toMatchObject({ kind: 'ledger' });
  });

  it('does not allow two open entries about one id, even without the guard', async () => {
    const path = newPath();
    await refund(await open(path));
    const names =
      'state, service, origin, ugwo, medium, digest, deadline, created_at, begun_uptime, pid, boot, started';
    expect(() =>
      beside(path, `INSERT INTO charge (id, kind, ${names}) SELECT 'x', 'charge', ${names} FROM charge`),
    ).toThrow(/UNIQUE/);
  });
});
