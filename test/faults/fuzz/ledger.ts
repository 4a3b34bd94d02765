import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { PayError } from '../../../src/core/error.ts';
import type { Damages, Kind } from './damage.ts';
import { damaged, damages } from './damage.ts';
import { intentOf, openAt, STANDING_UGWOS, template } from './ledger-template.ts';
import type { Target } from './target.ts';
import { must, target } from './target.ts';

/** A payment request that is charged already, and what becomes of the file. */
type Damaged = readonly [ugwo: string, all: Damages];
const damagedBy = (kinds?: readonly Kind[]): fc.Arbitrary<Damaged> =>
  fc.tuple(fc.constantFrom(...STANDING_UGWOS), damages(kinds));

/** What a call gives; undefined where the ledger is refused, and nothing is thrown but that. */
const unlessRefused = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await call();
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    must(thrown.kind === 'ledger', () => `refused as ${thrown.kind}: ${thrown.message}`);
    return undefined;
  }
};

/**
 * Whether a payment request is charged a second time. One is asked about alone: after a first failure a ledger begins nothing
 * more, and so would hide what becomes of the next.
 */
const isChargedAgain = async ([ugwo, all]: Damaged): Promise<boolean> => {
  const { file, older, highest } = await template();
  const folder = mkdtempSync(join(tmpdir(), 'paycli-fuzz-'));
  const path = join(folder, 'ledger.sqlite');
  try {
    writeFileSync(path, damaged(file, older, all), { mode: 0o600 });
    writeFileSync(join(folder, 'highest-charge'), highest, { mode: 0o600 });
    const ledger = await unlessRefused(() => openAt(path));
    const begun = await unlessRefused(async () => ledger?.begin(intentOf(ugwo), { again: false }));
    await ledger?.close().catch(() => undefined);
    return begun?.kind === 'begun';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** A damaged ledger works, or is refused as such: nothing else is thrown. */
export const ledgerWords = target(
  'ledger, in words',
  () => damagedBy(),
  async (one) => void (await isChargedAgain(one)),
);

/** A ledger with such damage is refused, or what stood in the way of a second charge stands there still. */
const standing = (name: string, kinds: readonly Kind[]): Target =>
  target(
    name,
    () => damagedBy(kinds),
    async (one) => {
      must(!(await isChargedAgain(one)), () => `${one[0]} was charged again`);
    },
  );

/** What SQLite itself notices: pages that hold nothing, and a file that ends too early. */
export const ledgerLost = standing('ledger, parts lost', ['zero', 'end']);

/**
 * What a sum over each row must notice: pages in the place of others, or out of an older file, and bytes that are no more than
 * other bytes. SQLite takes each for what it finds there.
 */
export const ledgerMoved = standing('ledger, parts moved', ['copy', 'swap', 'old', 'bytes']);
