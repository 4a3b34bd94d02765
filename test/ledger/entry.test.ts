import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTexts } from '../../src/core/json.ts';
import {
  asksTheSame,
  cleaned,
  digestOf,
  type Evidence,
  evidenceOf,
  isInScope,
  isSamePhone,
  lastDigits,
  ledgerTargetOf,
  type Scope,
  termsDigestOf,
  withEvidence,
  withoutNumbers,
  withoutPhone,
  withoutPhoneEnding,
} from '../../src/ledger/entry.ts';
import { charge, NOON, PLACE } from './support/charges.ts';

const ORIGIN = 'https://api.example';

describe('ledgerTargetOf', () => {
  it.each([
    ['sk.AbCd.0123456789', 'AbCd'],
    ['pk.AbCd.0123456789', 'AbCd'],
    ['sk.AbCdE.0123456789', undefined],
    ['a-key-of-another-shape', undefined],
  ])('gives the key %s the workspace %s', (key, workspace) => {
    expect(ledgerTargetOf(ORIGIN, key, 'default')).toEqual({
      service: ORIGIN,
      origin: ORIGIN,
      workspace,
      profile: 'default',
    });
  });

  it('identifies an emulator by its key, whatever its port', () => {
    const [first, second] = ['http://127.0.0.1:1', 'http://127.0.0.1:2'];
    const key = 'sk.Lcal.0123456789';
    expect(ledgerTargetOf(first, key, 'local').service).toBe(ledgerTargetOf(second, key, 'local').service);
    expect(ledgerTargetOf(first, key, 'local').origin).toBe(first);
    expect(ledgerTargetOf(first, 'sk.Lcal.9876543210', 'local').service).not.toBe(
      ledgerTargetOf(first, key, 'local').service,
    );
  });

  it.each(['sk.AbCd.very-secret-part', 'sk.Lcal.very-secret-part', 'very-secret-part'])(
    'never contains the key %s',
    (key) => {
      expect(JSON.stringify(ledgerTargetOf(ORIGIN, key, undefined))).not.toContain('very-secret-part');
    },
  );
});

it.each(['localhost', '127.0.0.2', '[::1]'])(
  'ledgerTargetOf uses one name for this machine, also for %s, per port',
  (host) => {
    const key = 'sk.AbCd.0123456789';
    expect(ledgerTargetOf(`http://${host}:4010`, key, undefined).service).toBe('http://127.0.0.1:4010');
    expect(ledgerTargetOf(`http://${host}:4011`, key, undefined).service).toBe('http://127.0.0.1:4011');
    expect(ledgerTargetOf(`http://${host}:4010`, key, undefined).origin).toBe(`http://${host}:4010`);
    expect(ledgerTargetOf('https://localhost.example', key, undefined).service).toBe('https://localhost.example');
  },
);

const numbered = (number: number): Evidence => evidenceOf('look', NOON, { number });

describe('evidence', () => {
  it('has its time in DATE_ATOM format', () => {
    expect(evidenceOf('answer', NOON + 999, { status: 500 })).toEqual({
      kind: 'answer',
      at: '2026-11-20T12:00:00+00:00',
      status: 500,
    });
  });

  it('is append-only', () => {
    expect(withEvidence([numbered(1)], numbered(2))).toEqual([numbered(1), numbered(2)]);
    expect(withEvidence([numbered(1)], undefined)).toEqual([numbered(1)]);
  });

  it('is limited to the first ten and the last twenty items', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), (size) => {
        const all = Array.from({ length: size }, (_, number) => numbered(number));
        const kept = all.reduce<readonly Evidence[]>((list, one) => withEvidence(list, one), []);
        expect(kept).toEqual(size <= 30 ? all : [...all.slice(0, 10), ...all.slice(-20)]);
      }),
    );
  });
});

const PHONE = '+2348031234567';

const digits = (text: string): string => text.replaceAll(/\D/g, '');

describe('withoutPhone', () => {
  it.each([
    PHONE,
    '2348031234567',
    '08031234567',
    '8031234567',
    '+234 803 123 4567',
    '+234-803-123-4567',
    '(0803) 123-4567',
    '0803.123.4567',
    '00234 803 1234567',
    '234 (0) 803 123 4567',
  ])('masks %s', (spelling) => {
    for (const text of [spelling, `call ${spelling} now`, `{"phone":"${spelling}"}`]) {
      const left = withoutPhone(text, PHONE);
      expect(digits(left)).toBe('4567');
      expect(left).toContain('…4567');
    }
  });

  it('masks the number in any spelling', () => {
    const between = fc.constantFrom('', ' ', '-', '.', ' - ', ') ').filter((text) => text.length < 3);
    const spelled = fc
      .tuple(fc.stringMatching(/^[1-9]\d{9,13}$/), fc.array(between, { minLength: 14, maxLength: 14 }))
      .map(([number, gaps]) => ({
        phone: `+${number}`,
        spelling: [...number].map((digit, index) => `${index === 0 ? '' : (gaps[index] ?? '')}${digit}`).join(''),
      }));
    fc.assert(
      fc.property(spelled, fc.constantFrom('', '+', '00'), ({ phone, spelling }, first) => {
        expect(withoutPhone(`before ${first}${spelling} after`, phone)).toBe(`before ${lastDigits(phone)} after`);
      }),
    );
  });

  it.each([
    ['another number', 'act.AbCd.2026112012 and 0987654321'],
    ['fewer digits', 'order 4567 of 234567'],
    ['text without a number', 'nothing'],
  ])('leaves %s unchanged', (_what, text) => {
    expect(withoutPhone(text, PHONE)).toBe(text);
  });

  it('leaves text unchanged if the phone is empty or too short', () => {
    for (const phone of [undefined, '', '12345']) expect(withoutPhone(`x ${PHONE}`, phone)).toBe(`x ${PHONE}`);
  });

  it('masks a number if only its last digits are known', () => {
    expect(withoutPhoneEnding(`paid by ${PHONE}, not 0123456789`, '…4567')).toBe('paid by …4567, not 0123456789');
    expect(withoutPhoneEnding(PHONE, undefined)).toBe(PHONE);
  });
});

describe('withoutNumbers', () => {
  it.each([
    ['call 1234567', 'call …4567'],
    ['call 123456', 'call 123456'],
    ['call +1234567, please', 'call …4567, please'],
    ['12 34-56.7', '…4567'],
    ['(12) 34567', '(…4567'],
    ['12 - 34567', '12 - 34567'],
    ['1234/567', '1234/567'],
    ['1234567 and 7654321', '…4567 and …4321'],
    ['12345678901234567890', '…7890'],
  ])('turns %j into %j', (text, kept) => {
    expect(withoutNumbers(text)).toBe(kept);
  });
});

describe('cleaned', () => {
  it('cleans strings at any depth, and nothing else', () => {
    const value = { a: 'secret', b: ['secret', 1, null, { c: 'x secret' }], d: true, e: undefined };
    expect(cleaned(value, (text) => text.replaceAll('secret', '…'))).toEqual({
      a: '…',
      b: ['…', 1, null, { c: 'x …' }],
      d: true,
      e: undefined,
    });
  });

  it('cleans property names, and numbers that look like phone numbers', () => {
    expect(cleaned({ secret: 8_031_234_567, n: 5, l: [8_031_234_567] }, withoutNumbers)).toStrictEqual({
      secret: '…4567',
      n: 5,
      l: ['…4567'],
    });
    expect(cleaned({ secret: 1 }, (text) => text.replace('secret', '…'))).toStrictEqual({ '…': 1 });
  });
});

describe('digestOf', () => {
  const data = { medium: 'mobile_money', provider: 'mtn', phone: PHONE, more: { b: [1, { d: 1, c: 2 }], a: null } };

  it('is independent of property order', () => {
    const shuffled = {
      more: { a: null, b: [1, { c: 2, d: 1 }] },
      phone: PHONE,
      provider: 'mtn',
      medium: 'mobile_money',
    };
    expect(digestOf(shuffled)).toBe(digestOf(data));
    expect(digestOf(data)).toMatch(/^[0-9a-f]{64}$/);
    const value = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });
    const reversed = (from: Record<string, unknown>): Record<string, unknown> =>
      Object.fromEntries(Object.entries(from).reverse());
    fc.assert(fc.property(value, (from) => digestOf(reversed(from)) === digestOf(from)));
  });

  it.each([
    ['another medium', { ...data, medium: 'ussd' }],
    ['one more property', { ...data, x: null }],
    ['another order of a list', { ...data, more: { ...data.more, b: [{ d: 1, c: 2 }, 1] } }],
    ['a string for a number', { ...data, more: { ...data.more, b: ['1', { d: 1, c: 2 }] } }],
    ['other last digits of the phone number', { ...data, phone: '+2348031234568' }],
  ])('differs with %s', (_what, other) => {
    expect(digestOf(other)).not.toBe(digestOf(data));
  });

  it('hashes a big number as its digits', () => {
    const read = parseTexts('{"n":0.1234567890123456789}') as Readonly<Record<string, unknown>>;
    expect(digestOf(read)).toBe(createHash('sha256').update('{"n":"…6789"}').digest('hex'));
  });

  it('ignores undefined properties', () => {
    expect(digestOf({ ...data, expires_at: undefined })).toBe(digestOf(data));
  });

  it('includes only the end of a phone number, which a digest could reveal', () => {
    expect(digestOf({ ...data, phone: '+2349999994567' })).toBe(digestOf(data));
  });
});

const keyed = (text: string): string => `keyed ${text}`;

it.each([
  [{ provider: 'mtn', phone: '+234 803 123 4567' }, true],
  [{ provider: 'mtn', phone: '+2348039994567' }, false],
  [{ medium: 'ussd', provider: 'mtn', phone: PHONE }, false],
  [{ provider: 'gtb', phone: PHONE }, false],
  [{ provider: 'mtn', phone: '+2348031234568' }, false],
  [{ phone: PHONE }, false],
  [{ provider: 'mtn' }, false],
])('asksTheSame compares a charge by mtn of …4567 with %j: %s', (data, same) => {
  const termsDigest = termsDigestOf(PHONE, {}, keyed);
  const by = charge({ medium: 'mobile_money', provider: 'mtn', phone: '…4567', termsDigest });
  expect(asksTheSame(by, { medium: 'mobile_money', ...data }, keyed)).toBe(same);
});

it('asksTheSame is false for an older charge with a phone and a new one without', () => {
  const old = charge({ medium: 'mobile_money', phone: '…4567' });
  expect(asksTheSame(old, { medium: 'mobile_money' }, keyed)).toBe(false);
});

it('asksTheSame compares a numeric provider as text', () => {
  const by = charge({ medium: 'ussd', provider: '737' });
  expect(asksTheSame(by, { medium: 'ussd', provider: 737 }, keyed)).toBe(true);
  expect(asksTheSame(by, { medium: 'ussd', provider: 894 }, keyed)).toBe(false);
});

it('asksTheSame compares the phone beside other terms, in any order of these', () => {
  const termsDigest = termsDigestOf(PHONE, { bank: '1', plan: 'a' }, keyed);
  const by = charge({ medium: 'voucher', phone: '…4567', termsDigest });
  const asks = (phone: string) => asksTheSame(by, { medium: 'voucher', plan: 'a', bank: '1', phone }, keyed);
  expect([PHONE, '+2348039994567'].map(asks)).toEqual([true, false]);
});

it.each<[string, Scope, object, boolean]>([
  ['its workspace', { workspace: 'AbCd' }, {}, true],
  ['another workspace', { workspace: 'EfGh' }, {}, false],
  ['any workspace, while its own is unknown', { workspace: 'EfGh' }, { workspace: undefined }, true],
  ['its service', { service: PLACE.service }, {}, true],
  ['another service', { service: 'https://other.example' }, {}, false],
  ['its profile', { profile: 'default' }, {}, true],
  ['no profile', { profile: '' }, {}, false],
  ['no profile, as it has none', { profile: '' }, { profile: undefined }, true],
  ['any but its profile', { otherThan: 'default' }, {}, false],
  ['any but another profile, as it has none', { otherThan: 'default' }, { profile: undefined }, true],
])('isInScope by %s', (_what, scope, more, isIn) => {
  expect(isInScope(scope)({ ...PLACE, ...more })).toBe(isIn);
});

it('asksTheSame is true if neither charge names a customer', () => {
  expect(asksTheSame(charge(), { medium: 'bank_transfer' }, keyed)).toBe(true);
});

describe('isSamePhone', () => {
  it.each([
    ['+233240001234', '+233 24 000 1234', true],
    ['+233240001234', '0240001234', true],
    ['+233240001234', '240001234', true],
    ['+233240001234', '+233550001234', false],
    ['+233240001234', '+234240001234', false],
    ['+233240001234', '…1234', false],
    ['+233240001234', '', false],
    ['+233240001234', '00233240001234', true],
    ['+233240001234', '00240001234', true],
    ['+2331234567', '1234567', true],
    ['+2331234567', '234567', false],
    ['+233240001234', '2332400012', false],
    ['', '', false],
  ])('compares %s with %s: %s', (one, other, same) => {
    expect(isSamePhone(one, other)).toBe(same);
    expect(isSamePhone(other, one)).toBe(same);
  });
});
