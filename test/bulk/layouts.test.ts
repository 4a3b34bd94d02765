import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LAYOUTS, type Layout } from '../../src/bulk/layouts.ts';
import { readStatement } from '../../src/bulk/statement.ts';
import { madeFolder, usageFaultOf } from './support.ts';

type StatementOptions = Parameters<typeof readStatement>[1];

const folder = madeFolder();
const FILES = join(import.meta.dirname, 'layouts');

const readPath = (path: string, options: Partial<StatementOptions> = {}) =>
  readStatement(
    { path, name: basename(path), spoolFolder: folder },
    { columns: {}, currency: 'NGN', zone: 'utc', ...options },
  );

/** The statement with this content. */
const read = (content: string, options: Partial<StatementOptions> = {}, name = 'x.csv') => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return readPath(path, options);
};

/** Day, amount, and text of each line. */
const linesOf = async (statement: ReturnType<typeof readStatement>) =>
  (await statement).lines.map(({ day, amount, text }) => [day.slice(5), amount, text]);

/** The file, the currency, and each line of the layouts that no other test reads. */
const KNOWN: readonly (readonly [string, string, readonly (readonly [string, number, string])[]])[] = [
  [
    'kuda',
    'NGN',
    [
      ['11-25', 500000, 'INV-7301'],
      ['11-25', -100000, 'refund INV-7302'],
    ],
  ],
  [
    'palmpay',
    'NGN',
    [
      ['11-25', 750000, 'Received from EZE CHIDI INV-7401\n261125RC01'],
      ['11-26', -300000, 'Send to ALIYU ZAINAB\n261126SD02'],
    ],
  ],
  [
    'providus',
    'NGN',
    [
      ['11-25', 1500000, 'INWARD TRANSFER INV-7501 FROM UMAR SANI'],
      ['11-26', -200000, 'OUTWARD TRANSFER TO UMAR SANI'],
    ],
  ],
  [
    'monnify',
    'NGN',
    [
      ['11-25', 400000, 'Order\nMNFY|01|20261125|000001\nINV-7601'],
      ['11-25', 250000, 'Order\nMNFY|01|20261125|000002\nINV-7602'],
    ],
  ],
  [
    'fnb',
    'ZAR',
    [
      ['11-25', 500000, 'FNB APP PAYMENT FROM INV-7701'],
      ['11-26', -12050, 'SERVICE FEES'],
    ],
  ],
  [
    'capitec',
    'ZAR',
    [
      ['11-24', 500000, 'Payment Received\nPAYSHAP INV-7801'],
      ['11-26', -30000, 'Payment Sent\nPAYMENT TO NKOSI'],
    ],
  ],
  [
    'mpesa',
    'KES',
    [
      ['11-25', 500000, 'Pay Bill from 2547******12\nTKS1AA0001\nINV-7901'],
      ['11-25', -230000, 'Business Payment to 2547******34\nTKS1AA0002'],
    ],
  ],
  [
    'mt940',
    'NGN',
    [
      ['11-25', 500000, 'TRANSFER OKAFOR\nINV-8101'],
      ['11-26', -500000, 'RETURN OKAFOR\nINV-8101'],
      ['11-26', -1250, 'CHARGES'],
      ['11-27', 1250, 'CHARGES CORRECTED'],
    ],
  ],
  [
    'camt',
    'NGN',
    [
      ['11-25', 500000, 'INV-8201\nE2E-1'],
      ['11-26', -500000, 'RETURN OF INV-8201\nE2E-1'],
    ],
  ],
];

const STATEMENTS = readdirSync(FILES).filter((name) => !name.endsWith('.json'));
const currencyOf = (file: string): string => KNOWN.find(([name]) => file === `${name}.csv`)?.[1] ?? 'NGN';

describe('a known layout', () => {
  it.each(KNOWN)('%s in %s', async (name, currency, lines) => {
    const file = join(FILES, `${name}.csv`);
    expect(await linesOf(readPath(file, { currency }))).toEqual(lines);
    const { layout, notices } = await readPath(file, { currency });
    expect([layout.name, notices[0]?.split(':')[0]]).toEqual([name, `Layout ${name}`]);
  });

  it('has a file', async () => {
    const statements = STATEMENTS.map((file) => readPath(join(FILES, file), { currency: currencyOf(file) }));
    const names = new Set((await Promise.all(statements)).map(({ layout }) => layout.name));
    expect(LAYOUTS.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([]);
  });
});

const LINE = '25-Nov-26,TRF INV-1';

describe('the sides', () => {
  const table = (title: string, [first, second]: readonly [string, string]): string =>
    `Date,Narration,Amount,${title}\n${LINE},5.00,${first}\n${LINE},7.00,${second}\n`;

  it.each<[string, [string, string]]>([
    ['Debit or Credit', ['Credit', 'Debit']],
    ['In/Out', ['In', 'Out']],
    ['Sign', ['+', '-']],
    ['Sign', ['C', 'D']],
    ['+/-', ['+', '-']],
    ['Dr/Cr', ['CRDT', 'DBIT']],
    ['Credit/Debit Indicator', ['Cr.', 'Dr.']],
    ['Transaction Type', ['Lodgement', 'Withdrawal']],
    ['Type', ['Inward Transfer', 'Outward Transfer']],
    ['Type', ['Money In', 'Paid out']],
    ['Direction', ['Credit Alert', 'Debit Alert']],
  ])('of %s are %j', async (title, sides) => {
    expect((await read(table(title, sides))).lines.map(({ amount }) => amount)).toEqual([500, -700]);
  });

  it.each<[string, [string, string], string]>([
    ['Kind', ['Credit', 'Debit'], 'sides'],
    ['Kind', ['Deposit', 'Reversal'], 'sides'],
    ['Type', ['Einnahme', 'Ausgabe'], 'sides'],
    ['Kind', ['Payment', 'Refund'], 'sides'],
    ['Category', ['Sale', 'Card chargeback'], 'sides'],
    ['Kind', ['H', 'S'], 'codes'],
    ['State', ['success', 'flagged'], 'statuses'],
    ['Reversed', ['Yes', 'No'], 'statuses'],
    ['Bonus', ['1.00', 'n/a'], 'amounts'],
  ])('are not read from %s with %j', async (title, cells, content) => {
    const fault = await usageFaultOf(read(table(title, cells)));
    const option = { sides: '--side-column', statuses: '--status-column', codes: '--side-column or --status-column' };
    const named = option[content as keyof typeof option] ?? '--amount-column, --debit-column or --fee-column';
    expect(fault).toBe(
      `x.csv: column "${title}" holds ${content}, and its name is not known | ` +
        `name it with ${named}, or leave it out with --ignore-columns`,
    );
    const ignored = await read(table(title, cells), { columns: { ignored: [title] } });
    expect(ignored.lines.map(({ amount }) => amount)).toEqual([500, 700]);
  });

  it.each<[string, [string, string]]>([
    ['Channel', ['card', 'ussd']],
    ['Branch', ['E- CHANNELS', 'HEAD OFFICE']],
    ['Session ID', ['000013261124', '000013261125']],
    ['Settlement Day', ['25.11.26', '26.11.26']],
    ['Type', ['NIP transfer', 'NIP transfer']],
  ])('are not looked for in %s', async (title, cells) => {
    expect((await read(table(title, cells))).lines.map(({ amount }) => amount)).toEqual([500, 700]);
  });

  it('are read from a column of another name by an option', async () => {
    const { lines } = await read(table('Kind', ['Credit', 'Debit']), { columns: { side: ['Kind'] } });
    expect(lines.map(({ amount }) => amount)).toEqual([500, -700]);
  });

  it('are the only ones if an option names them, beside a column of debits', async () => {
    const content = 'Date,Amount,Debit,Kind\n25-Nov-26,5.00,,Credit\n25-Nov-26,7.00,7.00,Debit\n';
    const { lines } = await read(content, { columns: { side: ['Kind'] } });
    expect(lines.map(({ amount }) => amount)).toEqual([500, -700]);
  });
});

it.each([
  ['Debit', ['7.00', '-2.00']],
  ['Debit', ['(7.00)', '2.00']],
  ['Debit', ['7.00', '2.00', '-2.00']],
])('refuses debits of two signs: %s %j', async (title, cells) => {
  const rows = cells.map((cell) => `${LINE},,${cell}\n`).join('');
  expect(await usageFaultOf(read(`Date,Narration,Credit,${title}\n${rows}`))).toBe(
    `x.csv: row ${cells.length}, column "Debit": "${cells.at(-1)}" has another sign than the debits above | ` +
      'if it is a reversal, write it as a credit; if not, write it with the sign of the other debits',
  );
  const sides = cells.map((cell) => `${LINE},${cell},Debit\n`).join('');
  expect(await usageFaultOf(read(`Date,Narration,Amount,Type\n${sides}`))).toContain('has another sign');
});

it('leaves out a payment that its response refuses, if the layout knows the word', async () => {
  const content = `Date,Narration,Amount,Response Code,Response Description\n${LINE},5.00,00,Approved by Financial Institution\n`;
  expect(await linesOf(read(content))).toEqual([['11-25', 500, expect.stringContaining('TRF INV-1')]]);
  const refused = `${content}${LINE},7.00,51,Insufficient Funds\n`;
  expect(await usageFaultOf(read(refused))).toContain('row 2, column "Response Code": "51" is no known status');
  const statuses = { booked: ['00'], left: ['51'] };
  const layout: Layout = { name: 'own', header: ['date'], columns: { status: ['responsecode'] }, statuses };
  expect(await linesOf(read(refused, { layout }))).toHaveLength(1);
});

it('refuses a status that is not known', async () => {
  const content = `Date,Narration,Amount,Status\n${LINE},5.00,success\n${LINE},7.00,chargeback\n`;
  expect(await usageFaultOf(read(content))).toBe(
    'x.csv: row 2, column "Status": "chargeback" is no known status | correct the cell, or list its word in the ' +
      'statuses of a file for --layout; or leave the column out with --ignore-columns',
  );
  const statuses = { booked: ['success'], left: ['chargeback'] };
  const layout: Layout = { name: 'own', header: ['date', 'status'], statuses };
  expect((await read(content, { layout })).lines.map(({ amount }) => amount)).toEqual([500]);
});

describe('a row whose amount stands in a column that is not read', () => {
  it.each<[string, string]>([
    ['Deposit,Debit,Credit', '0.00,,6.00'],
    ['Credit,Debit,CREDIT', ',,6.00'],
    ['Credit,Branch,Amount', ',x,6.00'],
    ['Amount Paid,Branch,Amount', ',x,6.00'],
  ])('%s with %s is not left out', async (titles, cells) => {
    const content = `Date,Narration,${titles}\n${LINE},5.00,,\n${LINE},${cells}\n`;
    const [first, , last = ''] = titles.split(',');
    expect(await usageFaultOf(read(content))).toBe(
      `x.csv: row 2, column "${last}": the row has no amount in "${first}", but one here | ` +
        'name the column with --amount-column or --debit-column, or leave it out with --ignore-columns',
    );
    const amounts = async (columns: StatementOptions['columns']) =>
      (await read(content, { columns })).lines.map(({ amount }) => amount);
    expect(await amounts({ amount: [last] })).toEqual([600]);
    expect(await amounts({ ignored: [last] })).toEqual([500]);
  });
});

describe('tables', () => {
  it.each([
    ['Currency,USD,', 'TRF A'],
    ['Currency USD', 'TRF A'],
    ['USD Account', 'TRF A'],
  ])('are in the currency of their titles: %s', async (title, text) => {
    const second = `Account,0123456790,\n${title}\nDate,Narration,Credit\n25-Nov-26,TRF B,6.00\n`;
    const content = `Currency,NGN,\nDate,Narration,Credit\n25-Nov-26,TRF A,5.00\n,,\n${second}`;
    expect(await linesOf(read(content))).toEqual([['11-25', 500, text]]);
    expect((await read(content)).notices[1]).toMatch(/^Left out: 1 row in USD \(row \d, USD 6\.00\)$/);
    expect(await linesOf(read(content, { currency: 'USD' }))).toEqual([['11-25', 600, 'TRF B']]);
  });

  it('are in the currency of their titles, not in that of the layout', async () => {
    const layout = { name: 'own', header: ['date', 'narration', 'credit'], currency: 'NGN' };
    const content = 'Currency,USD,\nDate,Narration,Credit\n25-Nov-26,TRF A,6.00\n';
    expect(await linesOf(read(content, { currency: 'USD', layout }))).toEqual([['11-25', 600, 'TRF A']]);
  });

  it('in another currency are summed without amounts that are none', async () => {
    const { notices } = await read('Date,Credit\n25-Nov-26,USD 5.000\n25-Nov-26,USD 6.00\n25-Nov-26,5.00\n');
    expect(notices[1]).toBe('Left out: 2 rows in USD (the first is row 1, USD 6.00)');
  });

  it('have columns of their own', async () => {
    const content =
      'Date,Narration,Debit,Credit\n25-Nov-26,A,,5.00\nDate,Narration,Credit,Debit\n25-Nov-26,B,6.00,\n' +
      'Date,Credit (USD),Narration,Branch\n25-Nov-26,7.00,C,x\n';
    expect(await linesOf(read(content))).toEqual([
      ['11-25', 500, 'A'],
      ['11-25', 600, 'B'],
    ]);
    const nameless =
      'Date,Narration,Credit,Branch\n25-Nov-26,A,5.00,x\nDate,Narration,Credit,\n25-Nov-26,B,6.00,7.00\n';
    expect(await usageFaultOf(read(nameless))).toContain('column "column 4" holds amounts');
  });

  it('may have two columns of one name that say nothing about money', async () => {
    expect(await linesOf(read('Date,Branch,Narration,Credit,Branch\n25-Nov-26,Lagos,A,5.00,Kano\n'))).toEqual([
      ['11-25', 500, 'A'],
    ]);
  });

  it('of many pages are read at once', async () => {
    const page = `Date,Narration,Credit\n${`${LINE},5.00\n`.repeat(40)}`;
    expect((await read(page.repeat(250))).lines).toHaveLength(10_000);
  });
});

describe('a row of texts', () => {
  const table = 'Date,Narration,Credit\n25-Nov-26,TRF FROM,5.00\n';

  it.each([
    [',INV-1042,\n,PAID\n', 'TRF FROM\nINV-1042\nPAID'],
    ['\n,INV-1042,\n', 'TRF FROM'],
    [',,\n,INV-1042,\n', 'TRF FROM'],
    ['Printed by INV-1042\n', 'TRF FROM'],
    [',INV-1042,\nDate,Narration,Credit\n', 'TRF FROM'],
    [',Total of INV-1042,\n', 'TRF FROM'],
  ])('below a line: %j', async (below, text) => {
    expect(await linesOf(read(table + below))).toEqual([['11-25', 500, text]]);
  });
});

describe('a label', () => {
  const labelled = async (cell: string) =>
    (await read(`Date,Narration,Credit\n25-Nov-26,TRF,5.00\n25-Nov-26,${cell},7.00\n`)).lines[1]?.label;

  it.each([
    'CLOSING BALANCE',
    'Opening Bal',
    'Balance B/F',
    'Bal. C/D:',
    'B/F',
    'TOTAL',
    'Sub-total',
    'Grand Total',
    'Total Credits',
    'Balance Brought Forward',
    'Closing Balance: 7.00',
    'Balance at end of day',
    'Balance as at 25-Nov-26',
  ])('is %s, also in a row with a date', async (cell) => {
    expect(await labelled(cell)).toBe(cell);
  });

  it.each(['TOTAL ENERGIES', 'Balance of INV-1', 'Credit', 'Opening', 'End of day'])('is not %s', async (cell) => {
    expect(await labelled(cell)).toBeUndefined();
  });

  it('may be one of the layout', async () => {
    const layout: Layout = { name: 'own', header: ['date'], labels: ['saldo'] };
    const { lines } = await read('Date,Narration,Credit\n25-Nov-26,Saldo,7.00\n', { layout });
    expect(lines[0]?.label).toBe('Saldo');
  });
});

it('knows the currencies of the service by their signs', async () => {
  const written = ['GH₵ 5.00', '₵5.00', 'GHC 5.00', 'GHS5.00'].map((cell) => `25-Nov-26,,${cell}\n`).join('');
  const cedis = await read(`Date,Narration,Credit\n${written}`, { currency: 'GHS' });
  expect(cedis.lines.map(({ amount }) => amount)).toEqual([500, 500, 500, 500]);
  for (const [currency, cell] of [
    ['KES', 'Ksh 5.00'],
    ['KES', 'KSh5.00'],
    ['ZAR', 'R5.00'],
    ['ZAR', '-R 5.00'],
  ] as const) {
    const { lines } = await read(`Date,Narration,Credit\n25-Nov-26,,${cell}\n`, { currency });
    expect(lines.map(({ amount }) => Math.abs(amount))).toEqual([500]);
  }
});

it.each([
  ['Amount ($)', 'USD'],
  ['Amount (US$)', 'USD'],
  ['Credit (€)', 'EUR'],
  ['Credit (£)', 'GBP'],
])('takes no amount of another currency for naira: %s', async (title, currency) => {
  const content = `Date,Narration,${title}\n${LINE},5.00\n`;
  expect(await usageFaultOf(read(content))).toBe(
    `x.csv has no lines in NGN: 1 row in ${currency} (row 1, ${currency} 5.00) | add --currency ${currency}`,
  );
  expect(await linesOf(read(content, { currency }))).toEqual([['11-25', 500, 'TRF INV-1']]);
});

it('takes no amount below an unknown sign, or a title with unknown words, for naira', async () => {
  expect(await usageFaultOf(read(`Date,Narration,Credit,Debit (¥)\n${LINE},5.00,\n`))).toBe(
    'x.csv has no lines in NGN: 1 row in ¥ (row 1, ¥ 5.00) | write a code such as NGN where the file says ¥',
  );
  const titled = (title: string): string => `Currency,${title}\nDate,Narration,Credit\n${LINE},5.00\n`;
  expect(await usageFaultOf(read(titled('LEONES')))).toContain('write a code such as NGN where the file says LEONES');
  expect(await linesOf(read(titled('NIGERIAN NAIRA')))).toEqual([['11-25', 500, 'TRF INV-1']]);
  expect(await linesOf(read(titled('US DOLLAR'), { currency: 'USD' }))).toEqual([['11-25', 500, 'TRF INV-1']]);
});

it.each([
  ['amount_minor', {}],
  ['amount', { minor: true }],
])('counts the minor unit: %s', async (name, options) => {
  const row = {
    reference: 'INV-1',
    [name]: 500000,
    currency: 'NGN',
    status: 'success',
    paid_at: '2026-11-25T10:00:00Z',
  };
  expect(await linesOf(read(`${JSON.stringify(row)}\n`, options, 'x.ndjson'))).toEqual([['11-25', 500000, 'INV-1']]);
});

it('keeps an account number of a column of its own', async () => {
  const { lines } = await read('Date,Virtual Account,Payer,Credit\n25-Nov-26,"=""9901122334""",ADA,5.00\n');
  expect(lines).toMatchObject([{ numbers: ['9901122334'], text: '' }]);
});

it('decides once which of day and month is first', async () => {
  const { lines, notices } = await read('Date,Credit\n03/08/26,5.00\n26/06/26,6.00\n');
  expect(lines.map(({ day }) => day)).toEqual(['2026-08-03', '2026-06-26']);
  expect(notices[0]).toContain('; day first');
});

it('reads columns by their number in a file without a header', async () => {
  const content = 'Statement\n\n25-Nov-26,TRF INV-1,5.00,\n25-Nov-26,TRF INV-2,,6.00\n';
  const columns = { date: ['1'], text: ['2'], amount: ['3'], debit: ['4'] };
  expect(await linesOf(read(content, { columns }))).toEqual([
    ['11-25', 500, 'TRF INV-1'],
    ['11-25', -600, 'TRF INV-2'],
  ]);
  const fault = await usageFaultOf(read(content, { columns: { date: ['1'], amount: ['3'] } }));
  expect(fault).toContain('column "column 4" holds amounts');
});

it('reads cells and titles as they are seen', async () => {
  const content = 'Date,Narration,\u200eAmount\n\u200f25-Nov-26,INV\u200b-1,\u200e\u22125.00\n25-Nov-26,x,\u20136.00\n';
  const lines = [
    ['11-25', -500, 'INV-1'],
    ['11-25', -600, 'x'],
  ];
  expect(await linesOf(read(content))).toEqual(lines);
  expect(await linesOf(read(content, { columns: { amount: ['Amount'] } }))).toEqual(lines);
});

it.each([
  ['Date and Time', 'Amount In', 'Amount Out', 'Bal'],
  ['Effective Date', 'Pay In', 'Withdrawals', 'Balance'],
])('knows the names %s, %s, %s and %s', async (date, credit, debit, balance) => {
  const content = `${date},Narration,${credit},${debit},${balance}\n${LINE},5.00,,5.00\n${LINE},,3.00,2.00\n`;
  expect((await read(content)).lines.map(({ amount }) => amount)).toEqual([500, -300]);
});

describe('a saved layout', () => {
  const saved = async (statement: ReturnType<typeof readStatement>): Promise<Layout> =>
    JSON.parse(JSON.stringify((await statement).layout));

  it.each(STATEMENTS)('reads the same lines of %s', async (file) => {
    const currency = currencyOf(file);
    const path = join(FILES, file);
    const layout = await saved(readPath(path, { currency }));
    expect((await readPath(path, { currency, layout })).lines).toEqual((await readPath(path, { currency })).lines);
  });

  it.each<[string, string, Partial<StatementOptions>]>([
    [
      'of sides by options',
      `Date,Narration,Amount,Kind\n${LINE},5.00,Credit\n${LINE},7.00,Debit\n`,
      { columns: { side: ['Kind'] } },
    ],
    ['of signs', `Date,Narration,Amount,+/-\n${LINE},5.00,+\n${LINE},7.00,-\n`, {}],
    ['of an ignored column', `Date,Narration,Amount,Bonus\n${LINE},5.00,1.00\n`, { columns: { ignored: ['Bonus'] } }],
    [
      'without a header',
      `${LINE},5.00,C\n${LINE},7.00,D\n`,
      { columns: { date: ['1'], amount: ['3'], side: ['4'], text: ['2'] } },
    ],
    ['of a minor unit and an order of dates', 'Date,Amount\n05/11/2026,500\n', { minor: true, dateForm: 'mdy' }],
    [
      'of one of two columns that differ in case',
      `Date,Narration,AMOUNT,Amount\n${LINE},9.00,5.00\n`,
      { columns: { amount: ['Amount'], ignored: ['AMOUNT'] } },
    ],
    [
      'of credits alone',
      `Date,Narration,Credit,Debit\n${LINE},5.00,\n${LINE},,7.00\n`,
      { columns: { amount: ['Credit'] } },
    ],
  ])('%s', async (_, content, options) => {
    const layout = await saved(read(content, options));
    const { lines } = await read(content, options);
    expect((await read(content, { layout })).lines).toEqual(lines);
  });

  it('is refused for a file with another header', async () => {
    const layout = await saved(read(`Date,Narration,Credit\n${LINE},5.00\n`));
    expect(await usageFaultOf(read(`Date,Remarks,Credit\n${LINE},5.00\n`, { layout }))).toBe(
      'no column narration of the layout own (found: Date, Remarks, Credit) | ' +
        'name another layout with --layout, or leave it out',
    );
  });

  it('decides for a header that fits two known ones', async () => {
    const content =
      'Date,Posted Date,Value Date,Description,Debit,Credit,Balance\n25-Nov-26,,25-Nov-26,TRF A,,5.00,5.00\n';
    expect(await usageFaultOf(read(content))).toBe(
      'the header fits the layouts zenith and access | add --layout zenith',
    );
    const layout = LAYOUTS.find(({ name }) => name === 'zenith');
    expect(await linesOf(read(content, { layout }))).toEqual([['11-25', 500, 'TRF A']]);
  });
});
