import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { type Intent, ledgerTargetOf } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { hitView } from '../../src/records/entry.ts';
import { onyeOf, ugwoOf, uidOf } from '../support/ids.ts';
import { inProcess } from '../support/in-process.ts';
import { newFolder, type RunOptions } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import { json, page, serveBy, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { fileOf } from './bulk-support.ts';
import { begin, openDesk, REFUND, USSD, writing } from './desk-support.ts';
import { newTeam } from './team-support.ts';

interface Hit {
  readonly ugwo: string | null;
  readonly ref: string | null;
  readonly state: string;
  readonly payment: string | null;
  readonly source: string;
  readonly found_by: string;
  readonly id: string | null;
  readonly command: string;
}

const hitsIn = (stdout: string): readonly Hit[] => JSON.parse(stdout).data;

/** A desk with a customer whose transfer brought a part of what was asked. */
const partPaid = async (env?: RunOptions['env']) => {
  const desk = await openDesk(env);
  const { json: ada } = await desk.post('/v1/onye', { email: 'ada@example.com', first_name: 'Ada', last_name: 'Obi' });
  const { uid } = await desk.shopRequest({ ref: 'INV-P5', amount: 123_400, onye: ada.uid });
  const charged = JSON.parse(await desk.done('ugwo', 'charge', uid, '--medium', 'bank_transfer', '--json'));
  await desk.settle(charged.uid, 'successful', 40_000);
  await desk.sync();
  const find = async (...words: readonly string[]): Promise<readonly Hit[]> =>
    hitsIn(await desk.done('find', ...words, '--json'));
  const [entry] = JSON.parse(await desk.done('ledger', 'list', '--json')).data;
  const account: string = charged.next_action.headers.account_number;
  return {
    ...desk,
    find,
    uid,
    ada: ada.uid,
    activity: charged.uid,
    account,
    psp: charged.psp_external_id,
    id: entry.id,
  };
};

/** Begins charges whose payment requests count up from 1, oldest first. */
const beginning =
  (...charges: readonly Partial<Intent>[]) =>
  async (ledger: Ledger): Promise<void> => {
    for (const [at, { phone, ...some }] of charges.entries()) {
      const number = phone === undefined ? {} : { phone, medium: 'mobile_money', provider: 'mtn' };
      await begin(ledger, { about: ugwoOf(at + 1), ...number, ...some }, { state: 'not_sent', exitCode: 7 });
    }
  };
const asking = (amount: number, ref?: string, email?: string) => ({ asked: { amount, currency: 'NGN', ref, email } });

/** Finds in a ledger with these charges, without a profile. */
const filled = async (...charges: readonly Partial<Intent>[]) => {
  const home = newFolder();
  await writing(home, beginning(...charges));
  return (words: readonly string[], seen: Partial<Scene>) =>
    scene({ home, env: { PAYCLI_SECRET_KEY: undefined }, argv: ['find', ...words], ...seen });
};

const expectPartPaid = async (desk: Awaited<ReturnType<typeof partPaid>>): Promise<void> => {
  const { find, uid, ada, activity, account, psp, id } = desk;
  const texts = [
    [account, 'account_number'],
    [account.replace(/^(...)(...)/, '$1 $2-'), 'account_number'],
    [psp, 'psp_reference'],
    ['INV-P5', 'ref'],
    ['ada@example.com', 'customer_email'],
    ['1,234.00', 'amount'],
    ['NGN 1,234.00', 'amount'],
    ['ngn1234', 'amount'],
    ['400.00', 'received'],
    [uid, 'ugwo'],
    [activity, 'activity'],
    [ada, 'customer'],
    [id, 'id'],
  ] as const;
  for (const [text, by] of texts) {
    const hits = await find(...text.split(' '));
    expect(hits, `${by} ${text}`).toMatchObject([
      {
        ...{ ugwo: uid, ref: 'INV-P5', amount: 123_400, currency: 'NGN', customer: ada, id },
        ...{ customer_email: 'ada@example.com', payment: 'underpaid', state: 'accepted', received: 40_000 },
        ...{ profile: null, source: 'ledger', found_by: by, command: 'paycli ugwo charge INV-P5 --remaining' },
      },
    ]);
    expect(Object.keys(hits[0] ?? {})).toEqual(hitView.columns.map(({ path }) => path));
  }
  expect(await find('USD 1,234.00')).toEqual([]);
  const wider = [
    ['inv-p5', 'ref'],
    ['inv-P', 'ref_beginning'],
    ['ADA@example.com', 'customer_email'],
    [psp.toLowerCase(), 'psp_reference'],
    [account.slice(-4), 'account_last4'],
    [`…${account.slice(-4)}`, 'account_last4'],
  ] as const;
  for (const [text, by] of wider) expect(await find(text), text).toMatchObject([{ id, found_by: by }]);
  for (const text of ['NV-P5', 'INV_P', 'INV%', 'INV!']) expect(await find(text), text).toEqual([]);
};

describe('find, in the ledger', () => {
  it('finds a payment by whatever the customer tells', async () => {
    await expectPartPaid(await partPaid());
  });

  it.skipIf(process.platform === 'win32')('finds the same in PostgreSQL', async () => {
    await expectPartPaid(await partPaid({ PAYCLI_LEDGER: (await newTeam()).url }));
  });

  it('finds phones by their last four digits, and whole with the country code', async () => {
    const find = await filled(
      { phone: '+233201234567', ...asking(1) },
      { phone: '+233209994567', ...asking(2) },
      asking(3),
    );
    const [first, second] = [1, 2].map((at) => ({ ugwo: ugwoOf(at), found_by: 'phone' }));
    await find(['4567', '--json'], { json: { data: [second, first] } });
    await find(['+233 20 123-4567', '--json'], { json: { data: [first] } });
    await find(['0201234567', '--json'], { json: { data: [] } });
    const line = 'By the end of a phone number: paycli find 4567';
    await find(['0201234567'], { stderr: [`\n${line}\n`] });
    const more = ['--all-profiles', '--local'];
    await find(['0201234567', ...more], { stderr: [`\n${[line, ...more].join(' ')}\n`] });
  });

  it('says what the text is in each hit, the newest first, where it may be several things', async () => {
    const find = await filled(
      { phone: '+233201231500', ...asking(7) },
      asking(150_000, 'INV-1'),
      asking(9, '1500'),
      asking(150_000, '1500'),
    );
    const data = ['phone', 'amount', 'ref', 'ref'].map((found_by, at) => ({ ugwo: ugwoOf(at + 1), found_by }));
    await find(['1500', '--json'], { json: { data: data.toReversed() } });
  });

  it('takes the beginning of a ref only if none is the text itself', async () => {
    const find = await filled(asking(1, 'INV-1'), asking(2, 'INV-10'), asking(3, 'inv-11'));
    const refs = (...all: readonly string[]) => ({ json: { data: all.map((ref) => ({ ref })) } });
    await find(['INV-1', '--json'], refs('INV-1'));
    await find(['Inv-1', '--json'], refs('inv-11', 'INV-10', 'INV-1'));
    await find(['Inv-1'], { stderr: 'Found by the beginning of a ref, or in another case.\n' });
  });

  it('shows ten hits, and says how many more there are', async () => {
    const find = await filled(...Array.from({ length: 12 }, (_, at) => asking(at + 1, 'INV-1', 'a@example.com')));
    const newest = ['amount_minor', 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, ''].join('\r\n');
    const stderr = ['The newest 10 of 12 hits. For more: paycli find INV-1 --max 12\n'];
    await find(['INV-1', '-o', 'csv', '--columns', 'amount'], { stdout: newest, stderr });
    await find(['INV-1', '--max', '12', '-o', 'ndjson'], { stdout: /^(?:.+\n){12}$/ });
  });

  it('counts no further than a hundred more', async () => {
    const find = await filled(...Array.from({ length: 103 }, (_, at) => asking(at + 1, 'INV-1')));
    await find(['INV-1', '--max', '1'], { stderr: /^The newest 1 of at least 101 hits\./ });
    await find(['INV-1', '--max', '4'], { stderr: /^The newest 4 of 103 hits\./ });
  });

  it('finds nothing of another service or workspace, or of another profile without its key', async () => {
    const { home, origin, key, paycli, done } = await openDesk();
    const own = ledgerTargetOf(origin, key, undefined);
    await writing(
      home,
      beginning(
        { ...own, ...asking(1, 'INV-1') },
        { ...own, service: 'https://other.example', ...asking(2, 'INV-1') },
        { ...own, workspace: 'EfGh', ...asking(3, 'INV-1') },
      ),
    );
    expect(hitsIn(await done('find', 'INV-1', '--json')).map((hit) => hit.ugwo)).toEqual([ugwoOf(1)]);
    const all = hitsIn(await done('find', 'INV-1', '--json', '--all-profiles'));
    expect(all.map((hit) => hit.ugwo)).toEqual([ugwoOf(3), ugwoOf(2), ugwoOf(1)]);
    const [other] = hitsIn(await done('find', ugwoOf(2), '--json', '--all-profiles'));
    expect(hitsIn(await done('find', String(other?.id), '--json'))).toEqual([]);
    expect(hitsIn(await done('find', String(other?.id), '--json', '--all-profiles'))).toHaveLength(1);
    expect(await paycli('find', 'INV-1', '--service', '--all-profiles')).toMatchObject({ code: 2 });
  });

  it('leads from the id of a file to its counts', async () => {
    const home = newFolder();
    const { stdout } = await scene({
      home,
      before: [
        ['onye', 'update', '--from', fileOf(`uid,email\n${SEEDED.onye},ada@example.com\n`), '--local'],
        ['ugwo', 'charge', '--from', fileOf(`ugwo\n${SEEDED.ugwo}\n`), '--local', ...USSD],
      ],
      argv: ['ledger', 'jobs', '--local', '--json'],
      json: { data: [{ command: 'ugwo charge' }, { command: 'onye update' }] },
    });
    const [charged, updated] = JSON.parse(stdout).data.map(({ id }: { id: string }) => id);
    const all = (id: string) => `All of it: paycli ledger show ${id} --local\n`;
    for (const [id, stdout, stderr] of [
      [charged, `${SEEDED.ugwo}\tjob\n`, all(charged)],
      [updated, '', all(updated)],
      ['job-0000000000000000', '', /^Nothing found/],
    ]) {
      const argv = ['find', id, '--local', '-o', 'tsv', '--columns', 'ugwo,found_by'];
      await scene({ home, argv, stdout, stderr });
    }
    const terminal = openTerminal(['find', charged, '--local'], { home, columns: 60, env: { NO_COLOR: '1' } });
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(terminal.raw()).toMatch(/^All of it:\r\n {2}paycli ledger show job-\w+ --local\r\n\r\nref /);
  });

  it('prints no control characters of a ref or of the text', async () => {
    const [ref, home] = ['INV\u001b[31m\u202e\n1', newFolder()];
    await writing(home, beginning(asking(5, ref)));
    const options = { home, env: { PAYCLI_SECRET_KEY: undefined } };
    for (const text of [ref, `${ref}?`]) {
      const ended = await inProcess(['find', text, '-o', 'tsv'], options);
      expect(ended.code).toBe(0);
      for (const hidden of ['\u001b', '\u202e']) expect(ended.stdout + ended.stderr).not.toContain(hidden);
      const terminal = openTerminal(['find', text], { ...options, env: { ...options.env, NO_COLOR: '1' } });
      await terminal.ended;
      for (const hidden of ['\u001b[31m', '\u202e']) expect(terminal.raw()).not.toContain(hidden);
      expect(terminal.raw()).toContain(String.raw`INV\x1b[31m`);
    }
    expect(hitsIn((await inProcess(['find', ref, '--json'], options)).stdout)).toMatchObject([{ ref }]);
  });

  it.each([60, 80, 100, 140])('shows the payment and the whole command at %i columns', async (columns) => {
    const { options } = await partPaid();
    const terminal = openTerminal(['find', 'ada@example.com'], {
      ...options,
      columns,
      env: { ...options.env, NO_COLOR: '1' },
    });
    expect(await terminal.ended).toEqual({ code: 0 });
    const text = terminal.raw().replaceAll('\r\n', '\n');
    expect(text).toContain('paycli ugwo charge INV-P5 --remaining');
    expect(text).toMatch(/INV-P5.*NGN 1,234\.00.*part paid.*NGN 400\.00/s);
    if (columns <= 80) expect(text).toMatch(/^found by +e-mail address$/m);
    expect(text.split('\n').filter((line) => line.length > columns && !line.includes('paycli'))).toEqual([]);
  });

  it('says that it found nothing, and what to try', async () => {
    const find = await filled();
    const stderr = `Nothing found in the ledger.\nAt the service: paycli find 'O'\\''Brien' --service\n`;
    await find(["O'Brien"], { stdout: '', stderr });
    await find(['INV-1', '--json'], { stdout: '{"data":[],"next_cursor":null}\n' });
    await find([' '], { exit: 2 });
    await find([], { exit: 2 });
  });

  it('sends nothing and runs no key command', async () => {
    const home = newFolder();
    const marker = `${home}/was-run`;
    const shop = {
      origin: 'https://pay.example',
      key_command: ['/bin/touch', marker],
      created_at: '2026-11-20T12:00:00+00:00',
    };
    writeFileSync(`${home}/config.json`, JSON.stringify({ version: 1, default: 'shop', profiles: { shop } }), {
      mode: 0o600,
    });
    await writing(home, beginning(asking(1, 'INV-1'), { profile: 'other', ...asking(1, 'INV-1') }));
    const env = { PAYCLI_SECRET_KEY: undefined, PAYCLI_BASE_URL: undefined };
    const [argv, command] = [['find', 'INV-1', '--json'], 'paycli ugwo charge INV-1'];
    await scene({ home, env, argv, json: { data: [{ command }] } });
    const data = ['other', 'shop'].map((profile) => ({ command: `${command} --profile ${profile}` }));
    await scene({ home, env, argv: [...argv, '--all-profiles'], json: { data } });
    expect(existsSync(marker)).toBe(false);
  });
});

describe('the command of a hit', () => {
  it('is the same as in status, and else finds out, charges or shows', async () => {
    const { request, charge, settle, sync, done, status, find } = await partPaid();
    const next = async (ref: string) =>
      (await find(ref)).map(({ payment, command }) => [payment, command.replaceAll(/(chg-|act\.|ugw\.)\S+/g, '$1')]);
    const twice = await request('INV-D6');
    const attempts = [await charge(twice), await charge(twice, '--again')];
    for (const activity of attempts) await settle(activity, 'successful');
    const reversed = await charge(await request('INV-Q1'));
    await settle(reversed, 'successful');
    await settle(await charge(await request('INV-OK')), 'successful');
    await sync();
    await settle(reversed, 'reversed');
    await sync();
    await charge(await request('INV-N1'));
    const lost = await request('INV-F2');
    expect(lost).toMatch(/^ugw/);
    expect(await next('INV-D6')).toEqual([
      ['paid', 'paycli refund create act. --ugwo ugw. --amount 900.00'],
      ['paid', 'paycli refund create act. --ugwo ugw. --amount 900.00'],
    ]);
    expect(await next('INV-Q1')).toEqual([['reversed', 'paycli ugwo charge INV-Q1']]);
    expect(await next('INV-OK')).toEqual([['paid', 'paycli ledger show chg-']]);
    expect(await next('INV-N1')).toEqual([['open', 'paycli ledger sync chg-']]);
    const { cases } = await status();
    expect(cases.map(({ command }) => command)).toEqual(
      await Promise.all(['INV-D6', 'INV-P5', 'INV-Q1'].map(async (ref) => (await find(ref))[0]?.command)),
    );
    await done('ugwo', 'cancel', String((await find('INV-Q1'))[0]?.ugwo), '--yes');
    expect(await next('INV-Q1')).toEqual([['reversed', 'paycli ledger show chg-']]);
  });

  it('shows a paid charge of which nobody knows how much it asked for', async () => {
    const { home, origin, key, find } = await partPaid();
    await writing(home, async (ledger) => {
      const about = { ...ledgerTargetOf(origin, key, undefined), about: ugwoOf(7) };
      const activity = { uid: uidOf(7), status: 'successful', nextAction: null, createdAt: undefined };
      await begin(ledger, about, { state: 'accepted', exitCode: 0, activity });
    });
    const [hit] = await find(uidOf(7));
    expect(hit).toMatchObject({ payment: 'paid', command: `paycli ledger show ${hit?.id}` });
  });

  it('finds out about an unknown charge, and shows a refund', async () => {
    const { home, origin, key, find } = await partPaid();
    const target = ledgerTargetOf(origin, key, undefined);
    await writing(home, async (ledger) => {
      const refund = { ...REFUND, about: 'act.AbCd.000000000000000000000001' };
      for (const some of [{ ...asking(5, 'INV-F2'), about: ugwoOf(7) }, refund])
        await begin(ledger, { ...target, ...some }, { state: 'unknown', exitCode: 6 });
    });
    expect(await find('INV-F2')).toMatchObject([{ state: 'unknown', command: 'paycli ledger sync' }]);
    const [hit] = await find('act.AbCd.000000000000000000000001');
    expect(hit).toMatchObject({ ugwo: null, state: 'unknown', command: `paycli ledger show ${hit?.id}` });
    const { stderr } = await inProcess(['ledger', 'show', String(hit?.id)], { home });
    const words = `paycli ledger resolve ${hit?.id} --as created --base-url ${origin}`;
    expect(stderr).toContain(`\`${words}\`, or \`--as not-created\``);
  });
});

/** A service whose payment requests count up from 1, a hundred on a page, and the number of pages that it has served. */
const listing = async (last: number, some: (number: number) => object = () => ({})) => {
  const service = await serveBy(({ url }) => {
    const query = new URL(url, 'http://list').searchParams;
    expect(query.get('limit')).toBe('100');
    const at = Number(query.get('cursor') ?? 0);
    const records = Array.from({ length: 100 }, (_, place) => ({
      ...ugwo(100 * at + place),
      ...some(100 * at + place),
    }));
    return json(200, { data: records, next_cursor: at + 1 < last ? String(at + 1) : null });
  });
  const find = (words: readonly string[], seen: Partial<Scene>) =>
    scene({ service, argv: ['find', ...words, '--service'], ...seen });
  return { service, find };
};
const ADA = {
  uid: onyeOf(1),
  email: 'Ada@Example.com',
  first_name: 'Ada',
  last_name: 'Obi',
  phone: '+234 803 123-4567',
};

describe('find --service', () => {
  it('reads twenty pages of a hundred, and says how far it looked', async () => {
    const { service, find } = await listing(30);
    await find(['order-1999', '--json'], { json: { data: [{ ref: 'order-1999' }] } });
    expect(service.seen).toHaveLength(20);
    const stderr = /^Looked through 2000 payment requests, back to 2026-11-2[01] \d\d:\d\d\.\nNothing found\.\n$/;
    await find(['order-2000'], { stdout: '', stderr });
    expect(service.seen).toHaveLength(40);
  });

  it.each([
    ['ada OBI', 'name'],
    ['Ob', undefined],
    ['ada@example.com', 'email'],
    ['1234567', 'phone'],
    ['08031234567', 'phone'],
    ['+2348031234567', 'phone'],
    ['ORDER-7', 'ref'],
    ['5,000.07', 'amount'],
    ['USD 5,000.07', undefined],
    ['0.12', 'received'],
    ['8888', undefined],
    ['r-17', 'psp_external_id'],
    ['0123456789', 'account_number'],
    ['chk.AbCd.000000000000000000000001', 'uid'],
    [ugwoOf(7), 'uid'],
  ])('finds %s in the records as received', async (text, by) => {
    const { find } = await listing(1, (number) =>
      number === 7
        ? {
            onye: ADA,
            total_amount_paid: '12',
            status: 'ugwo_successful',
            checkout: { uid: 'chk.AbCd.000000000000000000000001' },
            latest_ugwo_activity: {
              uid: 'act.AbCd.000000000000000000000001',
              psp_external_id: 'R-17',
              next_action: { type: 'user_action', headers: { account_number: '0123456789' } },
            },
          }
        : { total_amount_paid: '99998888', metadata: { table: '68888' } },
    );
    const hit = {
      ...{ ugwo: ugwoOf(7), ref: 'order-7', amount: 500_007, customer: onyeOf(1), customer_email: 'Ada@Example.com' },
      ...{ payment: null, state: 'ugwo_successful', received: 12, id: null, source: 'service', found_by: by },
      command: `paycli ugwo get ${ugwoOf(7)}`,
    };
    await find([...text.split(' '), '--json'], { json: { data: by === undefined ? [] : [hit] } });
  });

  it('shows the request as it is there, with the charge from here', async () => {
    const { done, request, charge, settle, find, uid } = await partPaid();
    const open = await request('INV-N1');
    const fresh = await request('INV-N2');
    const activity = await charge(open);
    expect(await find('INV-N2')).toEqual([]);
    expect(await find('INV-N2', '--service')).toMatchObject([
      { ugwo: fresh, state: 'requires_ugwo', id: null, command: `paycli ugwo charge ${fresh}` },
    ]);
    await settle(activity, 'successful');
    const [hit, ...others] = await find('inv-n1', '--service');
    const sync = `paycli ledger sync ${hit?.id}`;
    expect([hit, others]).toMatchObject([
      { ugwo: open, state: 'ugwo_successful', source: 'service', command: sync },
      [],
    ]);
    expect(await find('INV-N1', '--service')).toMatchObject([{ source: 'service', command: sync }]);
    await done(...sync.split(' ').slice(1));
    expect(await find('INV-N1', '--service')).toMatchObject([{ command: `paycli ledger show ${hit?.id}` }]);
    expect(await find('ada', '--service')).toMatchObject([
      { ugwo: uid, state: 'requires_ugwo', received: 40_000, command: 'paycli ugwo charge INV-P5 --remaining' },
    ]);
  });

  it.each([
    ['ada@example.com', 'e-mail address'],
    ['R-17', 'psp reference'],
  ])('says to people what %s is as of the ledger', async (text, words) => {
    const latest = { psp_external_id: 'R-17' };
    const { find } = await listing(1, (number) => (number === 7 ? { onye: ADA, latest_ugwo_activity: latest } : {}));
    const stdout = [new RegExp(`^order-7 .+ ${words} `, 'm')];
    await find([text, '-o', 'table'], { stdout, stderr: ['Looked through 100 payment requests'] });
  });

  it('shows what the ledger has if the service fails, and says that the list shows no customers', async () => {
    const { find } = await listing(1, () => ({ onye: undefined }));
    await find(['nobody'], { stderr: ['The list shows no customers.'] });
    const service = await serveBy(({ url }) => (url.includes('cursor') ? json(403, {}) : page([1], 'next')));
    const home = newFolder();
    await writing(home, beginning({ ...ledgerTargetOf(service.origin, '', undefined), ...asking(5, 'INV-1') }));
    await scene({
      ...{ home, service },
      argv: ['find', 'INV-1', '--service', '--json'],
      exit: 4,
      json: { data: [{ ref: 'INV-1', source: 'ledger' }] },
      error: { kind: 'auth' },
      requests: ['GET', 'GET'],
    });
  });
});
