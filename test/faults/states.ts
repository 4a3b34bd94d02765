import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DatabaseKind } from '../../src/database/connect.ts';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { LEDGER_FILE } from '../../src/ledger/sqlite/schema.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { Disk, type Fate, type Remains } from './disk.ts';
import type { Recorded } from './recording.ts';

export type Journal = NonNullable<DatabaseKind['journal']>;

/** What must be found after a crash. */
export interface Owed {
  readonly sent: ReadonlySet<string>;
  readonly said: ReadonlySet<string>;
  readonly acknowledged: ReadonlySet<string>;
}

/** What is wrong in one state of the disk. */
export interface Finding {
  readonly kind: 'lost intent' | 'lost outcome' | 'lost event' | 'unusable';
  readonly what: string;
}

export interface Replay {
  readonly recorded: readonly Recorded[];
  /** The tested file, relative to the disk's root. */
  readonly file: string;
  /** Its faults, given what was promised before the power loss. */
  readonly inspect: (path: string, owed: Owed) => Promise<Finding[]>;
  /** The recorded events after which the power is lost. */
  readonly points: readonly number[];
  /** How many random states are tried at each of them, besides none and all of the pending changes. */
  readonly random: number;
  readonly seed: number;
  /** Where the states are written. */
  readonly folder: string;
}

export interface Replayed {
  readonly states: number;
  /** The number of states with each finding. */
  readonly found: ReadonlyMap<Finding['kind'], number>;
  readonly examples: readonly string[];
}

const NONE: Fate = { change: () => false, sector: () => false };
const ALL: Fate = { change: () => true, sector: () => true };

/** Pseudorandom numbers from a seed (mulberry32). */
const randomFrom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** A random share of the changes; half of the time whole, otherwise torn. */
const someFate = (random: () => number): Fate => {
  const [kept, whole] = [random(), random() < 0.5 ? 1 : random()];
  return { change: () => random() < kept, sector: () => random() < whole };
};

const writeOut = (remains: readonly Remains[], folder: string): void => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { path, bytes } of remains) {
    if (bytes === undefined) mkdirSync(join(folder, path), { mode: 0o700 });
    else if (!path.endsWith('-shm')) writeFileSync(join(folder, path), bytes, { mode: 0o600 });
  }
};

const NEVER = { stop: new AbortController().signal, leave: new AbortController().signal };

/** Opens the files as the next run would after a reboot. */
const chargesIn = async (path: string, journal: Journal) => {
  const ledger = await openLedger(
    ledgerOptions(path, {
      self: { pid: process.pid, boot: 'after the crash', started: '' },
      hasEnded: () => true,
      clean: (text) => text,
      lockWait: { ticks: () => 0, sleep: () => Promise.resolve(), ...NEVER },
      kind: { ...LEDGER_FILE, journal },
    }),
  );
  try {
    return await ledger.list({ limit: -1 });
  } finally {
    await ledger.close();
  }
};

export const integrityOf = (path: string): string => {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return String(Object.values(db.prepare('PRAGMA integrity_check').get() ?? {})[0]);
  } finally {
    db.close();
  }
};

/** Checks a ledger. */
export const inspectLedger =
  (journal: Journal): Replay['inspect'] =>
  async (path, { sent, said }) => {
    try {
      const charges = await chargesIn(path, journal);
      const integrity = integrityOf(path);
      const known = new Set(charges.map(({ about }) => about));
      const noted = new Set(charges.flatMap(({ state, activity }) => (state === 'accepted' ? [activity?.uid] : [])));
      return [
        ...(integrity === 'ok' ? [] : [{ kind: 'unusable', what: integrity } as const]),
        ...[...sent].filter((ugwo) => !known.has(ugwo)).map((what) => ({ kind: 'lost intent', what }) as const),
        ...[...said].filter((uid) => !noted.has(uid)).map((what) => ({ kind: 'lost outcome', what }) as const),
      ];
    } catch (thrown) {
      return [{ kind: 'unusable', what: String(thrown) }];
    }
  };

const digestOf = (remains: readonly Remains[]): string => {
  const hash = createHash('sha1');
  for (const { path, bytes } of remains) hash.update(`${path}\0${bytes?.length}\0`).update(bytes ?? '');
  return hash.digest('hex');
};

const EXAMPLES = 3;

/** Loses power at each of the points, in several ways, and checks the result; each distinct state is counted once. */
export const replay = async ({ recorded, points, random, seed, file, inspect, folder }: Replay): Promise<Replayed> => {
  const [disk, chance, wanted] = [new Disk(0), randomFrom(seed), new Set(points)];
  const [sent, said, acknowledged] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const [seen, found, examples] = [new Set<string>(), new Map<Finding['kind'], number>(), [] as string[]];
  let states = 0;
  const look = async (at: number, fate: Fate): Promise<void> => {
    const remains = disk.crash(fate);
    const digest = `${digestOf(remains)} ${sent.size} ${said.size} ${acknowledged.size}`;
    if (seen.has(digest)) return;
    seen.add(digest);
    states += 1;
    writeOut(remains, folder);
    const findings = await inspect(join(folder, file), { sent, said, acknowledged });
    for (const kind of new Set(findings.map((finding) => finding.kind))) found.set(kind, (found.get(kind) ?? 0) + 1);
    const [first] = findings;
    if (first !== undefined && examples.length < EXAMPLES) examples.push(`after ${at}: ${first.kind}, ${first.what}`);
  };
  for (const [at, one] of recorded.entries()) {
    if (one.kind === 'disk') disk.apply(one.event);
    else if (one.kind === 'sent') sent.add(one.ugwo);
    else if (one.kind === 'acknowledged') acknowledged.add(one.uid);
    else said.add(one.activity);
    if (!wanted.has(at)) continue;
    await look(at, NONE);
    if (disk.pending() === 0) continue;
    await look(at, ALL);
    for (let turn = 0; turn < random; turn += 1) await look(at, someFate(chance));
  }
  rmSync(folder, { recursive: true, force: true });
  return { states, found, examples };
};
