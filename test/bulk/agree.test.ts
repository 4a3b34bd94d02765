import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DAYS_OLDER,
  DAYS_YOUNGER,
  type LedgerPayment,
  LineNames,
  MATCH_RESULTS,
  type Match,
  matchLines,
} from '../../src/bulk/agree.ts';
import { readStatement, type StatementLine } from '../../src/bulk/statement.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { madeFolder } from './support.ts';

const START = Date.parse('2026-11-20T12:00:00Z');
const dayOf = (number: number): string => new Date(START + number * DAY_MS).toISOString().slice(0, 10);

type Given<T> = Partial<T> & { readonly on?: number };

const line = (number: number, { on = 0, ...more }: Given<StatementLine>): StatementLine => ({
  ...{ number, line: number + 1, day: dayOf(on), amount: 5000, fee: undefined, references: [], text: '' },
  ...{ numbers: [], label: undefined },
  fields: {},
  ...more,
});

const payment = (id: string, { on = 0, ...more }: Given<LedgerPayment> = {}): LedgerPayment => ({
  ...{ id, kind: 'payment', at: START + on * DAY_MS, day: dayOf(on), otherDay: undefined, amount: 5000 },
  ...{ ugwo: undefined, ref: undefined, psp_reference: undefined, account_digest: undefined, profile: undefined },
  ...more,
});

const digest = (text: string): string => `digest of ${text}`;
const ofDays = (first: number, last: number, tolerance = 0) => ({
  ...{ tolerance, digest },
  days: { first: dayOf(first), last: dayOf(last) },
});

const matched = (lines: readonly StatementLine[], payments: readonly LedgerPayment[], how: ReturnType<typeof ofDays>) =>
  matchLines(lines, payments, { ...how, names: new LineNames(lines, digest) });

/** `1 P agrees by ref`, `2 only_in_file`, `Q only_here`. */
const shortOf = ({ result, by, line: one, payment: paid, difference, named }: Match): string => {
  const off = difference === 0 ? undefined : difference;
  const parts = [one?.number, paid?.id, result, by && `by ${by}`, off, named];
  return parts.filter((part) => part !== undefined).join(' ');
};

const match = (
  lines: readonly Given<StatementLine>[],
  payments: Readonly<Record<string, Given<LedgerPayment>>>,
  tolerance = 0,
): string[] =>
  matched(
    lines.map((one, at) => line(at + 1, one)),
    Object.entries(payments).map(([id, one]) => payment(id, one)),
    ofDays(0, 3, tolerance),
  ).map(shortOf);

describe('a line belongs to the payment', () => {
  it.each<[string, Given<StatementLine>, Given<LedgerPayment>, by: string | undefined]>([
    ['whose provider reference it has', { references: ['T685312'] }, { psp_reference: 'T685312', on: 1 }, 'reference'],
    ['whose provider reference is in its text', { text: 'NIP/T685312/ADA' }, { psp_reference: 'T685312' }, 'reference'],
    ['whose short reference is a whole cell', { references: ['t68'] }, { psp_reference: 'T68', on: 1 }, 'reference'],
    ['whose ref it has', { text: 'TRF FRM ADA OBI/INV-1042' }, { ref: 'INV-1042', on: 1 }, 'ref'],
    ['whose ref is in capitals', { text: 'INV-1042A' }, { ref: 'inv-1042a', on: 1 }, 'ref'],
    ['whose ref lost its hyphen', { text: 'FOR INV1042' }, { ref: 'INV-1042', on: 1 }, 'ref'],
    ['whose ref got blanks', { text: 'INV 1042' }, { ref: 'INV1042', on: 1 }, 'ref'],
    ['whose ref has five characters', { text: 'INV-1 ADA' }, { ref: 'INV-1', on: 1 }, 'ref'],
    [
      'whose account it names',
      { text: 'TO0123456789/ADA' },
      { account_digest: digest('0123456789'), on: 1 },
      'account',
    ],
    ['alone with its amount on its day', {}, {}, 'amount'],
    ['that was near midnight', { on: 1 }, { on: 0, otherDay: dayOf(1) }, 'amount'],
    ['not by a part of a word', { text: 'XINV-1042' }, { ref: 'INV-1042', on: 1 }, undefined],
    ['not by a part of a number', { text: 'INV-10429' }, { ref: 'INV-1042', on: 1 }, undefined],
    [
      'not by a part of an account',
      { text: '00123456789' },
      { account_digest: digest('0123456789'), on: 1 },
      undefined,
    ],
    ['not by four characters', { text: 'A-12' }, { ref: 'A-12', on: 1 }, undefined],
    ['not by a part of a cell', { references: ['T68 9'] }, { psp_reference: 'T68', on: 1 }, undefined],
    ['not by the amount of another day', { on: 1 }, { on: 0 }, undefined],
    ['not if its money went the other way', { amount: -5000, text: 'INV-1042' }, { ref: 'INV-1042' }, undefined],
  ])('%s', (_name, one, paid, by) => {
    expect(match([one], { P: paid })).toEqual(
      by === undefined ? ['1 only_in_file', 'P only_here'] : [`1 P ${by === 'amount' ? 'likely' : 'agrees'} by ${by}`],
    );
  });

  it.each<[string, Given<StatementLine>[], Record<string, Given<LedgerPayment>>, string[]]>([
    [
      'whose name is longer, where one is inside the other',
      [{ text: 'INV-1042-2' }],
      { P: { ref: 'INV-1042' }, Q: { ref: 'INV-1042-2' } },
      ['1 Q agrees by ref', 'P only_here'],
    ],
    [
      "by the provider's reference before a ref",
      [{ text: 'INV-1042', amount: 1 }, { text: 'INV-1042 T685312' }],
      { P: { ref: 'INV-1042', psp_reference: 'T685312' } },
      ['1 only_in_file', '2 P agrees by reference'],
    ],
    [
      'of its amount, of several with its ref',
      [
        { text: 'INV-1042', amount: 500 },
        { text: 'INV-1042', amount: 400 },
      ],
      { P: { ref: 'INV-1042', amount: 400 }, Q: { ref: 'INV-1042', amount: 500 } },
      ['1 Q agrees by ref', '2 P agrees by ref'],
    ],
    [
      'of its day, of several with its ref and amount',
      [
        { text: 'INV-1042', on: 2 },
        { text: 'INV-1042', on: 1 },
      ],
      { P: { ref: 'INV-1042', on: 1 }, Q: { ref: 'INV-1042', on: 2 } },
      ['1 Q agrees by ref', '2 P agrees by ref'],
    ],
    [
      'of its own day, of several lines that name it',
      [
        { text: 'INV-1042', on: 1 },
        { text: 'INV-1042', on: 2 },
      ],
      { P: { ref: 'INV-1042', on: 2 } },
      ['1 only_in_file', '2 P agrees by ref'],
    ],
    [
      'of the nearest day, with another amount',
      [{ text: 'INV-1042', on: 3, amount: 1 }],
      { P: { ref: 'INV-1042', on: 1 }, Q: { ref: 'INV-1042', on: 2, amount: 6000 } },
      ['1 Q other_amount by ref -5999', 'P only_here'],
    ],
    [
      'of the closest amount of its day',
      [{ text: 'INV-1042', amount: 4900 }],
      { P: { ref: 'INV-1042', amount: 4000 }, Q: { ref: 'INV-1042' } },
      ['1 Q other_amount by ref -100', 'P only_here'],
    ],
    [
      'only once, however often it is named',
      [{ text: 'INV-1042' }, { text: 'INV-1042' }],
      { P: { ref: 'INV-1042' } },
      ['1 P agrees by ref', '2 only_in_file'],
    ],
    [
      'by name even if another line has its amount and day',
      [{}, { text: 'INV-1042', on: 1 }],
      { P: { ref: 'INV-1042' } },
      ['1 only_in_file', '2 P agrees by ref'],
    ],
    [
      'that it names, or to none',
      [{ text: 'INV-1042' }, { text: 'INV-1042' }],
      { P: { ref: 'INV-1042' }, Q: {} },
      ['1 P agrees by ref', '2 only_in_file', 'Q only_here'],
    ],
    [
      'of its own day before one near midnight',
      [{ on: 0 }, { on: 1 }],
      { P: { on: 0, otherDay: dayOf(1) }, Q: { on: 1 } },
      ['1 P likely by amount', '2 Q likely by amount'],
    ],
    [
      'that was paid back, for money that went out',
      [
        { amount: -5000, text: 'INV-1042' },
        { amount: 5000, text: 'INV-1042' },
      ],
      { R: { ref: 'INV-1042', amount: -5000, kind: 'refund' }, P: { ref: 'INV-1042' } },
      ['1 R agrees by ref', '2 P agrees by ref'],
    ],
    [
      'with another amount',
      [
        { text: 'INV-1042', amount: 7500 },
        { text: 'INV-1043', amount: 4950 },
      ],
      { P: { ref: 'INV-1042' }, Q: { ref: 'INV-1043' } },
      ['1 P other_amount by ref 2500', '2 Q other_amount by ref -50'],
    ],
    [
      'with its fee',
      [
        { amount: 4925, fee: 75 },
        { amount: -5010, fee: 10 },
      ],
      { P: {}, R: { amount: -5000, kind: 'refund' } },
      ['1 P likely by amount', '2 R likely by amount'],
    ],
  ])('%s', (_name, lines, payments, expected) => {
    expect(match(lines, payments)).toEqual(expected);
  });

  it('within the tolerance', () => {
    const lines = [{ text: 'INV-1042', amount: 4950 }, { text: 'INV-1043', amount: 4949 }, { amount: 2950 }];
    const payments = { P: { ref: 'INV-1042' }, Q: { ref: 'INV-1043' }, S: { amount: 3000 } };
    expect(match(lines, payments, 50)).toEqual([
      '1 P agrees by ref -50',
      '2 Q other_amount by ref -51',
      '3 only_in_file',
      'S only_here',
    ]);
    expect(match([{ amount: 4950 }, { amount: 5010 }], { P: {} }, 50)).toContain('P only_here');
    expect(match([{ amount: 20 }], { R: { amount: -20 } }, 50)).toEqual(['1 only_in_file', 'R only_here']);
  });

  it('of the closest amount within the tolerance', () => {
    const named = (...amounts: number[]) => amounts.map((amount) => ({ text: 'INV-1042', amount }));
    expect(match(named(4980, 5000), { P: { ref: 'INV-1042', on: 1 } }, 50)).toEqual([
      '1 only_in_file',
      '2 P agrees by ref',
    ]);
    expect(match(named(4000, 4980), { P: { ref: 'INV-1042' } }, 50)).toEqual([
      '1 only_in_file',
      '2 P agrees by ref -20',
    ]);
    expect(match([{ amount: 4980 }, {}], { P: { amount: 4980 }, Q: {} }, 50)).toEqual([
      '1 P likely by amount',
      '2 Q likely by amount',
    ]);
  });

  it('of two that name it, whichever comes first in the file', () => {
    for (const [one, other] of [
      [{ fee: 10 }, { fee: 20 }],
      [{ references: ['INV-1042'] }, { references: [] }],
      [{ numbers: ['12345'] }, { numbers: [] }],
    ]) {
      const lines = [one, other].map((each) => ({ text: 'INV-1042', ...each }));
      const result = (given: typeof lines) =>
        matched(
          given.map((each, at) => line(at + 1, each)),
          [payment('P', { ref: 'INV-1042' })],
          ofDays(0, 0),
        );
      const content = (given: typeof lines): string[] => result(given).map(contentOf).sort();
      expect(content(lines)).toEqual(content(lines.toReversed()));
    }
  });

  it.each<[string, lines: (at: number) => Given<StatementLine>, payments: (at: number) => Given<LedgerPayment>]>([
    ['one amount', () => ({}), () => ({ on: -1 })],
    ['amounts of their own', (at) => ({ amount: 9000 - at }), (at) => ({ amount: 8001 + at })],
    ['amounts that differ', (at) => ({ amount: 1000 + 2 * at }), (at) => ({ amount: 1001 + 2 * at, on: -1 })],
    [
      'names of their own, too',
      (at) => ({ text: `INV-1042 T${10_000 + at}` }),
      (at) => ({ psp_reference: `T${10_000 + at}` }),
    ],
    [
      'refs of their own, and one account',
      (at) => ({ text: `INV-${10_000 + at}`, numbers: ['0123456789'] }),
      (at) => ({ ref: `INV-${10_000 + at}`, account_digest: digest('0123456789') }),
    ],
  ])('without a look at each payment for each line, if all have one name and %s', (_name, lineOf, paymentOf) => {
    const [count, text] = [1000, 'INV-1042'];
    let looks = 0;
    const payments = Array.from({ length: count }, (_none, at) => {
      const { amount, ugwo, psp_reference, ...more } = payment(`P${at}`, {
        ref: text,
        ugwo: `ugw.${at}`,
        ...paymentOf(at),
      });
      const counted = <T>(value: T): T => {
        looks += 1;
        return value;
      };
      Object.defineProperties(more, {
        amount: { get: () => counted(amount) },
        ugwo: { get: () => counted(ugwo) },
        psp_reference: { get: () => counted(psp_reference) },
      });
      return more as LedgerPayment;
    });
    const lines = Array.from({ length: count }, (_none, at) => line(at + 1, { text, ...lineOf(at) }));
    const matches = matched(lines, payments, ofDays(0, 0));
    expect(matches.every(({ payment: paid }) => paid !== undefined)).toBe(true);
    // Sorting and halving take some ten looks each. A look at each payment for each line is a million.
    expect(looks).toBeLessThan(count * 100);
  });

  it('of a day more at both ends, which is not missing without a line', () => {
    const payments = { A: { on: -1, ref: 'INV-1041' }, B: { on: -1 }, C: { on: 4, ref: 'INV-1042' }, D: { on: 4 } };
    expect(match([{ text: 'INV-1041' }, { on: 3, text: 'INV-1042' }], payments)).toEqual([
      '1 A agrees by ref',
      '2 C agrees by ref',
    ]);
  });
});

type Case = readonly [
  name: string,
  line: Given<StatementLine>,
  payments: Readonly<Record<string, Given<LedgerPayment>>>,
  expected: string[],
];

/** A payment of another day, so that only a name leads to it. */
const other = (ref: string, more: Given<LedgerPayment> = {}): Given<LedgerPayment> => ({
  ref,
  on: 1,
  ugwo: `ugw.${ref}`,
  ...more,
});
const [P, Q, none] = ['P only_here', 'Q only_here', '1 only_in_file'];
const found = (id: string, by: string): string => `1 ${id} agrees by ${by}`;
const both = (named: string): string[] => [`1 two_names ${named}`, P, Q];

describe('a name', () => {
  it.each<Case>([
    [
      'is no beginning of another one',
      { text: 'TRF INV-104 2 BAGS RICE' },
      { P: other('INV-1042'), Q: other('INV-104') },
      [found('Q', 'ref'), P],
    ],
    ["isn't joined from two words", { text: 'TRF INV-104 2 BAGS' }, { P: other('INV-1042') }, [none, P]],
    ["isn't joined across lines", { text: 'TRF INV\n1042' }, { P: other('INV-1042') }, [none, P]],
    [
      'keeps its separators apart',
      { references: ['INV-2026-1-12'] },
      { P: other('INV-2026-11-2'), Q: other('INV-2026-1-12') },
      [found('Q', 'ref'), P],
    ],
    ["isn't one with other parts", { references: ['INV-2026-1-12'] }, { P: other('INV-2026-11-2') }, [none, P]],
    [
      'may have other separators',
      { text: 'TRF INV 104' },
      { P: other('INV-104'), Q: other('INV-1042') },
      [found('P', 'ref'), Q],
    ],
    [
      'of two with the same parts is the exact one',
      { text: 'TRF INV1042' },
      { P: other('INV-1042'), Q: other('INV1042') },
      [found('Q', 'ref'), P],
    ],
    [
      "of two with the same parts is none that isn't exact",
      { text: 'TRF INV/1042' },
      { P: other('INV-1042'), Q: other('INV1042') },
      [none, P, Q],
    ],
    [
      'in other capitals is exact',
      { text: 'TRF inv1042' },
      { P: other('INV-1042'), Q: other('INV1042') },
      [found('Q', 'ref'), P],
    ],
    [
      'in two kinds of capitals is two',
      { text: 'TRF INV-1042' },
      { P: other('INV-1042'), Q: other('inv-1042') },
      both('INV-1042 and inv-1042'),
    ],
    [
      'with signs around it is the same',
      { text: '#INV-1042.' },
      { P: other('INV-1042'), Q: other('#INV-1042') },
      both('#INV-1042 and INV-1042'),
    ],
    [
      'of four characters is none in a text, however it is written',
      { text: 'FOR A - 12' },
      { P: other('A-12') },
      [none, P],
    ],
    ['of four characters is one as a whole cell', { references: ['A-12'] }, { P: other('A-12') }, [found('P', 'ref')]],
    ['without letters and digits is none', { text: '-----', references: ['-----'] }, { P: other('-----') }, [none, P]],
    [
      "in a longer one doesn't count if that is exact",
      { text: 'FOR INV-104-2 RICE' },
      { P: other('INV-104'), Q: other('INV-104-2') },
      [found('Q', 'ref'), P],
    ],
    [
      'in a longer one counts beside it',
      { text: 'INV-104-2 INV-104' },
      { P: other('INV-104'), Q: other('INV-104-2') },
      both('INV-104 and INV-104-2'),
    ],
    [
      "in a longer one counts if that isn't exact",
      { text: 'INV-104 2 BAGS' },
      { P: other('INV-104'), Q: other('INV-104-2') },
      both('INV-104 and INV-104-2'),
    ],
    [
      'in a longer one counts if neither is exact',
      { text: 'INV 104 2 BAGS' },
      { P: other('INV-104'), Q: other('INV-104-2') },
      both('INV-104 and INV-104-2'),
    ],
    [
      "in a longer one doesn't count if that is the whole text",
      { text: 'TRF\nINV 104 2', references: ['INV 104 2'] },
      { P: other('INV-104'), Q: other('INV-104-2') },
      [found('Q', 'ref'), P],
    ],
    [
      'is an account in a cell of its own',
      { numbers: ['0123456789'] },
      { P: other('X', { account_digest: digest('0123456789') }) },
      [found('P', 'account')],
    ],
    [
      'is no part of an account',
      { text: '0123456789012' },
      { P: other('X', { account_digest: digest('0123456789') }) },
      [none, P],
    ],
  ])('%s', (_name, one, payments, expected) => {
    expect(match([one], payments)).toEqual(expected);
  });
});

describe('several names', () => {
  const T1 = other('INV-1042', { psp_reference: 'T68001' });
  const T2 = other('INV-1042', { psp_reference: 'T68002', amount: 3000 });
  const account_digest = digest('0123456789');

  it.each<Case>([
    [
      'of two payment requests',
      { text: 'INV-1042 INV-1043' },
      { P: other('INV-1042'), Q: other('INV-1043') },
      both('INV-1042 and INV-1043'),
    ],
    [
      'of two kinds, of two payment requests',
      { text: 'INV-1042 0123456789' },
      { P: other('INV-1042'), Q: other('INV-1043', { account_digest }) },
      both('INV-1042 and INV-1043'),
    ],
    [
      'of two profiles',
      { text: 'INV-1042 INV-1043' },
      {
        P: other('INV-1042', { profile: 'live', ugwo: 'ugw.1' }),
        Q: other('INV-1043', { profile: 'shop', ugwo: 'ugw.1' }),
      },
      both('INV-1042 and INV-1043'),
    ],
    [
      'of two payment requests with one ref',
      { text: 'T68001 T68002' },
      { P: { ...T1, ugwo: 'ugw.1' }, Q: { ...T2, ugwo: 'ugw.2' } },
      both('ugw.1 and ugw.2'),
    ],
    [
      "of two payment requests, if one's ref is the other's reference",
      { text: 'INV-1042' },
      { P: other('INV-1042'), Q: other('INV-1043', { psp_reference: 'INV-1042' }) },
      both('INV-1042 and INV-1043'),
    ],
    ['of one payment', { text: 'INV-1042 T68001' }, { P: T1, Q: T2 }, [found('P', 'reference'), Q]],
    [
      'of one payment, that is alike as ref and reference',
      { text: 'INV 1042' },
      { P: other('INV-1042', { psp_reference: 'inv-1042' }) },
      [found('P', 'reference')],
    ],
    [
      'of one payment, not of another one of its amount',
      { text: 'INV-1042 T68002' },
      { P: T1, Q: T2 },
      ['1 Q other_amount by reference 2000', P],
    ],
    [
      'of two payments of one request: that of the amount',
      { text: 'T68002 T68001' },
      { P: T1, Q: T2 },
      [found('P', 'reference'), Q],
    ],
    [
      'that lead to one of the requests that share a name',
      { text: 'INV-1043 0123456789' },
      { P: other('INV-1042', { account_digest }), Q: other('INV-1043', { account_digest }) },
      [found('Q', 'account'), P],
    ],
    [
      'of a charge that brought nothing, and of its request',
      { text: 'INV-1042 0123456789' },
      { P: other('INV-1042'), F: other('INV-1042', { kind: 'other', account_digest }) },
      [none, P],
    ],
    ['of a charge that brought nothing', { text: 'T68001' }, { F: { ...T1, kind: 'other' }, P: T2 }, [none, P]],
  ])('%s', (_name, one, payments, expected) => {
    expect(match([one], payments)).toEqual(expected);
  });

  it('of a ref in two profiles and of one account: the payment of both', () => {
    const payments = {
      P: other('INV-1042', { profile: 'live' }),
      Q: other('INV-1042', { profile: 'shop', account_digest }),
    };
    expect(match([{ text: 'INV-1042 0123456789' }], payments)).toEqual([found('Q', 'account'), P]);
  });
});

describe('a line without a name is likely', () => {
  it.each<[string, Given<StatementLine>[], Record<string, Given<LedgerPayment>>, string[]]>([
    ['with a payment of its amount and day', [{}], { P: {} }, ['1 P likely by amount']],
    [
      'with each of as many',
      [{ text: 'ADA' }, { text: 'OBI' }, { text: 'EKE' }],
      { P: {}, Q: {}, S: {} },
      ['1 P likely by amount', '2 Q likely by amount', '3 S likely by amount'],
    ],
    ['with none of fewer', [{}, {}, {}], { P: {}, Q: {} }, [none, '2 only_in_file', '3 only_in_file', P, Q]],
    ['with none of more', [{}], { P: {}, Q: {} }, [none, P, Q]],
    [
      'by its side',
      [{}, { amount: -5000 }],
      { P: {}, R: { amount: -5000, kind: 'refund' } },
      ['1 P likely by amount', '2 R likely by amount'],
    ],
    ['not with the other side', [{ amount: -5000 }], { P: {} }, [none, P]],
    [
      'not with a payment that another line names',
      [{ text: 'INV-1042' }, {}],
      { P: { ref: 'INV-1042' }, Q: {} },
      ['1 P agrees by ref', '2 Q likely by amount'],
    ],
    ['not on another day', [{ on: 1 }], { P: {} }, [none, P]],
    ['not with a charge that brought nothing', [{}], { P: { kind: 'other' } }, [none]],
    ['not within a tolerance', [{ amount: 4990 }], { P: {} }, [none, P]],
  ])('%s', (_name, lines, payments, expected) => {
    expect(match(lines, payments, 50)).toEqual(expected);
  });
});

describe('a line with a label', () => {
  const label = 'Closing Balance';
  it.each<[string, Given<StatementLine>, string[]]>([
    ['is none', { label }, [P]],
    ['is one if it names a payment', { label, text: 'INV-1042' }, ['1 P agrees by ref']],
    [
      'is one even if the payment has another amount',
      { label, text: 'INV-1042', amount: 1 },
      ['1 P other_amount by ref -4999'],
    ],
  ])('%s', (_name, one, expected) => {
    expect(match([one], { P: { ref: 'INV-1042' } })).toEqual(expected);
  });
});

it.each<[days: number, string, later: number | undefined]>([
  [DAYS_OLDER + 1, none, undefined],
  [DAYS_OLDER, '1 P agrees by ref', DAYS_OLDER],
  [3, '1 P agrees by ref', 3],
  [0, '1 P agrees by ref', undefined],
  [-DAYS_YOUNGER, '1 P agrees by ref', -DAYS_YOUNGER],
  [-DAYS_YOUNGER - 1, none, undefined],
])('a line %s days after the payment that it names: %s', (days, expected, later) => {
  const lines = [line(1, { text: 'INV-1042', on: days })];
  const [one] = matched(lines, [payment('P', { ref: 'INV-1042' })], ofDays(days, days));
  expect([one && shortOf(one), one?.days_later]).toEqual([expected, later]);
});

const AMOUNTS = [100, 150, 5000, -100, -5000];
const NAMES = ['INV-1042', 'INV-1042-2', 'INV1043', 'T685312', 'A-1', '0123456789'];
const oneOf = fc.constantFrom;

const [INSIDE, OUTSIDE] = ['[\\p{L}\\p{N}]', '[^\\p{L}\\p{N}]'];
const asWords = (form: string): RegExp => new RegExp(`(?<!${INSIDE})${form}(?!${INSIDE})`, 'giu');
/** The ref with its own separators. */
const exactly = (ref: string): RegExp => asWords(ref.replaceAll(/[^\p{L}\p{N}]/gu, '[$&]'));
/** The ref with any separators. */
const inParts = (ref: string): RegExp => {
  const parts = ref.match(/\p{L}+|\p{N}+/gu) ?? [];
  const whole = parts.map((part) => (/\p{N}/u.test(part) ? `(?<!\\p{N})${part}(?!\\p{N})` : part));
  return asWords(whole.join(`${OUTSIDE}*`));
};

const refs = fc.uniqueArray(
  oneOf('INV-104', 'INV-1042', 'INV104', 'INV-104-2', 'INV 2-104', '104-2', 'RICE-2', '(INV.*)2'),
  {
    minLength: 2,
    maxLength: 4,
  },
);
const narrations = fc
  .array(fc.tuple(oneOf('INV', 'INV-104', '104', '2', 'RICE', 'INV-104-2', '104-2'), oneOf(' ', '-', '/', '')), {
    maxLength: 5,
  })
  .map((words) => words.flat().join(''));

it('a line agrees with one payment request alone, whose ref stands in it beside no other', () => {
  fc.assert(
    fc.property(refs, narrations, (known, text) => {
      const payments = Object.fromEntries(known.map((ref) => [ref, other(ref)]));
      const agreed = match([{ text }], payments).flatMap((one) => /^1 (.*) agrees by ref$/.exec(one)?.[1] ?? []);
      for (const own of agreed) {
        expect(text).toMatch(inParts(own));
        const isWhole = text.replace(inParts(own), '').match(asWords(`${INSIDE}+`)) === null;
        const rest = isWhole ? '' : text.replaceAll(exactly(own), ' ');
        for (const ref of known.filter((one) => one !== own)) {
          expect(rest).not.toMatch(exactly(ref));
          if (exactly(ref).test(text)) expect(own).toMatch(inParts(ref));
        }
      }
    }),
    { numRuns: 1000 },
  );
});

const days = fc.integer({ min: 0, max: 3 });

/** Lines and payments that share amounts, days and names at random. */
const crowded = fc.record({
  lines: fc.array(
    fc.record({
      on: days,
      amount: oneOf(...AMOUNTS),
      fee: oneOf(undefined, 0, 50),
      references: fc.array(oneOf(...NAMES), { maxLength: 1 }),
      text: fc.array(oneOf(...NAMES, 'ADA', '5'), { maxLength: 3 }).map((words) => words.join(' ')),
    }),
    { maxLength: 12 },
  ),
  payments: fc.array(
    fc.record({
      on: fc.integer({ min: -1, max: 4 }),
      amount: oneOf(...AMOUNTS),
      otherDay: oneOf(undefined, dayOf(1), dayOf(2)),
      ref: oneOf(undefined, ...NAMES),
      psp_reference: oneOf(undefined, ...NAMES),
      account_digest: oneOf(undefined, digest('0123456789')),
      ugwo: oneOf(undefined, 'ugw.1', 'ugw.2'),
      kind: oneOf<LedgerPayment['kind']>('payment', 'payment', 'payment', 'other'),
    }),
    { maxLength: 12 },
  ),
  tolerance: oneOf(0, 50, 1000),
});

const made = ({
  lines,
  payments,
}: {
  readonly lines: Given<StatementLine>[];
  readonly payments: Given<LedgerPayment>[];
}) => ({
  lines: lines.map((one, at) => line(at + 1, { ...one, text: [one.text, ...(one.references ?? [])].join('\n') })),
  payments: payments.map((one, at) =>
    payment(`P${at}`, { ...one, ...(one.otherDay === dayOf(one.on ?? 0) ? { otherDay: undefined } : {}) }),
  ),
});

const contentOf = ({ result, by, line: one, difference }: Match): string =>
  JSON.stringify([result, by, difference, one?.day, one?.amount, one?.fee, one?.references, one?.numbers, one?.text]);

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);

describe('any lines and payments', () => {
  it('each are in the result once, and their groups add up to both totals', () => {
    fc.assert(
      fc.property(crowded, ({ tolerance, ...given }) => {
        const { lines, payments } = made(given);
        const matches = matched(lines, payments, ofDays(0, 3, tolerance));
        expect(matches.flatMap((one) => one.line ?? [])).toEqual(lines);
        const own = payments.filter(({ day, kind }) => kind !== 'other' && day >= dayOf(0) && day <= dayOf(3));
        const found = matches.flatMap((one) => one.payment ?? []);
        expect(new Set(found).size).toBe(found.length);
        expect(found).toEqual(expect.arrayContaining(own));
        expect(found.length - own.length).toBe(
          matches.filter(({ line: one, payment: paid }) => one && paid && !own.includes(paid)).length,
        );
        for (const { result, by, line: one, payment: paid, difference } of matches) {
          expect(result === 'likely').toBe(by === 'amount');
          const [hasLine, hasPayment] = [result !== 'only_here', !['only_in_file', 'two_names'].includes(result)];
          expect([one !== undefined, paid !== undefined]).toEqual([hasLine, hasPayment]);
          const off = one && paid ? one.amount + (one.fee ?? 0) - paid.amount : undefined;
          expect(difference).toBe(off);
          if (off !== undefined) expect(Math.abs(off) <= tolerance).toBe(result === 'agrees' || result === 'likely');
        }
      }),
    );
  });

  it('give the same result in any order', () => {
    const shuffled = fc.tuple(crowded, fc.infiniteStream(fc.nat()));
    fc.assert(
      fc.property(shuffled, ([{ tolerance, ...given }, numbers]) => {
        const { lines, payments } = made(given);
        const mixed = <T>(all: readonly T[]): T[] =>
          all
            .map((one) => [numbers.next().value as number, one] as const)
            .sort(([a], [b]) => a - b)
            .map(([, one]) => one);
        const renumbered = mixed(lines).map((one, at) => ({ ...one, number: at + 1 }));
        const how = ofDays(0, 3, tolerance);
        const before = matched(lines, payments, how);
        const after = matched(renumbered, mixed(payments), how);
        expect(after.map(contentOf).sort()).toEqual(before.map(contentOf).sort());
        const missing = (all: readonly Match[]) =>
          all.flatMap((one) => (one.line ? [] : (one.payment?.id ?? []))).sort();
        expect(missing(after)).toEqual(missing(before));
      }),
    );
  });
});

/**
 * A week of payments: each has a ref of its own or none, and a line of the same day, of a neighbouring one, or none. A line
 * with a ref may be some days later. The amount of one whose line is on another day is its own, since nobody can tell whose line another one of it is.
 */
const week = fc.record({
  payments: fc.array(
    fc.record({
      on: fc.integer({ min: 0, max: 6 }),
      amount: oneOf(...AMOUNTS),
      isNamed: fc.boolean(),
      off: oneOf(0, 0, 0, 20),
      lineOn: oneOf(undefined, -1, 0, 0, 0, 1),
      later: oneOf(0, 0, 3, DAYS_OLDER - 1),
    }),
    { maxLength: 20 },
  ),
  lines: fc.array(fc.record({ on: fc.integer({ min: 0, max: 6 }), amount: oneOf(...AMOUNTS) }), { maxLength: 6 }),
});

it('matching day by day gives the same as matching at once', () => {
  fc.assert(
    fc.property(week, ({ payments: drawn, lines: others }) => {
      const paid = drawn.map(({ on, amount, isNamed, lineOn, later }, at) => {
        const isOfOtherDay = lineOn === -1 || lineOn === 1 || (isNamed && later > 0);
        const [ref, otherDay] = isNamed
          ? [`INV-${1000 + at}`]
          : [undefined, isOfOtherDay ? dayOf(on + (lineOn ?? 0)) : undefined];
        return payment(`P${at}`, {
          on,
          ref,
          otherDay,
          amount: isOfOtherDay ? Math.sign(amount) * (9000 + at) : amount,
        });
      });
      const own = drawn.flatMap(({ on, lineOn, later, off, isNamed }, at) =>
        lineOn === undefined
          ? []
          : [
              {
                on: on + lineOn + (isNamed ? later : 0),
                amount: (paid[at]?.amount ?? 0) + (isNamed ? off : 0),
                text: paid[at]?.ref ?? '',
              },
            ],
      );
      const lines = [...own, ...others].map((one, at) => line(at + 1, one));
      const atOnce = matched(lines, paid, ofDays(-1, 16));
      const daily = Array.from({ length: 18 }, (_none, at) => at - 1).flatMap((on) =>
        matched(
          lines.filter(({ day }) => day === dayOf(on)),
          paid.filter(({ day }) => day >= dayOf(on - DAYS_OLDER) && day <= dayOf(on + DAYS_YOUNGER)),
          ofDays(on, on),
        ),
      );
      const ofLines = (all: readonly Match[]) =>
        all
          .filter((one) => one.line)
          .map(shortOf)
          .sort();
      expect(ofLines(daily)).toEqual(ofLines(atOnce));
      // A day doesn't show the line that its neighbour has.
      const found = new Set(daily.flatMap((one) => (one.line ? (one.payment ?? []) : [])));
      const missing = (all: readonly Match[]) => all.flatMap((one) => (one.line ? [] : (one.payment ?? [])));
      expect(
        missing(daily)
          .filter((one) => !found.has(one))
          .map(({ id }) => id)
          .sort(),
      ).toEqual(
        missing(atOnce)
          .map(({ id }) => id)
          .sort(),
      );
      expect(sumOf(lines.map(({ amount }) => amount))).toBe(sumOf(daily.map((one) => one.line?.amount ?? 0)));
    }),
  );
});

describe('the statement of', () => {
  const folder = madeFolder();
  const files = join(import.meta.dirname, 'layouts');

  interface Expected {
    readonly file: string;
    readonly columns: Parameters<typeof readStatement>[1]['columns'];
    readonly payments: readonly (Pick<LedgerPayment, 'id' | 'kind' | 'amount' | 'ref'> & {
      readonly at: string;
      readonly account?: string;
      readonly psp_reference?: string;
    })[];
    readonly groups: Readonly<Record<Match['result'], unknown>>;
  }

  it.each(readdirSync(files).filter((name) => name.endsWith('.json')))(
    '%s belongs to the payments it shows',
    async (name) => {
      const { file, columns, payments, groups }: Expected = JSON.parse(readFileSync(join(files, name), 'utf8'));
      const source = { path: join(files, file), name: file, spoolFolder: folder };
      const { days: period, lines } = await readStatement(source, { columns, currency: 'NGN', zone: 'utc' });
      const paid = payments.map(({ at, account, ...one }) => ({
        ...payment(one.id, { ...one, at: Date.parse(at), day: at.slice(0, 10) }),
        account_digest: account && digest(account),
      }));
      const found = matched(lines, paid, { tolerance: 0, days: period, digest });
      const grouped = Object.groupBy(found, ({ result }) => result);
      const short = ({ by, line: one, payment: its, difference }: Match): unknown => {
        if (one === undefined || its === undefined) return one?.number ?? its?.id;
        return [one.number, its.id, by, ...(difference === 0 ? [] : [difference])];
      };
      expect(Object.fromEntries(MATCH_RESULTS.map((result) => [result, (grouped[result] ?? []).map(short)]))).toEqual(
        groups,
      );
    },
  );
});
