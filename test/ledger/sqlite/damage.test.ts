import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reasonOf } from '../../../src/core/error.ts';
import type { Intent, StoredOutcome } from '../../../src/ledger/entry.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { highestPath } from '../../../src/ledger/local/file.ts';
import { openLedger } from '../../../src/ledger/sqlite/open.ts';
import { thrownBy } from '../../client/support.ts';
import { ugwoOf } from '../../support/ids.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import { account, beside, intent, MINUTE, NOON, newPath, open, SELF } from '../support/charges.ts';

const FIRST = { again: false } as const;
const STANDING: readonly StoredOutcome[] = [
  { state: 'unknown', exitCode: 6 },
  { state: 'accepted', exitCode: 0 },
];

const JOB = {
  kind: 'charge',
  command: 'ugwo charge',
  name: 'charges.csv',
  service: intent().service,
  origin: intent().origin,
  profile: 'default',
  rows: 1,
} as const;

/** Charges that block another one (unknown or open), with others in between. */
const fill = async (ledger: Ledger, count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    const begun = await ledger.begin(intent({ about: ugwoOf(index) }), FIRST);
    if (begun.kind !== 'begun') throw new Error(begun.why);
    const outcome = STANDING[index % 2] as StoredOutcome;
    const uid = `act.AbCd.${String(index).padStart(24, '0')}`;
    await ledger.record(begun.id, outcome.state === 'accepted' ? { ...outcome, activity: account({ uid }) } : outcome);
    await ledger.jobs.open({ ...JOB, id: `job-${index}` }, 1);
  }
};

const isLedgerError = (thrown: unknown): boolean => (thrown as { kind?: string }).kind === 'ledger';

/** Tries to charge each payment request again, without a read. */
const chargedAgain = async (path: string, ugwos: readonly string[]): Promise<string[]> => {
  const options = ledgerOptions(path, { now: () => NOON + MINUTE, uptime: () => 3_600_000 + MINUTE, self: SELF });
  const ledger = await openLedger(options);
  const begun: string[] = [];
  for (const ugwo of ugwos) {
    const one: Intent = intent({ about: ugwo });
    const why = await ledger.begin(one, FIRST).then(
      ({ kind }) => kind,
      (thrown: unknown) => (isLedgerError(thrown) ? 'refused' : reasonOf(thrown)),
    );
    if (why !== 'refused') begun.push(`${ugwo}: ${why}`);
  }
  await ledger.close();
  return begun;
};

describe('a damaged ledger', () => {
  it('with any page copied over another never allows a second charge', async () => {
    const path = newPath();
    const ledger = await open(path);
    const count = 4;
    await fill(ledger, count);
    await ledger.close();
    const { page_size: size } = beside(path, 'PRAGMA page_size')[0] as { page_size: number };
    const whole = readFileSync(path);
    const pages = whole.length / size;
    expect(pages).toBeGreaterThan(10);
    const ugwos = Array.from({ length: count }, (_, index) => ugwoOf(index));
    let opened = 0;
    // Empty pages are equal.
    const contents = new Map(
      Array.from({ length: pages }, (_, page) => {
        const content = whole.subarray(page * size, (page + 1) * size);
        return [content.toString('latin1'), { page, content }] as const;
      }),
    );
    for (const { page: from, content } of contents.values()) {
      for (let to = 0; to < pages; to += 1) {
        const copy = Buffer.from(whole);
        content.copy(copy, to * size);
        const damaged = `${path}-${from}-${to}`;
        writeFileSync(damaged, copy, { mode: 0o600 });
        rmSync(highestPath(path), { force: true });
        const again = await chargedAgain(damaged, ugwos).catch((thrown: unknown) => {
          if (!isLedgerError(thrown)) throw new Error(`${from} over ${to}`, { cause: thrown });
          return undefined;
        });
        opened += again === undefined ? 0 : 1;
        expect(again ?? [], `page ${from} over ${to}`).toEqual([]);
      }
    }
    expect(opened).toBeGreaterThan(pages);
  });

  it('is refused if a row was changed', async () => {
    const path = newPath();
    const ledger = await open(path);
    await fill(ledger, 2);
    beside(path, "UPDATE charge SET state = 'rejected' WHERE seq = 2");
    expect(await thrownBy(ledger.begin(intent({ about: ugwoOf(1) }), FIRST))).toMatchObject({
      kind: 'ledger',
      message: `the ledger ${path} cannot be used: row 2 of its charges is not what paycli wrote`,
      detail: { hint: expect.stringContaining('first copy it') },
    });
  });

  it('is refused if an index page is lost', async () => {
    const path = newPath();
    const ledger = await open(path);
    await fill(ledger, 2);
    await ledger.close();
    const { page_size: size } = beside(path, 'PRAGMA page_size')[0] as { page_size: number };
    const root = (index: string): number =>
      Number(beside(path, `SELECT rootpage FROM sqlite_schema WHERE name = '${index}'`)[0]?.['rootpage']) - 1;
    const [empty, lost] = [root('charge_of_job'), root('charge_of_ugwo')];
    const file = readFileSync(path);
    file.copy(file, lost * size, empty * size, (empty + 1) * size);
    writeFileSync(path, file);
    const damaged = await open(path);
    // Paid: no index prevents a second charge.
    expect(await thrownBy(damaged.begin(intent({ about: ugwoOf(1) }), FIRST))).toMatchObject({
      kind: 'ledger',
      message: expect.stringContaining(`its indexes differ on the charges of ${ugwoOf(1)}`),
    });
  });

  it('is not suspected because of unusual text, such as half a surrogate pair', async () => {
    const path = newPath();
    const ledger = await open(path);
    const odd = ['\ud83d', 'a\udc00b', '\0', '\ufeff', '', '\u2028', '🙂'];
    for (const text of odd) {
      const begun = await ledger.begin(
        intent({ about: `ugw.AbCd.${text}`, profile: text, asked: { ref: text } }),
        FIRST,
      );
      if (begun.kind !== 'begun') throw new Error(begun.why);
      await ledger.record(begun.id, { state: 'unknown', exitCode: 6 });
    }
    expect((await ledger.unknown()).map(({ profile }) => profile)).toEqual(odd.map((text) => text.toWellFormed()));
  });
});
