import { describe, expect, it } from 'vitest';
import { missingColumn, RowReader } from '../../src/bulk/rows.ts';
import { PayError } from '../../src/core/error.ts';

type Kind = ConstructorParameters<typeof RowReader>[0];
type Reading = ConstructorParameters<typeof RowReader>[2];

/** Opens a file with these columns for a noun that reads the known ones. */
const openFile = (
  columns: readonly string[],
  known: readonly string[],
  more: object = {},
  format: 'csv' | 'ndjson' = 'csv',
) => {
  let names: readonly string[] = [];
  const checkColumns = (read: readonly string[]): void => {
    names = read;
  };
  const [name = '', ...others] = known;
  const noun = {
    key: { name, aliases: [] },
    columns: others,
    report: [],
    flagOf: () => undefined,
    checkColumns,
    ...more,
  };
  const reading = { client: {} as Reading['client'], validate: false };
  const { notices } = new RowReader(noun as unknown as Kind, { columns, format }, reading);
  return { names, notices };
};

describe('the names of columns', () => {
  const KNOWN = ['ugwo', 'medium', 'param.k'];

  it.each([
    [
      ['ugwo', 'medium'],
      ['ugwo', 'medium'],
    ],
    [
      ['UGWO', 'Medium'],
      ['ugwo', 'medium'],
    ],
    [
      [' Ugwo ', '\tmedium'],
      ['ugwo', 'medium'],
    ],
    [
      ['PARAM', 'Param.Tier', 'param.tier', ' PARAM.List: '],
      ['param', 'param.Tier', 'param.tier', 'param.List:'],
    ],
    [
      ['Note', 'note', ' note', 'Other'],
      ['Note', 'note', ' note', 'Other'],
    ],
    [
      ['u gwo', 'Medium_', '', 'pa-ram.A b-c_d', 'm.medium'],
      ['ugwo', 'medium', '', 'param.A b-c_d', 'm.medium'],
    ],
  ])('reads %j as %j', (columns, names) => {
    expect(openFile(columns, KNOWN).names).toEqual(names);
  });

  it.each([
    [['ugwo', 'UGWO'], 'the columns "ugwo" and "UGWO" are both ugwo'],
    [['ugwo', 'U-g\u00a0w_o'], 'the columns "ugwo" and "U-g\u00a0w_o" are both ugwo'],
    [['Param.k', 'a', 'param.k '], 'the columns "Param.k" and "param.k " are both param.k'],
  ])('rejects %j', (columns, message) => {
    const wanted = { kind: 'usage', message, detail: { hint: 'leave one of them out' } };
    expect(() => openFile(columns, KNOWN)).toThrow(expect.objectContaining(wanted));
  });
});

describe('a column that resembles one that is read', () => {
  const KIND = { key: { name: 'ref', aliases: ['reference'] }, report: ['amount_due', 'refund'] };
  const KNOWN = [
    'ref',
    'amount',
    'amount_minor',
    'first_name',
    'expires_in',
    'customer',
    'meta.k',
    'billing_address.k',
  ];
  /** The columns that were probably meant, from the error. */
  const meant = (...columns: string[]): string[] => {
    try {
      openFile(columns, KNOWN, KIND);
      return [];
    } catch (thrown) {
      if (!(thrown instanceof PayError)) throw thrown;
      return [...thrown.message.matchAll(/(?:mean |" \()([^?]+)\?/g)].map(([, name = '']) => name);
    }
  };

  it.each([
    ['Refund Amount', 'amount'],
    ['refundAmount', 'amount'],
    ['Amount (net)', 'amount'],
    ['Amount (VAT)', 'amount'],
    ['Amount VAT', 'amount'],
    ['Amount ngn', 'amount'],
    ['Amount (#)', 'amount'],
    ['Amount (kobo)', 'amount'],
    ['Amount/NGN', 'amount'],
    ['amounts_2024', 'amount'],
    ['amuont', 'amount'],
    ['amonts', 'amount'],
    ['Frist-Name', 'first_name'],
    ['expire in', 'expires_in'],
    ['Customer phone', 'customer'],
    ['reff', 'ref'],
    ['Payment reference', 'ref'],
    ['refference', 'ref'],
    ['metta.k', 'meta.k'],
    ['Metadata.Big Key', 'meta.Big Key'],
    ['metadata', 'meta'],
    ['expires', 'expires_in'],
    ['cust', 'customer'],
    ['First', 'first_name'],
    ['billing', 'billing_address'],
    ['billing.city', 'billing_address.city'],
  ])('%s: %s', (column, name) => {
    expect(meant(column)).toEqual([name]);
    expect(meant(column, name)).toEqual([]);
  });

  it('is meant for the other one where the file has that one', () => {
    expect(meant('amount_minor_unit')).toEqual(['amount']);
    expect(meant('amount', 'amount_minor_unit')).toEqual(['amount_minor']);
  });

  it.each(['fee', 'bill', 'row', 'date', 'refund_date', 'discount', 'name', 'state_2', 'refund', 'amount_due'])(
    'is not %s',
    (column) => {
      expect(meant(column)).toEqual([]);
    },
  );

  it.each([
    [1000, ['amount', 'amount']],
    [1001, ['amount']],
  ])('is looked for by its words only, where more than a thousand are not read: %i', (count, found) => {
    const many = Array.from({ length: count - 2 }, (_, index) => `x${index}`);
    expect(meant(...many, 'amuont', 'Amount paid')).toEqual(found);
  });
});

it.each(['Ref', 'Meta.Tier'])('JSON keys have one spelling: %s', (name) => {
  expect(() => openFile([name], ['ref', 'meta.k'], {}, 'ndjson')).toThrow(`"${name}" isn't read: did you mean`);
  const many = Array.from({ length: 11 }, (_, number) => `Meta.K${number}`);
  expect(() => openFile(many, ['ref', 'meta.k'], {}, 'ndjson')).toThrow("11 columns aren't read and resemble others");
});

describe('a missing column', () => {
  const NEEDED = { name: 'ugwo', prefix: 'ugw', aliases: ['uid'] } as const;
  const missing = (columns: readonly string[]) => missingColumn(columns, NEEDED, 'ugwo, medium');

  it.each([
    [['uid', 'medium'], 'no column ugwo (found: uid, medium)', 'rename column uid to ugwo'],
    [['UID', 'medium'], 'no column ugwo (found: UID, medium)', 'rename column UID to ugwo'],
    [['ugwos', 'medium'], 'no column ugwo (found: ugwos, medium)', 'rename column ugwos to ugwo'],
    [[' uid '], 'no column ugwo (found:  uid )', 'rename column  uid  to ugwo'],
    [[], 'no column ugwo', 'the first line must name the columns: ugwo, medium'],
    [['a;b', 'c'], 'no column ugwo (found: a;b, c)', 'the first line must name the columns: ugwo, medium'],
    [['a', 'ugw.AbCd.1'], 'no column ugwo (found: a, ugw.AbCd.1)', expect.stringContaining('is a row')],
    [['ugwo;medium'], 'no column ugwo (found: ugwo;medium)', 'set the column separator with --delimiter'],
    [['medium'], 'no column ugwo (found: medium)', 'the first line must name the columns: ugwo, medium'],
    [
      ['ugw.AbCd.1', 'ussd'],
      'no column ugwo (found: ugw.AbCd.1, ussd)',
      'the first line is a row: add a header above it with the column names, such as ugwo',
    ],
  ])('for a file with the columns %j has a hint', (columns, message, hint) => {
    const error = missing(columns);
    expect([error.kind, error.message, error.detail.hint]).toEqual(['usage', message, hint]);
  });

  it('shortens a long first line in the message', () => {
    const { message } = missing(Array.from({ length: 1000 }, () => 'x'.repeat(1000)));
    expect(message).toMatch(/^no column ugwo \(found: x{60}…, .* and 990 more\)$/);
    expect(message.length).toBeLessThan(700);
  });

  it('hides a key in the first line, wherever it is shortened', () => {
    const key = `sk.AbCd.${'k3y'.repeat(30)}TAIL`;
    for (const before of ['', 'x'.repeat(45)]) {
      expect(missing([`${before},${key}`]).message).not.toContain('k3yk3y');
    }
  });

  it('names up to ten columns of 60 characters completely', () => {
    const ten = Array.from({ length: 10 }, () => 'x'.repeat(60));
    expect(missing(ten).message).toBe(`no column ugwo (found: ${ten.join(', ')})`);
    expect(missing([...ten, 'y']).message).toMatch(/x and 1 more\)$/);
  });
});

describe('unused columns', () => {
  const notices = (...columns: string[]) =>
    openFile(columns, ['ugwo', 'medium', 'param.k', 'meta.k'], {}, 'ndjson').notices;

  it('are none if all are known', () => {
    expect(notices('ugwo', 'param.tier', 'meta.a:', 'medium')).toEqual([]);
  });

  it.each(['amount', 'other.tier', '.tier'])('include %s', (name) => {
    expect(notices('ugwo', name)).toEqual([`Ignored columns (copied to the report): ${name}`]);
  });

  it('are listed in order, up to ten', () => {
    const ten = Array.from({ length: 10 }, (_, index) => `x${index}`);
    expect(notices('note', 'ugwo', 'amount')).toEqual(['Ignored columns (copied to the report): note, amount']);
    expect(notices(...ten)).toEqual([`Ignored columns (copied to the report): ${ten.join(', ')}`]);
    expect(notices(...ten, 'y', 'z')).toEqual([`Ignored columns (copied to the report): ${ten.join(', ')} and 2 more`]);
  });
});

describe('a name in place of an id', () => {
  const ID = 'ugw.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
  const kind = {
    key: { name: 'ugwo', prefix: 'ugw', aliases: [] },
    columns: [],
    report: [],
    example: {},
    flagOf: () => undefined,
    named: ['ugwo', 'ugw'],
    read: (_cells: unknown, about: string, name?: string) => ({ about, name }),
  };
  const file = { columns: ['ugwo'], format: 'csv' } as const;
  const reader = new RowReader(kind as unknown as Kind, file, { client: {} as Reading['client'], validate: true });
  const row = { number: 2, line: 3, fields: { ugwo: 'order-2' } };

  it('is new each time that the row is read, and a fault', () => {
    for (const _time of [1, 2]) {
      expect(reader.read(row)).toMatchObject({ faults: [{ column: 'ugwo' }] });
      expect(reader.newNameIn(row)).toBe('order-2');
    }
  });

  it('is read as its id by a reader that knows it; the first reader still knows nothing', () => {
    const knowing = reader.withIds(new Map([['order-2', { ids: [ID] }]]));
    expect(knowing.read(row)).toEqual({ key: ID, item: { about: ID, name: 'order-2' } });
    expect(knowing.newNameIn(row)).toBeUndefined();
    expect(reader.newNameIn(row)).toBe('order-2');
  });
});
