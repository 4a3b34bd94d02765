import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PayError } from '../../../src/core/error.ts';
import { isPassing, isUndone, Lost, sharedError, stateOf } from '../../../src/ledger/postgres/session.ts';

const coded = (code: unknown): Error => Object.assign(new Error('said'), { code });

describe('what a fault of the server says', () => {
  it.each(['57P01', '40P01', '40001', '55P03', '53300', '08006', '25006', '57014'])(
    '%s: another try may go better',
    (code) => {
      expect(isPassing(coded(code))).toBe(true);
    },
  );

  it.each(['28P01', '3D000', '42501', '42P01', '23505', '22021', 'XX000'])('%s: another try is of no use', (code) => {
    expect(isPassing(coded(code))).toBe(false);
  });

  it.each(['23505', '40P01', '42501', '22021', '25P02'])('%s: nothing was written', (code) => {
    expect(isUndone(coded(code))).toBe(true);
  });

  it.each(['57P01', '08006', 'XX000', '58030'])('%s: it may have been written', (code) => {
    expect(isUndone(coded(code))).toBe(false);
  });

  it('is nothing where the connection broke', () => {
    for (const code of ['EPIPE', 'EPERM', 'ECONNRESET', 'ETIMEDOUT', undefined, 28, '']) {
      expect(stateOf(coded(code))).toBeUndefined();
      expect(isUndone(coded(code))).toBe(false);
    }
    expect(stateOf(Object.assign(new Lost('away'), { code: '23505' }))).toBeUndefined();
    expect(isPassing(new Lost('away'))).toBe(true);
    expect(isUndone(new Lost('away'))).toBe(false);
  });

  it('is either certain or may have been done, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        expect(isUndone(thrown) && thrown instanceof Lost).toBe(false);
        expect(sharedError(thrown, 'the name')).toBeInstanceOf(PayError);
      }),
    );
  });
});

describe('what the operator is told', () => {
  it.each([
    ['28P01', /^the ledger NAME cannot be used: said$/, /PGPASSFILE/],
    ['42501', /^the ledger NAME cannot be used: said$/, /ledger init --operator/],
    ['3D000', /^the ledger NAME cannot be used: said$/, /name of the database/],
    ['42P01', /^NAME: there is no ledger in this database$/, /ledger init/],
    ['57P01', /^the ledger NAME cannot be used: said$/, /ledger status/],
  ])('of %s', (code, message, hint) => {
    const error = sharedError(coded(code), 'NAME');
    expect(error).toMatchObject({ kind: 'ledger', detail: { code } });
    expect([error.message, error.detail.hint]).toEqual([expect.stringMatching(message), expect.stringMatching(hint)]);
  });

  it.each([
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('of %s is what to do about a certificate', (code) => {
    const error = sharedError(new Lost('said', { cause: coded(code) }), 'NAME');
    expect(error.detail.hint).toContain('sslrootcert=FILE');
  });

  it('keeps what is said already', () => {
    const error = new PayError('auth', 'no password');
    expect(sharedError(error, 'NAME')).toBe(error);
  });
});
