import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCases } from '../../src/commands/ledger/cases.ts';
import type { Run } from '../../src/commands/run.ts';
import type { Ledger, SumQuery } from '../../src/ledger/ledger.ts';
import { insertStatement } from '../../src/ledger/postgres/statements.ts';
import { countsByCharge, countsByPayment, openLedgerReport } from '../../src/ledger/report.ts';
import { snapshotOf } from '../../src/ledger/snapshot.ts';
import { hasMoney, isDisputed } from '../../src/ledger/transitions.ts';
import { globals } from '../commands/profile-call.ts';
import { ugwoOf, uidOf } from '../support/ids.ts';
import { newFolder } from '../support/program.ts';
import { BACKENDS, open, type Place } from './support/backends.ts';
import { account, begunOf, intent, MINUTE, NOON, newPath, open as openFile, PLACE } from './support/charges.ts';
import { newSharedPlace } from './support/postgres.ts';

const ASKED = 90_000;
const BRINGS = ['successful', 'partially_refunded', 'refunded'];
/** What a refund of this ledger pays back. Every sum is a multiple of it, so that each excess can be refunded. */
const PART = 30_000;

const activity = fc.record({
  isOwn: fc.boolean(),
  charged: fc.constantFrom(PART, 60_000, ASKED, 120_000, 180_000),
  isDoubleCharge: fc.boolean(),
  isPartBack: fc.boolean(),
});

/** A payment request with up to three activities, and their statuses at each read. */
const request = fc.record({
  activities: fc.array(activity, { minLength: 1, maxLength: 3 }),
  reads: fc.array(
    fc.array(fc.constantFrom('requires_action', 'successful', 'successful', 'successful', 'refunded', 'failed'), {
      minLength: 3,
      maxLength: 3,
    }),
    { minLength: 1, maxLength: 4 },
  ),
});
const REQUESTS = fc.sample(request, { numRuns: 400, seed: 11 });

/** Fills a ledger with the charges of the requests, and with what the reads show. The last read shows every refund. */
const fill = async (ledger: Ledger, pass: () => number): Promise<void> => {
  for (const [number, { activities, reads }] of REQUESTS.entries()) {
    const about = ugwoOf(number);
    const uidFor = (at: number): string => uidOf(number * 10 + at);
    const isOwn = (at: number): boolean => at === 0 || activities[at]?.isOwn === true;
    for (const at of activities.keys()) {
      if (!isOwn(at)) continue;
      const asked = { amount: ASKED, currency: 'NGN' };
      const { id } = begunOf(await ledger.begin(intent({ about, origin: about, asked }), { again: true }));
      await ledger.record(id, { state: 'accepted', exitCode: 0, activity: account({ uid: uidFor(at) }) });
    }
    const show = (statuses: readonly string[]): Promise<unknown> => {
      const now = pass();
      const shown = activities.map(({ charged, isDoubleCharge }, at) => ({
        ...{ uid: uidFor(at), status: statuses[at], charged_amount: charged, is_double_charge: isDoubleCharge },
        ...{ created_at: new Date(NOON + at * MINUTE).toISOString(), updated_at: new Date(now).toISOString() },
      }));
      const total = shown.reduce(
        (sum, { status = '', charged_amount: sent }) => sum + (BRINGS.includes(status) ? sent : 0),
        0,
      );
      const status = total >= ASKED ? 'ugwo_successful' : 'requires_ugwo';
      const facts = { amount: ASKED, currency: 'NGN', status, total_amount_paid: total, activities: shown };
      return ledger.observe(snapshotOf(facts, { askedAt: now, servedAt: now }));
    };
    for (const statuses of reads) await show(statuses);
    const last: string[] = [...(reads.at(-1) ?? [])];
    for (const [at, { isPartBack, charged }] of activities.entries()) {
      if (!isPartBack || !isOwn(at) || last[at] !== 'successful' || charged === PART) continue;
      const asks = { ...PLACE, kind: 'refund', path: '/v1/refunds', digest: '00', bound: MINUTE, about: uidFor(at) };
      const asked = { amount: PART, currency: 'NGN' };
      const { id } = begunOf(await ledger.begin({ ...asks, body: `{"amount":${PART}}`, asked }, { again: true }));
      const evidence = { kind: 'answer', at: '', uid: `rfd.${number}.${at}`, status: 'processing' };
      await ledger.record(id, { state: 'accepted', exitCode: 0, evidence });
      await ledger.observeRefund(uidFor(at), `rfd.${number}.${at}`, PLACE.service, 'paid_back');
      last[at] = 'partially_refunded';
    }
    await show(last);
  }
};

/** The excess of each payment request as the cases have it, which people see in `status`. */
const excessInCases = async (ledger: Ledger): Promise<Map<string | undefined, number>> => {
  const run = { ledger: async () => ledger, globals, io: { env: { PAYCLI_HOME: newFolder() } } } as unknown as Run;
  const excess = new Map<string | undefined, number>();
  for (const { kind, ugwo, amount = 0 } of await findCases({ service: PLACE.service }, 0, false, run)) {
    if (kind === 'paid_twice' || kind === 'overpaid') excess.set(ugwo, (excess.get(ugwo) ?? 0) + amount);
  }
  return excess;
};

/** The excess of each payment request as the database sums it for a report. */
const excessInSums = async (ledger: Ledger, time: SumQuery['time']): Promise<Map<string | undefined, number>> => {
  const counts = time === 'created_at' ? countsByCharge : countsByPayment({});
  const query = { time, period: {}, by: ['origin'], unit: 0 } as const;
  const lines = await ledger.sum(
    query,
    openLedgerReport(counts, ({ origin }) => [origin]),
  );
  const much = lines.filter(({ reported }) => reported === 'too_much');
  return new Map(much.map(({ groups: [origin], amount }) => [origin, Number(amount)]));
};

/** A ledger with these entries. */
const COPIES: Readonly<Record<string, (statements: readonly string[]) => Promise<Ledger>>> = {
  'a file': async (statements) => {
    const path = newPath();
    const ledger = await openFile(path);
    const db = new DatabaseSync(path);
    db.exec(`BEGIN; ${statements.map((one) => one.replace('paycli.', '')).join(';\n')}; COMMIT`);
    db.close();
    return ledger;
  },
  PostgreSQL: async (statements) => {
    const place = newSharedPlace();
    await place.sql(statements.join(';\n'));
    return place.open();
  },
};

const filled = (async () => {
  let now = NOON;
  const ledger = await open(BACKENDS[0]?.[1]() as Place, { now: () => now });
  await fill(ledger, () => {
    now += MINUTE;
    return now;
  });
  return ledger;
})();

// The tests have no PostgreSQL on Windows.
describe.each(process.platform === 'win32' ? ['a file'] : Object.keys(COPIES))('in %s', (where) => {
  it.each(['created_at', 'paid_at'] as const)('the excess of a report by %s is that of the cases', async (time) => {
    const ledger = await filled;
    const entries = await ledger.list({ limit: -1, oldestFirst: true });
    const copy = (await COPIES[where]?.(entries.map((one) => insertStatement(one)))) as Ledger;
    const [cases, sums] = [await excessInCases(ledger), await excessInSums(copy, time)];
    // A dispute is settled first: until then it is the only case of its payment request.
    for (const { about } of entries.filter(isDisputed)) {
      expect(cases.get(about)).toBeUndefined();
      sums.delete(about);
    }
    // Money of others' charges alone was paid at no time that this ledger knows.
    const paid = new Set(entries.filter(hasMoney).map(({ about }) => about));
    for (const about of cases.keys()) if (time === 'paid_at' && !paid.has(about ?? '')) cases.delete(about);
    expect(cases.size).toBeGreaterThan(50);
    expect(new Map([...sums].sort())).toEqual(new Map([...cases].sort()));
  });
});
