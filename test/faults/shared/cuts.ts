import type { DatabaseLimits } from '../../../src/ledger/postgres/session.ts';
import { inLanes, type Part, type PartOptions, type PartResult } from '../part.ts';
import type { Side } from '../postgres-messages.ts';
import type { Decide } from '../postgres-relay.ts';
import { type Bench, openBench } from './bench.ts';
import { type Charged, endsOf, faultsAmong, nothing, type Strike, strikeOnce, undisturbed } from './charged.ts';
import { PATIENT } from './machine.ts';

/** How a connection is cut; with `gone` the next ones are cut at their start. */
const HOWS = ['fin', 'rst', 'stall', 'gone'] as const;

/** Where the conversation of a charge is cut: after this many bytes of one side. */
interface Cut {
  readonly side: Side;
  readonly after: number;
  readonly how: (typeof HOWS)[number];
}

/** Most of the time is spent waiting. */
const LANES = 12;
const SHORT_STEP = 397;
const TLS_STEP = 7;
const SHORT_TLS_STEP = 7 * SHORT_STEP;

/** If nothing is answered any more, each wait ends soon. */
const HASTY: DatabaseLimits = {
  connect: 300,
  close: 20,
  answer: 150,
  read: 150,
  glance: 150,
  lock: 60,
  idle: 100,
  patience: 1500,
  outcome: 1500,
};
const BRIEF: DatabaseLimits = { ...PATIENT, close: 20, patience: 60, outcome: 60 };
const LIMITS = { fin: PATIENT, rst: PATIENT, stall: HASTY, gone: BRIEF };

const cutter = ({ side, after, how }: Cut): Decide => {
  const way = how === 'gone' ? 'rst' : how;
  let [passed, isCut] = [0, false];
  return (message) => {
    if (message.connection > 0) return how === 'gone' ? { way, after: 0 } : undefined;
    if (message.side !== side || isCut) return undefined;
    const before = passed;
    passed += message.bytes.length;
    if (passed < after) return undefined;
    isCut = true;
    return { way, after: after - before };
  };
};

const cutting = (bench: Bench, cut: Cut): Strike => {
  const decide = cutter(cut);
  let isOver = false;
  return {
    ...nothing(bench),
    limits: LIMITS[cut.how],
    decide: (message) => (isOver ? undefined : decide(message)),
    // What hangs continues to hang.
    mended: async () => {
      isOver = true;
    },
  };
};

/** `gone` is the simplest case, so it is rare. */
const GONE_STEP = 7;

/** Each position is cut in each way; in a sample, in one way. */
const cutsOf = (bytes: Readonly<Record<Side, number>>, step: number, short: boolean): Cut[] =>
  (['request', 'answer'] as const).flatMap((side) =>
    Array.from({ length: Math.floor(bytes[side] / step) + 1 }, (_, index) => index).flatMap((index) => {
      const all = HOWS.filter((how) => how !== 'gone' || index % GONE_STEP === 0);
      const hows = short ? [HOWS[index % HOWS.length] as Cut['how']] : all;
      return hows.map((how) => ({ side, after: index * step, how }));
    }),
  );

const cutAll = async (bench: Bench, name: string, step: number, short: boolean): Promise<PartResult> => {
  const { bytes } = await undisturbed(bench);
  const all: Charged[] = [];
  await inLanes(
    cutsOf(bytes, step, short),
    async (cut, index) => {
      const name = `${cut.how} after ${cut.after} bytes of the ${cut.side}`;
      all.push(await strikeOnce(bench, { name, sameMachine: index % 2 === 0 }, cutting(bench, cut)));
    },
    LANES,
  );
  const figures = [
    { name: `${name}: bytes of the client`, value: bytes.request },
    { name: `${name}: bytes of the server`, value: bytes.answer },
    ...endsOf(name, all),
  ];
  return { figures, failures: (await faultsAmong(bench, all)).map((fault) => `${name}: ${fault}`) };
};

const inBench = async (name: string, tls: string | undefined, step: number, { folder, short }: PartOptions) => {
  const bench = await openBench(folder, tls === undefined ? {} : { tls });
  try {
    return await cutAll(bench, name, step, short);
  } finally {
    await bench.close();
  }
};

/** A charge's conversation with the database, from the connection to the outcome, cut after each byte. */
export const cuts: Part = async (options) => {
  const { short } = options;
  const plain = await inBench('cuts', undefined, short ? SHORT_STEP : 1, options);
  const secure = await inBench('cuts in TLS', 'good', short ? SHORT_TLS_STEP : TLS_STEP, options);
  return {
    figures: [...plain.figures, ...secure.figures],
    failures: [...plain.failures, ...secure.failures],
  };
};
