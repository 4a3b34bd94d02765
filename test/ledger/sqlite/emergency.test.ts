import fs, {
  chmodSync,
  chownSync,
  existsSync,
  fstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EmergencyLine } from '../../../src/ledger/backend.ts';
import type { StoredOutcome } from '../../../src/ledger/entry.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { emergencyText, leftBehind, openEmergencyFile } from '../../../src/ledger/local/emergency.ts';
import { keptActivity } from '../../../src/ledger/snapshot.ts';
import { thrownBy } from '../../client/support.ts';
import { rewrite } from '../../support/ledger.ts';
import { account, beginCharge, beside, intent, NOON, newPath, open, SELF } from '../support/charges.ts';

const OTHER = { ...SELF, pid: 4712 };

const filesBeside = (path: string): string[] =>
  readdirSync(dirname(path))
    .filter((name) => name.startsWith(`${basename(path)}-emergency-`))
    .map((name) => join(dirname(path), name));

/** Replaces functions of `node:fs` until the test ends. */
const replaceInFs = (calls: Partial<typeof fs>): void => {
  const own = Object.fromEntries(Object.keys(calls).map((name) => [name, fs[name as keyof typeof fs]]));
  const use = (these: object): void => {
    Object.assign(fs, these);
    syncBuiltinESMExports();
  };
  onTestFinished(() => use(own));
  use(calls);
};

/** Begins a charge whose outcome can't be recorded, as on a failing disk. */
const unrecorded = async (
  path: string,
  ledger: Ledger,
  outcome: StoredOutcome = { state: 'accepted', exitCode: 0, activity: account() },
): Promise<{ id: string; error: unknown }> => {
  const id = await beginCharge(ledger);
  beside(path, "CREATE TRIGGER broken BEFORE UPDATE ON charge BEGIN SELECT RAISE(FAIL, 'the disk is full'); END");
  const error = await thrownBy(ledger.record(id, outcome));
  beside(path, 'DROP TRIGGER broken');
  return { id, error };
};

describe("an outcome that the ledger can't record", () => {
  it('is in the emergency file and in the error, and no charge can start', async () => {
    const path = newPath();
    const ledger = await open(path);
    const { id, error } = await unrecorded(path, ledger);
    const hint = expect.stringContaining('do not run the command again');
    expect(error).toMatchObject({ kind: 'unrecorded', detail: { ledgerId: id, hint } });
    const [file = ''] = filesBeside(path);
    const line = readFileSync(file, 'utf8').split('\n')[0] ?? '';
    expect((error as { detail: { answer: string } }).detail.answer).toBe(line);
    expect(JSON.parse(line)).toMatchObject({ ledger_id: id, state: 'accepted', activity: { uid: account().uid } });
    expect(await thrownBy(ledger.begin(intent({ about: 'ugw.AbCd.2' }), { again: false }))).toMatchObject({
      kind: 'ledger',
    });
  });

  it('stays there after closing, and is applied at the next opening', async () => {
    const path = newPath();
    const ledger = await open(path);
    const { id } = await unrecorded(path, ledger);
    await ledger.close();
    expect(filesBeside(path)).toHaveLength(1);
    const next = await open(path, { self: OTHER, hasEnded: ({ pid }) => pid === SELF.pid });
    expect(await next.get(id)).toMatchObject({
      state: 'accepted',
      exitCode: 0,
      recordedAt: NOON,
      activity: { uid: account().uid, status: 'requires_action' },
      evidence: [{ kind: 'emergency_line', line: { ledger_id: id, state: 'accepted' } }],
    });
    expect(filesBeside(path)).toEqual([]);
  });

  it('holds what the answer shows of the money', async () => {
    const path = newPath();
    const paid = { uid: account().uid, status: 'successful', amount: 900, charged_amount: 400 };
    const activity = keptActivity({ ...paid, psp: 'paystack_ng', psp_external_id: 'ref-7' });
    const { id } = await unrecorded(path, await open(path), { state: 'accepted', exitCode: 0, activity });
    const next = await open(path, { self: OTHER, hasEnded: ({ pid }) => pid === SELF.pid });
    const money = { payment: 'underpaid', received: 400, receivedAssumed: false, readAt: NOON };
    expect(await next.get(id)).toMatchObject({ money: { ...money, psp: 'paystack_ng', pspReference: 'ref-7' } });
  });

  it('overrides what a person resolved without it if the service accepted the charge', async () => {
    const path = newPath();
    const { id } = await unrecorded(path, await open(path));
    rewrite(path, `UPDATE charge SET state = 'not_created', recorded_at = 1 WHERE id = '${id}'`);
    const next = await open(path, { self: OTHER, hasEnded: ({ pid }) => pid === SELF.pid });
    expect(await next.get(id)).toMatchObject({ state: 'accepted', activity: { uid: account().uid } });
  });

  it('is added to what a person resolved if the service did not accept the charge', async () => {
    const path = newPath();
    const { id } = await unrecorded(path, await open(path), { state: 'rejected', exitCode: 3 });
    rewrite(path, `UPDATE charge SET state = 'accepted', recorded_at = 1 WHERE id = '${id}'`);
    const next = await open(path, { self: OTHER, hasEnded: ({ pid }) => pid === SELF.pid });
    const line = { ledger_id: id, state: 'rejected' };
    expect(await next.get(id)).toMatchObject({ state: 'accepted', evidence: [{ kind: 'emergency_line', line }] });
  });

  it('has the wall-clock time and the evidence', async () => {
    const path = newPath();
    const evidence = { kind: 'answer', at: '2026-11-20T11:59:00+00:00', message: 'no' };
    const activity = account({ servedAt: NOON - 5 });
    const { id } = await unrecorded(path, await open(path), { state: 'accepted', exitCode: 11, activity, evidence });
    const next = await open(path, { self: OTHER, hasEnded: ({ pid }) => pid === SELF.pid, now: () => NOON + 1 });
    expect(await next.get(id)).toMatchObject({
      exitCode: 11,
      recordedAt: NOON,
      told: { service: NOON - 5, at: NOON, mark: { boot: '', uptime: 0 } },
      evidence: [{ ...evidence, line: { ledger_id: id } }],
    });
  });

  it('is applied once, even if its process runs out of sight', async () => {
    const path = newPath();
    const { id } = await unrecorded(path, await open(path));
    const seen = async (): Promise<number | undefined> =>
      (await (await open(path, { self: OTHER })).get(id))?.evidence.length;
    expect([await seen(), await seen()]).toEqual([1, 1]);
    expect(filesBeside(path)).toHaveLength(1);
  });

  it('is trusted only from a private file', async () => {
    const path = newPath();
    const { id } = await unrecorded(path, await open(path));
    const [file = ''] = filesBeside(path);
    chmodSync(file, 0o644);
    const next = await open(path, { self: OTHER, hasEnded: ({ pid }) => pid === SELF.pid });
    expect(await next.get(id)).toMatchObject({ state: 'unknown' });
    expect(existsSync(file)).toBe(true);
  });

  it.runIf(process.getuid?.() === 0)('is not trusted from a file of another user', async () => {
    const path = newPath();
    const { id } = await unrecorded(path, await open(path));
    const [file = ''] = filesBeside(path);
    chownSync(file, 12_345, 12_345);
    const next = await open(path, { self: OTHER, hasEnded: ({ pid }) => pid === SELF.pid });
    expect(await next.get(id)).toMatchObject({ state: 'unknown' });
    expect(existsSync(file)).toBe(true);
  });

  it('of an unknown charge stays in the file', async () => {
    const path = newPath();
    await unrecorded(path, await open(path));
    beside(path, 'DELETE FROM charge');
    await open(path, { self: OTHER, hasEnded: ({ pid }) => pid === SELF.pid });
    expect(filesBeside(path)).toHaveLength(1);
  });

  it('is shortened to fit, counted in bytes', () => {
    const evidence = { kind: 'answer', at: '2026-11-20T12:00:00+00:00', message: 'ọ'.repeat(5000), status: 422 };
    const line = { ledger_id: 'chg-1', ugwo: 'ugw.1', medium: 'ussd', recorded_at: NOON, exitCode: 3 };
    const text = emergencyText({ ...line, state: 'rejected', evidence });
    expect(Buffer.byteLength(text)).toBeLessThan(4096);
    expect(JSON.parse(text)).toMatchObject({ state: 'rejected', evidence: { kind: 'answer' } });
  });

  it("omits the customer's instructions to fit into the reserved space", async () => {
    const path = newPath();
    const activity = account({ nextAction: { instruction: 'x'.repeat(20_000) } });
    await unrecorded(path, await open(path), { state: 'accepted', exitCode: 0, activity });
    expect(filesBeside(path).map((file) => statSync(file).size)).toEqual([16 * 1024]);
    expect(leftBehind(path)).toMatchObject([
      { lines: [{ state: 'accepted', activity: { uid: account().uid, nextAction: null } }] },
    ]);
  });
});

describe('a ledger after a crash', () => {
  it('is checked before use, unlike after a clean end', async () => {
    for (const closes of [true, false]) {
      const path = newPath();
      const ledger = await open(path);
      await ledger.record(await beginCharge(ledger), { state: 'accepted', exitCode: 0, activity: account() });
      if (closes) await ledger.close();
      // Only a check of the whole file finds this.
      const db = new DatabaseSync(path);
      db.exec('PRAGMA ignore_check_constraints = ON; UPDATE charge SET recorded_at = NULL');
      db.close();
      const next = open(path, { self: OTHER, hasEnded: ({ pid }) => pid === SELF.pid });
      if (closes) expect((await next).moment().at).toBe(NOON);
      else
        expect(await thrownBy(next)).toMatchObject({
          kind: 'ledger',
          message: expect.stringContaining('is damaged'),
          detail: { hint: expect.stringContaining('.recover') },
        });
    }
  });
});

describe('an emergency file', () => {
  it('exists with reserved space from the first charge until the ledger is closed', async () => {
    const path = newPath();
    const ledger = await open(path);
    expect(filesBeside(path)).toEqual([]);
    await ledger.begin(intent(), { again: false });
    const [file = ''] = filesBeside(path);
    await ledger.begin(intent({ about: 'ugw.AbCd.2' }), { again: false });
    expect(filesBeside(path)).toEqual([file]);
    expect(statSync(file).size).toBe(16 * 1024);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').trim()).toBe('');
    await ledger.close();
    expect(filesBeside(path)).toEqual([]);
  });

  it("that can't be made keeps a charge from being started", async () => {
    const path = newPath();
    const ledger = await open(path);
    const { openSync } = fs;
    replaceInFs({
      openSync: ((name, ...how) =>
        String(name).includes('-emergency-') ? expect.fail('no room') : openSync(name, ...how)) as typeof openSync,
    });
    expect(await thrownBy(ledger.begin(intent(), { again: false }))).toMatchObject({ kind: 'ledger' });
    expect(beside(path, 'SELECT id FROM charge')).toEqual([]);
  });

  it('of a running process is left alone', async () => {
    const path = newPath();
    await (await open(path)).begin(intent(), { again: false });
    await open(path, { self: OTHER });
    expect(filesBeside(path)).toHaveLength(1);
  });

  it.each([
    [24, false],
    [24 + 1 / 3600, true],
  ])('unchanged for %d hours is overdue: %s', async (hours, expected) => {
    const path = newPath();
    await (await open(path)).begin(intent(), { again: false });
    const [file = ''] = filesBeside(path);
    utimesSync(file, NOON / 1000, NOON / 1000);
    const asked: boolean[] = [];
    const hasEnded = (_sender: unknown, overdue: boolean): boolean => asked.push(overdue) === 0;
    await open(path, { self: OTHER, hasEnded, now: () => NOON + hours * 3_600_000 });
    expect(asked).toEqual([expected]);
  });

  it('without lines from a dead process is removed', async () => {
    const path = newPath();
    await (await open(path)).begin(intent(), { again: false });
    await open(path, { self: OTHER, hasEnded: ({ pid }) => pid === SELF.pid });
    expect(filesBeside(path)).toEqual([]);
  });

  it('is on the disk, and so is its name in the folder, before anything is sent, and then each line', () => {
    const path = newPath();
    const synced: number[] = [];
    replaceInFs({ fsyncSync: (descriptor) => void synced.push(fstatSync(descriptor).ino) });
    const file = openEmergencyFile(path, SELF);
    const [own = ''] = filesBeside(path);
    expect(synced).toEqual([own, dirname(path)].map((one) => statSync(one).ino));
    file.write('{}');
    expect(synced.slice(2)).toEqual([statSync(own).ino]);
  });

  it('stays if the disk fails while it syncs a line', () => {
    const path = newPath();
    const file = openEmergencyFile(path, SELF);
    replaceInFs({ fsyncSync: () => expect.fail('the disk fails') });
    expect(() => file.write('{"ledger_id":"chg-1"}')).toThrow('the disk fails');
    file.close();
    expect(leftBehind(path)).toMatchObject([{ lines: [{ ledger_id: 'chg-1' }] }]);
  });

  it("that can't be read is not passed over", () => {
    const path = newPath();
    openEmergencyFile(path, SELF);
    const [file = ''] = filesBeside(path);
    rmSync(file);
    mkdirSync(file, { mode: 0o600 });
    expect(() => leftBehind(path)).toThrow('EISDIR');
  });

  it('contains its owner and is read up to the last complete line', () => {
    const path = newPath();
    const file = openEmergencyFile(path, SELF);
    const line: EmergencyLine = {
      ledger_id: 'chg-1',
      ugwo: 'ugw.1',
      medium: 'ussd',
      recorded_at: NOON,
      state: 'unknown',
      exitCode: 6,
    };
    file.write(JSON.stringify(line));
    const [found = ''] = filesBeside(path);
    // The process died while writing a second line.
    writeFileSync(found, `${JSON.stringify(line)}\n{"ledger_id":"chg-2","sta`);
    expect(leftBehind(path)).toMatchObject([{ path: found, sender: SELF, lines: [line] }]);
    file.close();
    expect(existsSync(found)).toBe(true);
  });

  it.each([
    ['at once', Number.POSITIVE_INFINITY],
    ['in parts', 10],
  ])('contains one line after the other, written %s', (_how, most) => {
    const path = newPath();
    const { writeSync } = fs;
    replaceInFs({
      writeSync: (descriptor: number, bytes: Buffer, from: number, length: number, position: number) =>
        writeSync(descriptor, bytes, from, Math.min(length, most), position),
    } as Partial<typeof fs>);
    const file = openEmergencyFile(path, SELF);
    for (const id of ['chg-1', 'chg-…2', 'chg-3']) file.write(JSON.stringify({ ledger_id: id }));
    expect(leftBehind(path)[0]?.lines.map((line) => line.ledger_id)).toEqual(['chg-1', 'chg-…2', 'chg-3']);
    file.close();
  });

  it('of another ledger in the same folder is ignored', () => {
    const path = newPath();
    openEmergencyFile(path, SELF).write('{}');
    // A name of equal length puts the owner at the same position.
    expect(leftBehind(join(dirname(path), 'legder.sqlite'))).toEqual([]);
  });

  it('with an unreadable name is ignored', () => {
    const path = newPath();
    writeFileSync(`${path}-emergency-?.ndjson`, '{}', { mode: 0o600 });
    expect(leftBehind(path)).toEqual([]);
  });
});
