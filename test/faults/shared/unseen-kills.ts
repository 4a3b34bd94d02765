import type { Entry } from '../../../src/ledger/entry.ts';
import { MADE, ugwoOf } from '../counting.ts';
import type { Part } from '../part.ts';
import { type Member, startMember, until } from '../team.ts';
import { chance, drawn, seed } from '../torture.ts';
import { type Bench, openBench } from './bench.ts';
import { chargeElsewhere, elsewhere, resolveElsewhere } from './others.ts';

interface Size {
  readonly members: number;
  readonly ugwos: number;
  readonly kills: number;
}

const FULL: Size = { members: 4, ugwos: 400, kills: 40 };
const SHORT: Size = { members: 2, ugwos: 30, kills: 3 };
/** How long others wait before they consider a sending ended whose process they can't see. */
const LIMITS = { look: undefined, charge: 1000, bound: 3000 };
/** No kill after this share of the charges has arrived. */
const LAST_KILL = 0.9;

/** Charges them all in its own order, on a new machine after each kill. */
const keepCharging = async (bench: Bench, running: Map<number, Member>, ugwos: readonly string[], number: number) => {
  const own = [...ugwos].sort((a, b) => drawn(`${number} ${a}`) - drawn(`${number} ${b}`));
  for (let lives = 0; ; lives += 1) {
    const member = await startMember();
    running.set(number, member);
    const place = { url: bench.url(), machine: `machine-${number}-${lives}`, folder: bench.newMachine() };
    const ends = await member.charge({ ...place, origin: bench.service.origin, ugwos: own, limits: LIMITS });
    running.delete(number);
    member.kill();
    if (ends !== undefined) return ends;
  }
};

/** Charges that are open without a process. */
const leftOpen = (bench: Bench): Promise<readonly Entry[]> =>
  elsewhere(bench, async (ledger) => {
    const isOver = async () => (await ledger.list({ states: ['sending'], limit: 1 })).length === 0;
    await until(isOver, 'that nothing is being sent');
    return ledger.unknown();
  });

const charged = async (bench: Bench, { members, ugwos: count, kills }: Size, running: Map<number, Member>) => {
  const ugwos = Array.from({ length: count }, (_, number) => ugwoOf(number));
  await Promise.all(Array.from({ length: members }, (_, number) => keepCharging(bench, running, ugwos, number)));
  const left = await leftOpen(bench);
  const unsent = left.filter(({ about }) => bench.posts(about) === 0);
  for (const { id } of unsent) await resolveElsewhere(bench, id);
  const rest = ugwos.filter((ugwo) => bench.posts(ugwo) === 0);
  const faults: string[] = [];
  for (const ugwo of rest) {
    const { kind, message } = await chargeElsewhere(bench, ugwo);
    if (kind !== 'accepted') faults.push(`${ugwo} in the end: ${kind}: ${message}`);
  }
  for (const ugwo of ugwos) if (bench.posts(ugwo) !== 1) faults.push(`${ugwo}: ${bench.posts(ugwo)} came`);
  // A few kills may all miss the time between an intent and its outcome.
  if (left.length === 0 && kills === FULL.kills) faults.push('no kill left a charge open: nothing was tried');
  return {
    figures: [
      { name: 'unseen kills: charges', value: count },
      { name: 'unseen kills: kills', value: kills },
      { name: 'unseen kills: POSTs by the service', value: bench.service.posts.length },
      { name: 'unseen kills: left unknown', value: left.length },
      { name: 'unseen kills: of those never sent', value: unsent.length },
    ],
    faults,
  };
};

/** Killed processes on machines that the others can't see, with a short time limit. */
export const unseenKills: Part = async ({ short, folder }) => {
  const size = short ? SHORT : FULL;
  const due = Array.from({ length: size.kills }, (_, kill) => size.ugwos * LAST_KILL * chance(`unseen ${kill}`));
  due.sort((a, b) => a - b);
  const running = new Map<number, Member>();
  let posts = 0;
  const bench = await openBench(folder, {}, () => {
    posts += 1;
    const [victim] = [...running.entries()].sort(([a], [b]) => drawn(`${posts} ${a}`) - drawn(`${posts} ${b}`));
    if (victim !== undefined && (due[0] ?? Number.POSITIVE_INFINITY) <= posts) {
      due.shift();
      running.delete(victim[0]);
      victim[1].kill();
    }
    return MADE;
  });
  try {
    const { figures, faults } = await charged(bench, size, running);
    const all = [
      ...faults,
      ...(due.length === 0 ? [] : [`${due.length} kills did not fall`]),
      ...(await bench.faults()),
    ];
    return { figures, failures: all.map((failure) => `unseen kills, seed ${seed}: ${failure}`) };
  } finally {
    for (const member of running.values()) member.kill();
    await bench.close();
  }
};
