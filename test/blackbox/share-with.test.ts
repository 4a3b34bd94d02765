import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { beside } from '../ledger/support/charges.ts';
import { atom, transferTo } from '../support/activity.ts';
import { PROGRAM, RUNTIME } from '../support/built.ts';
import { inProcess, startHere } from '../support/in-process.ts';
import { errorOf, killingProgram, newFolder, type RunOptions, runBefore, start } from '../support/program.ts';
import {
  ACTIVITY,
  type Answer,
  held,
  json,
  type Service,
  serveAllBy,
  serveBy,
  UGWO_ID,
  ugwo,
} from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import {
  activityOf,
  chargeFrom,
  csvOf,
  fileOf,
  numberIn,
  once,
  postsOf,
  reportOf,
  reportPath,
  summaryOf,
  ugwoOf,
} from './bulk-support.ts';
import { newTeam } from './team-support.ts';

/** A program that keeps what it gets in one file for each payment request, and then runs these lines. */
const sender = (...lines: readonly string[]) => {
  const folder = newFolder('sent');
  const path = join(folder, 'send.sh');
  const keep = [
    'cat >> "$here/$PAYCLI_UGWO"',
    'env > "$here/$PAYCLI_UGWO.env"',
    'echo x >> "$here/$PAYCLI_UGWO.times"',
  ];
  writeFileSync(path, ['#!/bin/sh', `here=${folder}`, ...keep, ...lines, ''].join('\n'));
  chmodSync(path, 0o700);
  const read = (name: string): string =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '';
  return {
    path,
    folder,
    sent: (ugwoUid = UGWO_ID): string => read(ugwoUid),
    env: (ugwoUid = UGWO_ID): string[] =>
      read(`${ugwoUid}.env`)
        .split('\n')
        .filter((line) => /PAYCLI|SECRET/.test(line))
        .sort(),
    /** How many times it ran for each payment request. */
    times: (): Record<number, number> =>
      Object.fromEntries(
        readdirSync(folder)
          .filter((name) => name.endsWith('.times'))
          .map((name) => [Number(/ugw\.AbCd\.(\d+)/.exec(name)?.[1]), read(name).split('\n').length - 1]),
      ),
  };
};

/** Code that runs before a program is started: `writeFile` before paycli claims its message, `unlinkSync` after. */
const beforeStart = (call: 'writeFile' | 'unlinkSync', code: string): string => `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const from = ${call === 'writeFile' ? 'fs.promises' : 'fs'};
  const { ${call}: real } = from;
  from.${call} = (path, ...more) => {
    if (String(path).includes('unstarted-')) { ${code} }
    return real(path, ...more);
  };
  syncBuiltinESMExports();`;

const NEXT = transferTo('0123456789', 600_000);
const MADE = {
  ...ACTIVITY,
  created_at: atom(Date.now()),
  amount: 500_001,
  checkout: { uid: 'chk.AbCd.1', currency: 'NGN' },
};
const NO_EXPIRY = JSON.parse(JSON.stringify(NEXT).replace('expires_at', 'other'));
const OPEN = json(200, { ...MADE, next_action: NEXT });
const template = (text: string | Uint8Array): string => fileOf(text, 'message.txt');
const one = (...more: readonly string[]): string[] => ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', ...more];
const at = (service: Service): RunOptions & { readonly home: string } => ({ service, home: newFolder() });
const evidenceOf = async (options: RunOptions): Promise<unknown[]> => {
  const { stdout } = await inProcess(['ledger', 'list', '--json'], options);
  const [{ id = '' } = {}] = (JSON.parse(stdout) as { data: { id: string }[] }).data;
  const shown = await inProcess(['ledger', 'show', id, '--json'], options);
  return (JSON.parse(shown.stdout) as { evidence: { kind: string }[] }).evidence.map(({ kind }) => kind);
};

/** A customer with a name for each payment request. */
const named: Answer = (seen, response, socket) => {
  const number = numberIn(seen);
  const onye = { uid: `ony.AbCd.${'0'.repeat(24)}`, email: `c${number}@example.com`, first_name: `Ada ${number}` };
  const shown = { ...ugwo(number), onye, checkout: { uid: 'chk.AbCd.1' }, activities: [] };
  json(200, shown)(seen, response, socket);
};
const accounts = (...odd: readonly [number: number, answer: Answer][]): Promise<Service> =>
  serveAllBy((seen) => {
    const number = numberIn(seen);
    if (seen.url.startsWith('/v1/checkouts/')) return json(200, { uid: 'chk.AbCd.1', name: 'Ada Stores' });
    if (seen.method === 'GET' && !seen.url.includes('/activities')) return named;
    const next_action = transferTo(`000000000${number}`, 600_000);
    return new Map(odd).get(number) ?? json(200, { ...MADE, amount: undefined, uid: activityOf(number), next_action });
  });
const rows = (...numbers: readonly number[]): string =>
  fileOf(csvOf('ugwo,medium', ...numbers.map((number) => `${ugwoOf(number)},bank_transfer`)));

describe.skipIf(process.platform === 'win32')('--share-with', () => {
  it('gives a program the message of --share alone, once, and no key', async () => {
    const service = await serveBy(() => OPEN);
    const printed = await inProcess(one('--share'), at(service));
    const [program, options] = [sender('echo said'), at(service)];
    const ended = await inProcess(one('--share-with', program.path, '--json'), options);
    expect([ended.code, ended.stderr, JSON.parse(ended.stdout).uid]).toEqual([0, 'said\n', ACTIVITY.uid]);
    expect(printed.stdout).toContain('\nReference: order-1\n');
    expect(program.sent()).toBe(printed.stdout);
    expect(program.env()).toEqual(['PAYCLI_REF=order-1', `PAYCLI_UGWO=${UGWO_ID}`]);
    expect(await evidenceOf(options)).toEqual(['to_share', 'sharing', 'shared']);
    const again = await inProcess(one('--share-with', program.path, '--reuse', '--json'), options);
    expect([again.code, JSON.parse(again.stdout).uid]).toEqual([0, ACTIVITY.uid]);
    expect(program.sent()).toBe(printed.stdout);
  });

  it.each([
    ['order-1/A #2: x+y', 'ada.o+pay%1@shop-1.example', ['PAYCLI_EMAIL', 'PAYCLI_REF', 'PAYCLI_UGWO'], ''],
    ['@file', '|touch$IFS#@x.example', ['PAYCLI_UGWO'], 'PAYCLI_REF PAYCLI_EMAIL'],
    ['$(touch x)', './x@y', ['PAYCLI_UGWO'], 'PAYCLI_REF PAYCLI_EMAIL'],
    ['-o x', 'a@b@c', ['PAYCLI_UGWO'], 'PAYCLI_REF PAYCLI_EMAIL'],
    ['a;b', '-a@x.example', ['PAYCLI_UGWO'], 'PAYCLI_REF PAYCLI_EMAIL'],
    ['order-é', 'a b@x.example', ['PAYCLI_UGWO'], 'PAYCLI_REF PAYCLI_EMAIL'],
  ])('passes a ref and an address only if they can be nothing else: %s, %s', async (ref, email, passed, said) => {
    const onye = { uid: `ony.AbCd.${'0'.repeat(24)}`, email };
    const shown = { ...ugwo(1), uid: UGWO_ID, ref, onye, checkout: MADE.checkout, activities: [] };
    const service = await serveAllBy(({ method }) => (method === 'GET' ? json(200, shown) : OPEN));
    const program = sender();
    const ended = await inProcess(one('--share-with', program.path), at(service));
    expect(ended.code, ended.stderr).toBe(0);
    expect(program.env().map((line) => line.split('=')[0])).toEqual(passed);
    const notices = [...ended.stderr.matchAll(/^note: (\w+) is left out where .* as for ugw\./gm)];
    expect(notices.map(([, name]) => name).join(' ')).toBe(said);
  });

  it('ends with 14 if the program fails, and shares with --reuse what is left', async () => {
    const service = await serveBy(() => OPEN);
    const [failing, working, options] = [sender('exit 3'), sender(), at(service)];
    const ended = await inProcess(one('--share-with', failing.path, '-o', 'json'), options);
    expect([ended.code, JSON.parse(ended.stdout).uid]).toEqual([14, ACTIVITY.uid]);
    expect(ended.stderr).toContain('the charge is made, but its message was not shared: exit code 3');
    const again = await inProcess(one('--share-with', working.path, '--reuse'), options);
    expect([again.code, postsOf(service)]).toEqual([0, once(0)]);
    expect(working.sent()).toContain('0123456789');
    expect(await evidenceOf(options)).toEqual(['to_share', 'sharing', 'not_shared', 'sharing', 'shared']);
  });

  it('names no command that shares nothing, after a program that may have sent the message', async () => {
    const [service, killed] = [await serveBy(() => OPEN), sender('kill -9 $$')];
    const ended = await inProcess(one('--share-with', killed.path), at(service));
    expect([ended.code, ended.stderr]).toEqual([
      14,
      expect.stringContaining('SIGKILL\n→ tell the customer yourself\n'),
    ]);
  });

  it('waits for no payment of a customer who got no message', async () => {
    const [service, failing] = [await serveBy(() => OPEN), sender('exit 4')];
    const ended = await inProcess(one('--share-with', failing.path, '--wait', '-o', 'json'), at(service));
    expect([ended.code, JSON.parse(ended.stdout).uid]).toEqual([14, ACTIVITY.uid]);
    expect(ended.stderr).toContain('not shared: exit code 4');
  });

  it('shares later what a program that could not start has left', async () => {
    const [service, working] = [await serveBy(() => OPEN), sender()];
    const [options, broken] = [at(service), fileOf('#!/no/such/interpreter\n', 'broken')];
    chmodSync(broken, 0o700);
    const ended = await inProcess(one('--share-with', broken), options);
    expect([ended.code, ended.stderr]).toEqual([14, expect.stringContaining("not shared: couldn't be started")]);
    expect(await inProcess(one('--share-with', working.path, '--reuse'), options)).toMatchObject({ code: 0 });
    expect(working.sent()).toContain('0123456789');
  });

  it('fills a template, with the expiry in a time zone', async () => {
    const service = await accounts();
    const text =
      '{first_name}: pay {amount} for {ref}\r\nto {account_number}, {bank} ({account_name}), by {expires}. {"x"} {merchant}\n';
    const [program, uid] = [sender(), ugwoOf(7)];
    const more = ['--share-template', template(text), '--share-zone', 'Asia/Kolkata'];
    const charge = ['ugwo', 'charge', uid, '--medium', 'bank_transfer', ...more];
    const ended = await inProcess([...charge, '--share-with', program.path], at(service));
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const MESSAGE =
      /^Ada 7: pay NGN 5,000\.07 for order-7\r\nto 0000000007, Test Bank \(Ada Obi\), by [-\d]{10} \d\d:\d\d \(UTC\+05:30\)\. \{"x"\} Ada Stores\n$/;
    expect(program.sent(uid)).toMatch(MESSAGE);
    expect(program.env(uid)).toEqual(['PAYCLI_EMAIL=c7@example.com', 'PAYCLI_REF=order-7', `PAYCLI_UGWO=${uid}`]);
    const options = at(service);
    const printed = { code: 0, stdout: expect.stringMatching(MESSAGE) };
    expect(await inProcess([...charge, '--share'], options)).toMatchObject(printed);
    for (const words of [
      [...charge, '--share', '--reuse'],
      [...charge, '--share', '--reuse', '--dry-run'],
      ['activity', 'get', uid, activityOf(7), '--share', ...more],
    ]) {
      expect(await inProcess(words, options)).toMatchObject(printed);
    }
  });

  it.each([
    ['the sum of the answer', 505_000, [], '5,050.00'],
    ['the rest', undefined, ['--remaining'], '2,500.01'],
    ['the rest, whatever the answer says', 400_000, ['--remaining'], '2,500.01'],
  ])('tells the customer %s, as --share does', async (_, amount, more, sum) => {
    const paid = more.length > 0 ? 250_000 : 0;
    const service = await serveAllBy(({ method, url }) => {
      const activity = { ...MADE, amount, next_action: NEXT };
      if (method === 'POST' || url.includes('/activities/')) return json(200, activity);
      return json(200, { ...ugwo(1), uid: UGWO_ID, checkout: { uid: 'chk.AbCd.1' }, total_amount_paid: paid });
    });
    const [program, row] = [sender(), sender()];
    const printed = await inProcess(one('--share', ...more), at(service));
    await inProcess(one('--share-with', program.path, ...more), at(service));
    const file = fileOf(csvOf('ugwo,medium', `${UGWO_ID},bank_transfer`));
    await chargeFrom(file, at(service), '--share-with', row.path, ...more);
    expect(printed.stdout).toContain(`Amount: NGN ${sum}\n`);
    expect([program.sent(), row.sent()]).toEqual([printed.stdout, printed.stdout]);
  });

  const uncounted: unknown[] = [0, -1, 1.5, true, '0x10', [500_000]];
  it.each(uncounted)(
    'shows the customer no sum of %j: --share has none, a program gets that of the request',
    async (amount) => {
      const made = json(200, { ...MADE, amount, next_action: NEXT });
      const look = json(200, { ...ugwo(1), uid: UGWO_ID, checkout: { uid: 'chk.AbCd.1' } });
      const service = await serveAllBy(({ method }) => (method === 'POST' ? made : look));
      expect((await inProcess(one('--share'), at(service))).stdout).toMatch(/^Transfer to this account\.\n\nBank: /);
      const [program, row] = [sender(), sender()];
      await inProcess(one('--share-with', program.path), at(service));
      await chargeFrom(fileOf(csvOf('ugwo,medium', `${UGWO_ID},bank_transfer`)), at(service), '--share-with', row.path);
      for (const { sent } of [program, row]) expect(sent()).toContain('Amount: NGN 5,000.01\n');
    },
  );

  it('shares later no sum that is not the rest, and names no command that is refused', async () => {
    const service = await serveAllBy(({ method, url }) => {
      if (method === 'POST') return OPEN;
      if (url.includes('/activities/')) return json(404, {});
      return json(200, { ...ugwo(1), uid: UGWO_ID, checkout: { uid: 'chk.AbCd.1' }, total_amount_paid: 250_000 });
    });
    const [failing, working, options] = [sender('exit 1'), sender(), at(service)];
    const first = await inProcess(one('--share-with', failing.path, '--remaining'), at(service));
    expect([first.code, first.stderr]).toEqual([14, expect.stringContaining('with --reuse in place of --remaining\n')]);
    const file = fileOf(csvOf('ugwo,medium', `${UGWO_ID},bank_transfer`));
    expect(await chargeFrom(file, options, '--share-with', failing.path, '--remaining')).toMatchObject({ code: 14 });
    const again = await chargeFrom(file, options, '--share-with', working.path, '--remaining');
    expect([again.code, working.times()]).toEqual([14, {}]);
  });

  it('asks later for what is left by then, also without a read before', async () => {
    let paid = 0;
    const service = await serveAllBy(({ method, url }) => {
      if (method === 'POST' || url.includes('/activities/')) return OPEN;
      const activities = paid > 0 ? [{ ...MADE, next_action: NEXT }] : [];
      return json(200, { ...ugwo(1), uid: UGWO_ID, checkout: MADE.checkout, total_amount_paid: paid, activities });
    });
    const [failing, working, options] = [sender('exit 1'), sender(), at(service)];
    expect(await inProcess(one('--share-with', failing.path), options)).toMatchObject({ code: 14 });
    expect(failing.sent()).toContain('Amount: NGN 5,000.01\n');
    paid = 250_000;
    const again = one('--share-with', working.path, '--reuse', '--no-preflight');
    expect(await inProcess(again, options)).toMatchObject({ code: 0 });
    expect(working.sent()).toContain('Amount: NGN 2,500.01\n');
  });

  it('shares what is left of its own file alone', async () => {
    const [service, failing, working] = [await accounts(), sender('exit 1'), sender()];
    const [options, file] = [at(service), rows(2)];
    expect(await chargeFrom(rows(1), options, '--share-with', failing.path)).toMatchObject({ code: 14 });
    for (const _run of [1, 2]) {
      expect(await chargeFrom(file, options, '--share-with', working.path)).toMatchObject({ code: 0 });
    }
    expect(working.times()).toEqual(once(2));
  });

  it.each([
    ['paid', 'successful', 0],
    ['failed', 'failed', 11],
  ])('shares nothing of a charge that is %s, whatever next action its answer has', async (_, status, code) => {
    const answer = json(200, { ...MADE, status, charged_amount: MADE.amount, next_action: NEXT });
    const [service, program] = [await serveBy(() => answer), sender()];
    const ended = await inProcess(one('--share-with', program.path), at(service));
    expect([ended.code, program.times()]).toEqual([code, {}]);
  });

  it('shares the message of a row in the next run, if the ledger could not store its charge', async () => {
    const [service, program, report] = [await accounts(), sender(), reportPath()];
    const [options, file] = [at(service), rows(1)];
    await inProcess(['ledger', 'list'], options);
    const path = join(options.home, 'ledger.sqlite');
    beside(path, "CREATE TRIGGER broken BEFORE UPDATE ON charge BEGIN SELECT RAISE(FAIL, 'the disk is full'); END");
    const words = ['--share-with', program.path, '--report', report];
    const first = await chargeFrom(file, options, ...words);
    expect([first.code, program.times(), reportOf(report)]).toMatchObject([7, {}, { 1: { shared: '', error: '' } }]);
    beside(path, 'DROP TRIGGER broken');
    expect(await chargeFrom(file, options, ...words)).toMatchObject({ code: 0 });
    expect([program.times(), postsOf(service)]).toEqual([once(1), once(1)]);
  });

  it('says that a message may be shared already if the ledger fails after its program', async () => {
    const options = at(await serveBy(() => OPEN));
    const sql = "CREATE TRIGGER broken BEFORE UPDATE ON charge BEGIN SELECT RAISE(FAIL, 'the disk is full'); END";
    const script = fileOf(
      `import { DatabaseSync } from 'node:sqlite';
      new DatabaseSync(${JSON.stringify(join(options.home, 'ledger.sqlite'))}).exec(${JSON.stringify(sql)});`,
      'break.mjs',
    );
    const ended = await inProcess(one('--share-with', sender(`${process.execPath} ${script}`).path), options);
    expect([ended.code, ended.stderr]).toEqual([
      14,
      expect.stringMatching(/its message may be shared already: .*the disk is full.*\n→ tell the customer yourself\n/),
    ]);
  });

  it('shares before it waits, and shares a code to dial', async () => {
    const [service, program] = [await serveBy(() => json(200, { ...MADE, amount: undefined })), sender()];
    const charge = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb'];
    const words = [...charge, '--wait', '--wait-timeout', '1s'];
    const more = ['--share-with', program.path, '--share-template', template('Dial {code}, {amount}')];
    const ended = await inProcess([...words, ...more], at(service));
    expect([ended.code, program.sent()]).toEqual([12, 'Dial *737*000*5000#, NGN 5,000.01\n']);
  });

  it.each([
    ['pay\n{amount} to\n{acount_number}\n', '{acount_number}, which is no placeholder'],
    ['pay {amount', '{amount, which is no placeholder'],
    // A name that each object of the language has.
    ['pay {constructor|now}', '{constructor|now}, which is no placeholder'],
    ['pay { amount }', '{ amount, which is no placeholder'],
    ['pay {{amount}}', '{{amount}, which is no placeholder'],
    ['pay {\u0430mount}', '{\u0430mount}, which is no placeholder'],
    [' \n', 'is empty'],
    [Buffer.from([0x41, 0xff]), 'not valid UTF-8'],
  ])('refuses the template %j before anything is sent', async (text, what) => {
    const service = await serveBy(() => undefined);
    const [program, file] = [sender(), template(text)];
    for (const words of [one(), ['ugwo', 'charge', '--from', rows(1), '--yes']]) {
      const ended = await inProcess([...words, '--share-with', program.path, '--share-template', file], at(service));
      expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('hare-template: ')]);
      expect(ended.stderr).toContain(what);
    }
    expect([service.seen, service.looks, program.times()]).toEqual([[], [], {}]);
  });

  it.each([
    [['--share-template', 'x.txt'], '--share-template needs --share or, in `ugwo charge`, --share-with'],
    [['--share-zone', 'UTC'], '--share-zone needs --share or, in `ugwo charge`, --share-with'],
    [['--share-with', 'cat', '--share-zone', 'Mars/Base'], '"Mars/Base" is not a time zone'],
    [['--share', '--share-zone', 'Mars/Base'], '"Mars/Base" is not a time zone'],
    [['--share', '--share-template', template('{code}')], 'the template has {code}, which bank_transfer never gives'],
    [['--share-with', 'no-such-program'], 'the program "no-such-program" was not found'],
  ])('refuses %j before anything is sent', async (more, message) => {
    const service = await serveBy(() => undefined);
    const ended = await inProcess(one(...more), at(service));
    expect([ended.code, ended.stderr, service.looks]).toEqual([2, expect.stringContaining(message), []]);
  });

  it('reads standard input for one thing alone', async () => {
    const words = ['ugwo', 'charge', '--from', '-', '--share-with', 'cat', '--share-template', '-'];
    expect(await inProcess(words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('can read standard input'),
    });
  });

  it.each<[string, Answer, string]>([
    ['lacks a value of the template', json(200, { ...MADE, next_action: NO_EXPIRY }), 'nothing for {expires} of the'],
    ['has expired', json(200, { ...MADE, next_action: transferTo('0123456789', -60_000) }), 'the account expired at 2'],
  ])('shares nothing of a charge that %s, and ends with 14', async (_, answer, why) => {
    const [service, program] = [await serveBy(() => answer), sender()];
    const more = why.includes('{expires}') ? ['--share-template', template('{account_number} {expires}')] : [];
    const ended = await inProcess(one('--share-with', program.path, ...more), at(service));
    expect([ended.code, program.times()]).toEqual([14, {}]);
    expect(ended.stderr).toContain(why);
    expect(ended.stderr.includes('with --reuse and another template')).toBe(why.includes('{expires}'));
  });

  it('shares nothing of an account that the ledger does not know, and ends with 14', async () => {
    const open = { ...MADE, next_action: NEXT };
    const service = await serveAllBy(() => json(200, { ...ugwo(1), uid: UGWO_ID, activities: [open] }));
    const program = sender();
    const ended = await inProcess(one('--share-with', program.path, '--reuse', '-o', 'json'), at(service));
    expect([ended.code, JSON.parse(ended.stdout).uid, program.times()]).toEqual([14, ACTIVITY.uid, {}]);
    expect(ended.stderr).toContain('its message was not shared: this ledger has no charge of it');
  });

  it('shares each row of a file while its account lives, and in a later run what is left', async () => {
    const failed = json(200, { ...MADE, uid: activityOf(4), status: 'failed' });
    const approved = json(200, { ...MADE, uid: activityOf(5), status: 'processing', next_action: null });
    const service = await accounts([4, failed], [5, approved]);
    const [file, options, report] = [rows(1, 2, 3, 4, 5), at(service), reportPath()];
    const [failing, working] = [sender('case "$PAYCLI_REF" in *2) exit 1;; *3) kill -9 $$;; esac'), sender()];
    const more = ['--report', report, '--share-template', template('{first_name}: {account_number}\n')];
    const first = await chargeFrom(file, options, '--share-with', failing.path, ...more);
    expect([first.code, summaryOf(first)]).toEqual([11, expect.objectContaining({ accepted: 4, failed: 1 })]);
    expect(failing.sent(ugwoOf(1))).toBe('Ada 1: 0000000001\n');
    const column = (name: string) => Object.values(reportOf(report)).map((row) => row[name]);
    expect(column('row').map((row) => reportOf(report)[row ?? '']?.['shared'])).toEqual(
      column('row').map((row) => ['yes', 'no', 'unknown', '', ''][Number(row) - 1]),
    );
    expect(reportOf(report)['2']?.['error']).toBe('its message was not shared: exit code 1');
    expect(reportOf(report)['3']?.['error']).toBe('its message may be shared already: SIGKILL');
    const second = await chargeFrom(file, options, '--share-with', working.path, ...more);
    expect([second.code, summaryOf(second)]).toEqual([11, expect.objectContaining({ accepted: 4, skipped: 5 })]);
    expect([working.times(), postsOf(service)]).toEqual([once(2), once(1, 2, 3, 4, 5)]);
    expect(working.sent(ugwoOf(2))).toBe('Ada 2: 0000000002\n');
    const shared = ['1', '2', '3', '4', '5'].map((row) => reportOf(report)[row]?.['shared']);
    expect(shared).toEqual(['yes', 'yes', 'unknown', '', '']);
  });

  it.each<[string, Answer]>([
    ['that shows no checkout', json(200, { ...ugwo(1), checkout: undefined })],
    ['that the service does not show', json(405, {})],
  ])('charges no payment request %s, by a template with the name of the checkout', async (_, look) => {
    const [service, program] = [await serveAllBy(({ method }) => (method === 'POST' ? OPEN : look)), sender()];
    const more = ['--share-with', program.path, '--share-template', template('{merchant}: {account_number}')];
    const single = ['ugwo', 'charge', ugwoOf(1), '--medium', 'bank_transfer', ...more];
    const ended = [
      ...[await inProcess(single, at(service)), await inProcess([...single, '--dry-run'], at(service))],
      ...[
        await chargeFrom(rows(1), at(service), ...more),
        await chargeFrom(rows(1), at(service), '--dry-run', ...more),
      ],
    ];
    const refused = [9, expect.stringContaining('nothing for {merchant}')];
    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual([refused, refused, refused, refused]);
    expect(postsOf(service)).toEqual({});
  });

  it.each<[string, string, string[], string]>([
    ['a place that the medium never fills', '{code}', [], 'the template has {code}, which bank_transfer never gives'],
    ['a column of another medium', '{ussd}', [], 'the template has {ussd}, which bank_transfer never gives'],
    ['a name without a read', '{first_name}', ['--no-preflight'], '{first_name} is read from the payment request'],
    ['a ref without a read', '{ref}', ['--no-preflight'], '{ref} is read from the payment request'],
  ])('refuses a template with %s before anything is sent', async (_, text, more, what) => {
    const [service, program] = [await serveBy(() => undefined), sender()];
    const options = ['--share-with', program.path, '--share-template', template(text), ...more];
    for (const words of [one(), one('--dry-run'), ['ugwo', 'charge', '--from', rows(1), '--yes']]) {
      const ended = await inProcess([...words, ...options], at(service));
      expect([ended.code, ended.stderr + ended.stdout]).toEqual([2, expect.stringContaining(what)]);
    }
    expect([service.seen, service.looks]).toEqual([[], []]);
  });

  it('names the medium as the fault of each row whose medium never fills the template', async () => {
    const more = ['--share-with', sender().path, '--share-template', template('{code}'), '--json'];
    const ended = await chargeFrom(rows(1, 2), at(await serveBy(() => undefined)), ...more);
    const title = 'the template has {code}, which bank_transfer never gives';
    expect(errorOf(ended)['violations']).toMatchObject(
      [1, 2].map((row) => ({ row, column: 'medium', title: expect.stringContaining(title) })),
    );
  });

  it('charges nobody for whom the payment request lacks a value of the template, and goes on with the others', async () => {
    const nameless: Answer = (seen, response, socket) =>
      json(200, { ...ugwo(numberIn(seen)), checkout: { uid: 'chk.AbCd.1' }, activities: [] })(seen, response, socket);
    const service = await serveAllBy((seen) => {
      if (seen.method === 'GET' && [2, 4].includes(numberIn(seen))) return nameless;
      if (seen.method === 'GET' && !seen.url.includes('/activities')) return named;
      const next_action = transferTo(`000000000${numberIn(seen)}`, 600_000);
      return json(200, { ...MADE, amount: undefined, uid: activityOf(numberIn(seen)), next_action });
    });
    const [program, report, options] = [sender(), reportPath(), at(service)];
    const more = ['--share-with', program.path, '--share-template', template('{first_name}: {account_number}')];
    const single = ['ugwo', 'charge', ugwoOf(2), '--medium', 'bank_transfer', ...more];
    for (const words of [single, [...single, '--dry-run']]) {
      const ended = await inProcess(words, at(service));
      expect([ended.code, ended.stderr]).toEqual([
        9,
        expect.stringContaining('it has nothing for {first_name} of the'),
      ]);
    }
    const planned = await chargeFrom(rows(1, 2, 3, 4), options, '--dry-run', ...more);
    expect([planned.code, postsOf(service)]).toEqual([9, {}]);
    const ended = await chargeFrom(rows(1, 2, 3, 4), options, '--report', report, ...more);
    expect([ended.code, summaryOf(ended), postsOf(service)]).toEqual([
      9,
      expect.objectContaining({ accepted: 2, refused: 2 }),
      once(1, 3),
    ]);
    expect(ended.stderr).toContain('2 × nothing for {first_name} of the template: rows 2 and 4');
    expect(reportOf(report)['2']?.['error']).toContain('{first_name}');
    expect(program.times()).toEqual(once(1, 3));
  });

  it('fills defaults, and places with the names of the columns of a report', async () => {
    const service = await serveAllBy(({ method }) =>
      method === 'POST' ? OPEN : json(200, { ...ugwo(1), ref: null, checkout: undefined, activities: [] }),
    );
    const program = sender();
    const text = 'Dear {first_name|customer, valued}, pay {bank_name} {account_number} by {payable_until}{ref|}{code|}';
    const more = ['--share-with', program.path, '--share-template', template(text)];
    const ended = await inProcess(['ugwo', 'charge', ugwoOf(1), '--medium', 'bank_transfer', ...more], at(service));
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(program.sent(ugwoOf(1))).toMatch(/^Dear customer, valued, pay Test Bank 0123456789 by \d{4}-[^{]*\n$/);
  });

  it('prints the charge before the program ends', async () => {
    const service = await serveBy(() => OPEN);
    const go = join(newFolder('go'), 'go');
    const program = sender(`while [ ! -e ${go} ]; do sleep 0.05; done`);
    const run = startHere(one('--share-with', program.path, '-o', 'json'), at(service));
    await expect.poll(() => run.stdout(), { timeout: 20_000 }).toContain('0123456789');
    writeFileSync(go, '');
    expect(await run.ended).toMatchObject({ code: 0 });
  });

  it('shows the charge on a terminal before the program ends, also if the payment is waited for', async () => {
    const service = await serveBy(() => OPEN);
    const go = join(newFolder('go'), 'go');
    const program = sender(`while [ ! -e ${go} ]; do sleep 0.05; done; exit 1`);
    const terminal = openTerminal(one('--share-with', program.path, '--wait'), at(service));
    await terminal.saw(/0123456789/);
    writeFileSync(go, '');
    expect(await terminal.ended).toEqual({ code: 14 });
    expect(terminal.raw().match(/0123456789/g)).toHaveLength(1);
  });

  it('shows the account for the rest, and shares it, after a program that failed', async () => {
    let made = false;
    const shown = { ...ugwo(1), uid: UGWO_ID, checkout: { uid: 'chk.AbCd.1' }, total_amount_paid: 250_000 };
    const paid = { ...MADE, uid: activityOf(9), status: 'successful', amount: 250_000, next_action: null };
    // An answer may name the whole amount.
    const rest = { ...MADE, next_action: NEXT };
    const service = await serveAllBy(({ method, url }) => {
      if (method === 'POST') {
        made = true;
        return json(200, rest);
      }
      if (url.includes('/activities/')) return json(200, rest);
      return json(200, { ...shown, activities: made ? [paid, rest] : [paid] });
    });
    const [failing, working, options] = [sender('exit 1'), sender(), at(service)];
    const first = await inProcess(one('--share-with', failing.path, '--remaining'), options);
    expect([first.code, first.stderr]).toEqual([14, expect.stringContaining('with --reuse in place of --remaining\n')]);
    const again = await inProcess(one('--share-with', working.path, '--reuse', '-o', 'json'), options);
    expect([again.code, JSON.parse(again.stdout).uid]).toEqual([0, MADE.uid]);
    expect(working.sent()).toContain('Amount: NGN 2,500.01\n');
    expect(postsOf(service)).toEqual(once(0));
  });

  it('reads a checkout once for its name, and shares nothing to a customer who has paid meanwhile', async () => {
    let isPaid = false;
    const service = await serveAllBy((seen) => {
      const number = numberIn(seen);
      if (seen.url.startsWith('/v1/checkouts/')) return json(200, { uid: 'chk.AbCd.1', name: 'Ada Stores' });
      const next_action = NEXT;
      if (isPaid && number === 3 && seen.url.endsWith(ugwoOf(3))) {
        const activities = [{ ...MADE, uid: activityOf(3), next_action }];
        return json(200, {
          ...ugwo(3),
          total_amount_paid: ugwo(3)['amount'],
          activities,
          checkout: { uid: 'chk.AbCd.1' },
        });
      }
      if (seen.method === 'GET' && !seen.url.includes('/activities')) return named;
      const open = { ...MADE, uid: activityOf(number), next_action: NEXT };
      return json(200, { ...open, status: isPaid && number === 2 ? 'successful' : open.status });
    });
    const [failing, working, options, file] = [sender('exit 1'), sender(), at(service), rows(1, 2, 3)];
    const more = ['--share-template', template('{merchant}: {account_number}'), '--concurrency', '1'];
    const first = await chargeFrom(file, options, '--share-with', failing.path, ...more);
    expect([first.code, failing.times()]).toEqual([14, once(1, 2, 3)]);
    expect(service.seen.filter(({ url }) => url.startsWith('/v1/checkouts/'))).toHaveLength(1);
    isPaid = true;
    const second = await chargeFrom(file, options, '--share-with', working.path, ...more);
    expect([second.code, working.times(), postsOf(service)]).toEqual([14, once(1), once(1, 2, 3)]);
    expect(second.stderr).toContain('shows nothing that is left to pay');
  });

  it.each([
    ['the command that shares it', 'exit 1', 'to share what is left, run the same command again with --share-with'],
    ['no command, if it may be shared', 'kill -9 $$', 'tell the customer yourself'],
  ])('ends a file with 14 if only a message is left, with %s', async (_, line, hint) => {
    const [service, program] = [await accounts(), sender(line)];
    const ended = await chargeFrom(rows(1), at(service), '--share-with', program.path);
    expect([ended.code, errorOf(ended)['hint']]).toEqual([14, hint]);
  });

  it('asks for another template, now and at the next run, for rows whose answers lack a value of it', async () => {
    const service = await accounts([1, json(200, { ...MADE, uid: activityOf(1), next_action: NO_EXPIRY })]);
    const [program, file, options] = [sender(), rows(1, 2), at(service)];
    const filled = (text: string) =>
      chargeFrom(file, options, '--share-with', program.path, '--share-template', template(text));
    for (const text of ['by {expires}', '{expires}']) {
      const ended = await filled(text);
      expect([ended.code, errorOf(ended)]).toMatchObject([
        14,
        {
          message: expect.stringContaining('nothing for {expires}'),
          hint: expect.stringContaining('another template'),
        },
      ]);
    }
    expect((await filled('by {expires|tonight}')).code).toBe(0);
    expect([program.times(), postsOf(service)]).toEqual([once(1, 2), once(1, 2)]);
    expect(program.sent(ugwoOf(1))).toBe('by tonight\n');
  });

  it('does not share again what a killed run may have shared', async () => {
    const [service, killing, working] = [await accounts(), sender('kill -9 $PPID'), sender()];
    const [file, options, report] = [rows(1), at(service), reportPath()];
    const words = ['ugwo', 'charge', '--from', file, '--report', report];
    const killed = await start([...words, '--share-with', killing.path], options).ended;
    expect([killed.signal, killing.times()]).toEqual(['SIGKILL', once(1)]);
    const ended = await inProcess([...words, '--share-with', working.path], options);
    expect([ended.code, working.times(), postsOf(service)]).toEqual([14, {}, once(1)]);
    expect(reportOf(report)).toMatchObject({ 1: { shared: 'unknown' } });
    expect(reportOf(report)['1']?.['error']).toContain('the run that shared it was ended');
  });

  it.each<[string, string[]]>([
    ['charge', one()],
    ['charge that is waited for', one('--wait')],
    ['row', ['ugwo', 'charge', '--from', fileOf(csvOf('ugwo,medium', `${UGWO_ID},bank_transfer`))]],
  ])('names the message of a %s as not shared if a signal came before it', async (_, words) => {
    const { hold, letGo } = held(OPEN);
    const [service, program] = [await serveBy(() => hold), sender()];
    const options = at(service);
    const run = startHere([...words, '--share-with', program.path], options);
    await service.came(1);
    run.kill('SIGTERM');
    await run.saw(/Finishing requests in flight/);
    letGo();
    const { code, stderr } = await run.ended;
    expect([code, program.times()]).toEqual([14, {}]);
    expect(stderr).toContain('its message was not shared: SIGTERM came before');
    const status = await inProcess(['status', '-o', 'json'], options);
    expect(JSON.parse(status.stdout).cases).toMatchObject([{ kind: 'not_shared' }]);
  });

  it.runIf(process.platform === 'linux' && RUNTIME === 'node').each([
    ['was killed before its claim', 'writeFile', "process.kill(process.pid, 'SIGKILL');", null, ['to_share']],
    [
      'was killed after its claim',
      'unlinkSync',
      "process.kill(process.pid, 'SIGKILL');",
      null,
      ['to_share', 'sharing'],
    ],
    ['failed after its claim', 'unlinkSync', "throw Error('odd disk');", 14, ['to_share', 'sharing']],
  ] as const)(
    'shares later the message of a run that %s, before its program started',
    async (_, call, code, ended, left) => {
      const [service, program] = [await accounts(), sender()];
      const [file, options, report] = [rows(1), at(service), reportPath()];
      const words = ['ugwo', 'charge', '--from', file, '--report', report, '--share-with', program.path];
      const first = await start(words, { ...options, env: runBefore(beforeStart(call, code)) }).ended;
      expect([first.code, await evidenceOf(options), program.times()]).toEqual([ended, left, {}]);
      if (ended !== null) expect(reportOf(report)['1']?.['error']).toBe('its message was not shared: odd disk');
      const status = await inProcess(['status', '-o', 'json'], options);
      expect(JSON.parse(status.stdout).cases).toMatchObject([{ kind: 'not_shared' }]);
      const second = await inProcess(words, options);
      expect([second.code, program.times(), postsOf(service)]).toEqual([0, once(1), once(1)]);
      expect(reportOf(report)).toMatchObject({ 1: { shared: 'yes' } });
    },
  );

  it('gives a program the whole message, also if paycli is killed as it starts', async () => {
    const service = await serveAllBy(({ method }) =>
      method === 'POST' ? OPEN : json(200, { ...ugwo(1), ref: 'r'.repeat(150), checkout: undefined }),
    );
    const program = killingProgram();
    const more = ['--share-with', program.path, '--share-template', template('{ref}'.repeat(10_000))];
    const killed = await start(['ugwo', 'charge', ugwoOf(1), '--medium', 'bank_transfer', ...more], at(service)).ended;
    expect(killed.signal).toBe('SIGKILL');
    expect(await program.kept()).toBe(`${'r'.repeat(1_500_000)}\n`);
  });

  it('gives a program no message that is cut, if the disk is full', async () => {
    const service = await serveAllBy(({ method }) =>
      method === 'POST' ? OPEN : json(200, { ...ugwo(1), ref: 'r'.repeat(150), checkout: undefined }),
    );
    const { path, times } = sender();
    // No file of the run may be longer than a megabyte.
    const program = ['bash', '-c', 'ulimit -S -f 1000; exec "$@"', 'bash', ...PROGRAM] as const;
    const args = ['ugwo', 'charge', ugwoOf(1), '--medium', 'bank_transfer', '--share-with', path];
    const many = ['--share-template', template('{ref}'.repeat(10_000))];
    const options = at(service);
    const full = await start([...args, ...many], { ...options, program }).ended;
    expect([full.code, times()]).toEqual([14, {}]);
    // No claim: one that stays, since the disk is full, would count as a message that may be shared.
    expect(await evidenceOf(options)).toEqual(['to_share', 'not_shared']);
    expect(full.stderr).toContain("its message was not shared: couldn't be started: no space left in");
  });

  it('shares each row once, whichever of two processes does', async () => {
    const service = await accounts();
    const [program, options, all] = [sender(), at(service), Array.from({ length: 40 }, (_, index) => index + 1)];
    const words = ['ugwo', 'charge', '--from', rows(...all), '--share-with', program.path];
    const both = await Promise.all([start(words, options).ended, start(words, options).ended]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect([program.times(), postsOf(service)]).toEqual([once(...all), once(...all)]);
  });

  it('shares a charge of a team once, on whatever machine', async () => {
    const [service, program, team] = [await serveBy(() => OPEN), sender(), await newTeam()];
    const words = one('--share-with', program.path, '--reuse');
    for (const machine of [team.machine(service), team.machine(service)]) {
      expect(await inProcess(words, machine)).toMatchObject({ code: 0 });
    }
    expect(program.sent().match(/0123456789/g)).toHaveLength(1);
  });
});
