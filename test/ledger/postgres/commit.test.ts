import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { evidenceOf } from '../../../src/ledger/entry.ts';
import type { LockWait } from '../../../src/ledger/local/file.ts';
import { importEntries } from '../../../src/ledger/postgres/admin.ts';
import { DATABASE_LIMITS, openSession } from '../../../src/ledger/postgres/session.ts';
import { parseAddress } from '../../../src/ledger/postgres/url.ts';
import { openPostgresRelay } from '../../faults/postgres-relay.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import { account, beginCharge, charge, intent, MINUTE, NOON } from '../support/charges.ts';
import { begin, ID } from '../support/jobs.ts';
import { newSharedPlace, openShared, type SharedPlace } from '../support/postgres.ts';
import { shown } from '../support/shown.ts';

/** Runs code at a commit, once for each row that it writes: `at` counts these rows. */
const atCommits = (place: SharedPlace, code: string, on = 'charge DEFERRABLE INITIALLY DEFERRED'): Promise<unknown> =>
  place.sql(`CREATE SEQUENCE written;
    CREATE FUNCTION odd() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE at bigint := nextval('public.written'); BEGIN
      ${code} RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER odd AFTER INSERT OR UPDATE ON paycli.${on}
      FOR EACH ROW EXECUTE FUNCTION odd()`);

describe.skipIf(process.platform === 'win32')('a shared ledger', () => {
  it.each([
    ['by its code, since its text is localised', ''],
    ["if the database's setting hides it", 'error'],
  ])('recognises the commit warning %s', async (_how, hidden) => {
    const place = newSharedPlace();
    const database = new URL(await place.url()).pathname.slice(1);
    if (hidden !== '') await place.sql(`ALTER DATABASE "${database}" SET client_min_messages = ${hidden}`);
    const ledger = await place.open();
    await atCommits(place, "IF at = 1 THEN RAISE NOTICE 'nur hier' USING ERRCODE = '01000'; END IF;");
    expect(await ledger.begin(intent(), { again: false })).toMatchObject({ kind: 'begun' });
    // Written twice, so that the second commit is awaited.
    expect(await place.sql('SELECT last_value::int FROM written')).toEqual([{ last_value: 2 }]);
    expect(await place.sql('SELECT FROM paycli.charge')).toHaveLength(1);
  });

  it('keeps what a commit without an answer has written, if a repetition of all at once fails', async () => {
    const place = newSharedPlace();
    const ledger = await place.open();
    // At the first commit, a warning in place of an answer; at the second, an error that undoes its repetition.
    await atCommits(
      place,
      `IF at = 1 THEN RAISE NOTICE 'lost' USING ERRCODE = '01000'; END IF;
        IF at = 3 THEN RAISE 'odd' USING ERRCODE = '23514'; END IF;`,
    );
    const begun = await Promise.all([1, 2].map((row) => begin(ledger, row)));
    expect(begun.map(({ kind }) => kind)).toEqual(['begun', 'begun']);
    expect(await place.sql('SELECT last_value::int FROM written')).toEqual([{ last_value: 5 }]);
  });

  it('ends the change under way before it closes, also one whose first commit got no answer', async () => {
    const place = newSharedPlace();
    let asked = (): void => undefined;
    const clockSql = (): string => {
      asked();
      return `${NOON}::bigint`;
    };
    // The pause before another try ends, and the time limit of the end never comes.
    const sleep: LockWait['sleep'] = (ms, signal) =>
      ms < 1000 ? Promise.resolve() : new Promise((_resolve, reject) => signal?.addEventListener('abort', reject));
    const { lockWait } = ledgerOptions('');
    const ledger = await place.open({ clockSql, lockWait: { ...lockWait, sleep } });
    await atCommits(place, "IF at = 1 THEN RAISE NOTICE 'lost' USING ERRCODE = '01000'; END IF;");
    const sent = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const begun = ledger.begin(intent(), { again: false });
    await sent;
    const closed = ledger.close();
    expect(await begun).toMatchObject({ kind: 'begun' });
    await closed;
  });

  it('lets no change overtake an earlier one about the same activity', async () => {
    const ledger = await newSharedPlace().open();
    const id = await beginCharge(ledger);
    // Both are about the charge, so the second waits. The third is about the activity only.
    await Promise.all([
      ledger.note(id, evidenceOf('odd', NOON, { message: 'first' })),
      ledger.record(id, { state: 'accepted', exitCode: 0, activity: account() }),
      ledger.observe(shown([account({ status: 'successful' })]), true),
    ]);
    expect(await ledger.get(id)).toMatchObject({ activity: { status: 'successful' } });
  });

  it('marks nothing as unknown whose answer is stored in the same moment', async () => {
    const ledger = await newSharedPlace().open({ hasEnded: () => true });
    const id = await beginCharge(ledger);
    const answer = { state: 'accepted', exitCode: 0, activity: account() } as const;
    // The mark comes after a read, and both changes wait until another one has ended.
    const others = [ledger.unknown(), begin(ledger, 2)];
    for (const _turn of [1, 2]) await nextTurn();
    await Promise.all([...others, ledger.record(id, answer)]);
    expect(await ledger.get(id)).toMatchObject({ state: 'accepted' });
  });

  it('starts an update of a customer once, also if its commit got no answer', async () => {
    const place = newSharedPlace();
    const ledger = await place.open();
    await atCommits(
      place,
      "IF at = 1 THEN RAISE NOTICE 'lost' USING ERRCODE = '01000'; END IF;",
      'onye_update DEFERRABLE INITIALLY DEFERRED',
    );
    const update = { job: ID, row: 1, onye: 'ony.AbCd.1', bound: MINUTE };
    expect(await ledger.jobs.beginUpdate(update, { retry: false, looked: false })).toBe(true);
  });

  it('tries again, on another connection, after an error that passes', async () => {
    const place = newSharedPlace();
    const ledger = await place.open();
    await atCommits(place, "IF at = 1 THEN RAISE 'busy' USING ERRCODE = '40001'; END IF;", 'charge');
    expect(await begin(ledger, 1)).toMatchObject({ kind: 'begun' });
  });

  it('starts other charges after a result that a passing error kept from it', async () => {
    const place = newSharedPlace();
    const ledger = await place.open({ limits: { ...DATABASE_LIMITS, outcome: 0 } });
    await atCommits(place, "IF at = 2 THEN RAISE 'busy' USING ERRCODE = '40001'; END IF;");
    const id = await beginCharge(ledger);
    await expect(ledger.record(id, { state: 'rejected', exitCode: 3 })).rejects.toMatchObject({ kind: 'unrecorded' });
    expect(await begin(ledger, 2)).toMatchObject({ kind: 'begun' });
  });

  it('asks once for what all intents of a transaction need', async () => {
    const place = newSharedPlace();
    const url = new URL(await place.url());
    const relay = await openPostgresRelay(Number(url.port));
    onTestFinished(relay.close);
    url.port = String(relay.port);
    const ledger = await openShared(url.href, place.folder);
    const begun = await Promise.all([1, 2, 3].map((row) => begin(ledger, row)));
    expect(begun.map(({ kind }) => kind)).toEqual(['begun', 'begun', 'begun']);
    const sent = relay.messages.filter(({ side }) => side === 'request').map(({ bytes }) => bytes.toString());
    const count = (text: string): number => sent.join('').split(text).length - 1;
    expect(count('INSERT INTO paycli.charge')).toBe(3);
    expect(count('SELECT profile, policy')).toBe(1);
    expect(count('WHERE put_back')).toBe(1);
  });

  it("uses the row's latest entry, not the latest imported one", async () => {
    const place = newSharedPlace();
    const ledger = await place.open();
    const row = { job: 'job-0000000000000001', row: 5, kind: 'refund' };
    const begun = await ledger.begin(intent(row), { again: false });
    await ledger.record(begun.kind === 'begun' ? begun.id : '', { state: 'accepted', exitCode: 0 });
    const older = charge({ id: 'refund-000000000001', createdAt: NOON - MINUTE, state: 'not_sent', exitCode: 5 });
    const session = await openSession({ address: parseAddress(await place.url()), password: async () => undefined });
    await importEntries(session, [{ ...older, ...row, activity: undefined }]);
    await session.close();
    expect(await ledger.begin(intent(row), { again: false })).toMatchObject({ kind: 'refused', why: 'done' });
    expect(await ledger.jobs.tally({ id: row.job, kind: 'charge' } as never)).toEqual({ accepted: 1 });
  });
});
