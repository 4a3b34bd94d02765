import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { account } from '../ledger/support/charges.ts';
import { shown } from '../ledger/support/shown.ts';
import { ugwoOf, uidOf } from '../support/ids.ts';
import { inProcess } from '../support/in-process.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { errorOf, newFolder } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import { openTerminal } from '../support/terminal.ts';
import { serial, xlsx } from '../support/xlsx.ts';
import { fileOf } from './bulk-support.ts';
import { begin, REFUND } from './desk-support.ts';
import { command, judged } from './schema-support.ts';

interface Made {
  readonly at: string;
  readonly amount: number;
  readonly ref?: string;
  readonly psp?: string;
  readonly account?: string;
  readonly currency?: string;
  readonly profile?: string;
  /** What was paid back, and when. Null pays back all of it. */
  readonly refund?: { readonly at: string; readonly amount: number | null; readonly exitCode?: number };
  readonly reversedAt?: string;
  readonly isOpen?: true;
}

const charged = async (ledger: Ledger, number: number, made: Made): Promise<void> => {
  const { at, amount, ref, psp, currency = 'NGN', profile = 'shop' } = made;
  const asked = { amount, currency, ref };
  const open = account({ uid: uidOf(number) });
  const headers = { ...Object(open.nextAction).headers, account_number: made.account ?? `99${number}` };
  const activity = {
    ...open,
    ...(made.isOpen ? {} : { status: 'successful' }),
    nextAction: { ...Object(open.nextAction), headers },
  };
  const read = { ...activity, pspReference: psp, servedAt: Date.parse(at) };
  await begin(ledger, { about: ugwoOf(number), profile, asked }, { state: 'accepted', exitCode: 0, activity: read });
};

const refunded = async (
  ledger: Ledger,
  number: number,
  { amount, exitCode = 0 }: NonNullable<Made['refund']>,
): Promise<void> => {
  const asked = amount === null ? {} : { asked: { amount, currency: 'NGN' } };
  const state = exitCode === 6 ? 'unknown' : 'accepted';
  const answer = { kind: 'answer', at: '', uid: 'rfd.1', status: exitCode === 11 ? 'failed' : 'processing' };
  await begin(ledger, { ...REFUND, about: uidOf(number), ...asked }, { state, exitCode, evidence: answer });
};

/** A home whose ledger has these payments. */
const withPaid = async (payments: readonly Made[]): Promise<string> => {
  const home = newFolder();
  const at = async (moment: string, work: (ledger: Ledger) => Promise<unknown>): Promise<void> => {
    const ledger = await openLedger(ledgerOptions(`${home}/ledger.sqlite`, { now: () => Date.parse(moment) }));
    await work(ledger);
    await ledger.close();
  };
  for (const [number, made] of payments.entries()) {
    const { refund, reversedAt } = made;
    await at(made.at, (ledger) => charged(ledger, number, made));
    if (refund !== undefined) await at(refund.at, (ledger) => refunded(ledger, number, refund));
    if (reversedAt === undefined) continue;
    const [uid, updatedAt] = [uidOf(number), Date.parse(reversedAt)];
    // Only a code for a reversal, or its own later date, takes money back.
    const facts = { uid, status: 'failed', failureCode: 'psp.error.reversed', updatedAt };
    const failed = account({ uid, status: 'failed', servedAt: updatedAt, askedAt: updatedAt, facts });
    await at(reversedAt, (ledger) => ledger.observe(shown([failed])));
  }
  return home;
};

const COLUMNS = 'result,by,row,amount,difference,expected,kind,ref';

const matching = async (home: string, content: string | Buffer, words: readonly string[] = [], name = 'bank.csv') => {
  const file = fileOf(content, name);
  const args = ['ledger', 'match', file, '--utc', ...words];
  const ended = await inProcess(args, { home, env: { TZ: 'Africa/Lagos' } });
  return { ...ended, file, stderr: ended.stderr.replaceAll(file, name) };
};

/** The rows without the header, cells joined by blanks. */
const rowsOf = async (
  home: string,
  content: string,
  words: readonly string[] = [],
): Promise<[number | null, string[]]> => {
  const { code, stdout } = await matching(home, content, [...words, '-o', 'tsv', '--columns', COLUMNS]);
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .split('\t')
        .filter((cell) => cell !== '')
        .join(' '),
    );
  return [code, rows];
};

const AT = '2026-11-25T10:00:00Z';
const DAY: readonly Made[] = [
  { at: AT, amount: 250_000, ref: 'INV-P1', refund: { at: '2026-11-25T12:00:00Z', amount: 100_000 } },
  { at: AT, amount: 500_000, ref: 'INV-P2' },
  { at: AT, amount: 750_000, account: '9901122334' },
  { at: AT, amount: 1_000_000, psp: 'T685312' },
  { at: AT, amount: 12_345 },
  { at: AT, amount: 990_000, ref: 'INV-P6' },
  { at: AT, amount: 70_000, ref: 'INV-P7', reversedAt: '2026-11-25T13:00:00Z' },
];
const BANK = `GTBank,,,
Account Name: SHOP LTD,,,
Trans Date,Debit,Credit,Remarks
25/11/2026,,"2,500.00",NIP FRM ADA OBI/INV-P1
25/11/2026,,"7,500.00",NIP FRM OBI/INV P2
25/11/2026,,"7,500.00",TRF TO 9901122334
25/11/2026,,"10,000.00",PSTK T685312
25/11/2026,,123.45,CASH
25/11/2026,"1,000.00",,REFUND INV-P1
25/11/2026,10.75,,NIP CHARGE
25/11/2026,,700.00,INV-P7
25/11/2026,700.00,,REVERSAL INV-P7
Total,,,
`;

describe('ledger match', () => {
  it('shows each line and each payment once, by what they belong together', async () => {
    const home = await withPaid(DAY);
    const { code, stdout, stderr } = await matching(home, BANK, ['-o', 'tsv', '--columns', COLUMNS]);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'agrees\tref\t1\t250000\t0\t250000\tpayment\tINV-P1',
      'other_amount\tref\t2\t750000\t250000\t500000\tpayment\tINV-P2',
      'agrees\taccount\t3\t750000\t0\t750000\tpayment\t',
      'agrees\treference\t4\t1000000\t0\t1000000\tpayment\t',
      'likely\tamount\t5\t12345\t0\t12345\tpayment\t',
      'agrees\tref\t6\t-100000\t0\t-100000\trefund\tINV-P1',
      'only_in_file\t\t7\t-1075\t\t\t\t',
      'agrees\tref\t8\t70000\t0\t70000\tpayment\tINV-P7',
      'agrees\tref\t9\t-70000\t0\t-70000\treversal\tINV-P7',
      'only_here\t\t\t\t\t990000\tpayment\tINV-P6',
    ]);
    expect(stderr.split('\n').slice(1)).toEqual([
      'Left out: 1 row without a date or an amount (row 10)',
      '9 lines: 6 agree, 1 is likely, by amount and day alone, 1 has another amount (INV-P2 +2,500.00), 1 is in the file only',
      '7 payments, 1 refund, 1 reversal of 2026-11-25: 8 in the file, 1 is not',
      'NGN 28,323.45 in and NGN 1,710.75 out in the file, NGN 35,723.45 in and NGN 1,700.00 out in the ledger',
      '4 differences between bank.csv and the ledger',
      '→ look at the likely lines, then add --accept-likely',
      '→ compare money in alone: --amount-column with the column of credits',
      '',
    ]);
    expect(code).toBe(14);
  });

  it('shows a text of several lines in one line of a table', async () => {
    const file = 'Date,Amount,Narration\n25/11/2026,"5,000.00","One\r\n two"\n,,three\n';
    const ended = await matching(await withPaid([{ at: AT, amount: 1, ref: 'INV-P2' }]), file, ['-o', 'table']);
    expect(ended.stdout).toMatch(/ One two three /);
  });

  it('ends with 0 if all agree', async () => {
    const home = await withPaid([{ at: AT, amount: 500_000, ref: 'INV-P2' }]);
    const ended = await matching(home, 'Date,Amount,Narration\n25/11/2026,"5,000.00",INV-P2\n', ['-o', 'table']);
    expect(ended).toMatchObject({ code: 0, stdout: '' });
    expect(ended.stderr.split('\n').slice(1)).toEqual([
      '1 line: 1 agrees',
      '1 payment of 2026-11-25: 1 in the file',
      'NGN 5,000.00 in the file, NGN 5,000.00 in the ledger',
      '',
    ]);
  });

  it('sums each result in JSON, and its sums add up to both totals', async () => {
    const home = await withPaid(DAY);
    const { code, stdout, stderr } = await matching(home, BANK, ['--json']);
    judged(command('ledger match')?.output.json ?? { not: {} }, stdout);
    const { matches, ...head } = JSON.parse(stdout);
    expect(head).toMatchObject({ first_day: '2026-11-25', last_day: '2026-11-25', time_zone: 'UTC', currency: 'NGN' });
    const sum = (amount_in: number, amount_out: number) => ({ amount: amount_in + amount_out, amount_in, amount_out });
    const expected = (expected_in: number, expected_out: number) => ({
      expected: expected_in + expected_out,
      expected_in,
      expected_out,
    });
    const none = { ...sum(0, 0), ...expected(0, 0), difference: 0 };
    expect(head.sums.map(({ currency, ...one }: { readonly currency: string }) => [currency, one])).toEqual(
      [
        { result: 'agrees', count: 6, ...none, ...sum(2_070_000, -170_000), ...expected(2_070_000, -170_000) },
        { result: 'likely', count: 1, ...none, ...sum(12_345, 0), ...expected(12_345, 0) },
        { result: 'other_amount', count: 1, ...sum(750_000, 0), ...expected(500_000, 0), difference: 250_000 },
        { result: 'two_names', count: 0, ...none },
        { result: 'only_in_file', count: 1, ...none, ...sum(0, -1075) },
        { result: 'only_here', count: 1, ...none, ...expected(990_000, 0) },
      ].map((one) => ['NGN', one]),
    );
    expect(head.notices).toEqual([
      'Columns: date "Trans Date", credit "Credit", debit "Debit", text "Remarks"; day first',
      'Left out: 1 row without a date or an amount (row 10)',
    ]);
    expect(matches).toHaveLength(10);
    expect(matches[1]).toMatchObject({
      day: '2026-11-25',
      paid_at: '2026-11-25T10:00:00+00:00',
      text: 'NIP FRM OBI/INV P2',
    });
    expect([code, errorOf({ code, stdout, stderr, signal: null })['kind']]).toEqual([14, 'attention']);
  });

  it('guards the formulas that payers wrote, and no amount', async () => {
    const home = newFolder();
    const report = join(newFolder('files'), 'report.csv');
    const cells = [
      '=HYPERLINK("http://x.test","INV-P1")',
      '+cmd|x INV-P1',
      '-2+3+cmd INV-P1',
      '@SUM(A1) INV-P1',
      'a;=1',
      'INV-P1',
    ];
    const amounts = ['"-1,000.00"', '"+2,500.00"', '-₦100.00', '"=""0123"""', '-', '-GH₵5.00'];
    const rows = cells.map((cell, at) => `25/11/2026,,"2,500.00","${cell.replaceAll('"', '""')}",${amounts[at]}`);
    const statement = ['Trans Date,Debit,Credit,Remarks,Balance', ...rows, ''].join('\n');
    const read = async () =>
      parse(readFileSync(report, 'utf8'), { columns: true }) as readonly { readonly [name: string]: string }[];
    await matching(home, statement, ['--report', report]);
    const found = await read();
    expect(found.slice(0, 6).map(({ Remarks }) => Remarks)).toEqual([
      ...cells.slice(0, 4).map((cell) => `'${cell}`),
      "a;'=1",
      'INV-P1',
    ]);
    expect(found.slice(0, 6).map(({ Balance }) => Balance)).toEqual([
      '-1,000.00',
      '+2,500.00',
      '-₦100.00',
      '="0123"',
      '-',
      '-GH₵5.00',
    ]);
    await matching(home, statement, ['--report', report, '--raw-csv']);
    expect((await read())[0]?.['Remarks']).toBe(cells[0]);
  });

  it.each(['report.csv', 'report.ndjson'])('writes a %s that it reads again with the same result', async (name) => {
    const home = await withPaid(DAY);
    const report = join(newFolder('files'), name);
    const words = ['-o', 'tsv', '--columns', COLUMNS];
    const first = await matching(home, BANK, ['--report', report, ...words]);
    const written = readFileSync(report, 'utf8');
    const again = await matching(home, written, ['--report', `${report}.again.${name}`, ...words], name);
    expect([again.code, again.stdout]).toEqual([first.code, first.stdout]);
    expect(readFileSync(`${report}.again.${name}`, 'utf8')).toBe(written);
    if (name === 'report.ndjson') return;
    expect(written.split('\r\n').slice(0, 3)).toEqual([
      'Trans Date,Debit,Credit,Remarks,ledger_result,ledger_by,ledger_difference,ledger_amount,ledger_day,ledger_kind,ledger_id,ledger_ugwo,ledger_ref,ledger_named',
      expect.stringMatching(
        /^25\/11\/2026,,"2,500.00",NIP FRM ADA OBI\/INV-P1,agrees,ref,0.00,2500.00,2026-11-25,payment,chg-/,
      ),
      expect.stringMatching(/^25\/11\/2026,,"7,500.00",NIP FRM OBI\/INV P2,other_amount,ref,2500.00,5000.00,/),
    ]);
    expect(written).toMatch(/\r\n,,,,only_here,,,9900.00,2026-11-25,payment,chg-.*,INV-P6,\r\n$/);
  });

  it('reads the report of a statement with titles and a nameless column again, whose fees are in the settled amounts', async () => {
    const home = await withPaid([{ at: '2026-11-25T08:30:00Z', amount: 500_000, ref: 'INV-7101' }]);
    const words = ['--fee-column', 'Charge (NGN)', '--columns', COLUMNS, '-o', 'tsv'];
    const statement = readFileSync(join(import.meta.dirname, '../bulk/layouts/moniepoint.csv'), 'utf8');
    const report = join(newFolder('files'), 'report.csv');
    const first = await matching(home, statement, [...words, '--report', report]);
    expect(first.stdout.split('\n').slice(0, 2)).toEqual([
      'agrees\tref\t1\t497500\t0\t500000\tpayment\tINV-7101',
      'only_in_file\t\t2\t-102000\t\t\t\t',
    ]);
    const again = await matching(home, readFileSync(report, 'utf8'), words);
    expect([again.code, again.stdout]).toEqual([14, first.stdout]);
  });

  it('finds payments of the day before and after, and misses none of theirs', async () => {
    const home = await withPaid([
      { at: '2026-11-24T23:59:00Z', amount: 100 },
      { at: '2026-11-24T09:00:00Z', amount: 200 },
      { at: '2026-11-26T12:00:00Z', amount: 300, ref: 'INV-P3' },
      { at: '2026-11-26T12:00:00Z', amount: 400, ref: 'INV-P4' },
      { at: '2026-11-27T00:00:00Z', amount: 500, ref: 'INV-P5' },
      { at: '2026-11-26T00:01:00Z', amount: 600 },
    ]);
    const lines =
      'Date,Amount,Narration\n25/11/2026,1.00,\n25/11/2026,2.00,\n25/11/2026,3.00,INV-P3\n25/11/2026,5.00,INV-P5\n25/11/2026,6.00,\n';
    expect(await rowsOf(home, lines)).toEqual([
      14,
      [
        'likely amount 1 100 0 100 payment',
        'only_in_file 2 200',
        'agrees ref 3 300 0 300 payment INV-P3',
        'only_in_file 4 500',
        'likely amount 5 600 0 600 payment',
      ],
    ]);
  });

  it('takes the days of the time zone', async () => {
    const home = await withPaid([
      { at: '2026-11-24T22:30:00Z', amount: 100 },
      { at: '2026-11-24T23:30:00Z', amount: 200 },
      { at: '2026-11-25T23:30:00Z', amount: 300 },
    ]);
    const argv = ['ledger', 'match', fileOf('Date,Amount\n25-Nov-2026,2.00\n'), '--json'];
    const run: Scene = { built: true, home, env: { TZ: 'Africa/Lagos' }, argv, exit: 14 };
    const likely = { result: 'likely', expected: 200 };
    await scene({ ...run, json: { time_zone: 'Africa/Lagos', matches: [likely] } });
    // By UTC it was near midnight, and another payment came on that day.
    const matches = [likely, { result: 'only_here', expected: 300 }];
    await scene({ ...run, argv: [...argv, '--utc'], json: { time_zone: 'UTC', matches } });
  });

  it.each<[string, Partial<Made>]>([
    ['that nobody has paid yet', { isOpen: true }],
    ['in another currency', { currency: 'USD' }],
    ['of another workspace', { profile: 'local' }],
  ])('takes no line that names a charge %s for a payment of its amount', async (_name, other) => {
    const home = await withPaid([
      { at: AT, amount: 500, ref: 'INV-P1' },
      { at: AT, amount: 500, ref: 'INV-P2', account: '9901122334', ...other },
    ]);
    for (const text of ['INV-P2', 'TO 9901122334']) {
      const result = await rowsOf(home, `Date,Amount,Narration\n25/11/2026,5.00,${text}\n`);
      expect(result).toEqual([14, ['only_in_file 1 500', 'only_here 500 payment INV-P1']]);
    }
    expect(await rowsOf(home, 'Date,Amount\n25/11/2026,5.00\n')).toEqual([
      14,
      ['likely amount 1 500 0 500 payment INV-P1'],
    ]);
  });

  it('pays a whole refund back, and leaves failed and unknown ones out', async () => {
    const at = '2026-11-26T10:00:00Z';
    const home = await withPaid([
      { at: AT, amount: 500, ref: 'INV-P1', refund: { at, amount: null } },
      { at: '2026-11-01T10:00:00Z', amount: 700, refund: { at, amount: 300, exitCode: 11 } },
      { at: '2026-11-01T10:00:00Z', amount: 700, refund: { at, amount: 400, exitCode: 6 } },
    ]);
    const lines = 'Date,Amount,Narration\n25/11/2026,5.00,INV-P1\n26/11/2026,-5.00,INV-P1\n';
    expect(await rowsOf(home, lines)).toEqual([
      0,
      ['agrees ref 1 500 0 500 payment INV-P1', 'agrees ref 2 -500 0 -500 refund INV-P1'],
    ]);
  });

  it('tolerates small differences, and adds fees', async () => {
    const home = await withPaid([
      { at: AT, amount: 500_000, ref: 'INV-P1' },
      { at: AT, amount: 700_000, ref: 'INV-P2' },
    ]);
    const lines = 'Date,Amount,Fee,Narration\n25/11/2026,"4,950.00",,INV-P1\n25/11/2026,"6,895.00",105.00,INV-P2\n';
    const [one, two] = ['other_amount ref 1 495000 -5000 500000', 'other_amount ref 2 689500 -10500 700000'];
    const [first, other] = [' payment INV-P1', ' payment INV-P2'];
    expect(await rowsOf(home, lines)).toEqual([14, [one + first, two + other]]);
    const agrees = (text: string): string => text.replace('other_amount', 'agrees');
    expect(await rowsOf(home, lines, ['--tolerance', '50'])).toEqual([14, [agrees(one) + first, two + other]]);
    expect(await rowsOf(home, lines, ['--tolerance', 'NGN 50.00', '--fee-column', 'fee'])).toEqual([
      0,
      [agrees(one) + first, `agrees ref 2 689500 0 700000${other}`],
    ]);
  });

  it('compares money in alone where the named column has nothing else', async () => {
    const home = await withPaid(DAY.slice(0, 1));
    const bank = 'Date,Debit,Credit,Remarks\n25/11/2026,,"2,500.00",INV-P1\n25/11/2026,10.75,,NIP CHARGE\n';
    const ended = await matching(home, bank, ['--amount-column', 'credit', '-o', 'tsv', '--columns', COLUMNS]);
    expect(ended).toMatchObject({ code: 0, stdout: 'agrees\tref\t1\t250000\t0\t250000\tpayment\tINV-P1\n' });
    expect(ended.stderr).toContain('Only money in is compared: credit has no money out.\n');
    const { stdout } = await matching(home, bank, ['--amount-column', 'credit', '--json']);
    expect(JSON.parse(stdout).notices).toContain('Only money in is compared: credit has no money out.');
    expect((await matching(home, bank)).code).toBe(14);
    const signed = 'Date,Amount,Remarks\n25/11/2026,"2,500.00",INV-P1\n';
    expect(await rowsOf(home, signed, ['--amount-column', 'Amount'])).toEqual([
      14,
      ['agrees ref 1 250000 0 250000 payment INV-P1', 'only_here -100000 refund INV-P1'],
    ]);
    const both = ['--amount-column', 'credit', '--debit-column', 'debit'];
    expect(await rowsOf(home, bank.replace('10.75', ''), both)).toEqual([
      14,
      ['agrees ref 1 250000 0 250000 payment INV-P1', 'only_here -100000 refund INV-P1'],
    ]);
  });

  it('compares the payments in the currency of the statement, of the profile or of all', async () => {
    const home = await withPaid([
      { at: AT, amount: 500, ref: 'INV-P1', currency: 'GHS' },
      { at: AT, amount: 600, ref: 'INV-P2', profile: 'local' },
      { at: AT, amount: 1_005_120, ref: 'INV-P3', currency: 'KWD' },
      { at: AT, amount: 5000, ref: 'INV-P4', currency: 'JPY' },
    ]);
    const cedis = 'Date,Amount,Currency,Narration\n25/11/2026,5.00,GHS,INV-P1\n';
    expect(await rowsOf(home, cedis, ['--currency', 'ghs'])).toEqual([0, ['agrees ref 1 500 0 500 payment INV-P1']]);
    const dinars = 'Date,Amount,Narration\n25/11/2026,"1,005.125",INV-P3\n';
    expect(await rowsOf(home, dinars, ['--currency', 'KWD', '--tolerance', '0.005'])).toEqual([
      0,
      ['agrees ref 1 1005125 5 1005120 payment INV-P3'],
    ]);
    const yen = 'Date,Amount,Narration\n25/11/2026,"5,001",INV-P4\n';
    expect(await rowsOf(home, yen, ['--currency', 'JPY'])).toEqual([
      14,
      ['other_amount ref 1 5001 1 5000 payment INV-P4'],
    ]);
    const naira = 'Date,Amount,Narration\n25/11/2026,6.00,INV-P2\n';
    expect(await rowsOf(home, naira)).toEqual([14, ['only_in_file 1 600']]);
    const practice = await matching(home, naira.replace('6.00', '7.00'), ['--local']);
    expect(practice.stderr).toContain('1 has another amount (INV-P2 +1.00)');
    const unknown = await matching(home, naira.replace('6.00,INV-P2', '8.00,'), ['--local']);
    expect(unknown.stderr).toContain('→ find out who has paid since: `paycli ledger sync --local`\n');
    const every = await matching(home, naira, ['--all-profiles', '-o', 'tsv', '--columns', 'result,profile']);
    expect(every).toMatchObject({ code: 0, stdout: 'agrees\tlocal\n' });
  });

  it.each<[string, string, string[], string]>([
    ['an empty file', '', [], 'bank.csv has no rows'],
    [
      'bytes that are no text',
      'Date,Amount,Narration\n25/11/2026,5.00,\u0000\n',
      [],
      'bank.csv: row 1, column "Narration": a NUL character',
    ],
    [
      'a column that is missing',
      'Date,Sum\n25/11/2026,5.00\n',
      [],
      'no column with dates beside one with amounts (found: Date, Sum)',
    ],
    [
      'amounts with two meanings',
      'Date,Amount\n25/11/2026,5.000\n',
      [],
      'bank.csv: row 1, column "Amount": "5.000" has two meanings',
    ],
    [
      'dates with two meanings',
      'Date,Amount\n05/11/2026,5.00\n',
      [],
      'bank.csv: row 1, column "Date": "05/11/2026" has two meanings',
    ],
    ['another currency', 'Date,Amount\n25/11/2026,USD 5.00\n', [], 'bank.csv has no lines in NGN'],
    [
      'a tolerance in another currency',
      'Date,Amount\n',
      ['--tolerance', 'USD 5.00'],
      '--tolerance: "USD 5.00" is not an amount in NGN',
    ],
    ['no currency', 'Date,Amount\n', ['--currency', 'naira'], '--currency: "naira" is not a code such as NGN'],
  ])('refuses %s, and writes nothing', async (_name, content, words, message) => {
    const report = join(newFolder('files'), 'report.csv');
    const file = fileOf(content, 'bank.csv');
    const argv = ['ledger', 'match', file, '--utc', ...words, '--report', report];
    await scene({ argv, exit: 2, stderr: [`error: ${message.replace('bank.csv', file)}`] });
    expect(existsSync(report)).toBe(false);
  });

  it('overwrites no file but an earlier comparison', async () => {
    const home = await withPaid(DAY);
    const folder = newFolder('files');
    const [file, notes] = [fileOf(BANK), fileOf('Date,Note\n25/11/2026,call Ada\n')];
    for (const [report, what] of [
      [file, 'the input file'],
      [join(home, 'ledger.sqlite'), 'the ledger'],
      [notes, 'there already, and is no report'],
    ] as const) {
      const before = readFileSync(report);
      const stderr = [`error: --report: ${report} is ${what}`];
      await scene({ home, argv: ['ledger', 'match', file, '--report', report], exit: 2, stderr });
      expect(readFileSync(report).equals(before)).toBe(true);
    }
    for (const report of [join(folder, 'diff.csv'), join(folder, 'diff.ndjson')]) {
      const run: Scene = { home, argv: ['ledger', 'match', file, '--utc', '--report', report], exit: 14, stdout: /^/ };
      await scene(run);
      const written = readFileSync(report, 'utf8');
      await scene(run);
      expect(readFileSync(report, 'utf8')).toBe(written);
    }
  });

  it('takes lines that are only likely as no difference if asked to', async () => {
    const home = await withPaid([
      { at: AT, amount: 500 },
      { at: AT, amount: 500 },
    ]);
    const lines = 'Date,Amount\n25/11/2026,5.00\n25/11/2026,5.00\n';
    const rows = ['likely amount 1 500 0 500 payment', 'likely amount 2 500 0 500 payment'];
    expect(await rowsOf(home, lines)).toEqual([14, rows]);
    expect(await rowsOf(home, lines, ['--accept-likely'])).toEqual([0, rows]);
    expect((await matching(home, `${lines}25/11/2026,6.00\n`, ['--accept-likely'])).code).toBe(14);
  });

  it('shows both payment requests that a line names', async () => {
    const home = await withPaid([
      { at: AT, amount: 500, ref: 'INV-P1' },
      { at: AT, amount: 500, ref: 'INV-P2' },
    ]);
    const lines = 'Date,Amount,Narration\n25/11/2026,5.00,INV-P1 AND INV-P2\n';
    const report = join(newFolder('files'), 'report.csv');
    const words = ['-o', 'tsv', '--columns', 'result,amount,named', '--report', report];
    const { code, stdout } = await matching(home, lines, words);
    expect([code, stdout.split('\n')[0]]).toEqual([14, 'two_names\t500\tINV-P1 and INV-P2']);
    const [row] = parse(readFileSync(report), { columns: true, bom: true });
    expect(row).toMatchObject({ ledger_result: 'two_names', ledger_named: 'INV-P1 and INV-P2' });
  });

  it('finds a payment that its bank posted days later, and counts it apart', async () => {
    const home = await withPaid([
      { at: '2026-11-15T10:00:00Z', amount: 500, ref: 'INV-P1' },
      { at: '2026-11-14T10:00:00Z', amount: 700, ref: 'INV-P2' },
    ]);
    const lines = 'Date,Amount,Narration\n25/11/2026,5.00,INV-P1\n25/11/2026,7.00,INV-P2\n';
    const { code, stdout, stderr } = await matching(home, lines, ['-o', 'tsv', '--columns', 'result,row,days_later']);
    expect([code, stdout]).toEqual([14, 'agrees\t1\t10\nonly_in_file\t2\t\n']);
    expect(stderr).toContain('\n1 line was posted up to 10 days after the payment\n');
  });

  it('counts payments even where there is none', async () => {
    const lines = 'Date,Amount,Narration\n25/11/2026,5.00,CASH\n';
    const refund = { at: '2026-11-25T12:00:00Z', amount: 100 };
    const earlier = await withPaid([{ at: '2026-11-01T10:00:00Z', amount: 500, refund }]);
    for (const [home, kinds, not] of [
      [newFolder(), '0 payments', ''],
      [earlier, '0 payments, 1 refund', ', 1 is not'],
    ] as const) {
      expect((await matching(home, lines)).stderr).toContain(`\n${kinds} of 2026-11-25: 0 in the file${not}\n`);
    }
  });

  it('gives the line in the file, below titles and cells with line ends', async () => {
    const lines = 'Bank\n\nDate,Amount,Narration\n25/11/2026,5.00,"a\nb"\n\n25/11/2026,7.00,c\n';
    const { stdout } = await matching(newFolder(), lines, ['-o', 'tsv', '--columns', 'row,line']);
    expect(stdout).toBe('1\t4\n2\t7\n');
  });

  it('leaves out a row with a label, unless it names a payment', async () => {
    const home = await withPaid([
      { at: AT, amount: 500 },
      { at: AT, amount: 700, ref: 'INV-P2' },
    ]);
    const lines = 'Date,Amount,Narration,Reference\n25/11/2026,5.00,CLOSING BALANCE,\n25/11/2026,7.00,Total,INV-P2\n';
    expect(await rowsOf(home, lines)).toEqual([14, ['agrees ref 2 700 0 700 payment INV-P2', 'only_here 500 payment']]);
    expect((await matching(home, lines)).stderr).toContain(
      'No transactions, by their label: CLOSING BALANCE (row 1)\n',
    );
  });

  it.each<[string, string, string]>([
    ['a column of fees', 'Date,Amount,VAT,Narration\n25/11/2026,4.00,1.00,INV-P1\n', 'add --fee-column VAT'],
    [
      'the minor unit',
      'Date,Amount,Narration\n25/11/2026,500,INV-P1\n',
      'add --minor if the file counts the minor unit',
    ],
  ])('names %s, which explains each difference', async (_name, lines, hint) => {
    const home = await withPaid([{ at: AT, amount: 500, ref: 'INV-P1' }]);
    const { code, stderr } = await matching(home, lines);
    expect([code, stderr]).toEqual([14, expect.stringContaining(hint)]);
    const words = hint.includes('VAT') ? ['--fee-column', 'VAT'] : ['--minor'];
    expect((await matching(home, lines, words)).code).toBe(0);
  });

  it.each<[string, string, string?]>([
    ['the amounts', 'Date,Credit,Narration\n25/11/2026,2.50,INV-P1\n'],
    ['more fees than one', 'Date,Credit,Narration,Fee,VAT\n25/11/2026,3.50,INV-P1,1.00,0.50\n', 'VAT'],
    ['balances', 'Date,Credit,Narration,Balance\n25/11/2026,4.00,INV-P1,1.00\n'],
    [
      'other things of lines that agree',
      'Date,Credit,Narration,Tax\n25/11/2026,4.00,INV-P1,1.00\n25/11/2026,6.00,INV-P2,1.00\n',
    ],
    ['zeros, if more was paid', 'Date,Credit,Narration,Tax\n25/11/2026,6.00,INV-P1,0.00\n'],
  ])('hints at no column of fees that is one of %s', async (_name, lines, fees) => {
    const home = await withPaid([
      { at: AT, amount: 500, ref: 'INV-P1' },
      { at: AT, amount: 600, ref: 'INV-P2' },
    ]);
    const report = join(newFolder('files'), 'report.csv');
    const words = fees === undefined ? [] : ['--fee-column', fees];
    const { code, stderr } = await matching(home, lines, ['--report', report, ...words]);
    expect([code, stderr]).toEqual([14, expect.not.stringContaining('--fee-column')]);
    const again = await matching(home, readFileSync(report), words);
    expect([again.code, again.stderr]).toEqual([14, expect.not.stringContaining('--fee-column')]);
  });

  it('finds a refund by the account of its charge', async () => {
    const refund = { at: '2026-11-25T12:00:00Z', amount: 100 };
    const home = await withPaid([{ at: AT, amount: 500, ref: 'INV-P1', account: '9901122334', refund }]);
    const lines =
      'Date,Debit,Credit,Narration,Account\n25/11/2026,,5.00,INV-P1,9901122334\n25/11/2026,1.00,,INV-P1,9901122334\n';
    expect(await rowsOf(home, lines)).toEqual([
      0,
      ['agrees account 1 500 0 500 payment INV-P1', 'agrees account 2 -100 0 -100 refund INV-P1'],
    ]);
  });

  it('writes the layout of a file, and reads the next file by it', async () => {
    const home = await withPaid([{ at: AT, amount: 500, ref: 'INV-P1' }]);
    const layout = join(newFolder('files'), 'bank.json');
    const lines = 'Day,Sum,What,Flow\n25/11/2026,5.00,INV-P1,Haben\n';
    const words = ['--date-column', 'Day', '--amount-column', 'Sum', '--text-column', 'What', '--save-layout', layout];
    expect((await matching(home, lines, words)).code).toBe(0);
    expect(await rowsOf(home, lines, ['--layout', layout])).toEqual([0, ['agrees ref 1 500 0 500 payment INV-P1']]);
    const written = readFileSync(layout, 'utf8');
    const again = await matching(home, lines, ['--layout', layout, '--save-layout', layout]);
    expect([again.code, readFileSync(layout, 'utf8')]).toEqual([2, written]);
    expect(again.stderr).toContain('→ name a file that does not exist yet');
    writeFileSync(layout, written.replace('"sum"', '7'));
    const wrong = await matching(home, lines, ['--layout', layout]);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining(`--layout: ${layout}: layout.header is not`),
    ]);
    const unknown = await matching(home, lines, ['--layout', 'gtbnk']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('→ known layouts: gtbank, zenith')]);
  });

  it('reads standard input', async () => {
    const home = await withPaid([{ at: AT, amount: 500, ref: 'INV-P1' }]);
    const stdin = '{"paid_at":"2026-11-25T10:00:00Z","amount":5,"narration":"INV-P1"}\n';
    const json = { result: 'agrees', by: 'ref', amount: 500 };
    const { stdout } = await scene({ home, stdin, argv: ['ledger', 'match', '-', '--utc', '-o', 'ndjson'], json });
    judged(command('ledger match')?.output.ndjson_line ?? { not: {} }, stdout);
  });

  it('reads a workbook as the CSV of its sheet, also in its report', async () => {
    const home = await withPaid(DAY);
    const table = parse(BANK) as string[][];
    // Excel has a number for each amount and day, and the digits of a name.
    const cells = table.map((row, at) =>
      row.map((cell) => {
        if (at > 0 && /^\d\d\/\d\d\/\d{4}$/.test(cell)) return { date: serial(cell.split('/').reverse().join('-')) };
        return at > 0 && /^-?[\d,]+\.\d\d$/.test(cell) ? Number(cell.replaceAll(',', '')) : cell;
      }),
    );
    const book = xlsx({ Notes: [['see the other sheet']], Statement: cells });
    const report = join(newFolder('reports'), 'report.csv');
    const words = ['-o', 'tsv', '--columns', COLUMNS];
    const ofCsv = await matching(home, BANK, words);
    const sheet = ['--sheet', 'Statement', '--report', report];
    const ofBook = await matching(home, book, [...words, ...sheet], 'bank.xlsx');
    expect({ code: ofBook.code, stdout: ofBook.stdout }).toEqual({ code: ofCsv.code, stdout: ofCsv.stdout });
    expect(ofBook.stderr).toContain('Sheet: "Statement" of "Notes", "Statement"');
    const [names = [], ...rows] = parse(readFileSync(report), { bom: true }) as string[][];
    expect(names.slice(0, 4)).toEqual(['Trans Date', 'Debit', 'Credit', 'Remarks']);
    expect(rows.filter((row) => row[names.indexOf('ledger_result')] === 'agrees')).toHaveLength(
      ofCsv.stdout.split('\n').filter((line) => line.startsWith('agrees')).length,
    );
    expect(await matching(home, book, ['--sheet', 'May'], 'bank.xlsx')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('bank.xlsx has no sheet "May" (found: "Notes", "Statement")'),
    });
  });

  it('shows what differs on a terminal', async () => {
    const home = await withPaid(DAY);
    const file = fileOf(`${BANK}25/11/2026,,5.00,INV-P1 FOR ADA AND INV-P2\n`);
    const terminal = openTerminal(['ledger', 'match', file, '--no-pager'], {
      home,
      env: { TZ: 'UTC', NO_COLOR: '1' },
      columns: 80,
    });
    expect((await terminal.ended).code).toBe(14);
    const lines = (await terminal.screen()).split('\n');
    const top = lines.findIndex((line) => line.startsWith('result'));
    expect(lines.slice(top - 1, top + 7)).toEqual([
      '',
      'result        day               amount  what                 difference  row',
      expect.stringMatching(/^─+$/),
      'other amount  2026-11-25  NGN 7,500.00  INV-P2             NGN 2,500.00  2',
      'likely        2026-11-25    NGN 123.45  CASH                   NGN 0.00  5',
      'only in file  2026-11-25    NGN -10.75  NIP CHARGE                       7',
      'two names     2026-11-25      NGN 5.00  INV-P1 and INV-P2                11',
      'only here     2026-11-25  NGN 9,900.00  INV-P6',
    ]);
    expect(lines[top + 7]).toMatch(/^5 differences between /);
  });
});
