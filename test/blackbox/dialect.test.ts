import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { clock } from '../support/clock.ts';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, type RunOptions } from '../support/program.ts';

const SHOWN = /^[a-z]{3}\.Lcal\.[A-Za-z0-9]{22}_t$/;

interface Listed {
  readonly uid: string;
  readonly ref: string;
  readonly description: string;
  readonly checkout: { readonly currency: readonly [string, string] } | null;
  readonly metadata: { readonly emulate?: string };
  readonly onye: { readonly uid: string } | null;
}

/** Starts `emulator start --dialect live`, which answers like the public service. */
const live = async () => {
  const home = newFolder();
  const file = join(home, 'emulator.sqlite');
  await emulatorRoom.seed({ file, clock, customers: 25, ugwo: 120 });
  const { origin, key, close } = await emulatorRoom.start({ file, port: 0, clock, dialect: 'live' });
  onTestFinished(close);
  const options: RunOptions = { home, env: { PAYCLI_BASE_URL: origin, PAYCLI_SECRET_KEY: key } };
  const run = (...args: string[]) => inProcess(args, options);
  const listed = await run('ugwo', 'list', '--json');
  // The live list shows too little to choose from.
  const whole = await run('ugwo', 'list', '--local', '--json');
  const { data } = JSON.parse(whole.stdout.replaceAll(/("\w{3}\.Lcal\.\w{22})\w\w"/g, '$1_t"')) as {
    data: readonly Listed[];
  };
  const plain = data.filter(({ metadata }) => metadata.emulate === undefined);
  const uidOf = (found: Listed | undefined): string => found?.uid ?? 'none';
  return {
    run,
    listed,
    data,
    home,
    naira: uidOf(plain.find(({ checkout }) => checkout?.currency[0] === 'NGN')),
    cedi: uidOf(plain.find(({ checkout }) => checkout?.currency[0] === 'GHS')),
    unrouted: uidOf(plain.find(({ checkout }) => checkout === null)),
    losing: uidOf(data.find(({ metadata }) => metadata.emulate === 'lost')),
    failing: uidOf(data.find(({ metadata }) => metadata.emulate === 'fail')),
    onye: data.find(({ onye }) => onye !== null)?.onye?.uid ?? 'none',
  };
};

const PAID = 'ugw.Lcal.jSjnPykArw2vSDlN97UMEZ_t';
const PAID_BY = 'act.Lcal.HX4qrPvtNdRm2oKSudke0x_t';

describe("with the emulator's live dialect, paycli", () => {
  it('lists payment requests', async () => {
    const { listed, run } = await live();
    expect(listed).toMatchObject({ code: 0 });
    const { data } = JSON.parse(listed.stdout);
    expect(data).toHaveLength(10);
    expect(Object.keys(data[0])).toEqual(['uid', 'amount', 'currency', 'status', 'ref', 'created_at']);
    expect(data[0]).toMatchObject({
      uid: expect.stringMatching(SHOWN),
      status: ['requires_ugwo', 'enum.ugwo_status.requires_ugwo'],
      amount: expect.stringMatching(/^\d+$/),
    });
    const all = await run('ugwo', 'list', '--all', '-o', 'tsv', '--columns', 'uid,status,amount,currency');
    expect(all).toMatchObject({ code: 0 });
    const rows = all.stdout.trim().split('\n');
    expect(rows).toHaveLength(120);
    for (const row of rows) expect(row).toMatch(/^ugw\.Lcal\.\w{24}\t[a-z_]+\t\d+\t(?:NGN|GHS)$/);
  });

  it.each([
    ['--email', 'ada@example.com'],
    ['--customer', 'ada@example.com'],
  ])('says that a list without customers cannot be filtered by %s', async (flag, value) => {
    const { run } = await live();
    const ended = await run('ugwo', 'list', flag, value);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(
      `error: ${flag} finds nothing here: the service's list of payment requests shows no customers\n` +
        '→ use --ref or --since, or search your own charges: `paycli ledger list`\n',
    );
  });

  it('filters a list by a field that it shows', async () => {
    const { run, data } = await live();
    const found = await run('ugwo', 'list', '--ref', data[3]?.ref ?? '', '-o', 'tsv', '--columns', 'uid');
    expect(found).toMatchObject({ code: 0, stdout: `${data[3]?.uid}\n` });
  });

  it('finds the payment request of a reference again, with the fields that the list does not show', async () => {
    const { run } = await live();
    const create = ['ugwo', 'create', '--amount', '900.00', '--currency', 'NGN', '--ref', 'INV-1', '--description'];
    const made = await run(...create, 'Cloth', '-o', 'tsv', '--columns', 'uid');
    const again = await run(...create, 'Cloth', '-o', 'tsv', '--columns', 'uid');
    expect(again).toMatchObject({ code: 0, stdout: made.stdout });
    expect((await run(...create, 'Rice')).code).toBe(3);
  });

  it('gets a payment request and its activity', async () => {
    const { run } = await live();
    const got = await run('ugwo', 'get', PAID, '-o', 'tsv', '--columns', 'uid,status,currency');
    expect(got).toMatchObject({
      code: 0,
      stdout: `uid\t${PAID}\nstatus\tugwo_successful\ncurrency\tNGN\n`,
    });
    const activity = await run('activity', 'get', PAID, PAID_BY, '-o', 'tsv', '--columns', 'uid,status');
    expect(activity).toMatchObject({ code: 0, stdout: `uid\t${PAID_BY}\nstatus\tsuccessful\n` });
  });

  it.each([
    ['bank_transfer', 'next_action.headers.account_number', /^\d{10}$/, []],
    ['ussd', 'next_action.headers.ussd', /^\*.*#$/, ['--provider', 'gtb']],
  ])("charges by %s and shows the customer's next action", async (medium, column, wanted, more) => {
    const { run, naira } = await live();
    const ended = await run(
      'ugwo',
      'charge',
      naira,
      '--medium',
      medium,
      ...more,
      '-o',
      'tsv',
      '--columns',
      `status,${column}`,
    );
    expect(ended.code, ended.stderr).toBe(0);
    const [status, shown = ''] = ended.stdout.trim().split('\n');
    expect(status).toBe('status\trequires_action');
    expect(shown.split('\t')).toEqual([column, expect.stringMatching(wanted)]);
  });

  it('charges by mobile_money, where [] means no next action', async () => {
    const { run, cedi } = await live();
    const words = ['--medium', 'mobile_money', '--provider', 'mtn', '--phone', '+233201234567'];
    const ended = await run('ugwo', 'charge', cedi, ...words, '--json');
    expect(ended.code, ended.stderr).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: ['processing', expect.any(String)], next_action: [] });
  });

  it('exits with 11 if a charge fails at once', async () => {
    const { run, failing } = await live();
    expect((await run('ugwo', 'charge', failing, '--medium', 'bank_transfer')).code).toBe(11);
  });

  it('waits for a paid activity and for a pending one', async () => {
    const { run, naira } = await live();
    expect(await run('activity', 'wait', PAID, PAID_BY)).toMatchObject({ code: 0 });
    const charged = await run('ugwo', 'charge', naira, '--medium', 'ussd', '--provider', 'gtb', '--json');
    expect(charged.code, charged.stderr).toBe(0);
    const { uid } = JSON.parse(charged.stdout) as { uid: string };
    expect((await run('activity', 'wait', naira, uid, '--wait-timeout', '1s')).code).toBe(12);
    expect((await run('emulator', 'settle', uid, '--as', 'successful')).code).toBe(0);
    expect((await run('activity', 'wait', naira, uid)).code).toBe(0);
  });

  it('resolves a charge whose answer was lost', async () => {
    const { run, losing } = await live();
    expect((await run('ugwo', 'charge', losing, '--medium', 'bank_transfer')).code).toBe(6);
    expect((await run('ledger', 'sync')).code).toBe(0);
    const { stdout } = await run('ledger', 'list', '-o', 'tsv', '--columns', 'state,ugwo');
    expect(stdout).toBe(`accepted\t${losing}\n`);
  });

  it('updates a customer', async () => {
    const { run, onye } = await live();
    const ended = await run('onye', 'update', onye, '--first-name', 'aDA', '--clear-meta', '--json');
    expect(ended.code, ended.stderr).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ uid: onye, first_name: 'Ada', meta: [] });
  });

  it.each([
    ['a paid request', ['ugwo', 'charge', PAID, '--medium', 'bank_transfer', '--no-preflight'], 'ugwo_processed'],
    ['an unknown request', ['ugwo', 'get', 'ugw.Lcal.000000000000000000000000'], 'ugwo.error.not_found'],
  ])('recognises a rejection: %s', async (_what, args, message) => {
    const { run } = await live();
    const ended = await run(...args, '--json');
    expect(ended.code, ended.stderr).toBe(3);
    expect(JSON.stringify(errorOf(ended))).toContain(message);
  });

  it('recognises an unknown bank code and names --provider', async () => {
    const { run, naira } = await live();
    const ended = await run('ugwo', 'charge', naira, '--medium', 'ussd', '--provider', 'gtbank', '--json');
    expect(ended.code, ended.stderr).toBe(3);
    expect(errorOf(ended)).toMatchObject({ violations: [{ option: '--provider' }] });
  });

  it('recognises a request without a checkout', async () => {
    const { run, unrouted } = await live();
    const ended = await run('ugwo', 'charge', unrouted, '--medium', 'bank_transfer', '--json');
    expect(ended.code, ended.stderr).toBe(3);
    expect(errorOf(ended)).toMatchObject({ violations: [{ property_path: 'checkout' }] });
  });
});
