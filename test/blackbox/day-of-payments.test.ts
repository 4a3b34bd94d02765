import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ActivityEnding } from '../../src/core/data-files.ts';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { openShop } from '../emulator/shop.ts';
import { clockAt } from '../emulator/support.ts';
import { seed } from '../faults/torture.ts';
import { inProcess } from '../support/in-process.ts';
import { newFolder, type RunOptions } from '../support/program.ts';

/** A sale of the day, with everything that may happen to it. */
interface Sale {
  readonly asked: number;
  /** Less than what was asked, and enough for a refund. */
  readonly part: number;
  /** Uid of its payment request. */
  readonly uid: string;
  /** The customer pays this much by the charge with this number. */
  pay(amount: number, charge?: number): Promise<unknown>;
  end(as: 'failed' | 'reversed'): Promise<unknown>;
  refund(amount: number): Promise<unknown>;
}

interface Story {
  readonly charges?: number;
  readonly isTransfer?: boolean;
  readonly morning?: (sale: Sale) => Promise<unknown>;
  /** After all unpaid accounts have expired. */
  readonly afternoon?: (sale: Sale) => Promise<unknown>;
}

const paysAll = ({ pay, asked }: Sale) => pay(asked);

const STORIES: readonly Story[] = [
  // open
  { isTransfer: false },
  // expired
  { isTransfer: true },
  // failed
  { morning: ({ end }) => end('failed') },
  // paid
  { morning: paysAll },
  // in part
  { morning: ({ pay, part }) => pay(part) },
  // too much
  { morning: ({ pay, asked, part }) => pay(asked + part) },
  // in two parts
  { charges: 2, morning: ({ pay, asked, part }) => pay(part).then(() => pay(asked - part, 1)) },
  // twice
  { charges: 2, morning: ({ pay, asked }) => pay(asked).then(() => pay(asked, 1)) },
  // late
  { isTransfer: true, afternoon: paysAll },
  // late and in part
  { isTransfer: true, afternoon: ({ pay, part }) => pay(part) },
  // reversed at once, and after the payment was seen
  { morning: (sale) => paysAll(sale).then(() => sale.end('reversed')) },
  { morning: paysAll, afternoon: ({ end }) => end('reversed') },
  // refunded in part
  { morning: paysAll, afternoon: ({ refund, part }) => refund(part) },
  // refunded
  { morning: paysAll, afternoon: ({ refund, asked }) => refund(asked) },
];

const shuffled = <T>(all: readonly T[]) => fc.shuffledSubarray([...all], { minLength: all.length });

/** What is drawn for a sale. */
interface Sold {
  readonly story: Story;
  readonly asked: number;
  readonly part: number;
  readonly isTransfer: boolean;
}

const sale = (story: Story): fc.Arbitrary<Sold> =>
  fc.record({
    story: fc.constant(story),
    asked: fc.integer({ min: 40_000, max: 900_000 }),
    part: fc.integer({ min: 20_000, max: 39_999 }),
    isTransfer: story.isTransfer === undefined ? fc.boolean() : fc.constant(story.isTransfer),
  });

/** Each story twice, in a random order for each part of the day. */
const day = fc
  .tuple(...[...STORIES, ...STORIES].map(sale))
  .chain((sales) => fc.record({ charged: shuffled(sales), morning: shuffled(sales), afternoon: shuffled(sales) }));

const USSD = ['--medium', 'ussd', '--provider', 'gtb'];
const DESTINATION = { provider: 'gtb', account_number: '0123456789' };

/** A shop at the emulator, whose clock starts now, and the program with a ledger of its own. */
const open = async () => {
  const shop = await openShop({ clock: clockAt(Date.now()) });
  const env = { PAYCLI_BASE_URL: shop.origin, PAYCLI_SECRET_KEY: shop.key };
  const options: RunOptions = { home: newFolder(), env };
  const settle = (activity: string, as: ActivityEnding, amount?: () => number) =>
    emulatorRoom.settle({ ...shop, activity, as, after: undefined, amount });
  return { ...shop, settle, paycli: (...args: string[]) => inProcess(args, options) };
};
type Day = Awaited<ReturnType<typeof open>>;

/** Creates the payment request of a sale, and charges it. */
const sell = async (
  { request, paycli, settle, post }: Day,
  { story, asked, part, isTransfer }: Sold,
): Promise<Sale> => {
  const { uid } = await request(undefined, { amount: asked });
  const activities: string[] = [];
  for (let left = story.charges ?? 1; left > 0; left -= 1) {
    const again = activities.length === 0 ? [] : ['--again'];
    const medium = isTransfer ? ['--medium', 'bank_transfer'] : USSD;
    const ended = await paycli('ugwo', 'charge', uid, ...medium, ...again, '--json');
    expect(ended.code, ended.stderr).toBe(0);
    activities.push(JSON.parse(ended.stdout).uid);
  }
  const at = (charge: number): string => String(activities[charge]);
  return {
    ...{ uid, asked, part },
    pay: (amount, charge = 0) => settle(at(charge), 'successful', () => amount),
    end: (as) => settle(at(0), as),
    refund: async (amount) => {
      const { status } = await post('/v1/refunds', { ugwo_activity: at(0), amount, destination: DESTINATION });
      expect(status).toBe(200);
    },
  };
};

interface Line {
  readonly payment: string;
  readonly asked: number;
  readonly received: number;
}

/** Count and sums of each payment. */
const sumsOf = (lines: readonly Line[]) => {
  const sums: Record<string, { count: number; asked: number; received: number }> = {};
  for (const { payment, asked, received } of lines) {
    const { [payment]: sum = { count: 0, asked: 0, received: 0 } } = sums;
    sums[payment] = { count: sum.count + 1, asked: sum.asked + asked, received: sum.received + received };
  }
  return sums;
};

interface Shown {
  readonly amount: number;
  readonly total_amount_paid: number;
  readonly activities: readonly {
    readonly status: string;
    readonly charged_amount?: number;
    readonly error: { readonly code: string } | null;
  }[];
}

/** Judges what the service shows, apart from the program. */
const judge = ({ amount: asked, total_amount_paid: total, activities }: Shown): Line[] => {
  const paying = activities.filter(({ status }) => /^successful$|refunded$/.test(status));
  return activities.map((one) => {
    const { status, charged_amount: charged = 0 } = one;
    if (!paying.includes(one)) {
      const failure = /expired|reversed/.exec(one.error?.code ?? '')?.[0] ?? 'failed';
      return { payment: status === 'failed' ? failure : 'open', asked, received: 0 };
    }
    const received = paying.length === 1 ? total : charged;
    if (status !== 'successful') return { payment: status, asked, received };
    if (received > asked) return { payment: 'overpaid', asked, received };
    return { payment: total < asked ? 'underpaid' : 'paid', asked, received };
  });
};

/** Charges that the ledger lists. */
const listed = async ({ paycli }: Day) => {
  const { stdout } = await paycli('ledger', 'list', '--max', '200', '-o', 'ndjson');
  const lines = stdout.trim().split('\n');
  return lines.map((line) => JSON.parse(line) as { id: string; payment: string; amount: number; received: number });
};

/** Payments and sums of the ledger. */
const inLedger = async (shop: Day) =>
  sumsOf((await listed(shop)).map(({ payment, amount, received }) => ({ payment, asked: amount, received })));

/** What a sync says, without what was received. */
const synced = async (shop: Day) => {
  const ids = (await listed(shop)).map(({ id }) => id);
  const ended = await shop.paycli('ledger', 'sync', ...ids, '--json');
  expect(ended.code, ended.stderr).toBe(0);
  return Object.fromEntries(
    JSON.parse(ended.stdout).data.map(({ payment, count, amount }: Record<string, unknown>) => [
      payment,
      { count, asked: amount },
    ]),
  );
};

describe('a part payment', () => {
  it('ends a wait with 13, and is a part payment in the report', async () => {
    const { request, paycli } = await open();
    const { uid } = await request('successful:0s:40000', { amount: 90_000 });
    const ended = await paycli('ugwo', 'charge', uid, '--medium', 'bank_transfer', '--wait');
    expect(ended.code, ended.stderr).toBe(13);
    expect(ended.stderr.replaceAll(/\s+/g, ' ')).toContain('part paid: NGN 400.00 of 900.00');
    const report = await paycli('ledger', 'report', '--since', '1h', '--json');
    const lines = JSON.parse(report.stdout).data.map((one: Record<string, unknown>) => [one['reported'], one['count']]);
    expect(lines).toEqual([
      ['charged', 1],
      ['underpaid', 1],
    ]);
  });

  it('is refused another charge without --remaining, and is paid once the rest has come', async () => {
    const { request, paycli, settle } = await open();
    const { uid } = await request(undefined, { amount: 90_000 });
    const charge = async (...more: string[]): Promise<string> => {
      const ended = await paycli('ugwo', 'charge', uid, ...USSD, ...more, '--json');
      expect(ended.code, ended.stderr).toBe(0);
      return JSON.parse(ended.stdout).uid;
    };
    await settle(await charge(), 'successful', () => 40_000);
    const refused = await paycli('ugwo', 'charge', uid, ...USSD);
    expect(refused.code).toBe(9);
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toMatch(/NGN 500\.00.*--remaining/);
    // The customer is told the rest.
    const message = join(newFolder(), 'message.txt');
    const share = process.platform === 'win32' ? [] : ['--share-with', `tee ${message}`];
    const activity = await charge('--remaining', ...share);
    if (share.length > 0) expect(readFileSync(message, 'utf8')).toContain('Amount: NGN 500.00\n');
    await settle(activity, 'successful', () => 50_000);
    expect(await paycli('activity', 'wait', uid, activity)).toMatchObject({ code: 0 });
    expect(await paycli('ugwo', 'charge', uid, ...USSD, '--again')).toMatchObject({ code: 9 });
    // The first part is paid, too, once the rest has come.
    expect((await paycli('ledger', 'list', '-o', 'tsv', '--columns', 'payment,received_minor')).stdout).toBe(
      'paid\t50000\npaid\t40000\n',
    );
  });
});

describe('a payment request that was paid twice', () => {
  it('is no longer once a refund by paycli covers the excess', async () => {
    const { request, paycli, settle, pass } = await open();
    const { uid } = await request(undefined, { amount: 90_000 });
    const charge = async (...more: string[]): Promise<string> => {
      const ended = await paycli('ugwo', 'charge', uid, ...USSD, ...more, '--json');
      expect(ended.code, ended.stderr).toBe(0);
      return JSON.parse(ended.stdout).uid;
    };
    const first = await charge();
    pass(5);
    const second = await charge('--again');
    await settle(first, 'successful', () => 40_000);
    await settle(second, 'successful', () => 90_000);
    const shown = async () => (await paycli('ugwo', 'get', uid)).stderr.replaceAll(/\s+/g, ' ');
    expect(await shown()).toContain(
      `NGN 400.00 too much came; pay it back with: paycli refund create ${second} --ugwo ${uid} --amount 400.00`,
    );
    const words = ['--amount', '400.00', '--provider', 'gtb', '--account-number', '0123456789', '--yes'];
    const refund = await paycli('refund', 'create', second, ...words);
    expect(refund.code, refund.stderr).toBe(0);
    pass(600);
    expect(await shown()).not.toContain('paid twice');
  });
});

describe('a random day of payments', () => {
  it('leaves the same counts and sums in the ledger as at the service', async () => {
    const [drawn] = fc.sample(day, { seed, numRuns: 1 });
    const shop = await open();
    const sales = new Map<Sold, Sale>();
    const each = async (part: 'charged' | 'morning' | 'afternoon', play: (sold: Sold) => Promise<unknown>) => {
      for (const sold of drawn?.[part] ?? []) {
        shop.pass(5);
        await play(sold);
      }
    };
    const playing = (part: 'morning' | 'afternoon') =>
      each(part, async (sold) => sold.story[part]?.(sales.get(sold) as Sale));
    const compare = async () => {
      const says = await synced(shop);
      const shown = await Promise.all([...sales.values()].map(({ uid }): Promise<Shown> => shop.read(uid)));
      const wanted = sumsOf(shown.flatMap(judge));
      const message = `PAYCLI_TORTURE_SEED=${seed}`;
      expect(await inLedger(shop), message).toEqual(wanted);
      expect(says, message).toEqual(
        Object.fromEntries(Object.entries(wanted).map(([payment, { count, asked }]) => [payment, { count, asked }])),
      );
      const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
      const received = sum(Object.values(wanted).map((one) => one.received));
      expect(received, message).toBe(sum(shown.map((one) => one.total_amount_paid)));
      return Object.keys(wanted).toSorted();
    };

    await each('charged', async (sold) => sales.set(sold, await sell(shop, sold)));
    await playing('morning');
    expect(await compare()).toEqual(['failed', 'open', 'overpaid', 'paid', 'reversed', 'underpaid']);
    shop.pass(60 * 60);
    await playing('afternoon');
    shop.pass(60);
    expect(await compare()).toEqual([
      ...['expired', 'failed', 'open', 'overpaid', 'paid', 'partially_refunded', 'refunded', 'reversed', 'underpaid'],
    ]);
  });
});
