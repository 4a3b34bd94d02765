import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import { formatLocal } from '../../src/core/time.ts';
import type { Charge } from '../../src/ledger/entry.ts';
import { charge, memoryLedger, SENT, UGWO } from '../ledger/support/memory.ts';
import { MINUTE } from '../support/units.ts';
import { type Call, call, fails, idOf, numbered, shows } from './ledger-call.ts';

const ACTIVITY = 'act.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
const OTHER = 'act.AbCd.000000000000000000000002';
const DIAL = { type: 'user_action', instruction: 'Dial', headers: { ussd: '*737*1#' } };
const NOW = SENT + MINUTE;
/** 15 minutes after the end, up to the next minute. */
const AGAIN = formatLocal(SENT + 16 * MINUTE, NOW);

const kept = (uid: string, status = 'requires_action') => ({ uid, status, nextAction: DIAL, createdAt: undefined });
const made = (uid = ACTIVITY, status = 'requires_action') => ({
  ...{ uid, status, next_action: DIAL },
  created_at: '2026-11-20T12:00:00+00:00',
});
const terms = (amount: number) => ({ amount, currency: 'NGN', ref: undefined, customer: undefined });
const naira = (seq: number, some: Partial<Charge> = {}) =>
  charge(numbered(seq, { asked: terms(500_000 + seq), ...some }));
const open = (seq: number, some: Partial<Charge> = {}) =>
  naira(seq, { state: 'accepted', activity: kept(`act.AbCd.${seq}`), ...some });
const many = (count: number) => Array.from({ length: count }, (_, index) => charge(numbered(index + 1)));

/** Notice about the first charge after it was found. */
const RESOLVED = `No longer unknown: 1 charge was made (${idOf(1)}). See \`paycli ledger show ${idOf(1)}\``;

/** Syncs a ledger of these charges and returns their states. */
const sync = async (charges: readonly Charge[], options: Omit<Call, 'ledger'> = {}) => {
  const ledger = memoryLedger(charges, () => options.now ?? NOW);
  const done = await call('sync', { now: NOW, ...options, ledger });
  const states = async () => (await ledger.list({ oldestFirst: true, limit: -1 })).map(({ state }) => state);
  return { ...done, ledger, states: await states() };
};

describe('ledger sync', () => {
  it('says that there is nothing to check, and reads nothing', async () => {
    const done = await sync([charge({ state: 'rejected' })]);
    expect(done).toMatchObject({ pages: [{ size: 0, next: null }], notices: ['No charge is open or unknown.'] });
    expect([done.asked, done.error]).toEqual([['place'], undefined]);
  });

  it('resolves unknown charges, checks open ones, and counts each once', async () => {
    const get = async (uid: string) => {
      const seq = Number(uid.slice(-1));
      const activities = [[made('act.AbCd.1')], [made('act.AbCd.2', 'successful')], [made('act.AbCd.3', 'failed')], []];
      return shows(activities[seq - 1], NOW)();
    };
    const done = await sync([naira(1), open(2), open(3), naira(4)], { get });
    expect(done.rows).toEqual([
      { payment: 'paid', currency: 'NGN', count: 1, amount: 500_002, received: 500_002, paid_twice: 0 },
      { payment: 'open', currency: 'NGN', count: 1, amount: 500_001, received: 0, paid_twice: 0 },
      { payment: 'failed', currency: 'NGN', count: 1, amount: 500_003, received: 0, paid_twice: 0 },
      { payment: 'unknown', currency: 'NGN', count: 1, amount: 500_004, received: null, paid_twice: 0 },
    ]);
    expect(done.states).toEqual(['accepted', 'accepted', 'accepted', 'unknown']);
    expect(done.error).toMatchObject({ kind: 'unknown', detail: { ledgerId: idOf(4) } });
    expect(done.asked.filter((what) => what.startsWith('GET'))).toHaveLength(4);
    expect(done.notices).toEqual([RESOLVED]);
  });

  it('counts a charge once that becomes open during the sync', async () => {
    const get = async (uid: string) => shows([made(`act.AbCd.${Number(uid.slice(-2))}`)], NOW)();
    const done = await sync(many(20), { get });
    expect(done.rows).toMatchObject([{ payment: 'open', count: 20 }]);
    expect(done.asked.filter((what) => what.startsWith('GET'))).toHaveLength(20);
    expect(done.notices).toEqual([
      expect.stringMatching(/^No longer unknown: 20 charges were made \((?:chg-\d+, ){2}chg-\d+ and 17 more\)\. See /),
    ]);
  });

  it('counts charges found as not created, but no others without effect', async () => {
    const get = shows([], SENT + 20 * MINUTE);
    const look = { kind: 'look', found: 'none', at: '2026-11-20T12:00:20+00:00', served_at: SENT + 20_000 };
    const mark = { boot: 'this boot', uptime: 86_420_000 };
    const unknown = naira(1, { job: 'job-1', evidence: [{ ...look, mark }] });
    const before = naira(2, { job: 'job-1', state: 'not_created' });
    const rejected = naira(3, { job: 'job-1', state: 'rejected' });
    const ledger = memoryLedger([unknown, before, rejected], () => SENT + 20 * MINUTE);
    const jobs = { ...ledger.jobs, get: async () => ({ id: 'job-1' }) as never };
    const done = await call('sync', { ledger: { ...ledger, jobs }, args: ['job-1'], now: SENT + 20 * MINUTE, get });
    expect(done.rows).toEqual([
      { payment: 'not_created', currency: 'NGN', count: 1, amount: 500_001, received: null, paid_twice: 0 },
    ]);
    expect(done.notices).toEqual([
      `No longer unknown: 1 charge was not made (${idOf(1)}).`,
      "2 charges were not made and aren't in this total.",
    ]);
    expect(done.error).toBeUndefined();
  });

  it('creates one client, and continues after a failed read', async () => {
    const get = async (uid: string) =>
      uid.endsWith('1')
        ? fails(new PayError('read_failed', "couldn't read from the service: reset"))()
        : shows(uid.endsWith('2') ? [made()] : [], NOW)();
    const done = await sync(many(3), { get });
    expect(done.states).toEqual(['unknown', 'accepted', 'unknown']);
    expect(done.asked.filter((what) => !what.startsWith('GET'))).toEqual(['place', 'client read']);
    expect(done.error).toMatchObject({ kind: 'unknown', message: '2 charges are still unknown' });
    expect(done.error?.detail.hint).toBe(
      `chg-000000000003: no activity found yet; run \`paycli ledger sync\` again at ${AGAIN}\n` +
        "couldn't check 1 charge: couldn't read from the service: reset; run `paycli ledger sync` again",
    );
  });

  it('names the activity of each charge that a person has to decide about', async () => {
    const get = async (uid: string) =>
      shows([{ ...made(`act.AbCd.${Number(uid.slice(-2))}`), created_at: null }], NOW)();
    const { error } = await sync(many(2), { get });
    expect(error?.detail.hint?.split('\n')).toEqual([
      expect.stringMatching(
        /^chg-0+1: act\.AbCd\.1 may be it, but that is not proven: no time; see `paycli ledger show chg-0+1`/,
      ),
      expect.stringMatching(
        /^chg-0+2: act\.AbCd\.2 may be it, but that is not proven: no time; see `paycli ledger show chg-0+2`/,
      ),
    ]);
  });

  it('exits with 8 if only open charges could not be read', async () => {
    const get = fails(new PayError('read_failed', 'reset'));
    const done = await sync([open(1), open(2)], { get });
    expect(done.error).toMatchObject({ kind: 'read_failed', message: "couldn't check 2 charges: reset" });
    expect(done.rows).toMatchObject([{ payment: 'open', count: 2 }]);
  });

  it('exits with 8 if a disputed charge could not be read', async () => {
    const disputed = { payment: 'open', received: undefined, at: SENT } as const;
    const paid = { payment: 'paid', received: 500_001, receivedAssumed: false, refunded: undefined } as const;
    const done = await sync([open(1, { money: { ...paid, paidAt: 0, disputed } })], {
      get: fails(new PayError('read_failed', 'reset')),
    });
    expect(done.error).toMatchObject({ kind: 'read_failed', message: 'reset' });
    expect(done.rows).toMatchObject([{ payment: 'paid', count: 1 }]);
  });

  it('ends if the key is rejected', async () => {
    const get = fails(new PayError('auth', 'no', { status: 401 }));
    const done = await sync(many(30), { get });
    expect(done.error).toMatchObject({ kind: 'auth' });
    expect(done.asked.filter((what) => what.startsWith('GET')).length).toBeLessThan(30);
  });

  it.each([
    [
      'the service does not show the request',
      fails(new PayError('rejected', 'the service answered 404', { status: 404 })),
      /this proves nothing \(the service answered 404\); check .* `paycli ledger resolve chg-000000000001 --as created`, or `--as not-created`/,
    ],
    [
      'it does not list activities',
      shows(undefined, NOW),
      /this proves nothing \(the service doesn't list activities\)/,
    ],
    ['activities are null', shows(null, NOW), /doesn't list activities/],
    [
      'several activities fit',
      shows([made(), made(OTHER)], NOW),
      /several activities fit: act.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l, act.AbCd.000000000000000000000002; see `paycli ledger show chg-000000000001`, then run `paycli ledger resolve chg-000000000001 --as created --activity act/,
    ],
    [
      'the match is unproven',
      shows([{ ...made(), created_at: null }], NOW),
      /may be it, but that is not proven: no time; see `paycli ledger show/,
    ],
    [
      'the answer may be outdated',
      shows([{ ...made(), created_at: '2026-11-20T11:00:00+00:00' }], NOW - 60 * MINUTE),
      /not proven: the answer may be an old one\. Run `paycli ledger sync` again at /,
    ],
  ])('suggests the next step if %s', async (_what, get, hint) => {
    const done = await sync([charge()], { get });
    expect(done.states).toEqual(['unknown']);
    expect(done.error).toMatchObject({
      kind: 'unknown',
      message: 'chg-000000000001 is still unknown',
      detail: { ledgerId: idOf(1) },
    });
    expect(done.error?.detail.hint).toMatch(hint);
  });

  it('has a line of its own for what another check may settle', async () => {
    const get = async (uid: string) =>
      uid.endsWith('1')
        ? shows([{ ...made(), created_at: null }], NOW)()
        : shows([{ ...made(), created_at: '2026-11-20T11:00:00+00:00' }], NOW - 60 * MINUTE)();
    const { error } = await sync(many(2), { get });
    expect(error?.detail.hint?.split('\n')).toEqual([
      expect.stringMatching(`^${idOf(1)}: .* then run \`paycli ledger resolve`),
      expect.stringMatching(`^${idOf(2)}: .* Run \`paycli ledger sync\` again at`),
    ]);
  });

  it('skips charges of other services and names their target', async () => {
    const place = { service: 'https://elsewhere.example', origin: 'https://elsewhere.example' };
    const rows = [
      charge(),
      charge(numbered(2, { ...place, profile: 'other shop' })),
      charge(numbered(3, { ...place, profile: undefined })),
      charge(numbered(4, { ...place, profile: undefined })),
      open(5, place),
    ];
    const get = shows([made()], NOW);
    const lines = [
      "chg-000000000002: sent to https://elsewhere.example; run `paycli ledger sync --profile 'other shop'`",
      'chg-000000000003, chg-000000000004: sent to https://elsewhere.example; run `paycli ledger sync --base-url https://elsewhere.example`',
    ];
    const all = await sync(rows, { get });
    expect(all.states).toEqual(['accepted', 'unknown', 'unknown', 'unknown', 'accepted']);
    expect(all.rows).toMatchObject([{ payment: 'open', count: 1 }]);
    expect([all.error, all.notices]).toEqual([undefined, [...lines.map((line) => `Not checked: ${line}.`), RESOLVED]]);
    const named = await sync(rows, { get, args: [2, 3, 4, 5].map(idOf) });
    expect(named.error).toMatchObject({ kind: 'unknown', message: '3 charges are still unknown' });
    expect(named.error?.detail.hint?.split('\n')).toEqual(lines);
    expect(named.notices).toEqual(['1 charge of another service or workspace: not checked.']);
    expect(named.asked).toEqual(['place']);
  });

  it.each([
    ['another origin', { service: 'https://old.example', origin: 'https://old.example' }, '--profile shop '],
    ['another workspace', { workspace: 'EfGh' }, '--profile shop '],
    ['another workspace without a profile', { workspace: 'EfGh', profile: undefined }, ''],
  ])('asks for the key of a charge that its own target sent to %s', async (_where, sent, words) => {
    const entry = charge(sent);
    const line =
      `sent to ${entry.origin}: set PAYCLI_SECRET_KEY to the key of that time, then run ` +
      `\`paycli ledger sync ${words}--base-url ${entry.origin}\``;
    expect((await sync([entry])).notices[0]).toBe(`Not checked: ${idOf(1)}: ${line}.`);
    expect((await sync([entry], { args: [idOf(1)] })).error?.detail.hint).toBe(`${idOf(1)}: ${line}`);
  });

  it('names a local service by the host of the charge', async () => {
    const other = charge({ service: 'http://127.0.0.1:8080', origin: 'http://localhost:8080', profile: undefined });
    expect((await sync([other])).notices.join()).toContain('run `paycli ledger sync --base-url http://localhost:8080`');
  });

  it('explains how to resolve a charge of a deleted emulator', async () => {
    const gone = charge({ service: 'emulator 0123456789ab', origin: 'http://127.0.0.1:8080' });
    const done = await sync([gone], { args: [idOf(1)] });
    expect(done.error?.detail.hint).toMatch(
      /^chg-000000000001: sent to an emulator whose data is not in use here; run `paycli ledger resolve chg-0{11}1 --as created`/,
    );
  });

  it('separates --local charges from others, and mentions them', async () => {
    const service = 'emulator 0123456789ab';
    const rows = [charge(), charge(numbered(2, { profile: 'local', service }))];
    const get = shows([], NOW);
    const real = await sync(rows, { get });
    expect(real.rows).toMatchObject([{ count: 1 }]);
    expect(real.notices).toEqual(['Not checked: chg-000000000002: practice; run `paycli ledger sync --local`.']);
    const practised = await sync(rows, { get, place: { service, profile: 'local' }, globals: { local: true } });
    expect(practised.error?.message).toBe(`${idOf(2)} is still unknown`);
    expect(practised.notices).toEqual([
      'Not checked: chg-000000000001: sent to https://pay.example; run `paycli ledger sync --profile shop`.',
    ]);
  });

  it('stores no key echoed by the service', async () => {
    const echoing = { ...made(), next_action: { ...DIAL, instruction: 'the key sk.AbCd.0123456789 said so' } };
    const { ledger } = await sync([charge()], { get: shows([echoing], NOW) });
    expect(JSON.stringify((await ledger.get(idOf(1)))?.activity)).toContain('the key [secret …6789] said so');
  });

  it('checks the named charges, each once', async () => {
    const rows = [charge(), charge(numbered(2, { state: 'rejected' })), charge(numbered(3))];
    const done = await sync(rows, { args: [idOf(2), idOf(1), idOf(1)], get: shows([made()], NOW) });
    expect(done.states).toEqual(['accepted', 'rejected', 'unknown']);
    expect(done.rows).toMatchObject([{ payment: 'open', count: 1 }]);
    expect([done.notices, done.error]).toEqual([
      [RESOLVED, "1 charge was not made and isn't in this total."],
      undefined,
    ]);
    expect(done.asked).toEqual(['place', 'client read', `GET ${UGWO}`]);
  });

  it('skips a charge that is being sent', async () => {
    const done = await sync([charge({ state: 'sending' })], { args: [idOf(1)] });
    expect(done).toMatchObject({ rows: [{ payment: 'unknown', count: 1 }], asked: ['place'] });
    expect(done.error).toMatchObject({ kind: 'unknown', message: 'chg-000000000001 is still being sent' });
    expect(done.error?.detail.hint).toMatch(/still sending it/);
  });

  it('checks nothing if a named charge does not exist', async () => {
    const done = await sync([charge()], { args: [idOf(1), 'chg-x'] });
    expect(done).toMatchObject({ rows: [], asked: ['place'], error: { kind: 'usage' } });
  });

  it("prints the time of the next check with the run's target", async () => {
    const done = await sync(many(5), { get: shows([], NOW), globals: { profile: 'shop' } });
    expect(done.error?.detail.hint).toBe(
      'chg-000000000001, chg-000000000002, chg-000000000003 and 2 more: no activity found yet; ' +
        `run \`paycli ledger sync --profile shop\` again at ${AGAIN}`,
    );
  });
});
