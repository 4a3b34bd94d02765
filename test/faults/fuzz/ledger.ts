import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PayError } from '../../../src/core/error.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { Damages, Kind } from './damage.ts';
import { damaged, damages } from './damage.ts';
import { intentOf, openAt, STANDING_UGWOS, template } from './ledger-template.ts';
import type { Target } from './target.ts';
import { must, target } from './target.ts';

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

/** The payment requests that would be charged a second time. */
const chargedAgain = async (ledger: Ledger): Promise<string[]> => {
  const again: string[] = [];
  for (const ugwo of STANDING_UGWOS) {
    const begun = await unlessRefused(() => ledger.begin(intentOf(ugwo), { again: false }));
    if (begun?.kind === 'begun') again.push(ugwo);
  }
  return again;
};

const afterDamage = async (all: Damages): Promise<string[]> => {
  const { file, older, highest } = await template();
  const folder = mkdtempSync(join(tmpdir(), 'paycli-fuzz-'));
  const path = join(folder, 'ledger.sqlite');
  try {
    writeFileSync(path, damaged(file, older, all), { mode: 0o600 });
    writeFileSync(join(folder, 'highest-charge'), highest, { mode: 0o600 });
    const ledger = await unlessRefused(() => openAt(path));
    if (ledger === undefined) return [];
    const again = await chargedAgain(ledger);
    await ledger.close().catch(() => undefined);
    return again;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** A damaged ledger works, or is refused as such: nothing else is thrown. */
export const ledgerWords = target(
  'ledger, in words',
  () => damages(),
  async (all) => void (await afterDamage(all)),
);

/** A ledger with such damage is refused, or what stood in the way of a second charge stands there still. */
const standing = (name: string, kinds: readonly Kind[]): Target =>
  target(
    name,
    () => damages(kinds),
    async (all) => {
      const again = await afterDamage(all);
      must(again.length === 0, () => `charged again: ${again.join(', ')}`);
    },
  );

/** What SQLite itself notices: pages that hold nothing, and a file that ends too early. */
export const ledgerLost = standing('ledger, parts lost', ['zero', 'end']);

/**
 * What a sum over each row must notice: pages in the place of others, or out of an older file, and bytes that are no more than
 * other bytes. SQLite takes each for what it finds there.
 */
export const ledgerMoved = standing('ledger, parts moved', ['copy', 'swap', 'old', 'bytes']);
