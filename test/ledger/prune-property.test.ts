import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entry, KeptActivity, StoredOutcome } from '../../src/ledger/entry.ts';
import type { BeginResult, Ledger } from '../../src/ledger/ledger.ts';
import { ledgerOver } from '../../src/ledger/open.ts';
import { COLUMNS, entryRow } from '../../src/ledger/rows.ts';
import { snapshotOf } from '../../src/ledger/snapshot.ts';
import { inserting } from '../../src/ledger/sql.ts';
import { selecting } from '../../src/ledger/sqlite/statements.ts';
import { isDisputed } from '../../src/ledger/transitions.ts';
import { uidOf } from '../support/ids.ts';
import { account, intent, MINUTE, momentAt, NOON, newPath, open, SELF } from './support/charges.ts';
import { ID, job } from './support/jobs.ts';
import { isPrunable, memoryBackend, memoryStore } from './support/memory-backend.ts';
import { shown } from './support/shown.ts';

const STATUSES = [
  'requires_action',
  'requires_action',
  'requires_action',
  'processing',
  'successful',
  'partially_refunded',
  'refunded',
  'failed',
  'expired',
  'odd',
];

/** An activity with an account and its expiry, or without a next action. */
const activity = fc
  .record({
    number: fc.nat(3),
    status: fc.constantFrom(...STATUSES),
    lives: fc.option(fc.constantFrom(1, 15), { nil: undefined }),
    servedLate: fc.option(fc.constantFrom(-5 * MINUTE, 0, 5 * MINUTE), { nil: undefined }),
  })
  .map(({ number, status, lives, servedLate }) => (now: number): KeptActivity => {
    const { nextAction, ...rest } = account({ uid: uidOf(number), status }, now - NOON + (lives ?? 0) * MINUTE);
    const shown = { ...rest, nextAction: lives === undefined ? null : nextAction };
    return servedLate === undefined ? shown : { ...shown, servedAt: now + servedLate };
  });

/** The same in the service's format. */
const raw = ({ uid: name, status, nextAction, createdAt }: KeptActivity): object => ({
  ...{ uid: name, status, created_at: createdAt },
  ...(nextAction === null ? {} : { next_action: nextAction }),
});

const intents = fc.record({
  about: fc.constantFrom('ugw.AbCd.1', 'ugw.AbCd.2'),
  medium: fc.constantFrom('bank_transfer', 'bank_transfer', 'ussd'),
  kind: fc.constantFrom('charge', 'charge', 'charge', 'refund'),
  service: fc.constantFrom('https://api.example', 'https://api.example', 'https://other.example'),
  inJob: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
});

const looks = fc.option(
  fc.record({
    status: fc.constantFrom('requires_ugwo', 'ugwo_successful', 'cancelled'),
    activities: fc.array(activity, { maxLength: 3 }),
  }),
  { nil: undefined },
);

const command = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('begin' as const),
      intent: intents,
      again: fc.boolean(),
      once: fc.boolean(),
      retry: fc.boolean(),
      look: looks,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('record' as const),
      nth: fc.nat(9),
      state: fc.constantFrom(
        'accepted' as const,
        'accepted' as const,
        'rejected' as const,
        'not_sent' as const,
        'unknown' as const,
      ),
      activity,
      exitCode: fc.constantFrom(0, 3, 5, 6, 11),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('observe' as const),
      activity,
      ref: fc.constantFrom(undefined, 'INV-1'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('resolve' as const),
      nth: fc.nat(9),
      made: fc.boolean(),
      activity: fc.option(activity, { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('wait' as const), minutes: fc.constantFrom(1, 16, 16) }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('prune' as const), minutesAgo: fc.constantFrom(0, 0, 10) }) },
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** A ledger with its own clock that names entries by their order instead of their ids. */
const openWorld = (prunes: boolean) => {
  let now = NOON;
  const store = memoryStore();
  const backend = memoryBackend({ moment: () => momentAt(now), self: SELF, hasEnded: () => false }, store);
  const ledger: Ledger = ledgerOver(backend, (text) => text);
  const ids: string[] = [];
  /** Entries whose outcome is recorded: the process that began one records it once. */
  const recorded = new Set<string>();
  const order = (entry: Entry | undefined): number => (entry === undefined ? -1 : ids.indexOf(entry.id));

  const begin = async ({ intent: wanted, look, ...how }: Extract<Command, { what: 'begin' }>): Promise<unknown> => {
    const { inJob, ...terms } = wanted;
    const activities = look?.activities.map((one) => raw(one(now)));
    const shown = look && snapshotOf({ status: look.status, activities }, { servedAt: now });
    const of = inJob === undefined ? {} : { job: ID, row: inJob };
    const begun: BeginResult = await ledger.begin(intent({ ...terms, ...of }), { ...how, shown });
    if (begun.kind === 'refused') return [begun.why, order(begun.by), begun.activity?.uid, begun.activity?.status];
    ids.push(begun.id);
    return ['begun', order(begun.elsewhere)];
  };

  return {
    store,
    run: async (one: Command): Promise<unknown> => {
      switch (one.what) {
        case 'begin':
          return begin(one);
        case 'record': {
          const id = ids[one.nth % ids.length];
          if (id === undefined || recorded.has(id)) return undefined;
          recorded.add(id);
          const accepted = one.state === 'accepted' ? { activity: one.activity(now) } : {};
          const evidence = { kind: 'answer', at: '2026-11-20T12:00:00+00:00', message: 'as it was told' };
          const outcome: StoredOutcome = { state: one.state, exitCode: one.exitCode, evidence, ...accepted };
          return order(await ledger.record(id, outcome));
        }
        case 'observe': {
          const { paidBack, charges } = await ledger.observe(shown([one.activity(now)], { ref: one.ref }), true);
          return { paidBack, disputed: charges.filter(isDisputed).map(({ id }) => ids.indexOf(id)) };
        }
        case 'resolve': {
          const id = ids[one.nth % ids.length];
          if (id === undefined) return undefined;
          const evidence = { kind: 'resolved', at: '2026-11-20T12:00:00+00:00', by: 'ada', reason: 'seen' };
          const made = one.activity === undefined ? {} : { activity: one.activity(now) };
          return ledger.resolve(
            id,
            one.made ? { state: 'accepted', ...made, evidence } : { state: 'not_created', evidence },
          );
        }
        case 'wait':
          now += one.minutes * MINUTE;
          return undefined;
        case 'prune':
          if (prunes) await ledger.prune(now + 1 - one.minutesAgo * MINUTE);
          return undefined;
      }
    },
    /** Everything else that a rule may read. */
    seen: async (): Promise<unknown> => [
      await ledger.jobs.tally({ ...job(), createdAt: 0, runAt: 0 }),
      [...(await ledger.owned([0, 1, 2, 3].map(uidOf)))].sort(),
      (await ledger.unknown()).map(order),
      [...store.charges.values()].map(({ state, activity: known }) => `${state} ${known?.uid} ${known?.status}`),
    ],
  };
};

const manyCommands = fc.array(command, { minLength: 20, maxLength: 80, size: 'max' });
const numRuns = Number(process.env['PAYCLI_PRUNE_RUNS'] ?? 50);

describe('a ledger pruned at any time', () => {
  it('selects in SQL the entries that pruning would change', async () => {
    const path = newPath();
    await open(path);
    const db = new DatabaseSync(path);
    const insert = db.prepare(inserting('charge', COLUMNS.join()));
    const select = db.prepare(`SELECT id FROM charge ${selecting({ prunable: true })[0]}`);
    const property = fc.asyncProperty(manyCommands, async (commands) => {
      const world = openWorld(true);
      for (const one of commands) await world.run(one);
      const entries = [...world.store.charges.values()];
      db.exec('BEGIN');
      try {
        for (const entry of entries) insert.run(...entryRow(entry), entry.seq);
        expect(select.all()).toEqual(entries.filter(isPrunable).map(({ id }) => ({ id })));
      } finally {
        db.exec('ROLLBACK');
      }
    });
    await fc.assert(property, { numRuns });
    db.close();
  });

  it('decides like one that is never pruned', async () => {
    await fc.assert(
      fc.asyncProperty(manyCommands, async (commands) => {
        const [kept, pruned] = [openWorld(false), openWorld(true)];
        for (const one of commands) {
          expect(await pruned.run(one)).toEqual(await kept.run(one));
          expect(await pruned.seen()).toEqual(await kept.seen());
        }
      }),
      { numRuns },
    );
  });
});
