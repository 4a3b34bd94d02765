import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { thrownBy } from '../../client/support.ts';
import { beside, intent, newPath, open } from '../support/charges.ts';

const refund = (ledger: Ledger) =>
  ledger.begin(
    { ...intent({ about: 'act.AbCd.1' }), kind: 'refund', path: '/v1/refunds', body: '{}' },
    { again: false },
  );

describe('the kind of an entry', () => {
  it.each(["kind = 'charge'", "path = '/v1/other'", "body = '[]'", 'body = NULL'])(
    'is part of its checksum: %s',
    async (change) => {
      const path = newPath();
      const ledger = await open(path);
      await refund(ledger);
      expect(await ledger.list({ limit: 1 })).toMatchObject([{ kind: 'refund', path: '/v1/refunds', body: '{}' }]);
      beside(path, `UPDATE charge SET ${change}`);
      expect(await thrownBy(ledger.list({ limit: 1 }))).toMatchObject({
        kind: 'ledger',
        message: expect.stringContaining('is not what paycli wrote'),
      });
    },
  );

  it("can't be changed", async () => {
    const path = newPath();
    const ledger = await open(path);
    await ledger.begin(intent(), { again: false });
    beside(path, "UPDATE charge SET kind = 'refund'");
    expect(await thrownBy(ledger.begin(intent(), { again: false }))).toMatchObject({ kind: 'ledger' });
  });

  it('does not allow two open entries about one id, even without the guard', async () => {
    const path = newPath();
    await refund(await open(path));
    const names =
      'state, service, origin, ugwo, medium, digest, deadline, created_at, begun_uptime, pid, boot, started, evidence, checksum';
    expect(() =>
      beside(path, `INSERT INTO charge (id, kind, ${names}) SELECT 'x', 'charge', ${names} FROM charge`),
    ).toThrow(/UNIQUE/);
  });
});
