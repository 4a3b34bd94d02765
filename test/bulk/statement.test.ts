import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { DateForm } from '../../src/bulk/layouts.ts';
import { readStatement } from '../../src/bulk/statement.ts';
import { daysReader, writtenAmount } from '../../src/bulk/statement-cells.ts';
import type { Zone } from '../../src/core/time.ts';
import { keptCopies, madeFolder, usageFaultOf } from './support.ts';

type StatementOptions = Parameters<typeof readStatement>[1];

const folder = madeFolder();
const FILES = join(import.meta.dirname, 'layouts');

const OPTIONS: StatementOptions = { columns: {}, currency: 'NGN', zone: 'utc' };

const readPath = (path: string, name: string, options: Partial<StatementOptions> = {}) =>
  readStatement({ path, name, spoolFolder: folder }, { ...OPTIONS, ...options });

/** The statement with this content. */
const read = (content: string | Uint8Array, options: Partial<StatementOptions> = {}, name = 'x.csv') => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return readPath(path, name, options);
};

const TABLE = 'Date,Amount,Narration\n';

/** The amounts of lines with these cells, which are quoted. */
const amountsOf = async (cells: readonly string[], options: Partial<StatementOptions> = {}) => {
  const { lines } = await read(`${TABLE}${cells.map((cell) => `25/11/2026,"${cell}",\n`).join('')}`, options);
  return lines.map(({ amount }) => amount);
};

describe('an amount', () => {
  it.each<[string, number]>([
    ['₦5,000.00', 500000],
    ['N5,000.00', 500000],
    ['NGN 5,000.00', 500000],
    ['NGN\u00a05\u202f000.00', 500000],
    ['5,000.00', 500000],
    ['5000', 500000],
    ['5,000', 500000],
    ['5000.5', 500050],
    ['0.05', 5],
    ['1,234,567.89', 123456789],
    ['5,000.00 CR', 500000],
    ['5,000.00cr', 500000],
    ['NGN 5,000.00 DR', -500000],
    ['(2,500.00)', -250000],
    ['(₦2,500.00)', -250000],
    ['-2,500.00', -250000],
    ["'-2,500.00", -250000],
    ['₦-2,500.00', -250000],
    ['-₦2,500.00', -250000],
    ['₦ (2,500.00)', -250000],
    ['2,500.00-', -250000],
    ['+2,500.00', 250000],
    ['5,000.00 NGN', 500000],
    ['5,000.00 ₦ DR', -500000],
    ['5,000 Naira', 500000],
    ['=N=5,000.00', 500000],
    ['#5,000.00', 500000],
    ['â‚¦5,000.00', 500000],
    ['?5,000.00', 500000],
  ])('%s', async (text, amount) => {
    expect(await amountsOf(['1.00', text])).toEqual([100, amount]);
  });

  it.each<[string, number]>([
    ['5.000,00', 500000],
    ['1.234.567,5 DR', -123456750],
    ['5000,50', 500050],
  ])('%s, with a decimal comma', async (text, amount) => {
    expect(await amountsOf(['1.00', text])).toEqual([100, amount]);
  });

  it.each(['', '-', '–', '--', ' ₦-   ', '0', '0.00', '₦0.00'])('%j is none', async (text) => {
    expect(await amountsOf(['1.00', text])).toEqual([100]);
  });

  it.each([
    'abc',
    '5.00.00',
    '5,00,000.00',
    '5,000.005',
    '(5,000.00',
    '-(5,000.00)',
    '-5,000.00-',
    'NGN',
    '5,000.00 XX',
    '5.00E+05',
    '99999999999999999.00',
    '#REF!',
    '1 5,000.00',
    '12 34',
    '0123456789',
    '1.234.567',
    '5,000.00 and 3',
    '5,000.00\n6,000.00',
  ])('%s is an error', async (text) => {
    expect(await usageFaultOf(amountsOf(['1.00', text]))).toMatch(
      /^x\.csv: row 2, column "Amount": ".* \| correct the cell/,
    );
  });

  it('names the currency', () => {
    const written = ['₦5', 'N5', 'USD 5', '5', '5CR', 'ngn5', '5 usd', '5#', '?5', 'GH₵ 5', '5 gh¢', '₵5', 'GHS 5'].map(
      (text) => writtenAmount(text, 'NGN')?.currency,
    );
    expect(written).toEqual([
      'NGN',
      'NGN',
      'USD',
      undefined,
      undefined,
      'NGN',
      'USD',
      'NGN',
      'NGN',
      ...Array(4).fill('GHS'),
    ]);
  });

  it('in a number of NDJSON has a decimal point', async () => {
    const rows = '{"date":"2026-11-25","amount":5.5}\n{"date":"2026-11-25","amount":-7}\n';
    const { lines } = await read(rows, {}, 'x.ndjson');
    expect(lines.map(({ amount }) => amount)).toEqual([550, -700]);
  });

  it.each([
    ['x.csv', `${TABLE}25-Nov-26,5.000,\n25-Nov-26,700,\n`, 'NGN'],
    ['x.csv', `${TABLE}25-Nov-26,5.000,\n`, 'KWD'],
  ])('with two meanings is an error: %s %s %s', async (name, content, currency) => {
    expect(await usageFaultOf(read(content, { currency }, name))).toBe(
      `${name}: row 1, column "Amount": "5.000" has two meanings: its point may separate thousands; write decimals, ` +
        'such as 5,000.00 | correct the cell, or name another column with --amount-column',
    );
  });
});

describe('a date', () => {
  const dayIn = (text: string, order: DateForm = 'dmy', zone: Zone = 'utc'): string | undefined =>
    daysReader(zone)(text)?.[order];

  it.each([
    '25/11/2026',
    '25-11-2026',
    '25.11.2026',
    '25/11/26',
    '25/11/2026 09:30',
    '25/11/2026 09:30:15',
    '25/11/2026, 9:30 PM',
    '25-Nov-2026',
    '25-NOV-26',
    '25 November 2026',
    '25th Nov 2026',
    '25-Nov-2026 09:30:15',
    'Nov 25, 2026',
    'Nov 25, 2026 9:30 am',
    'Nov. 25 2026',
    'November 25th 2026',
    '2026-11-25',
    '2026/11/25',
    '20261125',
    '2026-11-25 09:30:15',
    '2026-11-25T09:30:15.123',
    '2026-11-25T09:30:00+01:00',
    '2026-11-25T09:30:00Z',
    '2026-11-26T00:30:00+01:00',
    '2026-11-26 00:30:00+01:00',
    '2026-11-24T23:30:00-01:00',
    '2026-11-25 09:30:15 UTC',
    '2026-11-26 00:30:00 +0100',
    '2026 Nov 25 09:30:15',
    'Wed, 25 Nov 2026',
    'Wednesday 25/11/2026',
    'Wed Nov 25 09:30:15 2026',
    '09:30 25/11/2026',
    '9:30 AM, 25-Nov-26',
    '25Nov2026',
    '25NOV26 09:30',
    '25/11/2026 09:30 WAT',
    '25-Nov-2026 9:30 PM EAT',
    'Wed Nov 25 2026 09:30:15 GMT+0100 (West Africa Standard Time)',
  ])('%s is the 25th', (text) => {
    expect(dayIn(text)).toBe('2026-11-25');
  });

  it('is in the zone of the command if it has an offset', () => {
    vi.stubEnv('TZ', 'Africa/Lagos');
    expect(dayIn('2026-11-25T23:30:00Z', 'dmy', 'local')).toBe('2026-11-26');
    expect(dayIn('2026-11-25 23:30:00 UTC', 'dmy', 'local')).toBe('2026-11-26');
    expect(dayIn('2026-11-25T23:30:00', 'dmy', 'local')).toBe('2026-11-25');
  });

  it.each([
    '',
    'Total',
    '31/04/2026',
    '29/02/2026',
    '25/13/2026',
    '00/11/2026',
    '25-Nev-2026',
    'Web 25 Nov 2026',
    '09:30',
    'Ma 25 2026',
    '25/11',
    '2026-11-25T09:30:00+0',
    '1764061815',
    '25112026',
    '46351',
  ])('%j is none', (text) => {
    expect(dayIn(text)).toBeUndefined();
  });

  it('with two meanings is read in the order of the file', () => {
    expect(dayIn('05/11/2026', 'dmy')).toBe('2026-11-05');
    expect(dayIn('05/11/2026', 'mdy')).toBe('2026-05-11');
    expect(dayIn('2026-05-11', 'mdy')).toBe('2026-05-11');
    expect(dayIn('5-Nov-26', 'mdy')).toBe('2026-11-05');
  });
});

describe('the order of day and month', () => {
  const daysOf = async (dates: readonly string[], dateForm?: DateForm) => {
    const { lines } = await read(`${TABLE}${dates.map((date) => `${date},1.00,\n`).join('')}`, { dateForm });
    return lines.map(({ day }) => day);
  };

  it('is that of the one date with a day above 12', async () => {
    expect(await daysOf(['05/11/2026', '05/11/2026', '13/11/2026'])).toEqual([
      '2026-11-05',
      '2026-11-05',
      '2026-11-13',
    ]);
    expect(await daysOf(['05/11/2026', '11/13/2026'])).toEqual(['2026-05-11', '2026-11-13']);
  });

  it('must be given if no date tells', async () => {
    const message =
      'x.csv: row 2, column "Date": "05/11/2026" has two meanings, and no date of the file has a day above 12 | ' +
      'add --date-form dmy if the day is first, or --date-form mdy; or correct the cell';
    expect(await usageFaultOf(daysOf(['11/11/2026', '05/11/2026']))).toBe(message);
    expect(await daysOf(['05/11/2026'], 'dmy')).toEqual(['2026-11-05']);
    expect(await daysOf(['05/11/2026'], 'mdy')).toEqual(['2026-05-11']);
    expect(await daysOf(['11/11/2026'])).toEqual(['2026-11-11']);
  });

  it('is not told by rows that are no lines, since a report has none', async () => {
    const sums =
      'Date,Credit,Debit,Balance,Status\n13/11/2026,,,5.00,\n14/11/2026,0.00,0,5.00,\n15/11/2026,1.00,,,failed\n';
    expect(await usageFaultOf(read(`${sums}05/11/2026,1.00,,6.00,\n`))).toContain('row 4, column "Date"');
    expect(await usageFaultOf(daysOf(['13/11/2026,USD 1.00,\n05/11/2026']))).toContain('row 2, column "Date"');
  });

  it('is the same in the whole file', async () => {
    expect(await usageFaultOf(daysOf(['25/11/2026', '11/25/2026']))).toBe(
      'x.csv: row 2, column "Date": "11/25/2026" is not a date with the day first | ' +
        'add --date-form dmy if the day is first, or --date-form mdy; or correct the cell',
    );
    expect(await usageFaultOf(daysOf(['25/11/2026'], 'mdy'))).toContain('is not a date with the month first');
  });
});

describe('the statements of six banks, a wallet and two providers', () => {
  const names = readdirSync(FILES).filter((name) => name.endsWith('.json'));

  it('are twelve', () => {
    expect(names).toHaveLength(12);
  });

  it.each(names)('%s', async (name) => {
    const { file, columns, notices, lines } = JSON.parse(readFileSync(join(FILES, name), 'utf8'));
    const found = await readPath(join(FILES, file), file, { columns });
    expect(found.notices).toEqual(notices);
    const read = found.lines.map(({ fields: _, numbers, ...line }) => [JSON.parse(JSON.stringify(line)), numbers]);
    expect(read).toEqual(lines.map((line: unknown) => [line, []]));
  });
});

describe('the columns', () => {
  /** What the notice says of a file with these names and one line below. */
  const chosen = async (names: string, line: string, columns: StatementOptions['columns'] = {}) => {
    const { notices, lines } = await read(`${names}\n${line}\n`, { columns });
    return [notices[0]?.replace('Columns: ', '').replaceAll('"', ''), ...lines.map(({ amount }) => amount)];
  };

  it.each<[string, string, string, number]>([
    ['Value Date,Trans Date,Amount', '24-Nov-26,25-Nov-26,5.00', 'date Trans Date, amount Amount', 500],
    ['Date,Value Date,Amount', ',25-Nov-26,5.00', 'date Value Date, amount Amount', 500],
    ['Date,Amount,CR/DR', '25-Nov-26,5.00,DR', 'date Date, amount Amount, side CR/DR', -500],
    ['Date,Amount,Transaction Type', '25-Nov-26,5.00,Credit', 'date Date, amount Amount, side Transaction Type', 500],
    ['Date,Amount,Type', '25-Nov-26,5.00,NIP transfer', 'date Date, amount Amount', 500],
    ['Date,Credit,Debit,Amount', '25-Nov-26,,5.00,9.00', 'date Date, credit Credit, debit Debit', -500],
    ['Date,Credit,Debit,Type', '25-Nov-26,5.00,,dr', 'date Date, credit Credit, debit Debit', 500],
    ['Date,Credit,Balance', '25-Nov-26,5.00,9.00', 'date Date, amount Credit', 500],
    ['Date,Debit,Amount', '25-Nov-26,,5.00', 'date Date, credit Amount, debit Debit', 500],
    ['DATE,AMOUNT (₦),REMARKS', '25-Nov-26,5.00,a', 'date DATE, amount AMOUNT (₦), text REMARKS', 500],
    ['Date,Net Amount,Amount,Fee', '25-Nov-26,4.00,5.00,1.00', 'date Date, amount Amount', 500],
    ['Date,Amount,D/C', '25-Nov-26,5.00,D', 'date Date, amount Amount, side D/C', -500],
    ['Date,Amount,Direction', '25-Nov-26,5.00,Out', 'date Date, amount Amount, side Direction', -500],
    ['Date,Amount,Entry Type', '25-Nov-26,5.00,Dr.', 'date Date, amount Amount, side Entry Type', -500],
    ['Trans. Time,Debit/Credit(₦)', '2026 Nov 25 01:25:48,-5.00', 'date Trans. Time, amount Debit/Credit(₦)', -500],
    ['Date/Time,Money In,Money out', '25-Nov-26,,-5.00', 'date Date/Time, credit Money In, debit Money out', -500],
    ['Date,Paid In,Paid Out', '25-Nov-26,,5.00', 'date Date, credit Paid In, debit Paid Out', -500],
    ['paidOn,amount,amountPaid,settlementAmount', '25-Nov-26,4,5,3', 'date paidOn, amount amountPaid', 500],
    [
      'Posting Date,Narrative,Inflow,Outflow',
      '25-Nov-26,a,5,',
      'date Posting Date, credit Inflow, debit Outflow, text Narrative',
      500,
    ],
    ['Time,Trans Time,Trans Date,Amount (=N=)', '09:30,09:30,25-Nov-26,5', 'date Trans Date, amount Amount (=N=)', 500],
    [
      'Date,Amount (?),Detail,Ref ID',
      '25-Nov-26,5,a,b',
      'date Date, amount Amount (?), text Detail, reference Ref ID',
      500,
    ],
    ['Date,,Amount', '25-Nov-26,9,5.00', 'date Date, amount Amount', 500],
    ['Date,Amount (kobo)', '25-Nov-26,500', 'date Date, amount Amount (kobo)', 500],
    ['Date,amount_minor', '25-Nov-26,500', 'date Date, amount amount_minor', 500],
    ['Date,Amount in Pesewas', '25-Nov-26,500', 'date Date, amount Amount in Pesewas', 500],
    ['Date,ledger_amount,ledger_ref,Amount', '25-Nov-26,4.00,a,5.00', 'date Date, amount Amount', 500],
  ])('%s', async (names, line, columns, amount) => {
    expect(await chosen(names, line)).toEqual([columns, amount]);
  });

  it.each<[string, string, StatementOptions['columns'], string, number]>([
    ['A,B,C', '25-Nov-26,5.00,x', { date: ['A'], amount: ['B'], text: ['C'] }, 'date A, amount B, text C', 500],
    ['Date,AMOUNT,Amount', '25-Nov-26,9.00,5.00', { amount: ['Amount'] }, 'date Date, amount Amount', 500],
    ['Date,Credit,Debit', '25-Nov-26,5.00,', { amount: ['credit'] }, 'date Date, amount Credit', 500],
    ['Date,In,Out', '25-Nov-26,,5.00', { amount: ['In'], debit: ['Out'] }, 'date Date, credit In, debit Out', -500],
    ['Date,Credit,Out', '25-Nov-26,,5.00', { debit: ['out'] }, 'date Date, credit Credit, debit Out', -500],
    [
      'Date,Amount,RRN,Ref',
      '25-Nov-26,5.00,a,b',
      { reference: ['Ref'] },
      'date Date, amount Amount, reference Ref and RRN',
      500,
    ],
    ['Date,Amount,Fee', '25-Nov-26,5.00,1.00', { fee: ['fee'] }, 'date Date, amount Amount, fee Fee', 500],
    [
      'Date,Gross,Fee,Amount',
      '25-Nov-26,6.00,1.00,5.00',
      { ignored: ['gross'], fee: ['3'] },
      'date Date, amount Amount, fee Fee',
      500,
    ],
  ])('%s with %s and options', async (names, line, given, columns, amount) => {
    expect(await chosen(names, line, given)).toEqual([columns, amount]);
  });

  it('of sides holds the side of each line', async () => {
    const table = 'Date,Amount,Type\n25-Nov-26,1.00,Credit\n25-Nov-26,-3.00,dr\n25-Nov-26,-4.00,Debit\n';
    expect((await read(table)).lines.map(({ amount }) => amount)).toEqual([100, -300, -400]);
    expect(await usageFaultOf(read(`${table}25-Nov-26,2.00,Reversal\n`))).toBe(
      'x.csv: row 4, column "Type": "Reversal" is neither credit nor debit | ' +
        'correct the cell, or list its word in the sides of a file for --layout; or leave the column out with ' +
        '--ignore-columns',
    );
  });

  it('of a status leaves out what brought no money', async () => {
    const paid = [
      '',
      'success',
      'Successful',
      'Completed',
      'Processed',
      'SETTLED',
      'Approved',
      'Paid',
      'OVERPAID',
      'PARTIALLY_PAID',
    ];
    const unpaid = [
      'In progress',
      'failed',
      'Unsuccessful',
      'Not paid',
      'PENDING',
      'Processing',
      'Reversed',
      'abandoned',
      'Declined',
    ];
    const rows = [...paid, ...unpaid].map((status) => `25-Nov-26,5.00,${status}\n`);
    const { lines } = await read(`Date,Amount,Trans Status\n${rows.join('')}`);
    expect(lines.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const both = 'Date,Amount,Status,Payment Status\n25-Nov-26,5.00,success,failed\n25-Nov-26,6.00,success,paid\n';
    expect((await read(both)).lines.map(({ number }) => number)).toEqual([2]);
  });

  it('of credits alone leaves the debits out', async () => {
    const { lines, notices } = await read('Date,Credit,Debit\n25-Nov-26,5.00,\n25-Nov-26,,7.00\n', {
      columns: { amount: ['Credit'] },
    });
    expect(lines.map(({ amount }) => amount)).toEqual([500]);
    expect(notices[1]).toBe('Left out: 1 row without a date or an amount (row 2)');
  });

  it('of the text and the references name the payment', async () => {
    const table = 'Date,Amount,Remarks,Narration,Ref,RRN\n25-Nov-26,5.00,b, a ,"=""0123456789""",\n';
    const { lines } = await read(table);
    expect(lines).toMatchObject([{ references: ['0123456789'], text: 'b\na\n0123456789' }]);
  });

  it('of fees never make money of a line', async () => {
    const { lines } = await read('Date,Amount,Fee\n25-Nov-26,5.00,-1.50\n25-Nov-26,5.00,\n', {
      columns: { fee: ['Fee'] },
    });
    expect(lines.map(({ amount, fee }) => [amount, fee])).toEqual([
      [500, 150],
      [500, undefined],
    ]);
  });

  it('that are named and missing are an error, which lists those of the table', async () => {
    const table = 'Bank of X\nTrans Date,Credit,Remarks\n25-Nov-26,5.00,x\n';
    const message =
      'no column Trans Dat (found: Trans Date, Credit, Remarks) | name the column with --date-column, as the file writes it';
    expect(await usageFaultOf(read(table, { columns: { date: ['Trans Dat'] } }))).toBe(message);
    expect(await usageFaultOf(read(table, { columns: { date: ['Remarks'] } }))).toContain(
      'column "Remarks": "x" is not a date',
    );
    expect(await usageFaultOf(read(table, { columns: { text: ['Note'] } }))).toContain(
      'no column Note (found: Trans Date',
    );
    expect(await usageFaultOf(read(table, { columns: { amount: ['Debit'] } }))).toContain(
      'name the column with --amount-column',
    );
    expect(await usageFaultOf(read(table, { columns: { amount: ['In'], debit: ['Credit'] } }))).toContain(
      '--amount-column',
    );
    expect(await usageFaultOf(read('Bank of X\nDatum,Betrag\n1,2\n'))).toContain(
      'beside one with amounts (found: Bank of X)',
    );
    expect(await usageFaultOf(read('Datum,Betrag\n1,2\n'))).toBe(
      'no column with dates beside one with amounts (found: Datum, Betrag) | name both with --date-column and ' +
        '--amount-column, as the file writes them, or by number',
    );
  });
});

it('has the days from the first to the last, in any order of lines', async () => {
  const { days } = await read(`${TABLE}25-Nov-26,1.00,\n26-Nov-26,2.00,\n24-Nov-26,3.00,\n25-Nov-26,4.00,\n`);
  expect(days).toEqual({ first: '2026-11-24', last: '2026-11-26' });
});

describe('rows around the lines', () => {
  const LINE = '25-Nov-26,5.00,x';
  const numbers = async (content: string | Buffer, name?: string) =>
    (await read(content, {}, name)).lines.map(({ number }) => number);

  it.each<[string, string | Buffer, string?]>([
    ['nothing else', `${TABLE}${LINE}\n`],
    ['titles', `ACME, Ltd\nPeriod,01-Nov-26\n"Opening Balance","5,00"\n${TABLE}${LINE}\n`],
    ['many titles, with a quote', `${'Title "é",x\n'.repeat(500)}${TABLE}${LINE}\n`],
    ['a title with the names and a sum', `Date,25-Nov-26,Amount,9\n${TABLE}${LINE}\n`],
    ['titles with other separators', `A;B;C;D;E\n${TABLE}${LINE}\n`],
    ['a byte order mark and blank lines', `\ufeff\n\nTitle\n,,\n${TABLE}\n\n${LINE}\n,,,\n`],
    ['semicolons', `Title, with, commas, and, more\n${`${TABLE}${LINE}\n`.replaceAll(',', ';')}`],
    ['tabs', `Title\n${`${TABLE}${LINE}\n`.replaceAll(',', '\t')}`, 'x.tsv'],
    ['a line that names the separator', `sep=|\nTitle\n${`${TABLE}${LINE}\n`.replaceAll(',', '|')}`],
    ['quoted names', `Title\n"Date","Amount","Narration"\n"25-Nov-26","5.00","x"\n`],
    ['a name with the sign of naira', `Title\nDate,Amount (₦)\n25-Nov-26,5.00\n`],
    ['a name with a line break', `Title,"a"\n"Trans\nDate",Amount\n25-Nov-26,5.00\n`],
    ['CRLF and Ctrl-Z', `Title\n${TABLE}${LINE}\n\x1a`.replaceAll('\n', '\r\n')],
    ['short rows', `${TABLE}${LINE}\nEnd of statement\n25-Nov-26\n`],
    ['totals', `${TABLE}${LINE}\nTotal,5.00,\n,5.00,Closing balance\n,"9.00",Balance c/f\n`],
    ['sums of a page', `${TABLE}${LINE}\n,5.00,Page Subtotal\n,9.00,Brought Forward\n`],
    ['the header again', `${TABLE}${LINE}\n${TABLE}`],
    ['titles that are no UTF-8', Buffer.concat([Buffer.from([0xe9, 0x0a]), Buffer.from(`${TABLE}${LINE}\n`)])],
  ])('%s', async (_, content, name) => {
    expect(await numbers(content, name)).toEqual([1]);
  });

  it('of NDJSON may read as a header, which opens no table', async () => {
    const rows = [
      '{"date":"25-Nov-26","amount":5}',
      '{"date":"Date","amount":"Amount"}',
      '{"date":"25-Nov-26","amount":6}',
    ];
    const { notices } = await read(rows.join('\n'), {}, 'x.ndjson');
    expect(notices).toEqual([
      'Columns: date "date", amount "amount"',
      'Left out: 1 row without a date or an amount (row 2)',
    ]);
  });

  it('are counted from the header, as in errors', async () => {
    expect(await numbers(`Title\n${TABLE}Opening balance,,\n\n${LINE}\n`)).toEqual([2]);
    expect(await usageFaultOf(read(`Title\n${TABLE}\n${LINE}\n25-Nov-26,x,y\n`))).toContain(
      'x.csv: row 2, column "Amount"',
    );
  });
});

describe('a file that is no statement', () => {
  const line = (cells: string): string => `${TABLE}25-Nov-26,5.00,x\n${cells}\n`;

  it.each<[string, string | Buffer, string]>([
    ['an empty file', '', 'x.csv has no rows'],
    ['blank lines', '\n\n', 'x.csv has no rows'],
    [
      'only a header',
      TABLE,
      'x.csv has no lines in NGN: no row is below the header | check the columns: Columns: date "Date"',
    ],
    ['only sums', `${TABLE}Total,5.00,\n`, 'x.csv has no lines in NGN: 1 row without a date or an amount (row 1)'],
    ['UTF-16', Buffer.from('\ufeffDate,Amount', 'utf16le'), 'x.csv is UTF-16 | save it as UTF-8'],
    ['a PDF', Buffer.from('%PDF-1.7'), 'x.csv is a PDF | export the table as CSV UTF-8'],
    [
      'a cell that is no UTF-8',
      Buffer.concat([Buffer.from(line('25-Nov-26,5.00,')), Buffer.from([0xe9, 0x0a])]),
      'x.csv: row 3, column "Date": not UTF-8 | save the file as UTF-8',
    ],
    ['a NUL', line('25-Nov-26,5.00,\0'), 'x.csv: row 2, column "Narration": a NUL character'],
    ['a row that is too long', line('25-Nov-26,5,000.00,x'), 'x.csv: row 2: 4 cells, but the header has 3'],
    ['an open quote', line('25-Nov-26,"5.00,x'), 'x.csv: row 2'],
    ['an amount without a date', line(',5.00,x'), 'x.csv: row 2, column "Date": the date is missing'],
    [
      'an amount beside a text',
      'Date,Credit,Debit\n25-Nov-26,1,\n,x,5.00\n',
      'x.csv: row 2, column "Date": the date is missing',
    ],
    ['a time without a blank before it', line('25/11/2026:10:30,5.00,x'), '"25/11/2026:10:30" is not a date'],
    ['a year before the day', line('2026-13-11,5.00,x'), '"2026-13-11" is not a date'],
    ['a unit between the amount and its side', line('25-Nov-26,5.00 N CR,x'), 'is not an amount in NGN'],
    ['an amount with another date', line('soon,5.00,x'), 'x.csv: row 2, column "Date": "soon" is not a date'],
    ['a date of no day, and a text about a sum', line('31-Nov-26,5.00,Balance of INV-1'), '"31-Nov-26" is not a date'],
    ['a day that does not exist', line('31-Nov-26,5.00,x'), '"31-Nov-26" is not a date'],
    [
      'two columns of amounts with one name',
      'Date,Amount,Amount\n25-Nov-26,5.00,6.00\n',
      'x.csv: column "Amount (column 3)" holds amounts, and its name is not known | ' +
        'name it with --amount-column, --debit-column or --fee-column, or leave it out with --ignore-columns',
    ],
  ])('%s', async (_, content, message) => {
    const fault = await usageFaultOf(read(content));
    expect(fault).toContain(message);
    expect(fault).not.toContain('sent');
  });

  it.each(['Credit', 'Debit'])('whose column %s is that of the fees, too', async (fee) => {
    const columns = { fee: [fee] };
    expect(await usageFaultOf(read('Date,Credit,Debit\n25-Nov-26,1,\n', { columns }))).toBe(
      `column "${fee}" holds the amounts, not the fees | name another column with --fee-column`,
    );
  });

  it.each([
    [
      'Date,Credit,Debit\n25-Nov-26,x,\n25-Nov-26,1,\n',
      'column "Credit": "x" is not an amount in NGN',
      '--amount-column',
    ],
    [
      'Date,Credit,Debit\n25-Nov-26,,x\n25-Nov-26,,1\n',
      'column "Debit": "x" is not an amount in NGN',
      '--debit-column',
    ],
    ['Date,Credit,Fee\n25-Nov-26,1,x\n', 'column "Fee": "x" is not an amount in NGN', '--fee-column'],
  ])('has a cell that is no amount: %j', async (content, message, flag) => {
    const columns = content.includes('Fee') ? { fee: ['Fee'] } : {};
    expect(await usageFaultOf(read(content, { columns }))).toBe(
      `x.csv: row 1, ${message} | correct the cell, or name another column with ${flag}`,
    );
  });

  it('has a credit and a debit in one row', async () => {
    expect(await usageFaultOf(read('Date,Credit,Debit\n25-Nov-26,5.00,6.00\n'))).toContain(
      'x.csv: row 1, column "Debit": the row has an amount in "Credit", too | correct the cell, or name another column with --debit-column',
    );
  });

  it.each([
    ['a column', 'Date,Amount,Currency\n25-Nov-26,5.00,usd\n'],
    ['an amount', 'Date,Amount\n25-Nov-26,USD 5.00\n'],
    ['a title', 'Account No,Currency: USD\nDate,Amount\n25-Nov-26,5.00\n'],
    ['a title in two cells', '"Currency","USD"\nDate,Amount\n25-Nov-26,5.00\n'],
    ['another column', 'Date,Amount,Currency,Currency Code\n25-Nov-26,5.00,,USD\n'],
    ['the header', 'Date,Amount (USD)\n25-Nov-26,5.00\n'],
  ])('is in another currency by %s', async (_, content) => {
    expect(await usageFaultOf(read(content))).toBe(
      'x.csv has no lines in NGN: 1 row in USD (row 1, USD 5.00) | add --currency USD',
    );
    expect((await read(content, { currency: 'USD' })).lines).toMatchObject([{ amount: 500 }]);
  });

  it('is in part in another currency by a member that the first row of NDJSON lacks', async () => {
    const rows = '{"date":"2026-11-25","amount":5}\n{"date":"2026-11-25","amount":6,"currency":"USD"}\n';
    const { lines, notices } = await read(rows, {}, 'x.ndjson');
    expect(lines.map(({ amount }) => amount)).toEqual([500]);
    expect(notices[1]).toBe('Left out: 1 row in USD (row 2, USD 6.00)');
  });

  it('is in the currency that its row names, whatever a title says', async () => {
    const titled = 'Currency: All\nDate,Amount,Currency\n25-Nov-26,5.00,NGN\n25-Nov-26,6.00,USD\n';
    expect((await read(titled)).lines).toMatchObject([{ amount: 500 }]);
    expect((await read(titled, { currency: 'USD' })).lines).toMatchObject([{ amount: 600 }]);
  });

  it.each(['T'.repeat(300_000), `25${' '.repeat(300_000)}x`])(
    'is refused at once for a long date',
    async (date) => {
      expect(await usageFaultOf(read(`Date,Amount\n${date},5.00\n`))).toContain('is not a date');
    },
    10_000,
  );

  it('is in another currency if the amount and the column differ', async () => {
    expect(await usageFaultOf(read('Date,Amount,Currency\n25-Nov-26,NGN 5.00,USD\n'))).toContain(
      '1 row in USD (row 1, USD 5.00)',
    );
  });

  it('leaves lines in another currency out, and says so', async () => {
    const { lines, notices } = await read(
      'Date,Amount\n25-Nov-26,5.00\n25-Nov-26,USD 6.00\n25-Nov-26,-usd7.00\n25-Nov-26,JPY 5000\n',
    );
    expect(lines.map(({ amount }) => amount)).toEqual([500]);
    expect(notices[1]).toBe('Left out: 2 rows in USD (the first is row 2, USD 13.00), 1 row in JPY (row 4, JPY 5,000)');
  });

  it.runIf(process.platform === 'linux')('leaves no copy', async () => {
    await usageFaultOf(read('Date,Amount\nsoon,5.00\n'));
    expect(keptCopies(folder)).toEqual([]);
  });
});

it('reads the same lines from any order of columns, any separator and any titles', async () => {
  const column = (names: readonly string[], cell: fc.Arbitrary<string>) =>
    fc.tuple(fc.constantFrom(...names), fc.array(cell, { minLength: 3, maxLength: 3 }));
  const money = fc
    .integer({ min: 1, max: 10_000_000 })
    .map((minor) => `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`);
  const text = fc.string({ unit: fc.constantFrom(...'ab,;\t"| 12é'), maxLength: 12 });
  const table = fc.record({
    columns: fc.tuple(
      column(['Trans Date', 'Date'], fc.constantFrom('25/11/2026', '05/11/2026', '13/11/2026')),
      column(['Value Date', 'Posted Date'], fc.constantFrom('25/11/2026', '30/11/2026')),
      column(['Credit', 'Deposits'], money),
      column(['Debit', 'Withdrawal'], fc.constantFrom('', '-', '0.00')),
      column(['Balance'], money),
      column(['Narration', 'Remarks'], text),
      column(['Details', 'Memo'], text),
      column(['Reference', 'Tx Ref'], text),
      column(['RRN', 'Session ID'], text),
    ),
    order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8], { minLength: 9 }),
    by: fc.constantFrom(',', ';', '\t'),
    titles: fc.constantFrom('', 'Account Name\n', 'a;b;c,d,e\n\n'),
    end: fc.constantFrom('\n', '\r\n'),
  });
  const write = (columns: readonly (readonly [string, readonly string[]])[], by: string, end: string): string =>
    [columns.map(([name]) => name), ...[0, 1, 2].map((row) => columns.map(([, cells]) => cells[row] ?? ''))]
      .map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(by) + end)
      .join('');
  const linesOf = async (content: string) => {
    const { lines } = await read(content, { dateForm: 'dmy' });
    return lines.map(({ fields, text, references, line: _line, ...line }) => ({
      ...line,
      fields: { ...fields },
      texts: text.split('\n').sort(),
      references: [...references].sort(),
    }));
  };
  await fc.assert(
    fc.asyncProperty(table, async ({ columns, order, by, titles, end }) => {
      const shuffled = order.map((at) => columns[at] ?? expect.unreachable());
      const found = await linesOf(titles.replaceAll('\n', end) + write(shuffled, by, end));
      expect(found).toEqual(await linesOf(write(columns, ',', '\n')));
      expect(found).toHaveLength(3);
    }),
    { numRuns: 100 },
  );
});
