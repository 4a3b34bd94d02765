import { type Part, spread } from '../part.ts';
import type { Decide, Passing } from '../postgres-relay.ts';
import { type Bench, openBench } from './bench.ts';
import { type Charged, endsOf, faultsAmong, type Strike, strikeOnce, undisturbed } from './charged.ts';
import { DEATHS, type DeathKind } from './death-kinds.ts';

/** What dies after this many messages of the conversation. */
interface Moment {
  readonly kind: DeathKind;
  readonly at: number;
  readonly message: string;
}

const SHORT = 10;
const KINDS = Object.keys(DEATHS) as DeathKind[];

/** The death at its moment, on the first connection of the charge. */
const dying = (bench: Bench, { kind, at }: Moment): Strike => {
  const death = DEATHS[kind](bench);
  let passed = 0;
  let struck: ReturnType<Decide>;
  return {
    ...death,
    decide: (passing) => {
      if (passing.connection === 0 && passed++ === at) {
        struck = death.strike(passing);
        return struck;
      }
      if (passing.connection > 0) death.later(passing);
      return undefined;
    },
    charge: async (process, ugwo) => {
      const end = await death.charge(process, ugwo);
      await bench.service.idle();
      await struck;
      return end;
    },
  };
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
      const messages = (await undisturbed(bench)).messages.filter(({ name }) => name !== 'Terminate');
      const moments = momentsOf(messages, kinds).filter(({ at }) => isMeant(messages[at] as Passing));
      for (const [index, moment] of (short ? spread(moments, SHORT) : moments).entries()) {
        const name = `${moment.kind} at ${moment.message} (${moment.at})`;
        all.push(await strikeOnce(bench, { name, sameMachine: index % 2 === 0 }, dying(bench, moment)));
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
