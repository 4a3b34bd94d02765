import { describe, expect, it } from 'vitest';
import type { Job } from '../../src/ledger/job.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { account, intent, MINUTE, newPath, open, PLACE } from '../ledger/support/charges.ts';
import { call } from './ledger-call.ts';

const ONYE = 'ony.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';

const { service, origin } = PLACE;
const idOf = (number: number): string => `job-${String(number).padStart(16, '0')}`;
const ID = idOf(1);

/** Records a job whose first rows have these states; `sending` rows have no outcome. */
const jobOf = async (ledger: Ledger, states: readonly string[], more: Partial<Job> = {}): Promise<void> => {
  const job = {
    id: ID,
    kind: 'charge',
    command: 'ugwo charge',
    name: 'a.csv',
    service,
    origin,
    profile: 'shop',
    rows: 9,
  } as const;
  await ledger.jobs.open({ ...job, ...more }, 8);
  for (const [index, state] of states.entries()) {
    const row = index + 1;
    const uid = String(row).padStart(24, '0');
    const begun = await ledger.begin(intent({ about: `ugw.${more.id}.${uid}`, job: more.id ?? ID, row }), {
      again: false,
    });
    if (begun.kind !== 'begun') throw new Error(`refused: ${begun.why}`);
    if (state === 'sending') continue;
    const status = state === 'failed' ? 'failed' : 'requires_action';
    const made = ['accepted', 'failed'].includes(state)
      ? { activity: account({ uid: `act.AbCd.${uid}`, status }) }
      : {};
    await ledger.record(begun.id, { state: state === 'failed' ? 'accepted' : state, exitCode: 0, ...made } as never);
  }
};

const updatesOf = async (ledger: Ledger, states: readonly string[]): Promise<void> => {
  const job = {
    id: ID,
    kind: 'update',
    command: 'onye update',
    name: 'o.csv',
    service,
    origin,
    profile: 'shop',
    rows: 9,
  } as const;
  await ledger.jobs.open(job, 8);
  for (const [index, state] of states.entries()) {
    const of = { job: ID, row: index + 1 };
    await ledger.jobs.beginUpdate({ ...of, onye: ONYE, bound: MINUTE }, { retry: false, looked: false });
    const message = state === 'accepted' ? {} : { message: 'no' };
    await ledger.jobs.settleUpdate(of, { state, exitCode: state === 'accepted' ? 0 : 3, ...message } as never);
  }
};

const steps = async (ledger: Ledger): Promise<readonly string[]> => {
  const { result } = await call('show', { ledger, args: [ID] });
  return result?.kind === 'record' ? [result.notice ?? []].flat() : [];
};

describe('a job', () => {
  it('has every field in order, null if missing', async () => {
    const ledger = await open(newPath());
    const states = ['accepted', 'accepted', 'failed', 'rejected', 'not_sent', 'unknown', 'sending'];
    await jobOf(ledger, states, { profile: undefined, rows: 12 });
    const { rows } = await call('show', { ledger, args: [ID] });
    const expected = JSON.stringify({
      id: ID,
      command: 'ugwo charge',
      file: 'a.csv',
      rows: 12,
      accepted: 2,
      failed: 1,
      rejected: 1,
      not_sent: 1,
      unknown: 1,
      not_created: 0,
      sending: 1,
      not_started: 5,
      created_at: '2026-11-20T12:00:00+00:00',
      run_at: '2026-11-20T12:00:00+00:00',
      origin,
      profile: null,
      workers: [],
      approval: null,
      asked_by: null,
      approved_by: null,
      approved_at: null,
      refused: 0,
      invalid: 0,
      expired: 0,
    });
    expect(JSON.stringify(rows[0])).toBe(expected);
    expect(JSON.stringify((await call('jobs', { ledger })).rows)).toBe(`[${expected}]`);
  });

  it('is found by its id, with a suggestion for a typo', async () => {
    const ledger = await open(newPath());
    await jobOf(ledger, [], { id: 'job-k3v9x2m7q4abcdef' });
    const typo = 'job-k3v9x2m7q4abcdez';
    for (const { error } of [
      await call('show', { ledger, args: [typo] }),
      await call('list', { ledger, given: { job: typo } }),
    ]) {
      expect(error).toMatchObject({ kind: 'usage', message: 'no job "job-k3v9x2m7q4abcdez" in the ledger' });
      expect(error?.detail.hint).toBe(
        'did you mean job-k3v9x2m7q4abcdef?\nsee them all: `paycli ledger jobs --all-profiles`',
      );
    }
    const other = await call('show', { ledger: await open(newPath()), args: ['job-1'] });
    expect(other.error?.detail.hint).toBe('see them all: `paycli ledger jobs --all-profiles`');
  });
});

describe('the next step for a job', () => {
  it('is empty if every row is done or being sent', async () => {
    const ledger = await open(newPath());
    await jobOf(ledger, ['accepted', 'sending'], { rows: 2 });
    expect(await steps(ledger)).toEqual([]);
  });

  it('is given per kind of row, with unknown ones first', async () => {
    const ledger = await open(newPath());
    await jobOf(ledger, ['unknown', 'unknown', 'rejected', 'failed', 'not_sent', 'accepted']);
    expect(await steps(ledger)).toEqual([
      '2 rows are unknown: run `paycli ledger sync --profile shop`',
      '2 rows are rejected, failed or not made: run the same command again with --retry-failed',
      '1 row is not sent: run the same command again',
      '3 rows are not started: run the same command again',
    ]);
  });

  it('counts rows without an entry by the last run, never more than exist', async () => {
    const ledger = await open(newPath());
    await jobOf(ledger, ['accepted', 'not_sent'], { rows: 6 });
    await ledger.jobs.adjust(ID, { refused: 2, not_sent: -1, invalid: 1, accepted: 1 });
    const counts = { accepted: 2, not_sent: 0, refused: 2, invalid: 1, not_started: 1 };
    expect((await call('show', { ledger, args: [ID] })).rows).toMatchObject([counts]);
    expect(await steps(ledger)).toEqual([
      '2 rows are refused: run the same command again: it checks them again, and says why',
      '1 row is invalid: send a new file of these rows alone, corrected',
      '1 row is not started: run the same command again',
    ]);
    // Another process has since started some of them.
    await ledger.jobs.adjust(ID, { refused: 9, not_sent: -9 });
    expect((await call('show', { ledger, args: [ID] })).rows).toMatchObject([{ not_sent: 0, not_started: 0 }]);
  });

  it.each([
    ['rejected', 'with --retry-failed'],
    ['failed', 'with --retry-failed'],
    ['not_sent', 'not sent: run the same command again$'],
    ['unknown', 'sync'],
  ])('is given for one row that is %s', async (state, step) => {
    const ledger = await open(newPath());
    await jobOf(ledger, [state], { rows: 1 });
    expect(await steps(ledger)).toEqual([expect.stringMatching(`^1 row is .*${step}`)]);
  });

  it('is given for rows known as not created', async () => {
    const ledger = await open(newPath());
    await jobOf(ledger, ['unknown'], { rows: 1 });
    const [charge] = await ledger.unknown();
    await ledger.resolve(charge?.id ?? '', { state: 'not_created', evidence: { kind: 'look', at: '' } });
    expect(await steps(ledger)).toEqual([expect.stringMatching(/^1 row is .* with --retry-failed$/)]);
  });

  it.each([
    ['shop', 'ugwo charge', 'run `paycli ledger sync --profile shop`'],
    ['local', 'ugwo charge', 'run `paycli ledger sync --local`'],
    [undefined, 'ugwo charge', 'run `paycli ledger sync --base-url https://api.example`'],
    [
      'shop',
      'refund create',
      'look for each at the service, then record what you found with `paycli ledger resolve --profile shop`',
    ],
  ])('has the target of the job, profile %s of %s', async (profile, command, step) => {
    const ledger = await open(newPath());
    await jobOf(ledger, ['unknown'], { rows: 1, profile, command });
    expect(await steps(ledger)).toEqual([`1 row is unknown: ${step}`]);
  });

  it('differs for updates, which ledger sync ignores', async () => {
    const ledger = await open(newPath());
    await updatesOf(ledger, ['unknown', 'rejected']);
    expect(await steps(ledger)).toEqual([
      '1 row is unknown: run the same command again: it checks each customer first',
      '1 row is rejected, failed or not made: run the same command again with --retry-failed',
      '7 rows are not started: run the same command again',
    ]);
  });
});

describe('ledger jobs', () => {
  const many = async (count: number): Promise<Ledger> => {
    const ledger = await open(newPath());
    for (let number = 1; number <= count; number += 1) await jobOf(ledger, [], { id: idOf(number) });
    return ledger;
  };
  const newestFirst = (count: number): string[] => Array.from({ length: count }, (_, index) => idOf(count - index));

  it('lists all, newest first, in pages', async () => {
    const { rows, pages } = await call('jobs', { ledger: await many(21) });
    expect(rows.map(({ id }) => id)).toEqual(newestFirst(21));
    expect(pages.map(({ size }) => size)).toEqual([10, 10, 1]);
    expect(pages.at(-1)?.next).toBeNull();
  });

  it('prints one empty page without jobs, and no extra page', async () => {
    expect((await call('jobs', { ledger: await many(0) })).pages).toMatchObject([{ size: 0, next: null }]);
    expect((await call('jobs', { ledger: await many(10) })).pages).toMatchObject([{ size: 10, next: null }]);
  });

  it.each([1, 10, 11, 12])('continues from a cursor after --max %d', async (max) => {
    const ledger = await many(12);
    const first = await call('jobs', { ledger, given: { max } });
    expect(first.rows.length).toBe(max);
    const next = first.pages.at(-1)?.next;
    if (max === 12) return expect(next).toBeNull();
    const rest = await call('jobs', { ledger, given: { cursor: next } });
    expect([...first.rows, ...rest.rows].map(({ id }) => id)).toEqual(newestFirst(12));
  });

  it('prints the command for the next page', async () => {
    const globals = { profile: 'team', format: 'csv', columns: ['id', 'unknown'], rawCsv: true } as const;
    const { result } = await call('jobs', { ledger: await many(2), given: { max: 1 }, globals });
    expect(result?.kind === 'list' ? result.goOn?.('abc') : '').toBe(
      'paycli ledger jobs --profile team -o csv --columns id,unknown --raw-csv --max 1 --cursor abc',
    );
  });

  it.each(['abc', '', `${Buffer.from(ID).toString('base64url')}=`, Buffer.from(idOf(7)).toString('base64url')])(
    'rejects the invalid cursor "%s"',
    async (cursor) => {
      const { error } = await call('jobs', { ledger: await many(2), given: { cursor } });
      expect(error).toMatchObject({ kind: 'usage', message: `--cursor: "${cursor}" is not a cursor of this list` });
    },
  );
});

describe('ledger list --job', () => {
  it('lists every entry of the job, of any kind and profile, and no other', async () => {
    const ledger = await open(newPath());
    await jobOf(ledger, ['accepted', 'rejected', 'accepted']);
    await jobOf(ledger, ['accepted'], { id: idOf(2) });
    await ledger.begin(intent({ about: 'ugw.AbCd.2', job: ID, row: 2 }), { again: false, retry: true });
    const elsewhere = { globals: { profile: 'another' }, place: { service: 'https://other.example' } };
    const { rows, result } = await call('list', { ledger, ...elsewhere, given: { job: ID, max: 2 } });
    expect(rows.map(({ row, state }) => [row, state])).toEqual([
      [2, 'sending'],
      [3, 'accepted'],
    ]);
    expect(result?.kind === 'list' ? result.goOn?.('abc') : '').toBe(
      `paycli ledger list --profile another --kind all --job ${ID} --max 2 --cursor abc`,
    );
    expect((await call('list', { ledger, ...elsewhere, given: { job: ID } })).rows).toHaveLength(4);
    expect((await call('list', { ledger, ...elsewhere, given: { job: ID, kind: 'refund' } })).rows).toEqual([]);
  });

  it('refuses a job of updates, which have no entries', async () => {
    const ledger = await open(newPath());
    await updatesOf(ledger, ['accepted']);
    const { error } = await call('list', { ledger, given: { job: ID } });
    expect(error).toMatchObject({ kind: 'usage', message: `${ID} updates customers, and the ledger lists no updates` });
  });
});
