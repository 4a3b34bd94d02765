import { describe, expect, it } from 'vitest';
import type { Intent, StoredOutcome } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, begunOf, beside, intent, newPath, open as openFile } from './support/charges.ts';
import { newSharedPlace } from './support/postgres.ts';

const FIRST = { again: false };
const OTHER = { service: 'https://other.example', origin: 'https://other.example' };
const EMULATOR = { service: 'emulator 0123456789ab', origin: 'http://127.0.0.1:1' };
const UNKNOWN: StoredOutcome = { state: 'unknown', exitCode: 6 };
const accepted = (status: string): StoredOutcome => ({ state: 'accepted', exitCode: 0, activity: account({ status }) });

const begun = async (ledger: Ledger, more: Partial<Intent> = {}) => begunOf(await ledger.begin(intent(more), FIRST));

describe.each(BACKENDS)('a ledger %s', (_where, newPlace) => {
  describe('begin', () => {
    it.each<[string, Partial<Intent>, StoredOutcome | undefined, Partial<Intent>, boolean]>([
      ['is being sent', OTHER, undefined, {}, true],
      ['is unknown', OTHER, UNKNOWN, {}, true],
      ['is open', OTHER, accepted('requires_action'), {}, true],
      ['is open with another medium', { ...OTHER, medium: 'ussd' }, accepted('requires_action'), {}, true],
      ['was paid', OTHER, accepted('successful'), {}, false],
      ['failed', OTHER, accepted('failed'), {}, false],
      ['was rejected', OTHER, { state: 'rejected', exitCode: 3 }, {}, false],
      ['is of another payment request', { ...OTHER, about: 'ugw.AbCd.2' }, UNKNOWN, {}, false],
      ['is unknown, besides one of an emulator', OTHER, UNKNOWN, EMULATOR, false],
      ['is unknown in an emulator', EMULATOR, UNKNOWN, {}, true],
    ])('reports a charge at another service that %s: %#', async (_what, first, outcome, second, told) => {
      const ledger = await open(newPlace());
      const { id } = await begun(ledger, first);
      if (outcome !== undefined) await ledger.record(id, outcome);
      const { elsewhere } = await begun(ledger, second);
      expect(elsewhere?.id).toBe(told ? id : undefined);
    });

    it('does not report a charge of the same service that --again overrides', async () => {
      const ledger = await open(newPlace());
      const { id } = await begun(ledger);
      await ledger.record(id, accepted('requires_action'));
      const again = await ledger.begin(intent(), { again: true });
      expect(again).toMatchObject({ kind: 'begun', elsewhere: undefined });
    });

    it('gives each charge an id without look-alike letters', async () => {
      const ledger = await open(newPlace());
      const names: string[] = [];
      for (const ugwo of ['1', '2', '3', '4', '5', '6', '7', '8'])
        names.push((await begun(ledger, { about: `ugw.AbCd.${ugwo}` })).id);
      expect(new Set(names).size).toBe(names.length);
      for (const name of names) expect(name).toMatch(/^chg-[0-9a-hjkmnp-tv-z]{12}$/);
    });
  });
});

describe.each([
  ['a file', 'charge'],
  ['PostgreSQL', 'paycli.charge'],
])('a ledger in %s', (where, table) => {
  it.skipIf(where === 'PostgreSQL' && process.platform === 'win32')(
    'refuses what its index alone holds back, as a bug',
    async () => {
      const [path, shared] = [newPath(), newSharedPlace()];
      const ledger = await (where === 'a file' ? openFile(path) : shared.open());
      await begun(ledger);
      // Holds back any other charge.
      const index = `CREATE UNIQUE INDEX one ON ${table} (service)`;
      await (where === 'a file' ? beside(path, index) : shared.sql(index));
      const about = 'ugw.AbCd.2';
      await expect(begun(ledger, { about })).rejects.toMatchObject({
        kind: 'refused',
        message: `nothing was sent for ${about}: another request for it is unknown or is being sent`,
        detail: { hint: expect.stringContaining('report this as a bug in paycli') },
      });
    },
  );
});
