import {
  chmodSync,
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/database/open.ts';
import type { Entry } from '../../../src/ledger/entry.ts';
import type { ChargeSum, Ledger } from '../../../src/ledger/ledger.ts';
import { asLedgerError, ledgerError } from '../../../src/ledger/local/file.ts';
import { snapshotOf } from '../../../src/ledger/snapshot.ts';
import { openToRead } from '../../../src/ledger/sqlite/open.ts';
import { LEDGER_FILE } from '../../../src/ledger/sqlite/schema.ts';
import { ledgerStatements } from '../../../src/ledger/sqlite/statements.ts';
import { thrownBy } from '../../client/support.ts';
import { ledgerOptions, rewrite } from '../../support/ledger.ts';
import { newFolder } from '../../support/program.ts';
import { account, beginCharge, beside, intent, newPath, open, SELF } from '../support/charges.ts';
import { job } from '../support/jobs.ts';
import { shown } from '../support/shown.ts';

const FIRST = { again: false };

const openingFails = (path: string): Promise<unknown> => thrownBy(open(path));

/** Adds this many copies of the only charge, each with its own payment request and a later time. */
const multiply = (path: string, count: number): void =>
  rewrite(
    path,
    `CREATE TEMP TABLE more AS SELECT * FROM charge;
    WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${count})
    INSERT INTO more SELECT more.* FROM more, counted;
    UPDATE more SET seq = NULL, id = 'chg-' || rowid, ugwo = 'ugw.AbCd.' || rowid, created_at = created_at + rowid;
    INSERT INTO charge SELECT * FROM more`,
  );

describe('a sum of many charges', () => {
  it('ends at the first signal', async () => {
    const path = newPath();
    await (await open(path)).begin(intent(), FIRST);
    multiply(path, 2000);
    const stop = new AbortController();
    const { lockWait } = ledgerOptions('');
    const ledger = await open(path, { lockWait: { ...lockWait, stop: stop.signal } });
    let seen = 0;
    const take = (sums: readonly ChargeSum[]): void => {
      for (const { count } of sums) seen += count;
      stop.abort('SIGTERM');
    };
    const query = { time: 'created_at', period: {}, by: [], unit: 0 } as const;
    const sum = ledger.sum(query, () => ({ take, end: () => seen }));
    expect(await thrownBy(sum)).toMatchObject({
      kind: 'interrupted',
      message: 'cancelled by SIGTERM; nothing was changed',
    });
    expect(seen).toBeLessThan(1500);
  });
});

describe('a profile that was renamed', () => {
  const rename = async (ledger: Ledger, from: string, to: string): Promise<number> => {
    await ledger.rename(from, to, false);
    return ledger.rename(from, to, true);
  };

  it.each<[string, 'before' | 'after', boolean, readonly string[]]>([
    ['has its new name in a run that opened the ledger before', 'before', true, ['c', 'c']],
    ['has its new name in a run that read the settings before', 'after', false, ['c', 'c']],
    ['leaves its old name to another one in a later run', 'after', true, ['a', 'b']],
  ])('%s', async (_what, opened, named, names) => {
    const path = newPath();
    const run = () => open(path, { isNamed: () => named });
    const early = await run();
    const renaming = await open(path);
    await rename(renaming, 'a', 'b');
    await rename(renaming, 'b', 'c');
    const ledger = opened === 'before' ? early : await run();
    for (const [at, profile] of ['a', 'b'].entries()) {
      const id = await beginCharge(ledger, { about: `ugw.AbCd.${at}`, profile });
      await ledger.jobs.open(job({ id: `job-${at}`, profile }), 1);
      const found = [(await ledger.get(id))?.profile, (await ledger.jobs.get(`job-${at}`))?.profile];
      expect(found).toEqual([names[at], names[at]]);
    }
  });

  it('has its new name in all of its entries, however many', async () => {
    const path = newPath();
    const ledger = await open(path);
    await beginCharge(ledger, { profile: 'a' });
    multiply(path, 1100);
    expect(await rename(ledger, 'a', 'b')).toBe(0);
    expect(beside(path, 'SELECT DISTINCT profile FROM charge')).toEqual([{ profile: 'b' }]);
    expect((await ledger.verify()).faults).toEqual([]);
  });
});

describe('charges begun in the same tick', () => {
  it('share one time per transaction', async () => {
    let asked = 0;
    const uptime = (): number => {
      asked += 1;
      return 1000;
    };
    const ledger = await open(newPath(), { uptime });
    const both = (first: string, second: string) =>
      Promise.allSettled([first, second].map((about) => beginCharge(ledger, { about })));
    await both('ugw.AbCd.1', 'ugw.AbCd.2');
    expect(asked).toBe(1);
    await both('ugw.AbCd.3', 'ugw.AbCd.4');
    expect(asked).toBe(2);
    // The number is invalid: the transaction fails, and both are retried in another one.
    const good = beginCharge(ledger, { about: 'ugw.AbCd.5' });
    const broken = beginCharge(ledger, { about: 'ugw.AbCd.6', job: 'job-1', row: Symbol() as unknown as number });
    const ends = (await Promise.allSettled([good, broken])).map(({ status }) => status);
    expect(ends).toEqual(['fulfilled', 'rejected']);
    expect(asked).toBe(4);
  });
});

describe('a charge in the ledger', () => {
  it('is on the disk for every other process once begin resolves', async () => {
    const path = newPath();
    const id = await beginCharge(await open(path), { phone: '…4567' });
    expect(beside(path, 'SELECT id, state, ugwo, phone, pid, recorded_at FROM charge')).toMatchObject([
      { id, state: 'sending', ugwo: intent().about, phone: '…4567', pid: SELF.pid, recorded_at: null },
    ]);
    expect(id).toMatch(/^chg-[0-9a-z]{12}$/);
  });

  it("can't be updated after its row has moved", async () => {
    const path = newPath();
    const ledger = await open(path);
    const id = await beginCharge(ledger);
    const entry = (await ledger.get(id)) as Entry;
    openDatabase(path, LEDGER_FILE, (db) => {
      onTestFinished(() => db.close());
      const { update } = ledgerStatements(db);
      for (const elsewhere of [{ seq: entry.seq + 1 }, { id: 'chg-none' }])
        expect(() => update({ ...entry, ...elsewhere, state: 'rejected' })).toThrow('has no row of');
    });
    expect((await ledger.get(id))?.state).toBe('sending');
  });

  it('is the only open one, even without the guard', async () => {
    const path = newPath();
    await beginCharge(await open(path));
    const copy = `INSERT INTO charge
        (id, state, kind, service, origin, ugwo, medium, digest, deadline, created_at, begun_uptime, pid, boot, started, evidence, checksum)
      SELECT 'chg-2', state, kind, service, origin, ugwo, medium, digest, deadline, created_at, 0, pid, boot, started, evidence, 0 FROM charge`;
    expect(() => beside(path, copy)).toThrow(/UNIQUE/);
    // An unknown charge is open, too.
    beside(path, "UPDATE charge SET state = 'unknown', recorded_at = 1");
    const another = copy.replace("'chg-2', state", "'chg-2', 'sending'");
    expect(() => beside(path, another)).toThrow(/UNIQUE/);
  });

  it('has columns for its job and row', async () => {
    const path = newPath();
    const ledger = await open(path);
    const id = await beginCharge(ledger);
    rewrite(path, "UPDATE charge SET job = 'job-1', row = 3");
    expect(await ledger.get(id)).toMatchObject({ job: 'job-1', row: 3 });
  });
});

describe('observe of an activity', () => {
  it('stores no key and no phone number', async () => {
    const path = newPath();
    const ledger = await open(path, { clean: (text) => text.replaceAll('sk.Test.secret', '[secret]') });
    const id = await beginCharge(ledger, { medium: 'mobile_money', phone: '…4567' });
    const nextAction = { type: 'prompt', instruction: 'sk.Test.secret: confirm on +233 24 123 4567' };
    await ledger.record(id, { state: 'accepted', exitCode: 0, activity: account({ nextAction: null }) });
    await ledger.observe(shown([account({ nextAction })]));
    expect(JSON.stringify(await ledger.get(id))).toContain('[secret]: confirm on …4567');
    const error = { code: 'sk.Test.secret: no answer from +233 24 123 4567' };
    const words = { psp: 'sk.Test.secret: a', psp_external_id: 'sk.Test.secret: b' };
    const failed = { uid: account().uid, status: 'failed', error, ...words };
    await ledger.observe(snapshotOf({ activities: [failed] }));
    expect((await ledger.get(id))?.money).toMatchObject({
      failureCode: '[secret]: no answer from …4567',
      psp: '[secret]: a',
      pspReference: '[secret]: b',
    });
    await ledger.close();
    expect(readFileSync(path, 'latin1')).not.toMatch(/secret:|123 4567/);
  });
});

describe('the ledger file', () => {
  it('survives a power failure and rejects values of a wrong type', async () => {
    expect(LEDGER_FILE).toMatchObject({ survives: 'power loss' });
    expect(LEDGER_FILE).not.toHaveProperty('journal');
    const path = newPath();
    await beginCharge(await open(path));
    expect(() => beside(path, "UPDATE charge SET deadline = 'soon'")).toThrow(/cannot store TEXT/);
  });

  it('is private from the start', async () => {
    const path = newPath();
    await beginCharge(await open(path));
    // The journal's name depends on the SQLite version.
    const files = readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)));
    expect(files.length).toBeGreaterThan(1);
    for (const name of files) expect(statSync(join(dirname(path), name)).mode & 0o777).toBe(0o600);
  });

  it('migrated by a newer paycli meanwhile accepts no charge', async () => {
    const path = newPath();
    const ledger = await open(path);
    await beginCharge(ledger);
    beside(path, 'DELETE FROM charge');
    beside(path, 'PRAGMA user_version = 99');
    expect(await thrownBy(ledger.begin(intent(), FIRST))).toMatchObject({
      kind: 'ledger',
      message: expect.stringContaining('upgraded by a newer paycli'),
    });
    expect(beside(path, 'SELECT id FROM charge')).toEqual([]);
  });

  it('that is only read begins no charge', async () => {
    const path = newPath();
    await open(path);
    const ledger = await openToRead(ledgerOptions(path));
    await expect(ledger.begin(intent(), FIRST)).rejects.toThrow('nothing is sent with a ledger that is only read');
    await ledger.close();
  });

  it('replaced by another one meanwhile accepts no charge', async () => {
    const [path, other] = [newPath(), newPath()];
    await (await open(other)).close();
    const ledger = await open(path);
    renameSync(other, path);
    expect(await thrownBy(ledger.begin(intent(), FIRST))).toMatchObject({
      kind: 'ledger',
      message: expect.stringContaining('was removed or replaced while it was in use'),
    });
  });

  it('that failed to store a charge accepts none until the process ends', async () => {
    const path = newPath();
    const ledger = await open(path);
    beside(path, "CREATE TRIGGER broken BEFORE INSERT ON charge BEGIN SELECT RAISE(FAIL, 'the disk is full'); END");
    const thrown = await thrownBy(ledger.begin(intent(), FIRST));
    expect(thrown).toMatchObject({ kind: 'ledger', message: expect.stringContaining('the disk is full') });
    beside(path, 'DROP TRIGGER broken');
    expect(await thrownBy(ledger.begin(intent(), FIRST))).toBe(thrown);
  });

  it.each([
    [11, 'damaged'],
    [26, 'damaged'],
    [10, 'unusable'],
    [13, 'unusable'],
  ] as const)("that fails with SQLite's code %i is %s", (errcode, kind) => {
    const thrown = Object.assign(new Error('no'), { errcode });
    const fault = { kind, path: '/a', what: 'cannot be used: no', cause: thrown };
    expect(asLedgerError(thrown, '/a')).toEqual(ledgerError(fault));
  });

  it('with an integer that is too large is damaged', async () => {
    const path = newPath();
    const ledger = await open(path);
    await ledger.begin(intent(), FIRST);
    beside(path, 'UPDATE charge SET amount = 9007199254740993');
    const error = { kind: 'ledger', detail: { hint: expect.stringContaining('.recover') } };
    expect(await thrownBy(ledger.list({ limit: 1 }))).toMatchObject(error);
    expect(await thrownBy(ledger.verify())).toMatchObject(error);
  });

  it('of a newer paycli is refused and unchanged', async () => {
    const path = newPath();
    await (await open(path)).close();
    beside(path, 'PRAGMA user_version = 99');
    expect(await openingFails(path)).toMatchObject({
      kind: 'ledger',
      message: expect.stringContaining('was made by a newer paycli (schema 99'),
    });
    expect(beside(path, 'PRAGMA user_version')).toEqual([{ user_version: 99 }]);
  });

  it.each([
    ['is another program’s database', (path: string) => void beside(path, 'CREATE TABLE x (y)')],
    ['is no database', (path: string) => writeFileSync(path, 'hello, this is a text and no database', { mode: 0o600 })],
    ['was cut short', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 5000))],
    [
      'was overwritten in the middle',
      (path: string) => {
        const descriptor = openSync(path, 'r+');
        writeSync(descriptor, Buffer.alloc(3900, 'x'), 0, 3900, 100);
        closeSync(descriptor);
      },
    ],
    ['is open to others', (path: string) => chmodSync(path, 0o644)],
  ])('that %s is refused with the error kind of exit code 10', async (what, spoil) => {
    const path = newPath();
    if (!what.startsWith('is another') && !what.startsWith('is no')) {
      const ledger = await open(path);
      await beginCharge(ledger);
      await ledger.close();
    }
    spoil(path);
    if (what.startsWith('is another')) chmodSync(path, 0o600);
    const bytes = readFileSync(path);
    expect(await openingFails(path)).toMatchObject({ kind: 'ledger' });
    expect(readFileSync(path)).toEqual(bytes);
  });

  it('that is a symbolic link is refused, and its target unchanged', async () => {
    const [target, path] = [newPath(), newPath()];
    await (await open(target)).close();
    symlinkSync(target, path);
    expect(await openingFails(path)).toMatchObject({
      kind: 'ledger',
      message: expect.stringContaining('symbolic link'),
    });
  });

  it('that is a folder is refused', async () => {
    expect(await openingFails(newFolder('ledger'))).toMatchObject({ kind: 'ledger' });
  });
});
