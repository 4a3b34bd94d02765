import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../support/program.ts';
import { HOUR, MINUTE, SECOND } from '../support/units.ts';
import { MEDIUMS, type Medium, type Rules } from './model-service.ts';
import { AT_ONCE, type Fate, type Glance, happened, openWorld, type World } from './model-world.ts';
import { figure, full, seed } from './torture.ts';

const RUNS = full ? 5000 : 60;
const FULL_MS = full ? 60 * 60_000 : 240_000;

type Step = fc.AsyncCommand<object, World>;

const step = (name: string, run: (world: World) => Promise<void>): Step => ({
  check: () => true,
  run: async (_model, world) => {
    await run(world);
    await world.inspect();
  },
  toString: () => name,
});

const span = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
const which = span(1);
const ugwo = fc.constantFrom('ugw.AbCd.1', 'ugw.AbCd.1', 'ugw.AbCd.1', 'ugw.AbCd.2');
const medium = fc.constantFrom<Medium>('bank_transfer', ...MEDIUMS);
/** Lists show an activity late, but not so late that a check 15 minutes after the sending could miss it. */
const visibleAfter = fc.oneof(fc.constant(0), span(13 * MINUTE));

/** The delay of one direction: rarely long. */
const way = fc.oneof({ weight: 4, arbitrary: fc.constant(100) }, span(4 * MINUTE));

const fate: fc.Arbitrary<Fate> = fc.record({
  end: fc.constantFrom('answered', 'answered', 'answered', 'lost', 'lost', 'dies', 'not_sent', 'rejected'),
  arrives: fc.boolean(),
  late: fc.boolean(),
  failed: fc.integer({ min: 0, max: 4 }).map((drawn) => drawn === 0),
  there: way,
  back: way,
  visibleAfter,
});

const glance = (...views: readonly Glance['view'][]): fc.Arbitrary<Glance> =>
  fc.record({ view: fc.constantFrom(...views), ask: span(5 * SECOND), back: span(5 * SECOND) });

/** Half of all charges are checked first. */
const preflight = fc.oneof(glance('none'), glance('fresh', 'fresh', 'fresh', 'early', 'aged', 'silent', 'away'));

const charge: fc.Arbitrary<Step> = fc
  .tuple(
    ...[which, ugwo, medium],
    ...[fc.integer({ min: 0, max: 3 }), fate, fc.constantFrom(0, SECOND, SECOND, 9 * MINUTE), preflight],
  )
  .map(([who, where, by, drawn, what, after, look]) =>
    step(
      `charge ${where} by ${by}, again ${drawn === 0}, ${JSON.stringify([what, look])}; ${after} ms pass`,
      async (world) => {
        await world.charge(who, where, by, drawn === 0, what, look);
        await world.advance(after);
      },
    ),
  );

const passing: fc.Arbitrary<Step> = fc
  .oneof(span(10 * SECOND), span(2 * MINUTE), span(20 * MINUTE), fc.constant(16 * MINUTE), span(3 * HOUR))
  .map((ms) => step(`${ms} ms pass`, (world) => world.advance(ms)));

const other: fc.Arbitrary<Step> = fc
  .tuple(ugwo, medium, visibleAfter)
  .map(([where, by, after]) =>
    step(`somebody else charges ${where} by ${by}, seen after ${after} ms`, (world) => world.other(where, by, after)),
  );

/** Checks three times, as an impatient operator does. */
const watch = async (world: World, who: number): Promise<void> => {
  for (const pause of [61 * SECOND, 61 * SECOND, 0]) {
    await world.reconcile(who, { view: 'fresh', ask: 100, back: 100 });
    await world.inspect();
    await world.advance(pause);
  }
};

const steps: readonly fc.Arbitrary<Step>[] = [
  // More charges conflict more often.
  ...[charge, charge, charge, charge],
  ...[passing, passing],
  fc
    .tuple(which, glance('fresh', 'fresh', 'fresh', 'fresh', 'fresh', 'aged', 'aged', 'silent', 'away'))
    .map(([who, look]) => step(`reconcile, ${JSON.stringify(look)}`, (world) => world.reconcile(who, look))),
  fc.tuple(which, ugwo).map(([who, where]) => step(`${who} looks at ${where}`, (world) => world.lookEarly(who, where))),
  ugwo.map((where) => step(`the caches forget ${where}`, (world) => world.renewCache(where))),
  which.map((who) => step('watch', (world) => watch(world, who))),
  which.map((who) => step('reconcile twice', (world) => world.reconcileTwice(who))),
  ...[other, other, other],
  fc
    .tuple(span(20), fc.constantFrom('successful' as const, 'failed' as const))
    .map(([index, status]) => step(`activity ${index} becomes ${status}`, (world) => world.settle(index, status))),
  fc.tuple(which, span(20)).map(([who, index]) => step(`read activity ${index}`, (world) => world.observe(who, index))),
  fc
    .integer({ min: -3 * HOUR, max: 3 * HOUR })
    .map((ms) => step(`the clock is set ${ms} ms off`, (world) => world.setClock(ms))),
  fc
    .tuple(which, fc.boolean())
    .map(([who, kill]) =>
      kill
        ? step(`kill process ${who}`, (world) => world.kill(who))
        : step('a person resolves', (world) => world.resolve(who)),
    ),
];

const rules: fc.Arbitrary<Rules> = fc.oneof(
  fc.record({
    skew: fc.oneof(fc.constant(0), fc.integer({ min: -6 * HOUR, max: 6 * HOUR })),
    dated: fc.constant(true),
    front: fc.constant(0),
    forgets: fc.boolean(),
  }),
  // A front end with a fast clock; this machine's is right, or a little slow.
  fc.record({
    skew: fc.integer({ min: 0, max: 110 * SECOND }),
    dated: fc.constant(true),
    front: fc.constant(15 * MINUTE),
    forgets: fc.boolean(),
  }),
  // Without the service's date, the clocks differ by no more than the window.
  fc.record({
    skew: fc.integer({ min: -110 * SECOND, max: 110 * SECOND }),
    dated: fc.constant(false),
    front: fc.constant(0),
    forgets: fc.boolean(),
  }),
);

/** Runs `use` in a world of its own. */
const inWorld = async <T>(how: Rules, use: (world: World) => Promise<T>): Promise<T> => {
  const folder = newFolder('model');
  const world = await openWorld(how, folder);
  try {
    return await use(world);
  } finally {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** A property of events that never happen would be empty. */
const SEEN = [
  'sent',
  'sent after a look',
  'kept from being sent by a look that failed',
  'looked into a cache',
  'died',
  'clock set',
  'charged by others',
  'charged again on demand',
  'resolved by a person',
  'refused as unresolved',
  'refused as in_progress',
  'refused as payable',
  'refused as other_medium',
  'refused as processing',
  'refused as paid',
  'refused as unseen',
  'refused for what others made',
  'reconciled as accepted',
  'reconciled as not_created',
  'reconciled as unknown',
];
/** Some events happen a few times in a short run, and rarely not at all. */
const MOST_ROUNDS = full ? 5 : 10;

const neverSeen = (): string[] => SEEN.filter((what) => (happened[what] ?? 0) === 0);

const checkWorlds = (from: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(rules, fc.commands([...steps], { size: 'max', maxCommands: 60 }), (how, commands) =>
      inWorld(how, async (world) => {
        await fc.asyncModelRun(() => ({ model: {}, real: world }), commands);
        await watch(world, 0);
        await world.advance(20 * MINUTE);
        await watch(world, 1);
      }),
    ),
    { numRuns: RUNS, seed: from },
  );

it(
  'no customer gets two payable charges, and no unknown charge is resolved wrongly, whatever is lost, late or killed',
  async () => {
    let rounds = 0;
    do await checkWorlds(seed + rounds);
    while (++rounds < MOST_ROUNDS && neverSeen().length > 0);
    expect(neverSeen()).toEqual([]);
    for (const what of SEEN) figure(`model: ${what}`, happened[what] ?? 0);
    figure('model runs', rounds * RUNS);
  },
  FULL_MS,
);

const LOST: Fate = {
  end: 'lost',
  arrives: false,
  late: false,
  failed: false,
  there: 100,
  back: 100,
  visibleAfter: 0,
};

/** A lost charge, and at the same moment a foreign one by the same medium. */
const meet = (arrives: boolean): Promise<string[]> =>
  inWorld({ skew: 0, dated: true, front: 0, forgets: false }, async (world) => {
    await world.charge(0, 'ugw.AbCd.1', 'ussd', false, { ...LOST, arrives }, AT_ONCE);
    await world.other('ugw.AbCd.1', 'ussd', 0, true);
    await world.advance(10 * SECOND);
    await world.reconcile(0, AT_ONCE);
    return world.states();
  });

describe('a foreign activity by the same medium at the moment of a lost charge', () => {
  it('is matched to our charge if ours was never created: nothing distinguishes them, and the customer has one to pay', async () => {
    expect(await meet(false)).toEqual(['accepted']);
  });

  it('leaves the charge unknown if ours was created, too', async () => {
    expect(await meet(true)).toEqual(['unknown']);
  });
});

it('an activity in a cached answer from before a charge is never matched to the charge', async () => {
  const [silent, none] = [
    { ...AT_ONCE, view: 'silent' },
    { ...AT_ONCE, view: 'none' },
  ] as const;
  const states = await inWorld({ skew: 0, dated: true, front: 0, forgets: false }, async (world) => {
    await world.charge(0, 'ugw.AbCd.1', 'ussd', true, LOST, none);
    await world.advance(160 * SECOND);
    await world.other('ugw.AbCd.1', 'ussd', 0);
    await world.reconcile(0, silent);
    await world.resolve(0);
    await world.advance(16 * MINUTE);
    await world.charge(0, 'ugw.AbCd.1', 'ussd', true, LOST, none);
    for (const pause of [SECOND, 2 * MINUTE, 20 * MINUTE]) {
      await world.advance(pause);
      await world.reconcile(0, silent);
      await world.inspect();
    }
    return world.states();
  });
  expect(states.toSorted()).toEqual(['not_created', 'unknown']);
});
