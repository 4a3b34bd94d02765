import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LedgerPayment, MATCH_RESULTS, type Match, matchLines } from '../../src/bulk/agree.ts';
import { readStatement, type StatementLine } from '../../src/bulk/statement.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { madeFolder } from './support.ts';

const START = Date.parse('2026-11-20T12:00:00Z');
const dayOf = (number: number): string => new Date(START + number * DAY_MS).toISOString().slice(0, 10);

type Given<T> = Partial<T> & { readonly on?: number };

const line = (number: number, { on = 0, ...more }: Given<StatementLine>): StatementLine => ({
  ...{ number, line: number + 1, day: dayOf(on), amount: 5000, fee: undefined, references: [], text: '' },
  ...{ numbers: [], label: undefined },
  ...{ currency: 'NGN', fields: {} },
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

/** `1 P agrees by ref`, `2 only_in_file`, `Q only_here`. */
const shortOf = ({ result, by, line: one, payment: paid, difference }: Match): string => {
  const parts = [one?.number, paid?.id, result, by && `by ${by}`, difference === 0 ? undefined : difference];
  return parts.filter((part) => part !== undefined).join(' ');
};

const match = (
  lines: readonly Given<StatementLine>[],
  payments: Readonly<Record<string, Given<LedgerPayment>>>,
  tolerance = 0,
): string[] =>
  matchLines(
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
      'unless two lines have the amount on the day',
      [{}, {}],
      { P: {} },
      ['1 only_in_file', '2 only_in_file', 'P only_here'],
    ],
    ['unless two payments have it', [{}], { P: {}, Q: {} }, ['1 only_in_file', 'P only_here', 'Q only_here']],
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
    ]) {
      const lines = [one, other].map((each) => ({ text: 'INV-1042', ...each }));
      const result = (given: typeof lines) =>
        matchLines(
          given.map((each, at) => line(at + 1, each)),
          [payment('P', { ref: 'INV-1042' })],
          ofDays(0, 0),
        );
      const content = (given: typeof lines): string[] => result(given).map(contentOf).sort();
      expect(content(lines)).toEqual(content(lines.toReversed()));
    }
  });

  it('without a look at each payment for each line, if all have one name', () => {
    const [count, text] = [300, 'INV-1042'];
    let looks = 0;
    const payments = Array.from({ length: count }, (_none, at) => ({
      ...payment(`P${at}`, { ref: text, on: -1 }),
      get amount() {
        looks += 1;
        return 1000 + at;
      },
    }));
    const lines = Array.from({ length: count }, (_none, at) => line(at + 1, { text, amount: 1000 + at }));
    expect(matchLines(lines.toReversed(), payments, ofDays(0, 0)).every(({ result }) => result === 'agrees')).toBe(
      true,
    );
    expect(looks).toBeLessThan(count * 10);
  });

  it('of a day more at both ends, which is not missing without a line', () => {
    const payments = { A: { on: -1, ref: 'INV-1041' }, B: { on: -1 }, C: { on: 4, ref: 'INV-1042' }, D: { on: 4 } };
    expect(match([{ text: 'INV-1041' }, { on: 3, text: 'INV-1042' }], payments)).toEqual([
      '1 A agrees by ref',
      '2 C agrees by ref',
    ]);
  });
});

const AMOUNTS = [100, 150, 5000, -100, -5000];
const NAMES = ['INV-1042', 'INV-1042-2', 'INV1043', 'T685312', 'A-1', '0123456789'];
const oneOf = fc.constantFrom;
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
  JSON.stringify([result, by, difference, one?.day, one?.amount, one?.fee, one?.references, one?.text]);

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);

describe('any lines and payments', () => {
  it('each are in the result once, and their groups add up to both totals', () => {
    fc.assert(
      fc.property(crowded, ({ tolerance, ...given }) => {
        const { lines, payments } = made(given);
        const matches = matchLines(lines, payments, ofDays(0, 3, tolerance));
        expect(matches.flatMap((one) => one.line ?? [])).toEqual(lines);
        const own = payments.filter(({ day }) => day >= dayOf(0) && day <= dayOf(3));
        const found = matches.flatMap((one) => one.payment ?? []);
        expect(new Set(found).size).toBe(found.length);
        expect(found).toEqual(expect.arrayContaining(own));
        expect(found.length - own.length).toBe(
          matches.filter(({ line: one, payment: paid }) => one && paid && !own.includes(paid)).length,
        );
        for (const { result, line: one, payment: paid, difference } of matches) {
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
        const before = matchLines(lines, payments, how);
        const after = matchLines(renumbered, mixed(payments), how);
        expect(after.map(contentOf).sort()).toEqual(before.map(contentOf).sort());
        const missing = (all: readonly Match[]) =>
          all.flatMap((one) => (one.line ? [] : (one.payment?.id ?? []))).sort();
        expect(missing(after)).toEqual(missing(before));
      }),
    );
  });
});

/**
 * A week of payments: each has a ref of its own or none, and a line of the same day, of a neighbouring one, or none. The
 * amount of one whose line is on another day is its own, since nobody can tell whose line another one of it is.
 */
const week = fc.record({
  payments: fc.array(
    fc.record({
      on: fc.integer({ min: 0, max: 6 }),
      amount: oneOf(...AMOUNTS),
      isNamed: fc.boolean(),
      off: oneOf(0, 0, 0, 20),
      lineOn: oneOf(undefined, -1, 0, 0, 0, 1),
    }),
    { maxLength: 20 },
  ),
  lines: fc.array(fc.record({ on: fc.integer({ min: 0, max: 6 }), amount: oneOf(...AMOUNTS) }), { maxLength: 6 }),
});

it('matching day by day gives the same as matching at once', () => {
  fc.assert(
    fc.property(week, ({ payments: drawn, lines: others }) => {
      const paid = drawn.map(({ on, amount, isNamed, lineOn }, at) => {
        const isOfOtherDay = lineOn === -1 || lineOn === 1;
        const [ref, otherDay] = isNamed
          ? [`INV-${1000 + at}`]
          : [undefined, isOfOtherDay ? dayOf(on + lineOn) : undefined];
        return payment(`P${at}`, {
          on,
          ref,
          otherDay,
          amount: isOfOtherDay ? Math.sign(amount) * (9000 + at) : amount,
        });
      });
      const own = drawn.flatMap(({ on, lineOn, off, isNamed }, at) =>
        lineOn === undefined
          ? []
          : [{ on: on + lineOn, amount: (paid[at]?.amount ?? 0) + (isNamed ? off : 0), text: paid[at]?.ref ?? '' }],
      );
      const lines = [...own, ...others].map((one, at) => line(at + 1, one));
      const atOnce = matchLines(lines, paid, ofDays(-1, 7));
      const daily = Array.from({ length: 9 }, (_none, at) => at - 1).flatMap((on) =>
        matchLines(
          lines.filter(({ day }) => day === dayOf(on)),
          paid.filter(({ day }) => day >= dayOf(on - 1) && day <= dayOf(on + 1)),
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
      const found = matchLines(lines, paid, { tolerance: 0, days: period, digest });
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
