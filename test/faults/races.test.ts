import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Entry } from '../../src/ledger/entry.ts';
import { dayOf, OTHER_PROFILES, type Policy } from '../../src/ledger/policy.ts';
import { RUNTIME } from '../support/built.ts';
import { newFolder } from '../support/program.ts';
import { countBy } from './bulk-file.ts';
import { openRealLedger } from './charger.ts';
import { MADE, serveCounting, ugwoOf } from './counting.ts';
import { KILLED } from './judge.ts';
import { faultsOfRace, LOST } from './race.ts';
import { type Member, startMember } from './team.ts';
import { drawn, figure, full, seed } from './torture.ts';

const PROCESSES = 8;
const UGWOS = full ? 2000 : 24;
const ROUNDS = full ? 100 : 4;
/** One in this many answers is lost. */
const LOST_OF = full ? 20 : 4;
const FULL_MS = full ? 20 * 60_000 : 180_000;

const shuffled = (ugwos: readonly string[], racer: number): string[] =>
  [...ugwos].sort((a, b) => drawn(`${racer} ${a}`) - drawn(`${racer} ${b}`));

const serve = async (losesAnswer: (ugwo: string) => boolean) => {
  const { origin, posts, close } = await serveCounting(({ ugwo }) => (losesAnswer(ugwo) ? LOST : MADE));
  onTestFinished(close);
  return { origin, executed: () => posts.map(({ ugwo }) => ugwo) };
};

let racers: readonly Member[] = [];

/** For the standalone program every second process: both programs share one ledger. */
beforeAll(async () => {
  racers = await Promise.all(
    Array.from({ length: PROCESSES }, (_, racer) =>
      startMember({ runtime: RUNTIME === 'bun' && racer % 2 === 0 ? 'bun' : 'node' }),
    ),
  );
}, FULL_MS);

afterAll(() => {
  for (const racer of racers) racer.kill();
});

/** Starts all racers at the same moment, and collects their results. */
const race = async (work: (member: Member, racer: number) => ReturnType<Member['charge']>) =>
  (await Promise.all(racers.map(work))).map((ends) => ends ?? [KILLED]);

const allIn = async (path: string): Promise<readonly Entry[]> => {
  const ledger = await openRealLedger(path);
  const charges = await ledger.list({ limit: -1 });
  await ledger.close();
  return charges;
};

beforeEach(({ task }) => {
  onTestFinished(() => {
    if (task.result?.state === 'fail') process.stderr.write(`PAYCLI_TORTURE_SEED=${seed}\n`);
  });
});

describe(`${PROCESSES} processes that race for the same payment requests`, () => {
  /** Returns the faults. */
  const run = async (isLost: (ugwo: string) => boolean) => {
    const service = await serve(isLost);
    const path = join(newFolder(), 'ledger.sqlite');
    const ugwos = Array.from({ length: UGWOS }, (_, number) => ugwoOf(number));
    const started = Date.now();
    const replies = await race((member, racer) =>
      member.charge({ path, origin: service.origin, ugwos: shuffled(ugwos, racer) }),
    );
    const seconds = (Date.now() - started) / 1000;
    const seen = { ends: replies.flat(), came: service.executed(), outcomes: await allIn(path) };
    const faults = faultsOfRace({ processes: PROCESSES, ugwos, isLost, ...seen });
    return { faults, lost: ugwos.filter(isLost), seconds };
  };

  it(
    'charge each exactly once',
    async () => {
      const { faults, seconds } = await run(() => false);
      expect(faults).toEqual([]);
      figure('payment requests raced for', UGWOS);
      figure('charges a second in the race', Math.round(UGWOS / seconds));
    },
    FULL_MS,
  );

  it(
    'never repeat a charge whose answer was lost',
    async () => {
      const { faults, lost } = await run((ugwo) => ugwo === ugwoOf(0) || drawn(ugwo) % LOST_OF === 0);
      expect(faults).toEqual([]);
      figure('lost answers in the race', lost.length);
    },
    FULL_MS,
  );

  const DAY_MS = 24 * 3_600_000;
  const AMOUNT = 500_000;

  /** A ledger with a policy, and the accepted charges on each day of the race. */
  const underPolicy = async (most: number, policyOf: (most: number) => Policy) => {
    const path = join(newFolder(), 'ledger.sqlite');
    const ledger = await openRealLedger(path);
    await ledger.policies.set(OTHER_PROFILES, () => ({ policy: policyOf(most), by: 'test', at: 0 }));
    await ledger.close();
    const first = dayOf(Date.now());
    const check = (allowed: number): void => {
      const days = 1 + (dayOf(Date.now()) - first) / DAY_MS;
      expect(allowed).toBeGreaterThanOrEqual(most);
      expect(allowed).toBeLessThanOrEqual(most * days);
    };
    return { path, check };
  };
  const inNumber = (most: number): Policy => ({ maxCharges: most });
  /** Half of the next amount is left. */
  const inMoney = (most: number): Policy => ({ maxAmount: { NGN: most * AMOUNT + AMOUNT / 2 } });

  it.each([
    ['on the number of charges', inNumber],
    ['on the amount', inMoney],
  ])(
    'never exceed a policy %s',
    async (_what, policyOf) => {
      for (let round = 0; round < ROUNDS; round++) {
        const { path, check } = await underPolicy(1 + (round % (PROCESSES - 1)), policyOf);
        const replies = await race((member, racer) => member.begin({ path, begins: ugwoOf(racer) }));
        check(replies.filter(([reply]) => reply?.kind === 'begun').length);
        expect(countBy(replies.map(([reply]) => reply?.kind ?? ''))).not.toHaveProperty('threw');
      }
      figure('races for the last that a policy allows', ROUNDS);
    },
    FULL_MS,
  );

  it(
    'count charges with lost answers towards a policy',
    async () => {
      const service = await serve((ugwo) => drawn(ugwo) % LOST_OF === 0);
      const { path, check } = await underPolicy(UGWOS / 2, inMoney);
      const ugwos = Array.from({ length: UGWOS }, (_, number) => ugwoOf(number));
      const replies = await race((member, racer) =>
        member.charge({ path, origin: service.origin, ugwos: shuffled(ugwos, racer) }),
      );
      check(service.executed().length);
      expect(new Set(service.executed()).size).toBe(service.executed().length);
      const forbidden = replies.flat().filter(({ message }) => message === 'policy').length;
      expect(forbidden).toBeGreaterThan(0);
      figure('charges that a policy forbade in a race', forbidden);
    },
    FULL_MS,
  );

  it(
    'create one ledger together',
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const path = join(newFolder(), 'new', 'ledger.sqlite');
        const replies = await race((member, racer) => member.begin({ path, begins: ugwoOf(racer) }));
        expect(replies.map(([reply]) => reply?.kind)).toEqual(racers.map(() => 'begun'));
        expect((await allIn(path)).map(({ about }) => about).sort()).toEqual(racers.map((_, racer) => ugwoOf(racer)));
      }
      figure('ledgers made by several processes at once', ROUNDS);
    },
    FULL_MS,
  );
});
