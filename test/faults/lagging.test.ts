import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { clock } from '../support/clock.ts';
import { inProcess } from '../support/in-process.ts';
import { newFolder, type RunOptions } from '../support/program.ts';
import { HOUR, MINUTE, SECOND } from '../support/units.ts';
import { type Activity, ASKED, LaggingShop, totalOf } from './lagging-shop.ts';
import { chance, figure, full, seed } from './torture.ts';

const FULL_MS = full ? 60 * MINUTE : 240 * SECOND;
const DAYS = full ? 500 : 25;

/** The program at a shop, and what happens to the shop. */
interface Day {
  readonly shop: LaggingShop;
  run(
    ...args: readonly string[]
  ): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

type Step = fc.AsyncCommand<object, Day>;

/** Events of all days: a property of events that never happen would be empty. */
const happened: Record<string, number> = {};
const count = (what: string): void => {
  happened[what] = (happened[what] ?? 0) + 1;
};

const step = (name: string, act: (day: Day) => Promise<string | undefined>): Step => ({
  check: () => true,
  run: async (_model, day) => {
    const what = await act(day);
    if (what !== undefined) count(what);
    expect(day.shop.wrongs).toEqual([]);
  },
  toString: () => name,
});

const REQUESTS = 2;
const which = fc.integer({ min: 0, max: REQUESTS - 1 });
const place = fc.integer({ min: 0, max: 20 });

const MEDIUMS = [['bank_transfer'], ['ussd', '--provider', 'gtb']];
const charge: fc.Arbitrary<Step> = fc
  .tuple(which, fc.constantFrom(...MEDIUMS), fc.constantFrom([], [], ['--again'], ['--remaining'], ['--reuse']))
  .map(([at, medium, options]) =>
    step(`charge ${at} by ${medium[0]} ${options}`, async ({ shop, run }) => {
      const before = shop.posts;
      const by = options.length === 0 ? 'by itself' : `with ${options}`;
      const ended = await run('ugwo', 'charge', shop.requests[at]?.uid ?? '', '--medium', ...medium, ...options);
      expect([0, 6, 7, 9], ended.stderr).toContain(ended.code);
      return shop.posts > before ? `charged ${by}` : `charge ended with ${ended.code}, ${by}`;
    }),
  );

const isOpen = ({ status }: Activity): boolean => status === 'requires_action';
const isPaid = ({ status }: Activity): boolean => status === 'successful';

/** Charges of a request that was just paid, or paid in part: each reading shows it before or after that. */
const impatient: fc.Arbitrary<Step> = fc
  .record({
    at: which,
    sum: fc.constantFrom(40_000, ASKED),
    option: fc.constantFrom('--again', '--remaining'),
    pauses: fc.array(fc.integer({ min: 0, max: 4 * SECOND }), { minLength: 3, maxLength: 3 }),
  })
  .map(({ at, sum, option, pauses }) =>
    step(`${at} is paid ${sum}, and charged with ${option} after ${pauses} ms`, async ({ shop, run }) => {
      const request = shop.requests[at] as (typeof shop.requests)[number];
      const charged = (...options: readonly string[]) =>
        run('ugwo', 'charge', request.uid, '--medium', 'bank_transfer', ...options);
      if (!request.activities.some(isOpen)) await charged('--again');
      const open = request.activities.find(isOpen);
      if (open === undefined) return undefined;
      shop.change(open, { status: 'successful', charged: sum });
      const before = shop.posts;
      for (const pause of pauses) {
        shop.pass(pause);
        await run('ledger', 'sync');
        await charged(option);
      }
      return `impatient ${option}: ${shop.posts > before ? 'charged' : 'refused'}`;
    }),
  );

/** A change at the provider of the activity at this place, among those it can happen to. */
const provider = (
  name: string,
  can: (one: Activity) => boolean,
  to: (one: Activity) => Partial<Activity>,
): fc.Arbitrary<Step> =>
  place.map((at) =>
    step(`${name} ${at}`, async ({ shop }) => {
      const possible = shop.activities.filter(can);
      const one = possible[at % Math.max(1, possible.length)];
      if (one === undefined) return undefined;
      shop.change(one, to(one));
      return name;
    }),
  );
const payment =
  (charged: (one: Activity) => number) =>
  (one: Activity): Partial<Activity> => ({
    status: 'successful',
    charged: Math.max(1, charged(one)),
  });

const refund: fc.Arbitrary<Step> = fc.tuple(place, fc.constantFrom(undefined, '200.00', '300.00')).map(([at, amount]) =>
  step(`refund ${at}, ${amount}`, async ({ shop, run }) => {
    const paid = shop.activities.filter(({ status }) => status === 'successful' || status === 'partially_refunded');
    const one = paid[at % Math.max(1, paid.length)];
    if (one === undefined) return undefined;
    const request = shop.requestOf(one).uid;
    const before = shop.refunds.length;
    const destination = ['--provider', 'gtb', '--account-number', '0123456789'];
    const sum = amount === undefined ? [] : ['--amount', amount];
    await run('refund', 'create', one.uid, '--ugwo', request, ...sum, ...destination, '--yes');
    return shop.refunds.length > before ? 'refunded' : 'refund refused';
  }),
);

const refundEnds: fc.Arbitrary<Step> = fc.tuple(place, fc.boolean()).map(([at, isBack]) =>
  step(`refund ${at} ends`, async ({ shop }) => {
    const open = shop.refunds.filter(({ status }) => status === 'processing');
    const one = open[at % Math.max(1, open.length)];
    if (one === undefined) return undefined;
    shop.end(one, isBack ? 'successful' : 'failed');
    return isBack ? 'paid back' : 'refund failed';
  }),
);

const passing: fc.Arbitrary<Step> = fc
  .oneof(
    fc.integer({ min: 1, max: 12 * SECOND }),
    fc.integer({ min: 1, max: 12 * SECOND }),
    fc.constantFrom(16 * MINUTE, HOUR),
  )
  .map((ms) =>
    step(`${ms} ms pass`, async ({ shop }) => {
      shop.pass(ms);
      return undefined;
    }),
  );

const steps: readonly fc.Arbitrary<Step>[] = [
  ...[charge, charge, charge, impatient],
  ...[refund, refundEnds],
  ...[passing, passing, passing],
  provider(
    'paid',
    isOpen,
    payment(({ amount }) => amount),
  ),
  provider(
    'paid',
    isOpen,
    payment(({ amount }) => amount),
  ),
  provider(
    'paid in part',
    isOpen,
    payment(({ amount }) => Math.floor(amount * 0.4)),
  ),
  provider(
    'paid too much',
    isOpen,
    payment(({ amount }) => amount + 30_000),
  ),
  provider('failed', isOpen, () => ({ status: 'failed', code: 'psp.error.declined' })),
  provider('reversed', isPaid, () => ({ status: 'failed', charged: 0, code: undefined })),
  provider('reversed with its code', isPaid, () => ({ status: 'failed', charged: 0, code: 'psp.error.reversed' })),
  refundEnds,
  fc.constant(step('ledger sync', async ({ run }) => `synced with ${(await run('ledger', 'sync')).code}`)),
  place.map((at) =>
    step(`activity get ${at}`, async ({ shop, run }) => {
      const one = shop.activities[at % Math.max(1, shop.activities.length)];
      if (one === undefined) return undefined;
      const request = shop.requestOf(one).uid;
      await run('activity', 'get', request, one.uid);
      return 'read';
    }),
  ),
];

/** Payments that the truth about an activity allows. One that the ledger has not known as paid may have failed at once. */
const paymentsOf = (shop: LaggingShop, one: Activity, wasPaid: boolean): readonly string[] => {
  if (one.status === 'requires_action') return ['expired', 'open'];
  if (one.status === 'failed') return wasPaid ? ['reversed'] : ['reversed', 'failed', 'expired'];
  if (one.status !== 'successful') return [one.status];
  if (one.charged > ASKED) return ['overpaid'];
  return [totalOf(shop.requestOf(one)) >= ASKED ? 'paid' : 'underpaid'];
};

/** States that the truth about a refund allows. A failure that only an event tells is never learned here. */
const REFUND_STATES = {
  processing: ['refund_open'],
  successful: ['refund_open', 'paid_back'],
  failed: ['refund_open', 'refund_failed'],
};

interface Entry {
  readonly id: string;
  readonly activity: string | null;
  readonly payment: string | null;
  readonly received: number | null;
  readonly disputed?: boolean;
}

/** Compares the ledger with the truth after the replicas have caught up. */
const compare = async ({ shop, run }: Day): Promise<void> => {
  const listed = async (): Promise<readonly Entry[]> =>
    JSON.parse((await run('ledger', 'list', '--all', '--json')).stdout).data;
  const before = await listed();
  for (const { disputed } of before) if (disputed === true) count('disputed');
  shop.catchUp();
  for (const { id } of await listed()) await run('ledger', 'sync', id);
  const { cases } = JSON.parse((await run('status', '--json')).stdout) as { readonly cases: readonly object[] };
  for (const charge of await listed()) {
    const one = shop.activities.find(({ uid }) => uid === charge.activity);
    if (one === undefined) continue;
    const both = JSON.stringify({ truth: one, charge });
    count(charge.disputed === true ? 'ends disputed' : `ends ${charge.payment}`);
    if (charge.disputed === true) {
      expect(JSON.stringify(cases), both).toContain(charge.id);
      continue;
    }
    const earlier = before.find(({ id }) => id === charge.id);
    const wasPaid = (earlier?.received ?? 0) > 0;
    expect(paymentsOf(shop, one, wasPaid), both).toContain(charge.payment);
    if (one.charged > 0) expect(charge.received, both).toBe(one.charged);
  }
};

interface RefundEntry {
  readonly uid: string | null;
  readonly refund: string;
}

const compareRefunds = async ({ shop, run }: Day): Promise<void> => {
  const { data } = JSON.parse((await run('ledger', 'list', '--kind', 'refund', '--all', '--json')).stdout) as {
    readonly data: readonly RefundEntry[];
  };
  for (const entry of data) {
    const truth = shop.refunds.find(({ uid }) => uid === entry.uid);
    if (truth === undefined) continue;
    count(entry.refund);
    expect(REFUND_STATES[truth.status], JSON.stringify({ truth, entry })).toContain(entry.refund);
  }
};

const SEEN = [
  'impatient --remaining: charged',
  'impatient --again: refused',
  'charged by itself',
  'refunded',
  'paid back',
  'disputed',
  'ends paid',
  'ends reversed',
];

it(
  'ends with a ledger that equals the service, and no second charge, though each reading is up to ten seconds old',
  async () => {
    const days = fc.array(fc.oneof(...steps), { minLength: 20, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(fc.nat(), days, async (day, commands) => {
        let turn = 0;
        const shop = new LaggingShop(REQUESTS, () => chance(`lagging ${day} ${turn++}`));
        const moved = vi.spyOn(clock, 'now').mockImplementation(shop.now);
        const options: RunOptions = { service: await shop.open(), home: newFolder() };
        try {
          const real = { shop, run: (...args: readonly string[]) => inProcess(args, options) };
          await fc.asyncModelRun(() => ({ model: {}, real }), commands);
          await compare(real);
          await compareRefunds(real);
        } finally {
          moved.mockRestore();
        }
      }),
      { numRuns: DAYS, seed },
    );
    for (const [what, times] of Object.entries(happened)) figure(`lagging replicas: ${what}`, times);
    expect(SEEN.filter((what) => happened[what] === undefined)).toEqual([]);
  },
  FULL_MS,
);
