import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { PayError } from '../../../src/core/error.ts';
import { type Damage, damaged, damages } from './damage.ts';
import { intentOf, openAt, STANDING_UGWOS, template } from './ledger-template.ts';
import { must, target } from './target.ts';

/** A payment request that is charged already, and what becomes of the file. */
type Damaged = readonly [ugwo: string, damage: Damage];

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
const isChargedAgain = async ([ugwo, damage]: Damaged): Promise<boolean> => {
  const { file, older, highest } = await template();
  const folder = mkdtempSync(join(tmpdir(), 'paycli-fuzz-'));
  const path = join(folder, 'ledger.sqlite');
  try {
    writeFileSync(path, damaged(file, older, damage), { mode: 0o600 });
    writeFileSync(join(folder, 'highest-charge'), highest, { mode: 0o600 });
    const ledger = await unlessRefused(() => openAt(path));
    const begun = await unlessRefused(async () => ledger?.begin(intentOf(ugwo), { again: false }));
    await ledger?.close().catch(() => undefined);
    return begun?.kind === 'begun';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * A damaged ledger is refused as such, or what stood in the way of a second charge stands there still: whatever becomes of its
 * bytes, and whichever page lies in the place of another or comes out of an older file. (Where two lose their pages at once, both
 * indexes by which a charge is found may be among them.)
 */
export const ledger = target(
  'ledger',
  () => fc.tuple(fc.constantFrom(...STANDING_UGWOS), damages()),
  async (one) => {
    must(!(await isChargedAgain(one)), () => `${one[0]} was charged again`);
  },
);
