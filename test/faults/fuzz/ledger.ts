import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { PayError } from '../../../src/core/error.ts';
import { type Damage, damaged, damages } from './damage.ts';
import { intentOf, openAt, STANDING_UGWOS, template } from './ledger-template.ts';
import { must, target } from './target.ts';

/** A payment request that is charged already, and the damage of the file. */
type Damaged = readonly [ugwo: string, damage: Damage];

/** The result of a call; undefined if the ledger is rejected; any other error is thrown. */
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
 * Whether a payment request is charged a second time. Each is tested separately: after a first failure a ledger
 * begins nothing more, which would hide the next result.
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
 * A damaged ledger is rejected, or still blocks a second charge: whatever happens to its bytes, and whichever page is
 * replaced by another one or by one from an older file. (If two pages are lost at once, both indexes that find a
 * charge may be among them.)
 */
export const ledger = target(
  'ledger',
  () => fc.tuple(fc.constantFrom(...STANDING_UGWOS), damages()),
  async (one) => {
    must(!(await isChargedAgain(one)), () => `${one[0]} was charged again`);
  },
);
