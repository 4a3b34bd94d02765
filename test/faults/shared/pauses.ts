import type { ChargeEnd, Limits } from '../charger.ts';
import { MADE, ugwoOf } from '../counting.ts';
import type { StopAt } from '../member.ts';
import { inLanes, type Part, type PartOptions } from '../part.ts';
import { type Member, startMember } from '../team.ts';
import { drawn, seed } from '../torture.ts';
import { type Bench, openBench } from './bench.ts';
import { PATIENT } from './machine.ts';
import { chargeElsewhere, resolveElsewhere, settledElsewhere } from './others.ts';

/** `handed over`: the service has received the charge. `any`: after a time, wherever it is. */
type Moment = StopAt | 'handed over' | 'any';

interface Pause {
  readonly at: Moment;
  /** Beyond the time limit of the sending, and until others have finished. */
  readonly long: boolean;
  readonly after: number;
}

const MOMENTS: readonly Moment[] = ['looked', 'locked', 'begun', 'connected', 'handed over'];
const LANES = 4;
const [FULL_TIMES, FULL_ANYWHERE, SHORT_ANYWHERE] = [10, 100, 1];
/** The approximate time of a charge with its start, in milliseconds. */
const CHARGE_MS = 250;

const SHORT_BOUND: Limits = { look: undefined, charge: 500, bound: 1500 };
/** Enough for a machine under load. */
const LONGER_BOUND: Limits = { look: undefined, charge: 1000, bound: 5000 };
const NO_BOUND: Limits = { look: undefined, charge: 20_000 };
/** An idle transaction soon ends, with its locks. */
const HASTY = { ...PATIENT, idle: 1000 };

const limitsOf = ({ at, long }: Pause): Limits => {
  if (!long) return NO_BOUND;
  return at === 'handed over' || at === 'any' ? LONGER_BOUND : SHORT_BOUND;
};

/**
 * What others do in the meantime: they charge, and again after an operator has resolved the first charge as absent.
 */
const othersGoOn = async (bench: Bench, ugwo: string, long: boolean): Promise<ChargeEnd> => {
  const first = await chargeElsewhere(bench, ugwo);
  if (first.kind === 'accepted' || !long) return first;
  const entry = await settledElsewhere(bench, ugwo);
  if (entry?.state === 'unknown' && bench.posts(ugwo) === 0) await resolveElsewhere(bench, entry.id);
  return chargeElsewhere(bench, ugwo);
};

/** The possible results of the paused process: others have charged in the meantime, or it has, or it is unknown. */
const endsOf = ({ at, long }: Pause): readonly string[] => {
  if (at === 'any') return ['accepted', 'refused', 'not_sent', 'unknown', 'unrecorded'];
  if (at === 'looked' || at === 'locked') return ['refused'];
  if (at === 'handed over') return long ? ['accepted', 'unknown', 'unrecorded'] : ['accepted'];
  return long ? ['not_sent'] : ['accepted'];
};

interface Paused {
  readonly name: string;
  readonly faults: readonly string[];
}

const pauseOnce = async (bench: Bench, onPost: Map<string, () => Promise<void>>, pause: Pause, number: number) => {
  const { at, long, after } = pause;
  const ugwo = ugwoOf(number);
  const folder = bench.newMachine();
  const member: Member = await startMember();
  const stopAt = at === 'handed over' || at === 'any' ? undefined : at;
  const posted = Promise.withResolvers<void>();
  if (at === 'handed over') onPost.set(ugwo, () => member.stop().then(posted.resolve));
  const name = `${at}${at === 'any' ? `, after ${after} ms` : ''}${long ? ', for long' : ''}`;
  try {
    const order = { url: bench.url(), machine: `paused-${number}`, folder, origin: bench.service.origin, waits: HASTY };
    const charged = member.charge({ ...order, ugwos: [ugwo], limits: limitsOf(pause), stopAt });
    const reached = at === 'handed over' ? posted.promise : at === 'any' ? member.stopAfter(after) : member.stopped();
    // A process that has ended is not waited for.
    await Promise.race([reached, charged]);
    const others = await othersGoOn(bench, ugwo, long);
    member.goOn();
    const [end] = (await charged) ?? [];
    const posts = bench.posts(ugwo);
    const own = endsOf(pause).includes(end?.kind ?? '') ? [] : [`it ended as ${end?.kind}: ${end?.message}`];
    const came = posts === 1 ? [] : [`${posts} came to the service; others ended as ${others.kind}: ${others.message}`];
    return { name, faults: [...own, ...came].map((fault) => `paused ${name}: ${fault}`) };
  } finally {
    member.kill();
  }
};

const pausesOf = (short: boolean): Pause[] => {
  const beyond = MOMENTS.map((at) => ({ at, long: true, after: 0 }));
  const known = short ? beyond : [...beyond, ...beyond.map((pause) => ({ ...pause, long: false }))];
  const anywhere = Array.from({ length: short ? SHORT_ANYWHERE : FULL_ANYWHERE }, (_, number) => ({
    at: 'any' as const,
    long: true,
    after: drawn(`pause ${number}`) % CHARGE_MS,
  }));
  return [...Array.from({ length: short ? 1 : FULL_TIMES }, () => known).flat(), ...anywhere];
};

/** Stops (SIGSTOP) a process during a charge, lets others charge, and resumes it. */
export const pauses: Part = async ({ short, folder }: PartOptions) => {
  const onPost = new Map<string, () => Promise<void>>();
  const bench = await openBench(folder, {}, ({ ugwo }) => {
    const before = onPost.get(ugwo)?.();
    return before === undefined ? MADE : { ...MADE, before };
  });
  try {
    const all = pausesOf(short);
    const done: Paused[] = [];
    await inLanes(all, async (pause, number) => void done.push(await pauseOnce(bench, onPost, pause, number)), LANES);
    const failures = [...done.flatMap(({ faults }) => faults), ...(await bench.faults())];
    return {
      figures: [
        { name: 'pauses', value: all.length },
        { name: 'pauses: beyond the bound', value: all.filter(({ long }) => long).length },
        { name: 'pauses: POSTs by the service', value: bench.service.posts.length },
      ],
      failures: failures.map((failure) => `pauses, seed ${seed}: ${failure}`),
    };
  } finally {
    await bench.close();
  }
};
