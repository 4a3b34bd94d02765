import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openInput } from '../../src/bulk/read-file.ts';
import { readStatement } from '../../src/bulk/statement.ts';
import { type Lie, serial, sheetXml, type XlsxCell, xlsx, xlsxParts, zipOf } from '../support/xlsx.ts';
import { keptCopies, madeFolder, usageFaultOf } from './support.ts';

const folder = madeFolder();

const read = (
  content: Buffer,
  { sheet, name = 'x.xlsx' }: { readonly sheet?: string; readonly name?: string } = {},
) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return readStatement({ path, name, sheet, spoolFolder: folder }, { columns: {}, currency: 'NGN', zone: 'utc' });
};

const HEADER = ['Date', 'Amount', 'Narration', 'Reference'];
const DAY = serial('2026-11-25');
const ROW: readonly XlsxCell[] = [{ date: DAY }, 5000, 'TRF INV-1042', null];

/** The lines of a sheet with these rows below the header. */
const linesOf = async (...rows: readonly (readonly XlsxCell[])[]) =>
  (await read(xlsx({ Sheet1: [HEADER, ...rows] }))).lines;

describe('a workbook', () => {
  it('is read as the CSV that a spreadsheet program saves, with the numbers of its rows', async () => {
    const above = [['GTBank', 'Account 0123456789'], [], ['Currency', 'NGN'], []];
    const rows = [['25/11/2026', '5,000.00', 'He said "hi", twice\tTRF', '1'], [], ['26/11/2026', '-0.5', '=1+1', '']];
    const all = [...above, HEADER, ...rows];
    const csv = all.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\n');
    const ofCsv = await read(Buffer.from(csv), { name: 'x.csv' });
    const ofWorkbook = await read(xlsx({ Sheet1: all }));
    const plain = (lines: typeof ofCsv.lines) =>
      lines.map(({ fields, text, ...line }) => ({ ...line, ...fields, text }));
    expect(plain(ofWorkbook.lines)).toEqual(
      plain(ofCsv.lines).map((line) => JSON.parse(JSON.stringify(line).replaceAll('\\t', ' '))),
    );
    expect(ofWorkbook.lines.map(({ line, number }) => [line, number])).toEqual([
      [6, 1],
      [8, 2],
    ]);
    expect(ofWorkbook.columns).toEqual(ofCsv.columns);
    expect(ofWorkbook.format).toBe('csv');
    expect(ofWorkbook.delimiter).toBe(',');
    expect(keptCopies(folder)).toEqual([]);
  });

  it.each<[string, XlsxCell, string]>([
    ['a day', { date: DAY }, '2026-11-25'],
    ['a day with its time', { date: DAY + 10.5 / 24 }, '2026-11-25 10:30:00'],
    ['the last second of a day', { date: DAY + 86_399 / 86_400 }, '2026-11-25 23:59:59'],
    ['an ISO date', { xml: '<c t="d"><v>2026-11-25T23:30:00</v></c>' }, '2026-11-25T23:30:00'],
  ])('keeps the day of %s', async (_what, cell, written) => {
    const [line] = await linesOf([cell, 5000, 'x']);
    expect(line?.day).toBe('2026-11-25');
    expect(line?.fields['Date']).toBe(written);
  });

  it.each<[string, XlsxCell, number]>([
    ['a number', 5000.5, 500_050],
    ['a number as a computer adds it', 0.1 + 0.2, 30],
    ['a number with a color in its format', { xml: '<c s="2"><v>46351</v></c>' }, 4_635_100],
    ['the stored value of a formula', { xml: '<c><f>SUM(A1:A2)</f><v>-1234.56</v></c>' }, -123_456],
    ['the stored text of a formula', { xml: '<c t="str"><f>A1</f><v>₦1,234.56</v></c>' }, 123_456],
    ['a text', '1,234.56 DR', -123_456],
  ])('has %s as an amount', async (_what, cell, amount) => {
    expect((await linesOf([{ date: DAY }, cell, 'x'])).map((line) => line.amount)).toEqual([amount]);
  });

  it('with a formula without a value, or an error in an amount, is an error', async () => {
    expect(await usageFaultOf(linesOf(ROW, [{ date: DAY }, { xml: '<c><f>SUM(A1)</f></c>' }]))).toContain(
      "x.xlsx can't be read as a workbook: a formula has no value",
    );
    expect(await usageFaultOf(linesOf(ROW, [{ date: DAY }, { xml: '<c t="e"><f>A</f><v>#REF!</v></c>' }]))).toContain(
      'x.xlsx: row 2, column "Amount": "#REF!" is not an amount in NGN',
    );
  });

  it.each(['<c><f>A1</f><v></v></c>', '<c><f>A1</f><v/></c>', '<c t="n"><f/><v /></c>'])(
    'with a formula whose value is empty is an error: %s',
    async (xml) => {
      expect(await usageFaultOf(linesOf(ROW, [{ date: DAY }, { xml }]))).toContain('a formula has no value');
    },
  );

  it('may have a formula with an empty text', async () => {
    const rows = [ROW, [{ date: DAY }, 6, { xml: '<c t="str"><f>IF(A1,"","")</f><v></v></c>' }]];
    expect((await linesOf(...rows)).map(({ text }) => text)).toEqual(['TRF INV-1042', '']);
  });

  it.each(['1', 'true'])('may count its days from 1904: %s', async (word) => {
    const parts = xlsxParts({ Sheet1: [HEADER, [{ date: DAY - 1462 }, 5, 'x']] });
    const book = parts['xl/workbook.xml'].replace('<sheets>', `<workbookPr date1904="${word}"/><sheets>`);
    const { lines } = await read(zipOf({ ...parts, 'xl/workbook.xml': book }));
    expect(lines.map(({ day }) => day)).toEqual(['2026-11-25']);
  });

  it('whose first sheet has no table names the option for another one', async () => {
    expect(await usageFaultOf(read(xlsx({ Summary: [['Total', 5]], May: [HEADER, ROW] })))).toContain(
      'or by number; or name another sheet with --sheet',
    );
  });

  it.each(['hidden', 'veryHidden'])('is read by its first sheet that is not %s', async (state) => {
    const parts = xlsxParts({ Old: [HEADER, [{ date: DAY }, 9, 'x']], May: [HEADER, ROW], June: [HEADER, ROW, ROW] });
    const book = parts['xl/workbook.xml'].replace('sheetId="1"', `sheetId="1" state="${state}"`);
    const hidden = zipOf({ ...parts, 'xl/workbook.xml': book });
    const first = await read(hidden);
    expect([first.lines.map(({ amount }) => amount), first.notices[0]]).toEqual([
      [500_000],
      'Sheet: "May" of "May", "June", "Old"',
    ]);
    expect((await read(hidden, { sheet: 'Old' })).lines.map(({ amount }) => amount)).toEqual([900]);
  });

  it('has a number in a column of names as digits, and a notice if a spreadsheet rounds it', async () => {
    const rows: readonly XlsxCell[][] = [
      [{ date: DAY }, 5000, 'x', 100_042_123_456_789],
      [{ date: DAY }, 5000, 'x', { xml: '<c><v>1000421234567890</v></c>' }],
      [{ date: DAY }, 5000, 'x', { xml: '<c><v>1.0004212345678901E+17</v></c>' }],
    ];
    const { lines, notices } = await read(xlsx({ Sheet1: [HEADER, ...rows] }));
    expect(lines.map(({ references }) => references)).toEqual([
      ['100042123456789'],
      ['1000421234567890'],
      ['100042123456789000'],
    ]);
    expect(notices[0]).toBe(
      'Excel rounds numbers of more than 15 digits, and such names are not found: row 3, 4 of the sheet',
    );
    expect((await read(xlsx({ Sheet1: [HEADER, ...rows.slice(0, 1)] }))).notices.join()).not.toContain('15 digits');
  });

  it('is read by its first sheet, or by the one that is named', async () => {
    const book = xlsx({ October: [HEADER, ROW], 'A & B': [HEADER, [{ date: DAY }, 7, 'x']] });
    const first = await read(book);
    expect(first.lines.map(({ amount }) => amount)).toEqual([500_000]);
    expect(first.notices[0]).toBe('Sheet: "October" of "October", "A & B"');
    expect((await read(book, { sheet: 'a & b' })).lines.map(({ amount }) => amount)).toEqual([700]);
    expect(await usageFaultOf(read(book, { sheet: 'May' }))).toBe(
      'x.xlsx has no sheet "May" (found: "October", "A & B") | name one of them with --sheet',
    );
    expect(await usageFaultOf(read(Buffer.from('Date,Amount\n'), { sheet: 'May', name: 'x.csv' }))).toBe(
      'x.csv is no workbook (.xlsx), and has no sheets | leave out --sheet',
    );
    expect((await read(xlsx({ Sheet1: [HEADER, ROW] }))).notices.join()).not.toContain('Sheet');
  });

  it('has one line for each row, also for a cell with a line break', async () => {
    const text: readonly XlsxCell[] = [null, null, 'Thank you'];
    const lines = await linesOf([{ date: DAY }, 5, 'TRF\r\nINV-1\n'], [], text, ROW);
    expect(lines.map(({ line, text: of }) => [line, of])).toEqual([
      [2, 'TRF INV-1'],
      [5, 'TRF INV-1042'],
    ]);
  });

  it('of many rows loses none, wherever it is cut to be parsed', async () => {
    const rows = Array.from({ length: 3000 }, (_none, at) => [
      { date: DAY },
      at + 1,
      `INV-${at}-${'x'.repeat(at % 40)}`,
    ]);
    const lines = await linesOf(...rows);
    expect(lines.map(({ amount, text, line }) => [amount, text, line])).toEqual(
      rows.map(([, amount, text], at) => [Number(amount) * 100, text, at + 2]),
    );
  });

  it.each<[string, string, string]>([
    ['with a prefix', 'x:', 'INV-1'],
    ['of shared and rich texts', '', 'INV-1'],
  ])('%s is read', async (_what, prefix, text) => {
    const xml = sheetXml([HEADER, [{ date: DAY }, 5, { xml: '<c t="s"><v>0</v></c>' }]]);
    const shared = '<?xml version="1.0"?><sst><si><r><t>INV</t></r><r><t>-1</t></r><rPh><t>no</t></rPh></si></sst>';
    const own = (part: string): string => part.replaceAll(/(<\/?)(?=[a-z])/g, `$1${prefix}`);
    const parts = { ...xlsxParts({ Sheet1: own(xml) }), 'xl/sharedStrings.xml': own(shared) };
    // A part may hold another zip file, with an end of its own.
    const whole = zipOf({ 'embedded PK\x05\x06 of another': 'x', ...parts });
    expect((await read(whole)).lines.map((line) => line.text)).toEqual([text]);
  });

  const MANY = 'A'.repeat(1024 * 1024);
  const damaged = (lie: Lie): Buffer => zipOf(xlsxParts({ Sheet1: [HEADER, ROW] }), lie);
  const wide = (cell: string): Buffer => xlsx({ Sheet1: `<worksheet><sheetData>${cell}</sheetData></worksheet>` });

  it.each<[string, Buffer, string]>([
    ['a zip bomb', zipOf({ ...xlsxParts({ A: [] }), 'a.xml': Buffer.alloc(65 * 1024 * 1024) }), 'x.xlsx is too large'],
    [
      'a zip bomb in parts',
      zipOf({
        ...xlsxParts({ A: [] }),
        ...Object.fromEntries(Array.from({ length: 66 }, (_none, at) => [`${at}.xml`, MANY])),
      }),
      'x.xlsx is too large',
    ],
    ['a zip bomb that says it is small', damaged({ size: 10 }), 'larger than 10 bytes'],
    ['a part that says it is larger', damaged({ size: 100_000 }), 'is damaged'],
    ['a part with another checksum', damaged({ crc: 1 }), 'is damaged'],
    ['a protected part', damaged({ flags: 1 }), 'x.xlsx has a password | open it, and save the sheet as CSV UTF-8'],
    ['a row far below', wide('<row r="1000000000"><c r="A1000000000"><v>1</v></c></row>'), 'x.xlsx is too large'],
    ['a cell far to the right', wide('<row r="1"><c r="ZZZZZZ1"><v>1</v></c></row>'), 'x.xlsx is too large'],
    ['a truncated file', xlsx({ A: [HEADER, ROW] }).subarray(0, 700), 'its end is missing'],
    ['another zip file', zipOf({ 'word/document.xml': '<x/>' }), 'x.xlsx is a zip file without a workbook (.xlsx)'],
    ['a sheet that is cut', wide('<row r="1"><c r="A1"><v>1'), "x.xlsx can't be read as a workbook: "],
    ['an empty sheet', xlsx({ A: [] }), 'x.xlsx has no rows'],
  ])('%s is refused', async (_what, content, message) => {
    expect(await usageFaultOf(read(content))).toContain(message);
    expect(keptCopies(folder)).toEqual([]);
  });

  it('is refused as a file of rows to send', async () => {
    const path = join(folder, 'rows.xlsx');
    writeFileSync(path, xlsx({ A: [HEADER, ROW] }));
    expect(await usageFaultOf(openInput({ path, name: 'rows.xlsx', spoolFolder: folder }))).toBe(
      'rows.xlsx is a spreadsheet workbook or another zip file | save the sheet as CSV UTF-8',
    );
  });
});
