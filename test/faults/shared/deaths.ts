import { rmSync } from 'node:fs';
import { ugwoOf } from '../counting.ts';
import { type Part, spread } from '../part.ts';
import { type Decide, openPostgresRelay, type Passing } from '../postgres-relay.ts';
import { type Bench, openBench } from './bench.ts';
import { type Charged, chargeAgain, endsOf, faultsAmong } from './charged.ts';
import { DEATHS, type DeathKind } from './death-kinds.ts';
import { charge, PATIENT, type Process } from './machine.ts';

/** What dies after this many messages of the conversation. */
interface Moment {
  readonly kind: DeathKind;
  readonly at: number;
  readonly message: string;
}

const SHORT = 10;
const KINDS = Object.keys(DEATHS) as DeathKind[];

let ugwos = 0;

/** The messages of an undisturbed charge. */
const conversation = async (bench: Bench): Promise<readonly Passing[]> => {
  const relay = await openPostgresRelay(bench.cluster.port);
  const process = { url: bench.url(relay.port), folder: bench.newMachine(), limits: PATIENT };
  const end = await charge(process, bench.service.origin, ugwoOf(ugwos++));
  await relay.close();
  if (end.kind !== 'accepted') throw new Error(`a charge that nothing befell was ${end.kind}: ${end.message}`);
  return relay.messages.filter(({ name }) => name !== 'Terminate');
};

const run = async (bench: Bench, { kind, at, message }: Moment, sameMachine: boolean): Promise<Charged> => {
  const relay = await openPostgresRelay(bench.cluster.port);
  const death = DEATHS[kind](bench);
  const ugwo = ugwoOf(ugwos++);
  const process: Process = { url: bench.url(relay.port), folder: bench.newMachine(), limits: death.limits };
  let passed = 0;
  let struck: ReturnType<Decide>;
  relay.use((passing) => {
    if (passing.connection === 0 && passed++ === at) {
      struck = death.strike(passing);
      return struck;
    }
    if (passing.connection > 0) death.later(passing);
    return undefined;
  });
  try {
    const first = await death.charge(process, ugwo);
    await bench.service.idle();
    await struck;
    const posts = bench.posts(ugwo);
    await death.mended();
    const second = await chargeAgain(bench, process, ugwo, sameMachine);
    return { name: `${kind} at ${message} (${at})`, ugwo, first, posts, second, sameMachine };
  } finally {
    death.over();
    await relay.close();
    rmSync(process.folder, { recursive: true, force: true });
  }
};

const isCommit = ({ name, text }: Passing): boolean =>
  (name === 'Query' || name === 'CommandComplete') && text.endsWith('COMMIT');

const wordsOf = ({ name, text }: Passing): string => (name === 'CommandComplete' ? `${name} ${text}` : name);

/** Rollbacks happen at commits only; any other death at each message. */
const momentsOf = (messages: readonly Passing[], kinds: readonly DeathKind[]): Moment[] =>
  kinds.flatMap((kind) =>
    messages.flatMap((message, at) =>
      kind !== 'commit rolled back' || (isCommit(message) && message.name === 'Query')
        ? [{ kind, at, message: wordsOf(message) }]
        : [],
    ),
  );

/** Each kind of death at each message accepted by `isMeant`. */
const deathsBy =
  (kinds: readonly DeathKind[], isMeant: (message: Passing) => boolean): Part =>
  async ({ short, folder }) => {
    const all: Charged[] = [];
    const bench = await openBench(folder);
    try {
      const messages = await conversation(bench);
      const moments = momentsOf(messages, kinds).filter(({ at }) => isMeant(messages[at] as Passing));
      for (const [index, moment] of (short ? spread(moments, SHORT) : moments).entries()) {
        all.push(await run(bench, moment, index % 2 === 0));
      }
      const figures = [{ name: 'deaths: messages of a charge', value: messages.length }, ...endsOf('deaths', all)];
      return { figures, failures: await faultsAmong(bench, all) };
    } finally {
      await bench.close();
    }
  };

/** Only those at a commit and its answer. */
export const deathsAtCommits = (...kinds: readonly DeathKind[]): Part => deathsBy(kinds, isCommit);

/** The processes of the database and of the program die or pause at each message of a charge. */
export const deaths: Part = deathsBy(KINDS, () => true);
