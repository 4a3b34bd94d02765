import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Entry } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { RUNTIME } from '../support/built.ts';
import { newFolder, paycli } from '../support/program.ts';
import { CA_FILE } from '../support/tls.ts';
import { type ChargeEnd, chargeAt, type Limits, openRealLedger } from './charger.ts';
import { type Fate, type Framing, MADE, serveCounting, ugwoOf } from './counting.ts';
import { type Cut, openRelay, type Passed, type Relay, WAYS, type Way } from './cuts-relay.ts';
import { faultsOfStruck, KILLED, type Row } from './judge.ts';
import { startMember } from './team.ts';
import { figure, full } from './torture.ts';

/** A shared machine is slow. */
const FULL_MS = full ? 20 * 60_000 : 60_000;
const FRAMINGS: readonly Framing[] = ['content-length', 'chunked', 'end of stream'];
/** The framing of an answer doesn't change its request, so in the small size one framing has these cuts. */
const hasAll = (framing: Framing): boolean => full || framing === 'chunked';
/** The time limit of an attempt that is meant to time out. */
const SHORT_MS = 25;
const LONG_MS = 20_000;
const LOOK_MS = 5000;
const STEP = full ? 1 : 509;
/** The answer is longer: it contains the certificates. */
const TLS_STEPS = full ? { request: 7, answer: 7 } : { request: 601, answer: 1201 };
const LANES = 6;

/** The length of the server's handshake varies by a few bytes, as does a signature. */
const SIGNATURE_SPREAD = 8;

/** The client's handshake after its hello is shorter than this, and a request longer. */
const FINISHED = 150;

const SLOW: Fate = { makes: false, answer: { status: 429, retryAfter: 0 } };

/** A service that answers the next `slowDowns.left` POSTs with 429. */
const serve = async (...how: [Parameters<typeof serveCounting>[1]?]) => {
  const slowDowns = { left: 0 };
  const service = await serveCounting(() => (slowDowns.left-- > 0 ? SLOW : MADE), ...how);
  onTestFinished(service.close);
  return { ...service, slowDowns, port: Number(new URL(service.origin).port) };
};
type Service = Awaited<ReturnType<typeof serve>>;

/** Charges a payment request of one origin. */
type ChargeOver = (origin: string, ugwo: string, limits: Limits) => Promise<ChargeEnd>;

interface Bench {
  readonly service: Service;
  readonly ledger: Ledger;
  readonly charge: ChargeOver;
  readonly relay: Relay;
  readonly origin: string;
}

/** The connection that is cut: the charge's, with or without a check before it, or the check's. */
type What = 'charge' | 'charge after a look' | 'look';

/** The result of one cut, according to everyone involved. */
interface Ended {
  readonly ugwo: string;
  readonly end: ChargeEnd;
  readonly rows: readonly Row[];
  /** How often the service executed it. */
  readonly executed: number;
  readonly passed: readonly Passed[];
}

let ugwos = 0;

/** In this process, or in a Bun process for the standalone program. */
const charger = async (path: string, ledger: Ledger): Promise<ChargeOver> => {
  if (RUNTIME === 'node') return (origin, ugwo, limits) => chargeAt(origin, ledger, ugwo, limits);
  const member = await startMember({ runtime: RUNTIME });
  onTestFinished(member.kill);
  return async (origin, ugwo, limits) => {
    const [end] = (await member.charge({ path, origin, ugwos: [ugwo], limits })) ?? [];
    return end ?? KILLED;
  };
};

const openLanes = async (service: Service, lanes: number): Promise<readonly Bench[]> => {
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

const rowOf = ({ id, state, exitCode, activity }: Entry): Row => ({
  id,
  state,
  exit: exitCode ?? null,
  activity: activity?.uid ?? null,
});

const chargeOver = async (
  { service, ledger, charge, relay, origin }: Bench,
  what: What,
  cuts: readonly (Cut | undefined)[],
  timeout: number,
): Promise<Ended> => {
  const ugwo = ugwoOf(ugwos++);
  relay.use(what === 'charge after a look' ? [undefined, ...cuts] : cuts);
  // A connection that is not cut has plenty of time.
  const look = { charge: undefined, 'charge after a look': LOOK_MS, look: timeout }[what];
  const end = await charge(origin, ugwo, { look, charge: what === 'look' ? LONG_MS : timeout });
  relay.release();
  await relay.idle();
  const executed = service.executed(ugwo);
  const rows = (await ledger.list({ about: ugwo, limit: -1 })).map(rowOf);
  return { ugwo, end, rows, executed, passed: what === 'charge after a look' ? relay.passed.slice(1) : relay.passed };
};

const waits = (way: Way): boolean => way === 'stall' || way === 'late';

/** The ends of a charge whose connection is cut. A failed check leaves nothing in the ledger. */
const ENDS = ['accepted', 'not_sent', 'unknown', 'read_failed'];

/** What is wrong with a result, whatever was cut. */
const faultsOf = ({ ugwo, end, rows, executed }: Ended): string[] =>
  faultsOfStruck({ ugwo, first: end, executed, rows }, ENDS);

/**
 * Cuts a connection. If the cut works by a timeout, a machine under load may reach the timeout before the cut; then,
 * if all results agree, another charge gets more time. The same applies if a late connection of the last charge was
 * cut.
 */
const cutOver = async (
  bench: Bench,
  what: What,
  before: readonly undefined[],
  cut: Cut,
  inTime: boolean,
  may?: readonly string[],
): Promise<Ended> => {
  for (let timeout = inTime ? LONG_MS : SHORT_MS; ; timeout *= 2) {
    bench.service.slowDowns.left = before.length;
    const ended = await chargeOver(bench, what, [...before, cut], timeout);
    const isLooked = what === 'look' || ended.end.kind !== 'read_failed';
    const isThere = isLooked && ended.passed.length > before.length && ended.passed.at(-1)?.cut === true;
    const isDue = may === undefined || may.includes(`${ended.end.kind} ${ended.executed}`);
    if ((isThere && (isDue || !waits(cut.way))) || timeout > LONG_MS || faultsOf(ended).length > 0) return ended;
  }
};

/** Connections with at least one byte of a request. */
const requests = ({ passed }: Ended): number => passed.filter(({ request }) => request.byteLength > 0).length;
/** Connections with a charge. */
const posts = ({ passed }: Pick<Ended, 'passed'>): number =>
  passed.filter(({ request }) => request.toString('latin1', 0, 4) === 'POST').length;

/** The results that a cut of a plain connection must have: the state, and the number of executions. */
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

/** Every STEPth byte, and those next to a border. */
const places = (total: number, borders: readonly number[]): number[] => {
  const near = [0, ...borders, total].flatMap((at) => [at - 1, at, at + 1]);
  const steps = Array.from({ length: Math.floor(total / STEP) + 1 }, (_, index) => index * STEP);
  return [...new Set([...steps, ...near])].filter((at) => at >= 0 && at <= total).sort((a, b) => a - b);
};

const endOfHead = (bytes: Buffer): number => bytes.indexOf('\r\n\r\n') + 4;

/** Distributes the cuts over lanes; returns the faults, and how often each result occurred. */
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

const CHARGE_SIDES = [
  ['answer', 0],
  ['request', 0],
  ['answer', 1],
] as const;

describe.each(FRAMINGS)('a charge whose answer is framed by %s', (framing) => {
  it.each(CHARGE_SIDES.slice(0, hasAll(framing) ? 3 : 1))(
    'has the result that the service knows, wherever its %s is cut, after %i answers with 429',
    async (side, slowDowns) => {
      const service = await serve({ framing });
      // The 429 are counted for all connections, so with them only one charge may run.
      const lanes = await openLanes(service, slowDowns > 0 ? 1 : LANES);
      const probe = await chargeOver(lanes[0] as Bench, 'charge after a look', [undefined], LONG_MS);
      expect(`${probe.end.kind} ${probe.executed}`).toBe('accepted 1');
      const bytes = probe.passed[0]?.[side] ?? Buffer.alloc(0);
      const all = cutsAt(side, places(bytes.byteLength, [endOfHead(bytes)]));
      const cuts = slowDowns > 0 && !full ? all.filter((_, index) => index % 3 === 0) : all;
      const before = Array.from({ length: slowDowns }, () => undefined);
      const { faults, ends } = await cutAll(lanes, cuts, async (bench, cut) => {
        const may = expected(cut, bytes.byteLength, framing);
        const whole = may.some((end) => end.startsWith('accepted'));
        const ended = await cutOver(bench, 'charge after a look', before, cut, !waits(cut.way) || whole, may);
        const end = `${ended.end.kind} ${ended.executed}`;
        const wrong = [
          ...faultsOf(ended),
          ...(may.includes(end) ? [] : [`expected ${may.join(' or ')}`]),
          ...(requests(ended) <= slowDowns + 1 ? [] : [`${requests(ended)} requests went out`]),
          ...(end.startsWith('not_sent') && requests(ended) > slowDowns ? ['bytes of it went out'] : []),
        ];
        return { ended, faults: wrong };
      });
      expect(faults).toEqual([]);
      // Otherwise the test would have cut nothing.
      expect([...ends.keys()]).toContain(side === 'request' ? 'unknown 0' : 'unknown 1');
      figure(`cuts of the ${side}, ${framing}, after ${slowDowns} times 429`, cuts.length);
    },
    FULL_MS,
  );
});

describe.each(FRAMINGS)('a check whose answer is framed by %s', (framing) => {
  it.each((['answer', 'request'] as const).slice(0, hasAll(framing) ? 2 : 1))(
    'prevents the charge and leaves nothing in the ledger, wherever its %s is cut',
    async (side) => {
      const lanes = await openLanes(await serve({ framing }), LANES);
      const probe = await chargeOver(lanes[0] as Bench, 'look', [undefined], LONG_MS);
      expect(`${probe.end.kind} ${probe.executed}`).toBe('accepted 1');
      const bytes = probe.passed[0]?.[side] ?? Buffer.alloc(0);
      const total = bytes.byteLength;
      const cuts = cutsAt(side, places(total, [endOfHead(bytes)])).filter(({ after }) => after < total);
      const { faults, ends } = await cutAll(lanes, cuts, async (bench, cut) => {
        // Each attempt of the read is cut.
        const ended = await cutOver(bench, 'look', [], cut, !waits(cut.way), ['read_failed 0']);
        const wrong = [
          ...faultsOf(ended),
          ...(ended.end.kind === 'read_failed' ? [] : ['the look did not fail']),
          ...(posts(ended) === 0 ? [] : ['a charge went out']),
        ];
        return { ended, faults: wrong };
      });
      expect(faults).toEqual([]);
      expect([...ends.keys()]).toEqual(['read_failed 0']);
      figure(`cuts of the look's ${side}, ${framing}`, cuts.length);
    },
    FULL_MS,
  );
});

describe('over TLS', () => {
  it.each(['charge', 'charge after a look', 'look'] as const)(
    'a %s is not sent if the handshake is cut; otherwise it has the result that the service knows',
    async (what) => {
      const trusted = getCACertificates('default');
      setDefaultCACertificates([...trusted, readFileSync(CA_FILE, 'utf8')]);
      onTestFinished(() => setDefaultCACertificates(trusted));
      const lanes = await openLanes(await serve({ secure: true }), LANES);
      const probe = await chargeOver(lanes[0] as Bench, what, [undefined], LONG_MS);
      expect(`${probe.end.kind} ${probe.executed}`).toBe('accepted 1');
      const passed = probe.passed[0] as Passed;
      // The client's hello, then the server's part of the handshake, up to the client's next message.
      const turn = passed.pieces.findIndex(([side]) => side === 'answer');
      const back = passed.pieces.findIndex(([side], index) => index > turn && side === 'request');
      const sum = (pieces: Passed['pieces']): number => pieces.reduce((all, [, length]) => all + length, 0);
      const handshake = { request: sum(passed.pieces.slice(0, turn)), answer: sum(passed.pieces.slice(turn, back)) };
      const spread = (total: number, step: number): number[] =>
        Array.from({ length: Math.floor(total / step) + 1 }, (_, index) => index * step);
      const cuts = (['request', 'answer'] as const).flatMap((side) =>
        cutsAt(side, [...spread(passed[side].byteLength, TLS_STEPS[side]), handshake[side] - SIGNATURE_SPREAD]),
      );
      const unsent = what === 'look' ? 'read_failed' : 'not_sent';
      const { faults, ends } = await cutAll(lanes, cuts, async (bench, cut) => {
        const shaking = cut.after <= handshake[cut.side] - SIGNATURE_SPREAD;
        const ended = await cutOver(bench, what, [], cut, !waits(cut.way));
        const sent = ended.passed.filter(({ request }) => request.byteLength > handshake.request + FINISHED);
        const wrong = [
          ...faultsOf(ended),
          ...(shaking && ended.end.kind !== unsent ? ['the handshake was not over'] : []),
          // A check may be sent more than once.
          ...(sent.length <= 1 || what === 'look' ? [] : [`${sent.length} requests went out`]),
        ];
        return { ended, faults: wrong };
      });
      expect(faults).toEqual([]);
      const due = what === 'look' ? [] : ['unknown 0', 'unknown 1'];
      expect([...ends.keys()]).toEqual(expect.arrayContaining([`${unsent} 0`, ...due]));
      figure(`cuts of a TLS connection, ${what}`, cuts.length);
    },
    FULL_MS,
  );
});

const MORE_CHARGE_CUTS: readonly [Cut, number][] = [
  [{ side: 'request', after: 380, way: 'fin' }, 0],
  [{ side: 'answer', after: 0, way: 'stall' }, 1],
  [{ side: 'answer', after: 0, way: 'rst' }, 1],
];
const MORE_LOOK_CUTS: readonly Cut[] = [
  { side: 'request', after: 0, way: 'rst' },
  { side: 'request', after: 100, way: 'fin' },
  { side: 'answer', after: 0, way: 'rst' },
  { side: 'answer', after: 200, way: 'stall' },
];

describe('the built program', () => {
  const UGWO = ugwoOf(1);

  const chargeBy = (home: string, base: string, ...args: readonly string[]) =>
    paycli(['ugwo', 'charge', UGWO, '--medium', 'bank_transfer', '--timeout', '5s', ...args], {
      home,
      service: { origin: base },
    });

  /** A service behind a proxy, and a ledger of its own. */
  const behindRelay = async () => {
    const service = await serve();
    const relay = await openRelay(service.port);
    const home = newFolder();
    const charge = (...args: readonly string[]) => chargeBy(home, `http://127.0.0.1:${relay.port}`, ...args);
    return { service, relay, home, charge };
  };

  const ledgerRows = async (home: string): Promise<readonly Entry[]> => {
    const ledger = await openRealLedger(join(home, 'ledger.sqlite'));
    const charges = await ledger.list({ limit: -1 });
    await ledger.close();
    return charges;
  };

  // test/blackbox/protocol tests that each way to send again is refused.
  it.each<[Cut, number]>([
    [{ side: 'request', after: 100, way: 'rst' }, 0],
    [{ side: 'answer', after: 300, way: 'fin' }, 1],
    ...(full ? MORE_CHARGE_CUTS : []),
  ])('exits with 6 after %j of its charge, and a second run sends nothing and exits 9', async (cut, executed) => {
    const { service, relay, charge } = await behindRelay();
    relay.use([undefined, cut]);
    const first = await charge();
    expect(first).toMatchObject({ code: 6, stdout: '' });
    relay.release();
    await relay.idle();
    expect(relay.passed).toHaveLength(2);
    relay.use([undefined]);
    for (const args of [[], ['--again', '--no-preflight']]) {
      expect(await charge(...args)).toMatchObject({ code: 9, stdout: '' });
    }
    expect(posts(relay)).toBe(0);
    expect(service.executed(UGWO)).toBe(executed);
  });

  it.each<Cut>([
    { side: 'request', after: 100, way: 'stall' },
    { side: 'answer', after: 200, way: 'fin' },
    ...(full ? MORE_LOOK_CUTS : []),
  ])('exits with 8 after %j of its check, sends nothing, and charges in the next run', async (cut) => {
    const { service, relay, home, charge } = await behindRelay();
    relay.use([cut]);
    expect(await charge()).toMatchObject({ code: 8, stdout: '' });
    relay.release();
    await relay.idle();
    expect(relay.passed.length).toBeGreaterThan(0);
    expect(posts(relay)).toBe(0);
    expect(await ledgerRows(home)).toEqual([]);
    relay.use([undefined]);
    expect(await charge()).toMatchObject({ code: 0 });
    expect(service.executed(UGWO)).toBe(1);
  });

  it('exits with 8 if every connection breaks, or with 5 without a check, and then charges', async () => {
    const { service, relay, home } = await behindRelay();
    const origin = `http://127.0.0.1:${relay.port}`;
    // A server without TLS breaks every handshake.
    const secure = origin.replace('http://127.0.0.1', 'https://localhost');
    expect(await chargeBy(home, secure)).toMatchObject({ code: 8 });
    expect(await chargeBy(home, secure, '--no-preflight')).toMatchObject({ code: 5 });
    expect(await chargeBy(home, origin)).toMatchObject({ code: 0 });
    expect(service.executed(UGWO)).toBe(1);
  });
});
