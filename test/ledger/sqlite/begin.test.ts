import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { thrownBy } from '../../client/support.ts';
import { beginCharge, intent, NOON, newPath, open } from '../support/charges.ts';

const FIRST = { again: false };

describe('the charge count', () => {
  it('is stored beside the ledger, and not changed by a refusal', async () => {
    const path = newPath();
    const ledger = await open(path);
    await beginCharge(ledger);
    const count = (): string => readFileSync(join(dirname(path), 'highest-charge'), 'utf8');
    const before = count();
    expect(before).toMatch(/^[0-9a-f]+ 0*1\n$/);
    expect(await ledger.begin(intent(), FIRST)).toMatchObject({ kind: 'refused' });
    expect(count()).toBe(before);
  });
});

describe('a ledger with fewer charges than the count', () => {
  it("is an old copy and can't be opened", async () => {
    const path = newPath();
    const ledger = await open(path);
    await beginCharge(ledger);
    await ledger.close();
    const [old, count] = [readFileSync(path), join(dirname(path), 'highest-charge')];
    const next = await open(path);
    await beginCharge(next, { about: 'ugw.AbCd.2' });
    await next.close();
    writeFileSync(path, old);
    expect(await thrownBy(open(path))).toMatchObject({
      kind: 'ledger',
      message: `the ledger ${path} is an old copy: it knows 1 of 2 charges`,
      detail: { hint: expect.stringContaining('restore the newer file.') },
    });
    const { detail } = (await thrownBy(open(path))) as { detail: { hint: string } };
    expect(detail.hint).toContain(`charges made meanwhile are missing here; then remove ${count}`);
    writeFileSync(count, '');
    expect((await open(path)).moment().at).toBe(NOON);
  });
});
