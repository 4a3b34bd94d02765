import { clockThatIsOff } from '../clocks.ts';
import { ugwoOf } from '../counting.ts';
import { check } from '../judge.ts';
import type { Part, PartOptions } from '../part.ts';
import { type Member, startMember } from '../team.ts';
import { type Bench, openBench } from './bench.ts';
import { chargeElsewhere, settledElsewhere } from './others.ts';

const HOUR_S = 3600;
const OFFSETS = [0, HOUR_S, -HOUR_S];
/** The offsets of the database's clock; one of them in a short run. */
const SERVERS = [HOUR_S, 0, -HOUR_S];

const LIMITS = { look: 20_000, charge: 20_000 };
/** Long enough for the others to wait for it on a machine under load. */
const PAUSED = { look: undefined, charge: 500, bound: 5000 };
const LONG = { look: undefined, charge: 20_000, bound: 60_000 };

const envOf = (seconds: number): Record<string, string> => (seconds === 0 ? {} : clockThatIsOff(seconds));

interface Clocked {
  readonly member: Member;
  readonly seconds: number;
  readonly machine: string;
  readonly folder: string;
}

const chargeBy = async (
  bench: Bench,
  { member, machine, folder }: Clocked,
  ugwo: string,
  limits: typeof LIMITS | typeof PAUSED,
) => {
  const order = { url: bench.url(), origin: bench.service.origin, machine, folder, ugwos: [ugwo], limits };
  return (await member.charge(order))?.[0];
};

/** Each machine charges, and all others are refused, whatever their clocks show. */
const together = async (bench: Bench, all: readonly Clocked[]): Promise<string[]> => {
  const faults = all.map(async (one, number) => {
    const ugwo = ugwoOf(number);
    const own = await chargeBy(bench, one, ugwo, LIMITS);
    return check(own?.kind === 'accepted', `by ${one.seconds} s: ${own?.kind}: ${own?.message}`);
  });
  const first = (await Promise.all(faults)).flat();
  for (const [turn, one] of all.entries()) {
    const ugwo = ugwoOf((turn + 1) % all.length);
    const again = await chargeBy(bench, one, ugwo, PAUSED);
    first.push(...check(again?.kind === 'refused', `by ${one.seconds} s again: ${again?.kind}: ${again?.message}`));
  }
  return [
    ...first,
    ...all.flatMap((_, number) => check(bench.posts(ugwoOf(number)) === 1, `${bench.posts(ugwoOf(number))} came`)),
  ];
};

/** One machine pauses during a charge: the others see it as over only after its time, whatever their clocks show. */
const begun = async (bench: Bench, all: readonly Clocked[], at: number, long: boolean): Promise<string[]> => {
  const ugwo = ugwoOf(at);
  const [{ seconds }] = [all[at % all.length] as Clocked];
  const member = await startMember({ env: envOf(seconds) });
  const machine = `paused-${at}`;
  try {
    const order = {
      url: bench.url(),
      origin: bench.service.origin,
      machine,
      folder: bench.newMachine(),
      ugwos: [ugwo],
    };
    const charged = member.charge({ ...order, limits: long ? PAUSED : LONG, stopAt: 'begun' });
    await Promise.race([member.stopped(), charged]);
    const ends = await Promise.all(all.map((one) => chargeBy(bench, one, ugwo, PAUSED)));
    const after = long ? await settledElsewhere(bench, ugwo) : undefined;
    const still = await chargeElsewhere(bench, ugwo);
    member.goOn();
    const [end] = (await charged) ?? [];
    const name = `begun by ${seconds} s`;
    return [
      ...ends.flatMap((one) => check(one?.kind === 'refused', `${name}: another ${one?.kind}: ${one?.message}`)),
      ...(long
        ? []
        : ends.flatMap((one) => check(one?.message === 'in_progress', `${name}: too early ${one?.message}`))),
      ...(long ? check(after?.state === 'unknown', `${name}: it is ${after?.state} afterwards`) : []),
      ...check(still.kind === 'refused', `${name}: one here ${still.kind}: ${still.message}`),
      ...check(end?.kind === (long ? 'not_sent' : 'accepted'), `${name}: it ended as ${end?.kind}: ${end?.message}`),
      ...check(bench.posts(ugwo) === (long ? 0 : 1), `${name}: ${bench.posts(ugwo)} came`),
    ];
  } finally {
    member.kill();
  }
};

const underServer = async (seconds: number, { folder }: PartOptions): Promise<string[]> => {
  const bench = await openBench(folder, { env: envOf(seconds) });
  const all = await Promise.all(
    OFFSETS.map(async (offset, number) => ({
      ...{ seconds: offset, machine: `machine-${number}`, folder: bench.newMachine() },
      member: await startMember({ env: envOf(offset) }),
    })),
  );
  try {
    const places = all.map((_, number) => all.length + number);
    const faults = [
      await together(bench, all),
      ...(await Promise.all(places.map((at) => begun(bench, all, at, false)))),
      ...(await Promise.all(places.map((at) => begun(bench, all, at + all.length, true)))),
      // The database's clock and the service's are compared only if both are right.
      seconds === 0 ? await bench.faults() : [],
    ].flat();
    return faults.map((fault) => `the database by ${seconds} s: ${fault}`);
  } finally {
    for (const { member } of all) member.kill();
    await bench.close();
  }
};

/** Machines with clocks an hour apart, and a database with another clock. Needs faketime. */
export const clocks: Part = async (options) => {
  const servers = options.short ? SERVERS.slice(0, 1) : SERVERS;
  const failures: string[] = [];
  for (const seconds of servers) failures.push(...(await underServer(seconds, options)));
  return {
    figures: [{ name: 'clocks: charges', value: servers.length * OFFSETS.length * 3 }],
    failures: failures.map((failure) => `clocks: ${failure}`),
  };
};
