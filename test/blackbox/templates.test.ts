import { readdirSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { forSpreadsheet } from '../../src/core/text.ts';
import { inProcess } from '../support/in-process.ts';
import { newFolder } from '../support/program.ts';
import { serve } from '../support/service.ts';
import { SPECS } from '../support/specs.ts';
import { openTerminal } from '../support/terminal.ts';
import { fileOf, summaryOf } from './bulk-support.ts';

type Cells = Readonly<Record<string, string>>;

/** The commands with --from: the columns of their templates, and the cells that make the example a row of one's own. */
const COMMANDS: Readonly<Record<string, { readonly columns: string; readonly edit: Cells }>> = {
  'ugwo charge': {
    columns: 'ugwo,medium,expires_at,expires_in,provider,phone,param.k,amount,amount_minor,currency,ref,customer',
    edit: { ugwo: SEEDED.ugwo },
  },
  'ugwo create': {
    columns: 'ref,amount,amount_minor,currency,customer,description,checkout,metadata.k',
    edit: { ref: 'INV-007', customer: 'ada@example.com' },
  },
  'onye create': {
    columns:
      'email,ref,first_name,last_name,billing_address.address,billing_address.address2,billing_address.city,' +
      'billing_address.state,billing_address.zip,billing_address.country,meta.k',
    edit: { email: 'new@example.com', ref: '007', last_name: '-Obi' },
  },
  'onye update': {
    columns:
      'uid,email,ref,first_name,last_name,billing_address.address,billing_address.address2,billing_address.city,' +
      'billing_address.state,billing_address.zip,billing_address.country,meta.k,merge_meta.k',
    edit: { uid: SEEDED.onye, email: '', ref: '=R-7' },
  },
  'refund create': {
    columns: 'activity,ugwo,amount,amount_minor,currency,ref,reason,provider,account_number',
    edit: {
      ...SEEDED.paid,
      reason: '',
      amount: '',
      amount_minor: '100000',
      provider: 'gtb',
      account_number: '0123456789',
    },
  },
};
const NAMES = Object.keys(COMMANDS);

const template = async (name: string, ...more: readonly string[]): Promise<string> => {
  const ended = await inProcess([...name.split(' '), '--template', ...more]);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  return ended.stdout;
};

/** A cell as a spreadsheet saves it: numbers without zeros at their end. */
const saved = (cell: string): string => (/^[1-9]\d*\.\d+$/.test(cell) ? String(Number(cell)) : cell);

/** The template with other cells in its row, as a spreadsheet saves it. */
const edited = (text: string, edit: Cells): string => {
  const [header = [], example = []] = parse(text, { bom: true });
  const row = header.map((name, index) => forSpreadsheet(edit[name] ?? saved(example[index] ?? '')));
  return [header, row].map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';')).join('\r\n');
};

describe('--template', () => {
  it('belongs to every command with --from', () => {
    const from = SPECS.filter(({ options }) => 'from' in options && 'report' in options);
    expect(from.map(({ path }) => path.join(' ')).sort()).toEqual([...NAMES].sort());
  });

  it.each(NAMES)('lists every column of %s, and reads and writes no file', async (name) => {
    const home = newFolder();
    const ended = await inProcess([...name.split(' '), '--template'], { home, env: { PAYCLI_PROFILE: 'nobody' } });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout.split('\r\n')).toEqual([COMMANDS[name]?.columns, expect.stringContaining('EXAMPLE'), '']);
    expect(readdirSync(home)).toEqual([]);
  });

  it.each(
    NAMES.flatMap((name) =>
      [[], ['--no-validate'], ['--dry-run'], ['--skip-invalid']].map((how) => [name, how] as const),
    ),
  )('has an example that %s %j refuses', async (name, how) => {
    const service = await serve([]);
    const file = fileOf(await template(name));
    const ended = await inProcess([...name.split(' '), '--from', file, '--yes', ...how], { service });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/row 1, column \w+: "\S*EXAMPLE\S*" is the example of the template: replace it/);
    expect(service.seen.length + service.looks.length).toBe(0);
  });

  it.each(NAMES)('makes a file that %s sends once it is edited', async (name) => {
    const home = newFolder();
    const file = fileOf(edited(await template(name, '--bom'), COMMANDS[name]?.edit ?? {}));
    const ended = await inProcess([...name.split(' '), '--from', file, '--local', '--yes', '--json'], { home });
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ rows: 1, accepted: 1 });
  });

  it.each(['tsv', 'ndjson'])('makes a file in %s, too', async (format) => {
    const text = await template('ugwo charge', '-o', format);
    const send = async (content: string) =>
      inProcess(['ugwo', 'charge', '--from', fileOf(content, `charges.${format}`), '--local', '--json']);
    expect((await send(text)).stderr).toContain('is the example of the template');
    expect(await send(text.replace('ugw.EXAMPLE', SEEDED.ugwo))).toMatchObject({ code: 0 });
  });

  it('leaves out what an option sets', async () => {
    const text = await template('ugwo charge', '--medium', 'bank_transfer', '--expires-in', '5m');
    expect(text.split('\r\n')[0]).toBe(
      'ugwo,expires_at,provider,phone,param.k,amount,amount_minor,currency,ref,customer',
    );
  });

  it('is charged with --no-preflight, too: empty cells count as absent', async () => {
    const file = fileOf(edited(await template('ugwo charge'), COMMANDS['ugwo charge']?.edit ?? {}));
    const ended = await inProcess(['ugwo', 'charge', '--from', file, '--no-preflight', '--local']);
    expect(ended.code, ended.stderr).toBe(0);
  });

  it.each([
    [['ugwo', 'charge', '--from', 'x.csv'], '--from and --template'],
    [['ugwo', 'charge', '--report', 'x.csv'], '--report and --template'],
    [['ugwo', 'charge', SEEDED.ugwo], '--template and a payment request'],
    [['ugwo', 'charge', '--share'], '--share and --template'],
    [['onye', 'update', SEEDED.onye], '--template and a customer'],
    [['refund', 'create', SEEDED.paid.activity], '--template and an activity'],
    [['ugwo', 'create', '--ref', 'R'], '--template and --ref'],
  ])('is refused beside %j', async (args, what) => {
    const ended = await inProcess([...args, '--template']);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(`${what} can't be used together`);
  });

  it('is CSV on a terminal, whatever the profile stores', async () => {
    const home = newFolder();
    const login = ['login', '--profile', 'shop', '--base-url', 'http://127.0.0.1:9', '--key-stdin', '--no-verify'];
    await inProcess(login, { home, stdin: `sk.Test.${'0'.repeat(80)}` });
    await inProcess(['config', 'set', 'output', 'json'], { home });
    await inProcess(['config', 'set', 'medium', 'ussd'], { home });
    const terminal = openTerminal(['ugwo', 'charge', '--template'], { home, columns: 200 });
    expect(await terminal.ended).toMatchObject({ code: 0 });
    expect(await terminal.screen()).toMatch(/^ugwo,medium,.*\nugw\.EXAMPLE,bank_transfer,/);
  });
});
