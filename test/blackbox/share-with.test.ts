import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { beside } from '../ledger/support/charges.ts';
import { atom, transferTo } from '../support/activity.ts';
import { PROGRAM, RUNTIME } from '../support/built.ts';
import { startHere } from '../support/in-process.ts';
import { killingProgram, newFolder, runBefore, start } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import {
  ACTIVITY,
  type Answer,
  held,
  json,
  type Seen,
  type Service,
  serveAll,
  serveAllBy,
  serveBy,
  UGWO_ID,
  ugwo,
} from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import {
  activityOf,
  charging,
  csvOf,
  fileOf,
  numberIn,
  once,
  postsOf,
  reportOf,
  reportPath,
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
/** The payment request of the single charges. */
const OWN = { ...ugwo(1), uid: UGWO_ID, checkout: { uid: 'chk.AbCd.1' }, activities: [] };
const NO_EXPIRY = JSON.parse(JSON.stringify(NEXT).replace('expires_at', 'other'));
const OPEN = json(200, { ...MADE, next_action: NEXT });
const to = ({ path }: { readonly path: string }): string[] => ['--share-with', path];
const template = (text: string | Uint8Array): string[] => ['--share-template', fileOf(text, 'message.txt')];
const charge = (uid: string, ...more: readonly string[]): string[] => [
  ...['ugwo', 'charge', uid, '--medium', 'bank_transfer'],
  ...more,
];
const one = (...more: readonly string[]): string[] => charge(UGWO_ID, ...more);
/** The ledger's one entry, with this evidence of its message. */
const evidence = (...kinds: readonly string[]): object[] => [{ evidence: kinds.map((kind) => ({ kind })) }];
const NOT_SHARED = {
  argv: ['status', '-o', 'json'],
  exit: 14,
  json: { cases: [{ kind: 'not_shared' }] },
  error: { kind: 'attention' },
};
const REUSED = /^Reusing chg-\w+; no new charge\.\n$/;
const LEFT_OUT = ['PAYCLI_REF', 'PAYCLI_EMAIL']
  .map(
    (name) => `note: ${name} is left out where a program could read its value as something else, as for ${UGWO_ID}\n`,
  )
  .join('');
const AGAIN = 'to share what is left, run the same command again with --share-with';
const YOURSELF = 'tell the customer yourself';
const DISK_FULL = "CREATE TRIGGER broken BEFORE UPDATE ON charge BEGIN SELECT RAISE(FAIL, 'the disk is full'); END";
const FAILING = sender('exit 1');
const BROKEN = { path: fileOf('#!/no/such/interpreter\n', 'broken') };
chmodSync(BROKEN.path, 0o700);
const MISSING = 'the program, or the interpreter that its first line names, is missing';
/** A payment request with a long ref, and the options of a message that is longer still. */
const LONG_REF = json(200, { ...OWN, ref: 'r'.repeat(150), checkout: undefined });
const LONG = template('{ref}'.repeat(10_000));

/** A service with a customer for each payment request, and an account for each charge. */
const account = (seen: Seen): Answer => {
  const number = numberIn(seen);
  if (seen.url.startsWith('/v1/checkouts/')) return json(200, { uid: 'chk.AbCd.1', name: 'Ada Stores' });
  if (seen.method === 'GET' && !seen.url.includes('/activities')) {
    const onye = { uid: `ony.AbCd.${'0'.repeat(24)}`, email: `c${number}@example.com`, first_name: `Ada ${number}` };
    return json(200, { ...ugwo(number), onye, checkout: { uid: 'chk.AbCd.1' }, activities: [] });
  }
  const next_action = transferTo(`000000000${number}`, 600_000);
  return json(200, { ...MADE, amount: undefined, uid: activityOf(number), next_action });
};
const accounts = (odd: Readonly<Record<number, Answer>> = {}): Promise<Service> =>
  serveAllBy((seen) => (seen.url.includes('/activities') && odd[numberIn(seen)]) || account(seen));
const fileWith = (...uids: readonly string[]): string =>
  fileOf(csvOf('ugwo,medium', ...uids.map((uid) => `${uid},bank_transfer`)));
const rows = (...numbers: readonly number[]): string => fileWith(...numbers.map(ugwoOf));

describe.skipIf(process.platform === 'win32')('--share-with', () => {
  it('gives a program the message of --share alone, once, and no key', async () => {
    const program = sender('echo said');
    const [argv, json] = [one(...to(program), '--json'), { uid: ACTIVITY.uid }];
    const shared = { service: [OPEN], argv: one('--share'), stdout: ['\nReference: order-1\n'] };
    const { stdout: message } = await scene(shared);
    const { home, service } = await scene({
      ...{ service: serveBy(() => OPEN), argv, json, stderr: 'said\n', requests: ['POST'] },
      entries: evidence('to_share', 'sharing', 'shared'),
    });
    await scene({ home, service, argv: [...argv, '--reuse'], json, requests: ['GET'] });
    expect(program.sent()).toBe(message);
    expect(program.env()).toEqual(['PAYCLI_REF=order-1', `PAYCLI_UGWO=${UGWO_ID}`]);
  });

  it.each([
    ['order-1/A #2: x+y', 'ada.o+pay%1@shop-1.example', ['PAYCLI_EMAIL', 'PAYCLI_REF', 'PAYCLI_UGWO'], ''],
    ['@file', '|touch$IFS#@x.example', ['PAYCLI_UGWO'], LEFT_OUT],
    ['$(touch x)', './x@y', ['PAYCLI_UGWO'], LEFT_OUT],
    ['-o x', 'a@b@c', ['PAYCLI_UGWO'], LEFT_OUT],
    ['a;b', '-a@x.example', ['PAYCLI_UGWO'], LEFT_OUT],
    ['order-é', 'a b@x.example', ['PAYCLI_UGWO'], LEFT_OUT],
  ])('passes a ref and an address only if they can be nothing else: %s, %s', async (ref, email, passed, stderr) => {
    const onye = { uid: `ony.AbCd.${'0'.repeat(24)}`, email };
    const [program, look] = [sender(), json(200, { ...OWN, ref, onye })];
    await scene({ looks: 'asked', service: [look, OPEN], argv: one(...to(program)), stderr });
    expect(program.env().map((line) => line.split('=')[0])).toEqual(passed);
  });

  it.each([
    ['fails', FAILING, 'exit code 1', []],
    ['fails before the payment is waited for', FAILING, 'exit code 1', ['--wait']],
    ['could not start', BROKEN, `couldn't be started: ${MISSING}`, []],
  ])('ends with 14 if the program %s, and shares with --reuse what is left', async (_, program, why, more) => {
    const message = new RegExp(`^the charge is made, but its message was not shared: ${why}$`);
    const hint = 'to share what is left, run the same command again with --reuse';
    const [working, json] = [sender(), { uid: ACTIVITY.uid }];
    const { home, service } = await scene({
      ...{ service: serveBy(() => OPEN), argv: one(...to(program), ...more, '--json'), exit: 14, json },
      ...{ error: { message, hint }, requests: ['POST'], entries: evidence('to_share', 'sharing', 'not_shared') },
    });
    await scene({
      ...{ home, service, argv: one(...to(working), '--reuse', '--json'), json, requests: ['GET', 'GET'] },
      entries: evidence('to_share', 'sharing', 'not_shared', 'sharing', 'shared'),
    });
    expect(working.sent()).toContain('0123456789');
  });

  it('gives a message without a sum if nothing shows one', async () => {
    const [program, made] = [sender(), { ...MADE, amount: undefined, next_action: NEXT }];
    await scene({ service: serveBy(() => json(200, made)), argv: one(...to(program), '--no-preflight') });
    expect(program.sent()).toContain('0123456789');
    expect(program.sent()).not.toContain('Amount');
  });

  it('fills a template, with the expiry in a time zone', async () => {
    const service = await accounts();
    const text =
      '{first_name}: pay {amount} for {ref}\r\nto {account_number}, {bank} ({account_name}), by {expires}. {"x"} {merchant}\n';
    const [program, uid] = [sender(), ugwoOf(7)];
    const more = [...template(text), '--share-zone', 'Asia/Kolkata'];
    const words = charge(uid, ...more);
    await scene({ service, argv: [...words, ...to(program)] });
    const stdout =
      /^Ada 7: pay NGN 5,000\.07 for order-7\r\nto 0000000007, Test Bank \(Ada Obi\), by [-\d]{10} \d\d:\d\d \(UTC\+05:30\)\. \{"x"\} Ada Stores\n$/;
    expect(program.sent(uid)).toMatch(stdout);
    expect(program.env(uid)).toEqual(['PAYCLI_EMAIL=c7@example.com', 'PAYCLI_REF=order-7', `PAYCLI_UGWO=${uid}`]);
    const { home } = await scene({ service, argv: [...words, '--share'], stdout });
    for (const argv of [
      [...words, '--share', '--reuse'],
      [...words, '--share', '--reuse', '--dry-run'],
      ['activity', 'get', uid, activityOf(7), '--share', ...more],
    ]) {
      await scene({ home, service, argv, stdout, stderr: /^/ });
    }
  });

  type Told = [what: string, amount: unknown, more: string[], sum: string, isShown: boolean];
  it.each<Told>([
    ['the answer, as --share does', 505_000, [], '5,050.00', true],
    ['the rest, as --share does', undefined, ['--remaining'], '2,500.01', true],
    ['the rest, as --share does, whatever the answer says', 400_000, ['--remaining'], '2,500.01', true],
    ...[0, -1, 1.5, true, '0x10', [500_000]].map(
      (amount) =>
        [
          `the request, not of ${JSON.stringify(amount)}, which --share leaves out`,
          amount,
          [],
          '5,000.01',
          false,
        ] as Told,
    ),
  ])('tells the customer the sum of %s', async (_, amount, more, sum, isShown) => {
    const made = json(200, { ...MADE, amount, next_action: NEXT });
    const look = json(200, { ...OWN, total_amount_paid: more.length > 0 ? 250_000 : 0 });
    const service = await serveAllBy(({ url }) => (url.includes('/activities') ? made : look));
    const [program, row] = [sender(), sender()];
    const { stdout } = await scene({ service, argv: one('--share', ...more), stderr: /^/ });
    await scene({ service, argv: one(...to(program), ...more), stderr: /^/ });
    await scene({ service, argv: charging(fileWith(UGWO_ID), ...to(row), ...more), stderr: /^/ });
    const line = `Amount: NGN ${sum}\n`;
    expect(program.sent()).toContain(line);
    expect(row.sent()).toBe(program.sent());
    expect(stdout).toBe(isShown ? program.sent() : program.sent().replace(line, ''));
  });

  it('shares later no sum that is not the rest', async () => {
    const look = json(200, { ...OWN, total_amount_paid: 250_000 });
    const service = await serveAllBy(({ method, url }) => {
      if (method === 'POST') return OPEN;
      return url.includes('/activities/') ? json(404, {}) : look;
    });
    const [working, words] = [sender(), charging(fileWith(UGWO_ID), '--remaining')];
    const left = { service, exit: 14, json: { accepted: 1 }, error: { kind: 'attention' } };
    const { home } = await scene({ ...left, argv: [...words, ...to(FAILING)] });
    await scene({ ...left, home, argv: [...words, ...to(working)] });
    expect([working.times(), postsOf(service)]).toEqual([{}, once(0)]);
  });

  it('asks later for what is left by then, also without a read before', async () => {
    let paid = 0;
    const service = await serveAllBy(({ method, url }) => {
      if (method === 'POST' || url.includes('/activities/')) return OPEN;
      const activities = paid > 0 ? [{ ...MADE, next_action: NEXT }] : [];
      return json(200, { ...OWN, total_amount_paid: paid, activities });
    });
    const [failing, working] = [sender('exit 1'), sender()];
    const stdout = ['0123456789'];
    const { home } = await scene({ service, argv: one(...to(failing)), exit: 14, stdout });
    expect(failing.sent()).toContain('Amount: NGN 5,000.01\n');
    paid = 250_000;
    const argv = one(...to(working), '--reuse', '--no-preflight');
    await scene({ home, service, argv, stdout, stderr: REUSED });
    expect(working.sent()).toContain('Amount: NGN 2,500.01\n');
  });

  it('shares what is left of its own file alone', async () => {
    const [service, working] = [await accounts(), sender()];
    const json = { accepted: 1 };
    const argv = charging(rows(2), ...to(working));
    const { home } = await scene({ service, argv: charging(rows(1), ...to(FAILING)), exit: 14, json });
    for (const skipped of [0, 1]) await scene({ service, home, argv, json: { ...json, skipped } });
    expect(working.times()).toEqual(once(2));
  });

  it.each<[string, object, readonly string[], Partial<Scene>]>([
    ['is paid, whatever next action it has', { status: 'successful', charged_amount: MADE.amount }, [], {}],
    ['failed, whatever next action it has', { status: 'failed' }, [], { exit: 11, stderr: ['the charge failed\n'] }],
    [
      'lacks a value of the template',
      { next_action: NO_EXPIRY },
      template('{account_number} {expires}'),
      { exit: 14, stderr: ['nothing for {expires} of the', 'with --reuse and another template\n'] },
    ],
    [
      'has expired',
      { next_action: transferTo('0123456789', -60_000) },
      [],
      { exit: 14, stderr: /not shared: the account expired at 2.*\n→ .* again with --reuse\n$/ },
    ],
  ])('shares nothing of a charge that %s', async (_, changes, more, wanted) => {
    const [service, program] = [[json(200, { ...MADE, next_action: NEXT, ...changes })], sender()];
    await scene({ service, argv: one(...to(program), ...more), stdout: [ACTIVITY.uid], ...wanted });
    expect(program.times()).toEqual({});
  });

  it('shares the message of a row in the next run, if the ledger could not store its charge', async () => {
    const [service, program] = [await accounts(), sender()];
    const { home } = await scene({ argv: ['ledger', 'list', '--json'], json: { data: [] } });
    const path = join(home, 'ledger.sqlite');
    beside(path, DISK_FULL);
    const run = { home, service, argv: charging(rows(1), ...to(program)), json: { accepted: 1 } };
    await scene({ ...run, exit: 7, requests: ['GET', 'POST'], report: { 1: { shared: '', error: '' } } });
    expect(program.times()).toEqual({});
    beside(path, 'DROP TRIGGER broken');
    await scene({ ...run, report: { 1: { shared: 'yes' } } });
    expect([program.times(), postsOf(service)]).toEqual([once(1), once(1)]);
  });

  it('says that a message may be shared already if the ledger fails after its program', async () => {
    const home = newFolder();
    const script = fileOf(
      `import { DatabaseSync } from 'node:sqlite';
      new DatabaseSync(${JSON.stringify(join(home, 'ledger.sqlite'))}).exec(${JSON.stringify(DISK_FULL)});`,
      'break.mjs',
    );
    const argv = one(...to(sender(`${process.execPath} ${script}`)));
    const stderr = [/its message may be shared already: .*the disk is full.*\n→ tell the customer yourself\n/];
    await scene({ home, service: [OPEN], argv, exit: 14, stdout: ['0123456789'], stderr });
  });

  it('shares before it waits, and shares a code to dial', async () => {
    const program = sender();
    await scene({
      service: serveBy(() => json(200, { ...MADE, amount: undefined })),
      argv: [
        ...['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb', '--wait', '--wait-timeout', '1s'],
        ...[...to(program), ...template('Dial {code}, {amount}')],
      ],
      ...{ exit: 12, stdout: ['*737*000*5000#'] },
    });
    expect(program.sent()).toBe('Dial *737*000*5000#, NGN 5,000.01\n');
  });

  it.each<[text: string | Uint8Array, what: string, ...more: string[]]>([
    ['pay\n{amount} to\n{acount_number}\n', 'has {acount_number}, which is no placeholder\n'],
    ['pay {amount', 'has {amount, which is no placeholder\n'],
    // A name that each object of the language has.
    ['pay {constructor|now}', 'has {constructor|now}, which is no placeholder\n'],
    ['pay { amount }', 'has { amount, which is no placeholder\n'],
    ['pay {{amount}}', 'has {{amount}, which is no placeholder\n'],
    ['pay {\u0430mount}', 'has {\u0430mount}, which is no placeholder\n'],
    [' \n', 'message.txt is empty, or not valid UTF-8\n'],
    [Buffer.from([0x41, 0xff]), 'message.txt is empty, or not valid UTF-8\n'],
    ['{code}', ' the template has {code}, which bank_transfer never gives'],
    ['{ussd}', ' the template has {ussd}, which bank_transfer never gives'],
    ['{first_name}', ' {first_name} is read from the payment request, which --no-preflight', '--no-preflight'],
    ['{ref}', ' {ref} is read from the payment request, which --no-preflight', '--no-preflight'],
  ])('refuses the template %j before anything is sent', async (text, what, ...more) => {
    const program = sender();
    const words = [...to(program), ...template(text), ...more];
    for (const argv of [one(...words), one(...words, '--dry-run')]) {
      await scene({ looks: 'asked', service: [], argv, exit: 2, stderr: ['error: --share-template: ', what] });
    }
    const file = ['ugwo', 'charge', '--from', rows(1), '--yes', ...words];
    await scene({ looks: 'asked', service: [], argv: file, exit: 2, stderr: [what], entries: [] });
    expect(program.times()).toEqual({});
  });

  it.each([
    [one('--share-template', 'x.txt'), '--share-template needs --share or, in `ugwo charge`, --share-with'],
    [one('--share-zone', 'UTC'), '--share-zone needs --share or, in `ugwo charge`, --share-with'],
    [one('--share-with', 'cat', '--share-zone', 'Mars/Base'), '--share-zone: "Mars/Base" is not a time zone'],
    [one('--share-with', 'cat', '--share-zone', ''), '--share-zone: "" is not a time zone'],
    [one('--share', '--share-zone', 'Mars/Base'), '--share-zone: "Mars/Base" is not a time zone'],
    [one('--share', ...template('{code}')), 'the template has {code}, which bank_transfer never gives'],
    [one('--share-with', 'no-such-program'), 'the program "no-such-program" was not found'],
    [['ugwo', 'charge', '--from', '-', '--share-with', 'cat', '--share-template', '-'], 'can read standard input'],
  ])('refuses %j before anything is sent', async (argv, message) => {
    await scene({ looks: 'asked', service: [], argv, exit: 2, stderr: [message] });
  });

  it('shares nothing of an account that the ledger does not know, and ends with 14', async () => {
    const program = sender();
    const look = json(200, { ...OWN, activities: [{ ...MADE, next_action: NEXT }] });
    await scene({
      ...{ looks: 'asked', service: [look], argv: one(...to(program), '--reuse', '--json'), exit: 14 },
      json: { uid: ACTIVITY.uid },
      error: { message: /its message was not shared: this ledger has no charge of it/ },
      entries: [],
    });
    expect(program.times()).toEqual({});
  });

  it('shares each row of a file while its account lives, and in a later run what is left', async () => {
    const failed = json(200, { ...MADE, uid: activityOf(4), status: 'failed' });
    const approved = json(200, { ...MADE, uid: activityOf(5), status: 'processing', next_action: null });
    const service = await accounts({ 4: failed, 5: approved });
    const [failing, working] = [sender('case "$PAYCLI_REF" in *2) exit 1;; *3) kill -9 $$;; esac'), sender()];
    const words = charging(rows(1, 2, 3, 4, 5), ...template('{first_name}: {account_number}\n'));
    const killed = { shared: 'unknown', error: 'its message may be shared already: SIGKILL' };
    const rest = { 3: killed, 4: { shared: '' }, 5: { shared: '' } };
    const { home } = await scene({
      ...{ service, argv: [...words, ...to(failing)], exit: 11, json: { accepted: 4, failed: 1 } },
      report: { 1: { shared: 'yes' }, 2: { shared: 'no', error: 'its message was not shared: exit code 1' }, ...rest },
    });
    expect(failing.sent(ugwoOf(1))).toBe('Ada 1: 0000000001\n');
    await scene({
      ...{ home, service, argv: [...words, ...to(working)], exit: 11, json: { accepted: 4, skipped: 5 } },
      report: { 1: { shared: 'yes' }, 2: { shared: 'yes' }, ...rest },
    });
    expect([working.times(), postsOf(service)]).toEqual([once(2), once(1, 2, 3, 4, 5)]);
    expect(working.sent(ugwoOf(2))).toBe('Ada 2: 0000000002\n');
  });

  it.each<[string, Answer]>([
    ['that shows no checkout', json(200, { ...ugwo(1), checkout: undefined })],
    ['that the service does not show', json(405, {})],
  ])('charges no payment request %s, by a template with the name of the checkout', async (_, look) => {
    const more = [...to(sender()), ...template('{merchant}: {account_number}')];
    const single = charge(ugwoOf(1), ...more);
    const file = charging(rows(1), ...more);
    const refused = { exit: 9, stdout: /^/, stderr: ['nothing for {merchant}'], requests: ['GET'] };
    for (const argv of [single, [...single, '--dry-run'], file, [...file, '--dry-run']]) {
      await scene({ looks: 'asked', service: [look], argv, ...refused });
    }
  });

  it('names the medium as the fault of each row whose medium never fills the template', async () => {
    const title = /^the template has \{code\}, which bank_transfer never gives/;
    const argv = charging(rows(1, 2), ...to(sender()), ...template('{code}'));
    const violations = [1, 2].map((row) => ({ row, column: 'medium', title }));
    await scene({ looks: 'asked', service: [], argv, exit: 2, error: { violations } });
  });

  it('charges nobody for whom the payment request lacks a value of the template, and goes on with the others', async () => {
    const nameless = (number: number) => json(200, { ...ugwo(number), checkout: MADE.checkout, activities: [] });
    const service = await serveAllBy((seen) => (numberIn(seen) % 2 === 0 ? nameless(numberIn(seen)) : account(seen)));
    const program = sender();
    const more = [...to(program), ...template('{first_name}: {account_number}')];
    const single = charge(ugwoOf(2), ...more);
    const file = charging(rows(1, 2, 3, 4), ...more);
    for (const argv of [single, [...single, '--dry-run']]) {
      await scene({ service, argv, exit: 9, stderr: ['it has nothing for {first_name} of the'], requests: ['GET'] });
    }
    const requests = ['GET', 'GET', 'GET', 'GET'];
    const { home } = await scene({ service, argv: [...file, '--dry-run'], exit: 9, stdout: /^/, requests });
    await scene({
      ...{ home, service },
      argv: file,
      exit: 9,
      json: { accepted: 2, refused: 2 },
      stderr: ['2 × nothing for {first_name} of the template: rows 2 and 4'],
      report: {
        ...{ 1: { shared: 'yes' }, 2: { shared: '', error: /\{first_name\}/ } },
        ...{ 3: { shared: 'yes' }, 4: { shared: '', error: /\{first_name\}/ } },
      },
    });
    expect([program.times(), postsOf(service)]).toEqual([once(1, 3), once(1, 3)]);
  });

  it('fills defaults, and places with the names of the columns of a report', async () => {
    const program = sender();
    const text = 'Dear {first_name|customer, valued}, pay {bank_name} {account_number} by {payable_until}{ref|}{code|}';
    await scene({
      looks: 'asked',
      service: ({ method }) => (method === 'POST' ? OPEN : json(200, { ...OWN, ref: null, checkout: undefined })),
      argv: one(...to(program), ...template(text)),
    });
    expect(program.sent()).toMatch(/^Dear customer, valued, pay Test Bank 0123456789 by \d{4}-[^{]*\n$/);
  });

  it('prints the charge before the program ends', async () => {
    const service = await serveBy(() => OPEN);
    const go = join(newFolder('go'), 'go');
    const program = sender(`while [ ! -e ${go} ]; do sleep 0.05; done`);
    const run = startHere(one(...to(program), '-o', 'json'), { home: newFolder(), service });
    await expect.poll(() => run.stdout()).toContain('0123456789');
    writeFileSync(go, '');
    expect(await run.ended).toMatchObject({ code: 0 });
  });

  it('shows the charge on a terminal before the program ends, also if the payment is waited for', async () => {
    const service = await serveBy(() => OPEN);
    const go = join(newFolder('go'), 'go');
    const program = sender(`while [ ! -e ${go} ]; do sleep 0.05; done; exit 1`);
    const terminal = openTerminal(one(...to(program), '--wait'), { home: newFolder(), service });
    await terminal.saw(/0123456789/);
    writeFileSync(go, '');
    expect(await terminal.ended).toEqual({ code: 14 });
    expect(terminal.raw().match(/0123456789/g)).toHaveLength(1);
  });

  it('shows the account for the rest, and shares it, after a program that failed', async () => {
    let made = false;
    const paid = { ...MADE, uid: activityOf(9), status: 'successful', amount: 250_000, next_action: null };
    // An answer may name the whole amount.
    const rest = { ...MADE, next_action: NEXT };
    const service = await serveAllBy(({ method, url }) => {
      made ||= method === 'POST';
      if (url.includes('/activities')) return json(200, rest);
      return json(200, { ...OWN, total_amount_paid: 250_000, activities: made ? [paid, rest] : [paid] });
    });
    const working = sender();
    const { home } = await scene({
      service,
      argv: one(...to(FAILING), '--remaining'),
      ...{ exit: 14, stdout: ['0123456789'], stderr: ['with --reuse in place of --remaining\n'] },
    });
    await scene({ home, service, argv: one(...to(working), '--reuse', '--json'), json: { uid: MADE.uid } });
    expect(working.sent()).toContain('Amount: NGN 2,500.01\n');
    expect(postsOf(service)).toEqual(once(0));
  });

  it('reads a checkout once for its name, and shares nothing to a customer who has paid meanwhile', async () => {
    let isPaid = false;
    const open = { ...MADE, uid: activityOf(3), next_action: NEXT };
    const paid = { ...ugwo(3), checkout: MADE.checkout, total_amount_paid: ugwo(3)['amount'], activities: [open] };
    const service = await serveAllBy((seen) => {
      if (isPaid && seen.url.endsWith(ugwoOf(3))) return json(200, paid);
      if (isPaid && seen.url.endsWith(activityOf(2)))
        return json(200, { ...MADE, uid: activityOf(2), status: 'successful' });
      return account(seen);
    });
    const [failing, working] = [sender('exit 1'), sender()];
    const words = charging(rows(1, 2, 3), ...template('{merchant}: {account_number}'), '--concurrency', '1');
    const { home } = await scene({ service, argv: [...words, ...to(failing)], exit: 14, json: {} });
    expect(failing.times()).toEqual(once(1, 2, 3));
    expect(service.seen.filter(({ url }) => url.startsWith('/v1/checkouts/'))).toHaveLength(1);
    isPaid = true;
    const argv = [...words, ...to(working)];
    await scene({ home, service, argv, exit: 14, json: {}, stderr: ['shows nothing that is left to pay'] });
    expect([working.times(), postsOf(service)]).toEqual([once(1), once(1, 2, 3)]);
  });

  it.each([
    [/^1 row: 1 charged; row 1: its message was not shared: exit code 1$/, 'exit 1', AGAIN, charging(rows(1))],
    [/row 1: its message may be shared already: SIGKILL$/, 'kill -9 $$', YOURSELF, charging(rows(1))],
    [/made, but its message may be shared already: SIGKILL$/, 'kill -9 $$', YOURSELF, one('--json')],
  ])('ends with 14 if only a message is left, and says what to do: %s', async (message, line, hint, words) => {
    const argv = [...words, ...to(sender(line))];
    await scene({ service: [OPEN], argv, exit: 14, json: {}, error: { message, hint }, requests: ['POST'] });
  });

  it('asks for another template, now and at the next run, for rows whose answers lack a value of it', async () => {
    const service = await accounts({ 1: json(200, { ...MADE, uid: activityOf(1), next_action: NO_EXPIRY }) });
    const [program, file, home] = [sender(), rows(1, 2), newFolder()];
    const filled = (text: string) => ({ home, service, argv: charging(file, ...to(program), ...template(text)) });
    const error = { message: /nothing for \{expires\}/, hint: /another template/ };
    for (const text of ['by {expires}', '{expires}']) await scene({ ...filled(text), exit: 14, json: {}, error });
    await scene({ ...filled('by {expires|tonight}'), json: { accepted: 2 } });
    expect([program.times(), postsOf(service)]).toEqual([once(1, 2), once(1, 2)]);
    expect(program.sent(ugwoOf(1))).toBe('by tonight\n');
  });

  it('does not share again what a killed run may have shared', async () => {
    const [service, killing, working] = [await accounts(), sender('kill -9 $PPID'), sender()];
    const [words, home] = [charging(rows(1)), newFolder()];
    const killed = await start([...words, ...to(killing)], { home, service }).ended;
    expect([killed.signal, killing.times()]).toEqual(['SIGKILL', once(1)]);
    await scene({
      ...{ home, service },
      argv: [...words, ...to(working)],
      exit: 14,
      json: { accepted: 1 },
      report: { 1: { shared: 'unknown', error: /the run that shared it was ended/ } },
    });
    expect([working.times(), postsOf(service)]).toEqual([{}, once(1)]);
  });

  it.each<[string, string[]]>([
    ['charge', one()],
    ['charge that is waited for', one('--wait')],
    ['row', ['ugwo', 'charge', '--from', fileWith(UGWO_ID)]],
  ])('names the message of a %s as not shared if a signal came before it', async (_, words) => {
    const { hold, letGo } = held(OPEN);
    const [service, program, home] = [await serveBy(() => hold), sender(), newFolder()];
    const run = startHere([...words, ...to(program)], { home, service });
    await service.came(1);
    run.kill('SIGTERM');
    await run.saw(/Finishing requests in flight/);
    letGo();
    const { code, stderr } = await run.ended;
    expect([code, program.times()]).toEqual([14, {}]);
    expect(stderr).toContain('its message was not shared: SIGTERM came before');
    await scene({ ...NOT_SHARED, home });
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
      const [file, home, report] = [rows(1), newFolder(), reportPath()];
      const words = ['ugwo', 'charge', '--from', file, ...to(program)];
      const env = runBefore(beforeStart(call, code));
      const first = await start([...words, '--report', report], { home, service, env }).ended;
      expect([first.code, program.times()]).toEqual([ended, {}]);
      if (ended !== null) expect(reportOf(report)['1']?.['error']).toBe('its message was not shared: odd disk');
      await scene({ ...NOT_SHARED, home, entries: evidence(...left) });
      await scene({
        home,
        service,
        argv: [...words, '--json'],
        json: { accepted: 1 },
        report: { 1: { shared: 'yes' } },
      });
      expect([program.times(), postsOf(service)]).toEqual([once(1), once(1)]);
    },
  );

  it('gives a program the whole message, also if paycli is killed as it starts', async () => {
    const service = await serveAll([LONG_REF, OPEN]);
    const program = killingProgram();
    const killed = await start(one(...to(program), ...LONG), { home: newFolder(), service }).ended;
    expect(killed.signal).toBe('SIGKILL');
    expect(await program.kept()).toBe(`${'r'.repeat(1_500_000)}\n`);
  });

  it('gives a program no message that is cut, if the disk is full', async () => {
    const { path, times } = sender();
    await scene({
      built: true,
      // No file of the run may be longer than a megabyte.
      program: ['bash', '-c', 'ulimit -S -f 1000; exec "$@"', 'bash', ...PROGRAM],
      looks: 'asked',
      service: [LONG_REF, OPEN],
      argv: one('--share-with', path, ...LONG),
      exit: 14,
      stdout: ['0123456789'],
      stderr: ["its message was not shared: couldn't be started: no space left in"],
      // No claim: one that stays, since the disk is full, would count as a message that may be shared.
      entries: evidence('to_share', 'not_shared'),
    });
    expect(times()).toEqual({});
  });

  it('shares each row once, whichever of two processes does', async () => {
    const [service, program, home] = [await accounts(), sender(), newFolder()];
    const all = Array.from({ length: 40 }, (_, index) => index + 1);
    const words = ['ugwo', 'charge', '--from', rows(...all), ...to(program)];
    const both = await Promise.all([1, 2].map(() => start(words, { home, service }).ended));
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect([program.times(), postsOf(service)]).toEqual([once(...all), once(...all)]);
  });

  it('shares a charge of a team once, on whatever machine', async () => {
    const [service, program, team] = [await serveBy(() => OPEN), sender(), await newTeam()];
    const argv = one(...to(program), '--reuse');
    for (const stderr of ['', REUSED]) await scene({ ...team.machine(), service, argv, stderr });
    expect(program.sent().match(/0123456789/g)).toHaveLength(1);
  });
});
