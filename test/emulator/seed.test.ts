import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { clockAt, customersIn, type Emulator, inFile, NOON, startEmulator, tempFile } from './support.ts';

const DAY = 24 * 3_600_000;

interface Listed {
  readonly uid: string;
  readonly amount: number;
  readonly total_amount_paid: number;
  readonly status: string;
  readonly lastest_ugwo_activity: unknown;
  readonly currency: string;
  readonly ref: string;
  readonly onye: { readonly uid: string } | null;
  readonly metadata: { readonly emulate?: string };
  readonly checkout: { readonly currency: readonly string[]; readonly mediums: readonly { medium: string }[] } | null;
  readonly created_at: string;
}

const listed = async ({ send }: Emulator, limit = 100): Promise<Listed[]> =>
  (await send('GET', `/v1/ugwo?limit=${limit}`)).json.data;

const kindOf = ({ checkout, metadata }: Listed): string => {
  const mediums = checkout?.mediums.map(({ medium }) => medium).join('+') ?? 'no checkout';
  return metadata.emulate === undefined ? mediums : `${mediums} ${metadata.emulate}`;
};

test('the same calls on a new file create the same records', async () => {
  const all = async () => {
    const emulator = await startEmulator({ customers: 5, ugwo: 20 });
    await emulatorRoom.seed({ ...emulator, customers: 2, ugwo: 7 });
    return { emulator, records: await listed(emulator), customers: customersIn(emulator.file) };
  };
  const [first, second] = [await all(), await all()];
  expect(second.records).toEqual(first.records);
  expect(second.customers).toEqual(first.customers);
});

test('no id is reused after a reset, and the usual records are seeded', async () => {
  const emulator = await startEmulator({ customers: 5, ugwo: 20 });
  const [before, customers] = [await listed(emulator), customersIn(emulator.file)];
  await emulatorRoom.reset(emulator);
  await emulatorRoom.seed({ ...emulator, customers: 5, ugwo: 20 });
  const after = await listed(emulator);
  expect(new Set([...before, ...after].map(({ uid }) => uid)).size).toBe(40);
  expect(new Set([...customers, ...customersIn(emulator.file)]).size).toBe(10);
  expect(after.map(kindOf)).toEqual(before.map(kindOf));
});

test('the first page starts with an ordinary request and has one of each kind', async () => {
  const kinds = (await listed(await startEmulator({ customers: 25, ugwo: 120 }), 10)).map(kindOf);
  expect(kinds[0]).toBe('bank_transfer+ussd');
  expect(new Set(kinds)).toEqual(
    new Set([
      'bank_transfer+ussd',
      'bank_transfer+ussd fail',
      'bank_transfer+ussd fail:ussd',
      'bank_transfer+ussd lost',
      'bank_transfer+ussd successful:20s',
      'mobile_money',
      'no checkout',
    ]),
  );
});

test("records are plausible: amounts within limits, the checkout's currency, a known customer or none", async () => {
  const emulator = await startEmulator({ customers: 25, ugwo: 100 });
  const customers = customersIn(emulator.file);
  const records = await listed(emulator);
  for (const { amount, currency, checkout, onye } of records) {
    expect(Number.isSafeInteger(amount)).toBe(true);
    expect(amount).toBeGreaterThanOrEqual(20_000);
    expect(amount).toBeLessThanOrEqual(5_000_000_000);
    if (checkout !== null) expect(checkout.currency).toEqual([currency, expect.stringContaining(currency)]);
    if (onye !== null) expect(customers).toContain(onye.uid);
  }
  expect(records.filter(({ onye }) => onye === null).length).toBeGreaterThan(5);
  expect(new Set(records.map(({ onye }) => onye?.uid)).size).toBeGreaterThan(10);
  expect(new Set(records.map(({ ref }) => ref)).size).toBe(100);
});

test('paid, refunded and processing requests have exactly one matching activity with a fixed id', async () => {
  const emulator = await startEmulator({ customers: 25, ugwo: 120 });
  const statuses = { ugwo_successful: 'successful', refunded: 'refunded', processing: 'processing' };
  const records = await listed(emulator);
  const seen = new Set<string>();
  for (const { uid, amount, status, total_amount_paid, lastest_ugwo_activity } of records) {
    const { activities } = (await emulator.send('GET', `/v1/ugwo/${uid}`)).json;
    const wanted = statuses[status as keyof typeof statuses];
    seen.add(status);
    expect(total_amount_paid).toBe(['ugwo_successful', 'refunded'].includes(status) ? amount : 0);
    if (wanted === undefined) expect([activities, lastest_ugwo_activity]).toEqual([[], null]);
    else {
      const shared = {
        uid: expect.stringMatching(/^act\.Lcal\.\w{24}$/),
        status: wanted,
        psp_external_id: expect.any(String),
      };
      expect(activities).toEqual([expect.objectContaining({ ...shared, ugwo_uid: uid, amount, next_action: null })]);
      expect(lastest_ugwo_activity).toEqual({ ...shared, is_double_charge: false });
    }
  }
  expect([...seen].toSorted()).toEqual(['cancelled', 'processing', 'refunded', 'requires_ugwo', 'ugwo_successful']);
  expect(records.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill('requires_ugwo'));
});

test('without customers, payment requests have none', async () => {
  const records = await listed(await startEmulator({ ugwo: 12 }));
  expect(records.map(({ onye }) => onye)).toEqual(Array(12).fill(null));
});

test('customers have unique e-mail addresses and ids', async () => {
  const { file } = await startEmulator({ customers: 500 });
  const emails = inFile(file, (db) => db.prepare('SELECT record FROM onye').all()).map(
    ({ record }) => JSON.parse(String(record)).email,
  );
  expect(new Set(emails).size).toBe(500);
  expect(new Set(customersIn(file)).size).toBe(500);
  for (const email of emails) expect(email).toMatch(/^[a-z]+\.[a-z]+\d+@example\.com$/);
});

describe('created_at', () => {
  test('is in the past and unique within a seeding', async () => {
    const instants = (await listed(await startEmulator({ ugwo: 100 }))).map((ugwo) => Date.parse(ugwo.created_at));
    expect(new Set(instants).size).toBe(100);
    expect(Math.max(...instants)).toBeLessThan(NOON);
    expect(Math.min(...instants)).toBeGreaterThan(NOON - 90 * DAY);
  });

  test('is at most 90 days ago', async () => {
    const { file } = await startEmulator({ ugwo: 3000 });
    const oldest = inFile(file, (db) => db.prepare('SELECT record FROM ugwo ORDER BY seq LIMIT 1').get());
    expect(Date.parse(JSON.parse(String(oldest?.['record'])).created_at)).toBeGreaterThanOrEqual(
      NOON - 90 * DAY - 60_000,
    );
  });

  test('of a second seeding is after the first and not in the future', async () => {
    const emulator = await startEmulator({ ugwo: 5 });
    await emulatorRoom.seed({ ...emulator, customers: 0, ugwo: 5 });
    const instants = (await listed(emulator)).map((ugwo) => Date.parse(ugwo.created_at));
    expect(Math.min(...instants.slice(0, 5))).toBeGreaterThan(Math.max(...instants.slice(5)));
    expect(Math.max(...instants)).toBeLessThanOrEqual(NOON);
  });

  test('property: later seedings are newer, whatever the clock did', async () => {
    const emulator = await startEmulator();
    const steps = fc.array(
      fc.record({ count: fc.integer({ min: 1, max: 20 }), shift: fc.integer({ min: -DAY, max: DAY }) }),
      {
        minLength: 2,
        maxLength: 4,
      },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        await emulatorRoom.reset(emulator);
        const seen = new Set<string>();
        let newest = 0;
        for (const { count, shift } of plan) {
          emulator.clock.set(emulator.clock.now() + shift);
          await emulatorRoom.seed({ ...emulator, customers: 0, ugwo: count });
          const added = (await listed(emulator)).slice(0, count);
          for (const { uid, created_at } of added.toReversed()) {
            expect(seen.has(uid)).toBe(false);
            seen.add(uid);
            expect(Date.parse(created_at)).toBeGreaterThanOrEqual(newest);
            newest = Date.parse(created_at);
          }
        }
      }),
      { numRuns: 25 },
    );
  });
});

test('seed returns the number of new records; with onlyIfNew, 0 if any record exists', async () => {
  const options = { file: tempFile(), clock: clockAt(), onlyIfNew: true };
  expect(await emulatorRoom.seed({ ...options, customers: 2, ugwo: 3 })).toEqual({ customers: 2, ugwo: 3 });
  expect(await emulatorRoom.seed({ ...options, customers: 2, ugwo: 3 })).toEqual({ customers: 0, ugwo: 0 });
  expect(customersIn(options.file)).toHaveLength(2);
});

test('seed tells its progress while others get turns, and adds nothing if it is stopped', async () => {
  const options = { file: tempFile(), clock: clockAt(), customers: 300, ugwo: 300 };
  const told: number[] = [];
  let turns = 0;
  const other = (): void => {
    turns += 1;
    if (told.at(-1) !== 500) setImmediate(other);
  };
  setImmediate(other);
  const onAdded = (count: number): void => {
    told.push(count);
    if (count > 400) throw new Error('stopped');
  };
  await expect(emulatorRoom.seed({ ...options, onAdded })).rejects.toThrow('stopped');
  expect(told).toEqual([200, 500]);
  expect(turns).toBeGreaterThan(0);
  expect(customersIn(options.file)).toEqual([]);
  await emulatorRoom.seed(options);
  expect(customersIn(options.file)).toHaveLength(300);
});

test("a few records are added in one turn, so that two runs of one process don't wait for each other", async () => {
  const options = { file: tempFile(), clock: clockAt(), customers: 2, ugwo: 2, onlyIfNew: true };
  await Promise.all([emulatorRoom.seed(options), emulatorRoom.seed(options)]);
  expect(customersIn(options.file)).toHaveLength(2);
});
