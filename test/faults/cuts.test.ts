import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import type { Charge, Ledger } from '../../src/ledger/ledger.ts';
import { RUNTIME } from '../support/built.ts';
import { newFolder, paycli } from '../support/program.ts';
import { CA_FILE } from '../support/tls.ts';
import type { ChargeEnd } from './charger.ts';
import { chargeAt, openRealLedger } from './charger.ts';
import type { CountingService, Framing } from './counting-service.ts';
import { serveCounting } from './counting-service.ts';
import type { Cut, Passed, Relay, Way } from './cuts-relay.ts';
import { openRelay, WAYS } from './cuts-relay.ts';
import { figure, full } from './torture.ts';
import { startWorker, tell } from './workers.ts';

/** A machine that is shared takes its time. */
const FULL_MS = full ? 20 * 60_000 : 60_000;
const FRAMINGS: readonly Framing[] = ['content-length', 'chunked', 'end of stream'];
/** So long an attempt is given that is meant to be ended by its time. */
const SHORT_MS = 25;
const LONG_MS = 20_000;
const STEP = full ? 1 : 29;
const LANES = 6;

/** The length of the server's part of a handshake differs by a few bytes: so does that of a signature. */
const SIGNATURE_SPREAD = 8;

/** The client's part of a handshake after its hello is shorter than this, and a request longer. */
const FINISHED = 150;

const ugwoNumber = (number: number): string => `ugw.AbCd.${String(number).padStart(24, '0')}`;

/** Charges a payment request of one origin; `timeout` bounds each attempt, in milliseconds. */
type ChargeOver = (origin: string, ugwo: string, timeout: number) => Promise<ChargeEnd>;

interface Bench {
  readonly service: CountingService;
  readonly ledger: Ledger;
  readonly charge: ChargeOver;
  readonly relay: Relay;
  readonly origin: string;
}

/** What one cut came to, by everybody who knows something of it. */
interface Ended {
  readonly end: ChargeEnd;
  readonly row: Charge | undefined;
  /** How often the service executed it. */
  readonly executed: number;
  readonly passed: readonly Passed[];
}

let ugwos = 0;

/** In this process, or in one that is run by what the standalone program is made of. */
const charger = async (path: string, ledger: Ledger): Promise<ChargeOver> => {
  if (RUNTIME === 'node') return (origin, ugwo, timeout) => chargeAt(origin, ledger, ugwo, timeout);
  const worker = await startWorker(RUNTIME);
  return async (origin, ugwo, timeout) => {
    const [end] = await tell(worker, { kind: 'charge', ledger: path, origin, ugwos: [ugwo], timeout });
    return end as ChargeEnd;
  };
};

const openLanes = async (service: CountingService, lanes: number): Promise<readonly Bench[]> => {
  const path = join(newFolder(), 'ledger.sqlite');
  const ledger = await openRealLedger(path);
  const scheme = service.origin.startsWith('https:') ? 'https://localhost' : 'http://127.0.0.1';
  return Promise.all(
    Array.from({ length: lanes }, async () => {
      const relay = await openRelay(service.port);
      return { service, ledger, charge: await charger(path, ledger), relay, origin: `${scheme}:${relay.port}` };
    }),
  );
};

const chargeOver = async (
  { service, ledger, charge, relay, origin }: Bench,
  cuts: readonly (Cut | undefined)[],
  timeout: number,
): Promise<Ended> => {
  const ugwo = ugwoNumber(ugwos++);
  relay.use(cuts);
  const end = await charge(origin, ugwo, timeout);
  relay.release();
  await relay.idle();
  const executed = service.executed.filter((one) => one === ugwo).length;
  return { end, row: await ledger.get(end.id ?? ''), executed, passed: relay.passed };
};

const waits = (way: Way): boolean => way === 'stall' || way === 'late';

/** The pairs of end and executions that each kind of error may come with; whatever is not here is a fault. */
const ALLOWED: Readonly<Record<string, readonly [state: string, exit: number, executed: readonly number[]]>> = {
  accepted: ['accepted', 0, [1]],
  not_sent: ['not_sent', 5, [0]],
  unknown: ['unknown', 6, [0, 1]],
};

/** What is wrong with an end, whatever was cut. */
const faultsOf = ({ end, row, executed }: Ended): string[] => {
  const [state, exit, times] = ALLOWED[end.kind] ?? ['none', -1, []];
  return [
    row?.state === state ? [] : [`the ledger says ${row?.state}`],
    row?.exitCode === exit && end.exitCode === exit ? [] : [`the exit codes are ${row?.exitCode} and ${end.exitCode}`],
    times.includes(executed) ? [] : [`it was executed ${executed} times`],
  ].flat();
};

/**
 * Cuts a charge's connection. Where its time is what ends it, a machine under load may let it run out before the place of
 * the cut was reached, or before the service was: then, if all that is known agrees, another charge is given more of it.
 */
const cutOver = async (
  bench: Bench,
  before: readonly undefined[],
  cut: Cut,
  inTime: boolean,
  may?: readonly string[],
): Promise<Ended> => {
  for (let timeout = inTime ? LONG_MS : SHORT_MS; ; timeout *= 2) {
    bench.service.slowDowns = before.length;
    const ended = await chargeOver(bench, [...before, cut], timeout);
    const isThere = ended.passed.length > before.length && ended.passed.at(-1)?.cut === true;
    const isDue = may === undefined || may.includes(`${ended.end.kind} ${ended.executed}`);
    if ((isThere && (isDue || !waits(cut.way))) || timeout > LONG_MS || faultsOf(ended).length > 0) return ended;
  }
};

/** Connections on which any byte of a request came. */
const posts = ({ passed }: Ended): number => passed.filter(({ request }) => request.byteLength > 0).length;

/** The ends that a cut of a plain connection must come to: the state, and how often it was executed. */
const expected = ({ side, after, way }: Cut, total: number, framing: Framing): readonly string[] => {
  const whole = after >= total;
  if (side === 'request') {
    const executed = whole || way === 'late' ? 1 : 0;
    return [`unknown ${executed}`, ...(after === 0 ? ['not_sent 0'] : [])];
  }
  if (!whole) return ['unknown 1'];
  const toEnd = framing === 'end of stream' && way !== 'fin';
  if (way === 'rst') return ['accepted 1', 'unknown 1'];
  return [toEnd ? 'unknown 1' : 'accepted 1'];
};

const describeCut = ({ side, after, way }: Cut): string => `${way} after ${after} bytes of the ${side}`;

/** Every STEPth byte, and those beside a border. */
const places = (total: number, borders: readonly number[]): number[] => {
  const near = [0, ...borders, total].flatMap((at) => [at - 1, at, at + 1]);
  const steps = Array.from({ length: Math.floor(total / STEP) + 1 }, (_, index) => index * STEP);
  return [...new Set([...steps, ...near])].filter((at) => at >= 0 && at <= total).sort((a, b) => a - b);
};

const endOfHead = (bytes: Buffer): number => bytes.indexOf('\r\n\r\n') + 4;

/** Shares the cuts between lanes; gives back what was wrong, and how often each end was met. */
const cutAll = async (
  lanes: readonly Bench[],
  cuts: readonly Cut[],
  each: (bench: Bench, cut: Cut) => Promise<{ readonly ended: Ended; readonly faults: readonly string[] }>,
): Promise<{ faults: string[]; ends: Map<string, number> }> => {
  const faults: string[] = [];
  const ends = new Map<string, number>();
  const queue = [...cuts];
  const work = async (bench: Bench): Promise<void> => {
    for (let cut = queue.shift(); cut !== undefined; cut = queue.shift()) {
      const { ended, faults: found } = await each(bench, cut);
      const name = `${ended.end.kind} ${ended.executed}`;
      ends.set(name, (ends.get(name) ?? 0) + 1);
      if (found.length > 0) faults.push(`${describeCut(cut)}: ${name}: ${found.join(', ')} (${ended.end.message})`);
    }
  };
  await Promise.all(lanes.map(work));
  return { faults, ends };
};

const cutsAt = (side: Cut['side'], at: readonly number[]): Cut[] =>
  at.flatMap((after) => WAYS.map((way) => ({ side, after, way })));

describe.each(FRAMINGS)('a charge whose answer is framed by %s', (framing) => {
  it.each([
    ['request', 0],
    ['answer', 0],
    ['answer', 1],
  ] as const)(
    'has the end that the service knows of, wherever its %s is cut, after %i 429 before it',
    async (side, slowDowns) => {
      const service = await serveCounting({ framing });
      // The 429 are counted for all connections, so with them nothing else may run.
      const lanes = await openLanes(service, slowDowns > 0 ? 1 : LANES);
      const probe = await chargeOver(lanes[0] as Bench, [undefined], LONG_MS);
      expect(`${probe.end.kind} ${probe.executed}`).toBe('accepted 1');
      const bytes = probe.passed[0]?.[side] ?? Buffer.alloc(0);
      const all = cutsAt(side, places(bytes.byteLength, [endOfHead(bytes)]));
      const cuts = slowDowns > 0 && !full ? all.filter((_, index) => index % 3 === 0) : all;
      const before = Array.from({ length: slowDowns }, () => undefined);
      const { faults, ends } = await cutAll(lanes, cuts, async (bench, cut) => {
        const may = expected(cut, bytes.byteLength, framing);
        const whole = may.some((end) => end.startsWith('accepted'));
        const ended = await cutOver(bench, before, cut, !waits(cut.way) || whole, may);
        const end = `${ended.end.kind} ${ended.executed}`;
        const wrong = [
          ...faultsOf(ended),
          ...(may.includes(end) ? [] : [`expected ${may.join(' or ')}`]),
          ...(posts(ended) <= slowDowns + 1 ? [] : [`${posts(ended)} requests went out`]),
          ...(end.startsWith('not_sent') && posts(ended) > slowDowns ? ['bytes of it went out'] : []),
        ];
        return { ended, faults: wrong };
      });
      expect(faults).toEqual([]);
      // Else the test would have cut nothing.
      expect([...ends.keys()]).toContain(side === 'request' ? 'unknown 0' : 'unknown 1');
      figure(`cuts of the ${side}, ${framing}, after ${slowDowns} times 429`, cuts.length);
    },
    FULL_MS,
  );
});

describe('a charge over TLS', () => {
  it(
    'is not sent when the handshake is cut, and else has the end that the service knows of',
    async () => {
      setDefaultCACertificates([...getCACertificates('default'), readFileSync(CA_FILE, 'utf8')]);
      const lanes = await openLanes(await serveCounting({ secure: true }), LANES);
      const probe = await chargeOver(lanes[0] as Bench, [undefined], LONG_MS);
      expect(`${probe.end.kind} ${probe.executed}`).toBe('accepted 1');
      const passed = probe.passed[0] as Passed;
      // The client's hello, then the server's part of the handshake, before the client says more.
      const turn = passed.pieces.findIndex(([side]) => side === 'answer');
      const back = passed.pieces.findIndex(([side], index) => index > turn && side === 'request');
      const sum = (pieces: Passed['pieces']): number => pieces.reduce((all, [, length]) => all + length, 0);
      const handshake = { request: sum(passed.pieces.slice(0, turn)), answer: sum(passed.pieces.slice(turn, back)) };
      const step = full ? 7 : 211;
      const spread = (total: number): number[] =>
        Array.from({ length: Math.floor(total / step) + 1 }, (_, index) => index * step);
      const cuts = (['request', 'answer'] as const).flatMap((side) =>
        cutsAt(side, [...spread(passed[side].byteLength), handshake[side] - SIGNATURE_SPREAD]),
      );
      const { faults, ends } = await cutAll(lanes, cuts, async (bench, cut) => {
        const shaking = cut.after <= handshake[cut.side] - SIGNATURE_SPREAD;
        const ended = await cutOver(bench, [], cut, !waits(cut.way));
        const sent = ended.passed.filter(({ request }) => request.byteLength > handshake.request + FINISHED);
        const wrong = [
          ...faultsOf(ended),
          ...(shaking && ended.end.kind !== 'not_sent' ? ['the handshake was not over'] : []),
          ...(sent.length <= 1 ? [] : [`${sent.length} requests went out`]),
        ];
        return { ended, faults: wrong };
      });
      expect(faults).toEqual([]);
      expect([...ends.keys()]).toEqual(expect.arrayContaining(['not_sent 0', 'unknown 0', 'unknown 1']));
      figure('cuts of a TLS connection', cuts.length);
    },
    FULL_MS,
  );
});

describe('the built program', () => {
  it.each<[Cut, number]>([
    [{ side: 'request', after: 100, way: 'rst' }, 0],
    [{ side: 'request', after: 380, way: 'fin' }, 0],
    [{ side: 'answer', after: 0, way: 'rst' }, 1],
    [{ side: 'answer', after: 0, way: 'stall' }, 1],
    [{ side: 'answer', after: 300, way: 'fin' }, 1],
  ])('exits 6 after %j, and a second run sends nothing and exits 9', async (cut, executed) => {
    const service = await serveCounting();
    const relay = await openRelay(service.port);
    const [ugwo, home] = [ugwoNumber(1), newFolder()];
    const charge = (...args: readonly string[]) =>
      paycli(['ugwo', 'charge', ugwo, '--medium', 'bank_transfer', '--timeout', '2s', ...args], {
        home,
        service: { origin: `http://127.0.0.1:${relay.port}` },
      });
    relay.use([cut]);
    const first = await charge();
    expect(first).toMatchObject({ code: 6, stdout: '' });
    relay.release();
    await relay.idle();
    expect(relay.passed).toHaveLength(1);
    relay.use([undefined]);
    for (const args of [[], ['--again'], ['--reuse']]) {
      expect(await charge(...args)).toMatchObject({ code: 9, stdout: '' });
    }
    expect(relay.passed).toEqual([]);
    expect(service.executed).toHaveLength(executed);
  });

  it('exits 5 where no connection lasts, and a second run charges', async () => {
    const service = await serveCounting();
    const relay = await openRelay(service.port);
    const home = newFolder();
    const origin = `http://127.0.0.1:${relay.port}`;
    const charge = (base: string) =>
      paycli(['ugwo', 'charge', ugwoNumber(1), '--medium', 'bank_transfer', '--timeout', '2s'], {
        home,
        service: { origin: base },
      });
    // What speaks no TLS cuts every handshake.
    expect(await charge(origin.replace('http://127.0.0.1', 'https://localhost'))).toMatchObject({ code: 5 });
    expect(await charge(origin)).toMatchObject({ code: 0 });
    expect(service.executed).toHaveLength(1);
  });
});
