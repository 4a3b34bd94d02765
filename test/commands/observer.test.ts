import { describe, expect, it } from 'vitest';
import { checkCharges } from '../../src/bulk/pace.ts';
import { Feed } from '../../src/commands/watch/feed.ts';
import { CHARGE } from '../../src/core/charge.ts';
import { PayError } from '../../src/core/error.ts';
import type { Charge } from '../../src/ledger/entry.ts';

/** Checks `count` charges in order; some fail. Also returns the pauses. */
const check = async (count: number, failing: Readonly<Record<number, unknown>>) => {
  const [checked, pauses]: [number[], number[]] = [[], []];
  let now = 0;
  const sleep = async (ms: number): Promise<void> => {
    pauses.push(ms);
    now += ms;
  };
  async function* rows() {
    for (let seq = 1; seq <= count; seq += 1) yield { seq } as Charge;
  }
  const ran = checkCharges({
    ...{ rows: rows(), concurrency: 1, clock: { ticks: () => now, sleep }, random: () => 0.5 },
    stop: new AbortController().signal,
    check: async ({ seq }) => {
      if (seq in failing) throw failing[seq];
    },
    checked: async ({ seq }) => void checked.push(seq),
  });
  return { ...(await ran), checked, pauses };
};

describe('checks of charges', () => {
  it('continue after a failed read, more slowly', async () => {
    const failure = new PayError('read_failed', 'no answer');
    const ran = await check(3, { 2: failure });
    expect(ran).toMatchObject({ failures: [failure], checked: [1, 2, 3], stopped: undefined });
    expect(ran.pauses).not.toEqual([]);
    expect(await check(3, {})).toMatchObject({ failures: [], pauses: [] });
  });

  it('stop if the next read would fail, too', async () => {
    const refused = new PayError('auth', 'no such key');
    expect(await check(3, { 2: refused })).toMatchObject({ failures: [refused], checked: [1, 2], stopped: refused });
  });

  it('rethrow ledger errors and defects', async () => {
    for (const thrown of [new PayError('ledger', 'it is locked'), new TypeError('a defect')]) {
      await expect(check(3, { 2: thrown })).rejects.toBe(thrown);
    }
  });
});

describe('the feed of a watch', () => {
  it('polls at growing intervals until something changes', async () => {
    const pauses: number[] = [];
    const done = Promise.withResolvers<void>();
    const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
      signal?.throwIfAborted();
      if (pauses.push(ms) === 8) feed.onChange();
      if (pauses.length === 10) done.resolve();
      if (pauses.length >= 10) await new Promise<void>((end) => signal?.addEventListener('abort', () => end()));
    };
    const clock = { now: () => 0, ticks: () => 0, sleep };
    const deps = {
      ...{ client: async () => ({}), ledger: {} },
      ...{ io: { clock, random: () => 0.5 }, isListening: () => false, notice: async () => undefined },
    } as unknown as ConstructorParameters<typeof Feed>[0];
    const feed = new Feed(deps, () => []);
    feed.start();
    await done.promise;
    expect(await feed.end()).toBeUndefined();
    expect(pauses.slice(0, 10)).toEqual([2000, 3000, 4500, 6750, 10_125, 15_187.5, 22_781.25, 30_000, 3000, 4500]);
  });

  it('gives notice of a rate limit once, however many checks it fails', async () => {
    const limited = new PayError('read_failed', 'too many requests', { retryAt: 1 });
    const failures = [limited, limited, new PayError('read_failed', 'reset'), limited, limited];
    const [notices, done] = [[] as string[], Promise.withResolvers<void>()];
    const look = async (): Promise<never> => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      done.resolve();
      return new Promise(() => undefined);
    };
    let now = 0;
    const sleep = async (ms: number): Promise<void> => {
      now += ms;
    };
    const deps = {
      ...{ client: async () => ({ look }), ledger: { get: async () => undefined }, isListening: () => false },
      io: { clock: { now: () => now, ticks: () => now, sleep }, random: () => 0.5 },
      notice: async (line: string) => void notices.push(line),
    } as unknown as ConstructorParameters<typeof Feed>[0];
    const open = { kind: CHARGE, state: 'accepted', about: 'ugw.AbCd.1', activity: { uid: 'act.AbCd.1' } };
    const feed = new Feed(deps, () => [open as Charge]);
    feed.start();
    await done.promise;
    expect(await feed.end()).toBeUndefined();
    expect(notices).toEqual(['Not checking: too many requests.', 'Not checking: too many requests.']);
  });
});
