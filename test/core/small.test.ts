import { describe, expect, it } from 'vitest';
import { memo } from '../../src/core/async.ts';
import { BANK_CODES } from '../../src/core/banks.ts';
import {
  DIALECTS,
  ENDINGS,
  FIRST_RECORDS,
  firstUse,
  LOCAL_DATA_FILE,
  LOCAL_PROFILE,
  SEEDED,
} from '../../src/core/data-files.ts';
import { interrupted } from '../../src/core/error.ts';
import { isId } from '../../src/core/ids.ts';
import { aimed, targetFlags } from '../../src/core/input.ts';

it('BANK_CODES are sorted, unique and easy to type', () => {
  for (const code of BANK_CODES) expect(code).toMatch(/^[a-z][a-z0-9_]+$/);
  expect([...new Set(BANK_CODES)].toSorted()).toEqual(BANK_CODES);
  expect(BANK_CODES).toContain('gtb');
  expect(BANK_CODES).toHaveLength(30);
});

describe('interrupted', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
    ['SIGQUIT', 143],
    ['SIGWINCH', 130],
    ['constructor', 130],
  ])('by %s exits with %i', (signal, exitCode) => {
    const { kind, message, detail } = interrupted(signal);
    expect([kind, message, detail.exitCode]).toEqual([
      'interrupted',
      `cancelled by ${signal === 'SIGINT' ? 'Ctrl-C' : signal}; nothing was changed`,
      exitCode,
    ]);
  });
});

describe('the built-in service', () => {
  it('reports its records only on first use', () => {
    expect(firstUse(FIRST_RECORDS, 'x.sqlite')).toBe(
      'First use: created 25 customers and 120 payment requests in x.sqlite',
    );
    expect(firstUse({ customers: 0, ugwo: 0 }, 'x.sqlite')).toBeUndefined();
  });

  it('has fixed ids for the help examples', () => {
    const requests = [SEEDED.ugwo, SEEDED.losing, SEEDED.paid.ugwo, SEEDED.processing.ugwo];
    expect(isId('ony', SEEDED.onye)).toBe(true);
    expect(requests.map((uid) => isId('ugw', uid))).toEqual([true, true, true, true]);
    expect([SEEDED.paid, SEEDED.processing].map(({ activity }) => isId('act', activity))).toEqual([true, true]);
  });

  it('has fixed names for users', () => {
    expect([LOCAL_DATA_FILE, LOCAL_PROFILE]).toEqual(['emulator.sqlite', 'local']);
    expect(DIALECTS).toEqual(['documented', 'live']);
    expect(ENDINGS).toEqual(['successful', 'failed', 'expired', 'reversed']);
  });
});

it.each(['value', undefined])('memo computes %j once, on first use', (value) => {
  let made = 0;
  const ask = memo(() => {
    made += 1;
    return value;
  });
  expect(made).toBe(0);
  expect([ask(), ask(), made]).toEqual([value, value, 1]);
});

describe('targetFlags', () => {
  it.each([
    [{ local: false, profile: undefined, baseUrl: undefined }, []],
    [{ local: true, profile: undefined, baseUrl: undefined }, ['--local']],
    [{ local: false, profile: 'shop', baseUrl: undefined }, ['--profile', 'shop']],
    [{ local: false, profile: undefined, baseUrl: 'https://a.example' }, ['--base-url', 'https://a.example']],
    [{ local: true, profile: 'shop', baseUrl: 'x' }, ['--local', '--profile', 'shop', '--base-url', 'x']],
  ])('%j are %j', (options, words) => {
    expect(targetFlags(options)).toEqual(words);
  });
});

describe('aimed', () => {
  const shop = { local: false, profile: 'my shop', baseUrl: undefined };

  it.each([
    [
      '`paycli ledger sync`, then `paycli ledger push`',
      "`paycli ledger sync --profile 'my shop'`, then `paycli ledger push --profile 'my shop'`",
    ],
    ["`paycli find 'a `b` c'`; `--again`", "`paycli find 'a `b` c' --profile 'my shop'`; `--again`"],
    ["`paycli find 'it'\\''s `b`'`", "`paycli find 'it'\\''s `b`' --profile 'my shop'`"],
  ])('adds the target of the run to %s', (text, wanted) => {
    expect(aimed(text, shop)).toBe(wanted);
    expect(aimed(text, { ...shop, profile: undefined })).toBe(text);
  });

  it.each([
    '`paycli ledger sync --local`',
    '`paycli ledger sync --profile stall`',
    '`paycli ledger sync --base-url https://a.example`',
    '`paycli login`',
    '`paycli profile use a`',
    '`paycli emulator reset`',
    '`paycli help docs team`',
    'an older paycli: paycli ledger list',
  ])('leaves %s as it is', (text) => {
    expect(aimed(text, shop)).toBe(text);
  });
});
