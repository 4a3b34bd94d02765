import { readdirSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { forSpreadsheet } from '../../src/core/text.ts';
import { scene } from '../support/scene.ts';
import { SPECS } from '../support/specs.ts';
import { openTerminal } from '../support/terminal.ts';
import { fileOf } from './bulk-support.ts';

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

const template = async (name: string, ...more: readonly string[]): Promise<string> =>
  (await scene({ argv: [...name.split(' '), '--template', ...more] })).stdout;

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
    const { home } = await scene({
      argv: [...name.split(' '), '--template'],
      env: { PAYCLI_PROFILE: 'nobody' },
      stdout: [`${COMMANDS[name]?.columns}\r\n`, /^[^\r\n]+\r\n[^\r\n]*EXAMPLE[^\r\n]*\r\n$/],
    });
    expect(readdirSync(home)).toEqual([]);
  });

  it.each(
    NAMES.flatMap((name) =>
      [[], ['--no-validate'], ['--dry-run'], ['--skip-invalid']].map((how) => [name, how] as const),
    ),
  )('has an example that %s %j refuses', async (name, how) => {
    await scene({
      ...{ service: [], looks: 'asked' },
      argv: [...name.split(' '), '--from', fileOf(await template(name)), '--yes', ...how],
      exit: 2,
      stderr: [/row 1, column \w+: "\S*EXAMPLE\S*" is the example of the template: replace it/],
    });
  });

  it.each(NAMES)('makes a file that %s sends once it is edited', async (name) => {
    const file = fileOf(edited(await template(name, '--bom'), COMMANDS[name]?.edit ?? {}));
    const argv = [...name.split(' '), '--from', file, '--local', '--yes', '--json'];
    await scene({ argv, stderr: /^/, json: { rows: 1, accepted: 1 } });
  });

  it.each(['tsv', 'ndjson'])('makes a file in %s, too', async (format) => {
    const text = await template('ugwo charge', '-o', format);
    const sent = (content: string) => ['ugwo', 'charge', '--from', fileOf(content, `charges.${format}`), '--local'];
    await scene({ argv: sent(text), exit: 2, stderr: ['is the example of the template'] });
    await scene({ argv: [...sent(text.replace('ugw.EXAMPLE', SEEDED.ugwo)), '--json'], json: { accepted: 1 } });
  });

  it('leaves out what an option sets', async () => {
    const text = await template('ugwo charge', '--medium', 'bank_transfer', '--expires-in', '5m');
    expect(text).toMatch(/^ugwo,expires_at,provider,phone,param\.k,amount,amount_minor,currency,ref,customer\r\n/);
  });

  it('is charged with --no-preflight, too: empty cells count as absent', async () => {
    const file = fileOf(edited(await template('ugwo charge'), COMMANDS['ugwo charge']?.edit ?? {}));
    const argv = ['ugwo', 'charge', '--from', file, '--no-preflight', '--local', '--json'];
    await scene({ argv, stderr: /^/, json: { rows: 1, accepted: 1 } });
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
    await scene({ argv: [...args, '--template'], exit: 2, stderr: [`${what} can't be used together`] });
  });

  it('is CSV on a terminal, whatever the profile stores', async () => {
    const { home } = await scene({
      before: [
        ['login', '--profile', 'shop', '--base-url', 'http://127.0.0.1:9', '--key-stdin', '--no-verify'],
        ['config', 'set', 'output', 'json'],
      ],
      stdin: `sk.Test.${'0'.repeat(80)}`,
      argv: ['config', 'set', 'medium', 'ussd'],
      stderr: /^/,
    });
    const terminal = openTerminal(['ugwo', 'charge', '--template'], { home, columns: 200 });
    expect(await terminal.ended).toMatchObject({ code: 0 });
    expect(await terminal.screen()).toMatch(/^ugwo,medium,.*\nugw\.EXAMPLE,bank_transfer,/);
  });
});
