import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PayError } from '../../../src/core/error.ts';
import { isPassing, isUndone, Lost, sharedError } from '../../../src/ledger/postgres/session.ts';

const coded = (code: unknown): Error => Object.assign(new Error('said'), { code });

describe('the errors of PostgreSQL', () => {
  it.each(['57P01', '40P01', '40001', '55P03', '53300', '08006', '25006', '25P03', '57014'])(
    '%s: transient',
    (code) => {
      expect(isPassing(coded(code))).toBe(true);
    },
  );

  it.each(['28P01', '3D000', '42501', '42P01', '23505', '22021', 'XX000'])('%s: permanent', (code) => {
    expect(isPassing(coded(code))).toBe(false);
  });

  it.each(['23505', '40P01', '42501', '22021', '25P02', '55P03', '28P01', '2F003', '0A000', '3F000', '3D000'])(
    '%s: nothing was written',
    (code) => {
      expect(isUndone(coded(code))).toBe(true);
    },
  );

  it.each(['57P01', '08006', 'XX000', '58030'])('%s: may have been written', (code) => {
    expect(isUndone(coded(code))).toBe(false);
  });

  it('have no SQLSTATE if the connection broke', () => {
    for (const code of ['EPIPE', 'EPERM', 'ECONNRESET', 'ETIMEDOUT', undefined, 28, '']) {
      expect(isUndone(coded(code))).toBe(false);
    }
    expect(isPassing(new Lost('away'))).toBe(true);
    expect(isUndone(new Lost('away'))).toBe(false);
  });

  it('either rule out a write or leave it open, whatever was thrown', () => {
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        expect(isUndone(thrown) && thrown instanceof Lost).toBe(false);
        expect(sharedError(thrown, 'the name')).toBeInstanceOf(PayError);
      }),
    );
  });
});

describe('the message for an error of PostgreSQL', () => {
  it.each([
    ['28P01', /^the ledger NAME cannot be used: said$/, /PGPASSFILE/],
    ['42501', /^the ledger NAME cannot be used: said$/, /ledger init --operator/],
    ['42704', /^the ledger NAME cannot be used: said$/, /create the role first/],
    ['3D000', /^the ledger NAME cannot be used: said$/, /name of the database/],
    ['42P01', /^NAME: there is no ledger in this database$/, /ledger init/],
    ['57P01', /^the ledger NAME cannot be used: said$/, /the database runs/],
  ])('explains %s', (code, message, hint) => {
    const error = sharedError(coded(code), 'NAME');
    expect(error).toMatchObject({ kind: 'ledger', detail: { code } });
    expect([error.message, error.detail.hint]).toEqual([expect.stringMatching(message), expect.stringMatching(hint)]);
  });

  it.each([
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('suggests a certificate option for %s', (code) => {
    const error = sharedError(new Lost('said', { cause: coded(code) }), 'NAME');
    expect(error.detail.hint).toContain('sslrootcert=FILE');
  });

  it('is unchanged for a PayError', () => {
    const error = new PayError('auth', 'no password');
    expect(sharedError(error, 'NAME')).toBe(error);
  });
});
