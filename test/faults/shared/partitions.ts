import type { ChargeEnd } from '../charger.ts';
import { MADE, ugwoOf } from '../counting.ts';
import { check } from '../judge.ts';
import type { Order, StopAt } from '../member.ts';
import { makeNamespace, type Namespace } from '../namespaces.ts';
import { inLanes, type Part } from '../part.ts';
import { startMember } from '../team.ts';
import { type Bench, openBench } from './bench.ts';
import { PATIENT } from './machine.ts';
import type { Machine } from './on-machine.ts';
import { chargeElsewhere } from './others.ts';

/** The names in a machine's network. */
const LEDGER = 'ledger.test';
const SERVICE = 'service.test';

interface Partition {
  readonly cut: readonly (typeof LEDGER | typeof SERVICE)[];
  /** `handed over`: the service has received the charge, and has not answered. */
  readonly at: StopAt | 'handed over';
  /** The possible results of the charge, and of another machine's charge while the cable is cut. */
  readonly ends: readonly string[];
  readonly others: 'accepted' | 'refused';
}

const [LEDGER_CUT, SERVICE_CUT] = [{ cut: [LEDGER] }, { cut: [SERVICE] }] as const;
const PARTITIONS: readonly Partition[] = [
  { ...LEDGER_CUT, at: 'begun', ends: ['unrecorded'], others: 'refused' },
  { ...SERVICE_CUT, at: 'begun', ends: ['not_sent'], others: 'accepted' },
  { ...SERVICE_CUT, at: 'connected', ends: ['unknown'], others: 'refused' },
  { ...LEDGER_CUT, at: 'looked', ends: ['ledger'], others: 'accepted' },
  { ...LEDGER_CUT, at: 'locked', ends: ['ledger'], others: 'accepted' },
  { ...LEDGER_CUT, at: 'connected', ends: ['unrecorded'], others: 'refused' },
  { ...LEDGER_CUT, at: 'handed over', ends: ['unrecorded'], others: 'refused' },
  { ...SERVICE_CUT, at: 'looked', ends: ['not_sent'], others: 'accepted' },
  { ...SERVICE_CUT, at: 'locked', ends: ['not_sent'], others: 'accepted' },
  { ...SERVICE_CUT, at: 'handed over', ends: ['unknown'], others: 'refused' },
  { cut: [LEDGER, SERVICE], at: 'begun', ends: ['not_sent'], others: 'refused' },
  { cut: [LEDGER, SERVICE], at: 'connected', ends: ['unknown'], others: 'refused' },
];
const [SHORT, FULL_TIMES, LANES] = [3, 5, 4];

/** Short waits, because nothing is answered. */
const HASTY = { ...PATIENT, connect: 4000, answer: 1500, read: 1500, idle: 1000, patience: 2000, outcome: 2000 };
const ATTEMPT_MS = 1000;
const LONG_MS = 20_000;

const cutOnce = async (
  bench: Bench,
  onPost: Map<string, () => void>,
  network: Namespace,
  { cut, at, ends, others: expected }: Partition,
  number: number,
): Promise<string[]> => {
  const ugwo = ugwoOf(number);
  const pull = (): void => {
    for (const name of cut) network.cut(name);
  };
  const member = await startMember(network);
  const charge = (more: Pick<Machine, 'waits'> & Pick<Order, 'limits' | 'stopAt'>) =>
    member.charge({
      ...{ url: bench.url(), host: LEDGER, machine: `cut-off-${number}`, folder, ugwos: [ugwo], ...more },
      ...{ origin: `http://${SERVICE}:${new URL(bench.service.origin).port}`, known: bench.service.origin },
    });
  const folder = bench.newMachine();
  const attempt = cut.includes(SERVICE) ? ATTEMPT_MS : LONG_MS;
  try {
    if (at === 'handed over') onPost.set(ugwo, pull);
    const stopAt = at === 'handed over' ? undefined : at;
    const charged = charge({ waits: HASTY, limits: { look: undefined, charge: attempt }, stopAt });
    if (stopAt !== undefined) {
      await Promise.race([member.stopped(), charged]);
      pull();
      member.goOn();
    }
    const [end] = (await charged) ?? [];
    const others: ChargeEnd = await chargeElsewhere(bench, ugwo);
    for (const name of cut) network.heal(name);
    const [again] = (await charge({ limits: { look: undefined, charge: LONG_MS } })) ?? [];
    const posts = bench.posts(ugwo);
    // Packets sent before the cut may still arrive.
    const least = end?.kind === 'unknown' || (expected === 'refused' && end?.kind === 'not_sent') ? 0 : 1;
    const name = `${cut.join(' and ')} cut off, ${at}`;
    return [
      ...check(ends.includes(end?.kind ?? ''), `it ended as ${end?.kind}: ${end?.message}`),
      ...check(others.kind === expected, `another was ${others.kind}: ${others.message}`),
      ...check(posts <= 1 && posts >= least, `${posts} came to the service`),
      ...check(again?.kind === 'refused' || posts === 1, `the same again was ${again?.kind}: ${again?.message}`),
    ].map((fault) => `${name}: ${fault}`);
  } finally {
    member.kill();
  }
};

/** Cuts a machine's cable to the database, to the service, or both, during a charge. Needs root. */
export const partitions: Part = async ({ short, folder }) => {
  const onPost = new Map<string, () => void>();
  const bench = await openBench(folder, {}, ({ ugwo }) => {
    onPost.get(ugwo)?.();
    return MADE;
  });
  const all = short ? PARTITIONS.slice(0, SHORT) : Array.from({ length: FULL_TIMES }, () => PARTITIONS).flat();
  const peers = [
    { name: LEDGER, port: bench.cluster.port },
    { name: SERVICE, port: Number(new URL(bench.service.origin).port) },
  ];
  const failures: string[] = [];
  const inNetwork = async (partition: Partition, number: number): Promise<void> => {
    const network = await makeNamespace(peers);
    try {
      failures.push(...(await cutOnce(bench, onPost, network, partition, number)));
    } finally {
      await network.remove();
    }
  };
  try {
    await inLanes(all, inNetwork, LANES);
    failures.push(...(await bench.faults()));
    return {
      figures: [
        { name: 'partitions', value: all.length },
        { name: 'partitions: POSTs by the service', value: bench.service.posts.length },
      ],
      failures: failures.map((failure) => `partitions: ${failure}`),
    };
  } finally {
    await bench.close();
  }
};
