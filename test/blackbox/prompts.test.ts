import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { PROGRAM } from '../support/built.ts';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { onTerminal } from '../support/on-terminal.ts';
import { errorOf, newFolder } from '../support/program.ts';
import { ACTIVITY, json, serveBy, UGWO_ID, ugwo } from '../support/service.ts';
import { openShell, openTerminal, openThrough, type TerminalSession } from '../support/terminal.ts';

const ONYE = `ony.AbCd.${'1'.padStart(24, '0')}`;
const PART = /part of it: $/;
const CHARGE = ['ugwo', 'charge', SEEDED.ugwo, '--local', '--dry-run', '--no-preflight'];

/** Answers one question after the other, each once it is on the screen. */
const answering = (session: TerminalSession) => {
  let from = 0;
  return async (question: RegExp, answer: string): Promise<void> => {
    await session.saw(question, from);
    from = session.raw().length;
    session.type(`${answer}\r`);
  };
};

it.each<[string, readonly string[], RegExp, string, RegExp]>([
  ['a choice', CHARGE, /part of it: /, '1', /"medium":\s*"bank_transfer"/],
  [
    'a hidden answer',
    ['login', '--base-url', 'http://127.0.0.1:9', '--no-verify'],
    /\(not shown\): /,
    CANARY,
    /Stored|default/,
  ],
])('%s can be given after Ctrl-Z and fg', async (_what, args, question, given, done) => {
  const shell = openShell({ cwd: newFolder('cwd') });
  await shell.saw(/ready\$ /);
  shell.type(`${[...PROGRAM, ...args].join(' ')}\r`);
  await shell.saw(question);
  shell.type('\u001a');
  await shell.saw(/Stopped[^$]*ready\$ /);
  const before = shell.raw().length;
  shell.type('fg\r');
  await shell.saw(question, before);
  shell.type(`${given}\r`);
  await shell.saw(done, before);
  await shell.saw(/ready\$ /, before);
  shell.type('echo ended:$?\r');
  await shell.saw(/ended:0/);
  shell.type('exit\r');
  expect(await shell.ended).toEqual({ code: 0 });
});

describe('a missing option of ugwo charge', () => {
  it('is asked for on a terminal', async () => {
    const session = openTerminal([...CHARGE, '-o', 'ndjson'], { home: newFolder(), columns: 60 });
    const answer = answering(session);
    await answer(/part of it: /, '3');
    await answer(/The provider's code: /, 'mtn');
    await answer(/phone number, \+233…: /, '+233501234567');
    expect(await session.ended).toEqual({ code: 0 });
    const screen = await session.screen();
    expect(screen).toMatch(
      /^Which medium\?\n {2}1 {2}bank_transfer\n {2}2 {2}ussd\n {2}3 {2}mobile_money\nNumber, name or part of it: 3\n/,
    );
    expect(screen.replaceAll('\n', '')).toMatch(/"medium":"mobile_money","provider":"mtn","phone":"\+233501234567"/);
  });

  it('can be selected by part of its name, without redrawing', async () => {
    const session = openTerminal(CHARGE, { home: newFolder(), columns: 60 });
    const answer = answering(session);
    await answer(/part of it: /, 'uss');
    await answer(/Enter for ussd, or another: /, '');
    await answer(/30 {2}zenith\s+Number, name or part of it: /, 'uni');
    await answer(/2 {2}unity\s+Number, name or part of it: /, '1');
    expect(await session.ended).toEqual({ code: 0 });
    const asked = session.raw().slice(0, session.raw().indexOf('unity', session.raw().indexOf('unity') + 1));
    expect(asked).not.toContain('\u001b');
    expect(await session.screen()).toContain('union');
  });

  it('can be a value outside the list', async () => {
    const outside = { after: /Not on the list\.\s+Enter to use it all the same, or another: $/, line: '' };
    const typed = [{ after: PART, line: 'newbank' }, outside];
    const { code, raw } = await onTerminal([...CHARGE, '--medium', 'ussd'], {}, ...typed);
    expect([code, raw]).toEqual([0, expect.stringMatching(/"provider":\s*"newbank"/)]);
  });

  it.each<[string, readonly string[]]>([
    ["another error that a prompt can't fix", ['ugwo', 'charge', 'ugw.x', '--local']],
    ['--no-input', [...CHARGE, '--no-input']],
  ])('is an error with %s', async (_what, args) => {
    const { code, raw } = await onTerminal(args);
    expect([code, raw]).toEqual([2, expect.not.stringContaining('Which medium')]);
  });

  it('is an error unless both sides are a terminal', async () => {
    const piped = await inProcess([...CHARGE, '--json'], { stdin: '1\n' });
    expect(errorOf(piped)).toMatchObject({
      exit_code: 2,
      message: '--medium is required: bank_transfer, ussd, mobile_money',
    });
    const session = openThrough(['sh', '-c', '"$@" 2>errors', 'sh'], CHARGE, { home: newFolder() });
    expect(await session.ended).toEqual({ code: 2 });
    expect(session.raw()).not.toContain('Which medium');
  });
});

describe('a missing medium of ugwo charge', () => {
  const ASKS = { looks: 'asked' } as const;
  const ASKED = ['ugwo', 'charge', UGWO_ID, '--dry-run', '-o', 'ndjson'];
  const offering = (checkout: unknown) =>
    serveBy(() => json(200, { ...ugwo(7), uid: UGWO_ID, status: 'requires_ugwo', checkout, activities: [] }), ASKS);
  const of = (...mediums: unknown[]) => ({ uid: 'chk.AbCd.1', mediums: mediums.map((medium) => ({ medium })) });

  it.each<[string, object]>([
    ['as documented', of('ussd', 'card', 'bank_transfer')],
    ['as pairs', of(['ussd', 'enum.medium.ussd'], ['card', ''], ['bank_transfer', ''])],
  ])('is asked for among those of the payment request, %s', async (_how, checkout) => {
    const service = await offering(checkout);
    const session = openThrough(['sh', '-c', '"$@" | cat', 'sh'], ASKED, { home: newFolder(), service });
    await answering(session)(PART, '2');
    await session.ended;
    expect(await session.screen()).toMatch(/^Which medium\?\n {2}1 {2}ussd\n {2}2 {2}bank_transfer\nNumber/);
    expect(session.raw()).toContain('"medium":"bank_transfer"');
    expect(service.seen.map(({ method, url }) => [method, url])[0]).toEqual(['GET', `/v1/ugwo/${UGWO_ID}`]);
  });

  it.each([
    ['no checkout', null],
    ['a checkout without its mediums', { uid: 'chk.AbCd.1' }],
  ])('is asked for among all with %s', async (_what, checkout) => {
    const after = /1 {2}bank_transfer\s+2 {2}ussd\s+3 {2}mobile_money\s+Number, name or part of it: $/;
    const { code, raw } = await onTerminal(ASKED, { service: await offering(checkout) }, { after, line: '1' });
    expect([code, raw]).toEqual([0, expect.stringContaining('"medium":"bank_transfer"')]);
  });

  it('is refused if paycli can charge by none of them, or if there is no such payment request', async () => {
    const other = await onTerminal(ASKED, { service: await offering(of('card', 'pay_with_bank')) });
    expect(other.code).toBe(9);
    expect(other.raw.replaceAll(/\s+/g, ' ')).toMatch(
      /offers only card, pay_with_bank; nothing was sent.*paycli knows bank_transfer, ussd, mobile_money; .* --medium/,
    );
    const none = await onTerminal(ASKED, {
      service: await serveBy(() => json(404, { title: 'Not Found', status: 404, detail: `No ${UGWO_ID}` }), ASKS),
    });
    expect(none.code).toBe(3);
    expect(other.raw + none.raw).not.toContain('Which medium');
  });

  it('is asked for after a read whose payment holds, though the next read shows less', async () => {
    const payments = [{ status: 'requires_action' }, { status: 'successful', charged_amount: 500_007 }];
    const service = await serveBy(({ method }) => {
      if (method === 'POST') return json(200, ACTIVITY);
      const [shown] = isCharged ? payments.splice(1) : [];
      const activities = isCharged ? [{ ...ACTIVITY, ...(shown ?? payments[0]) }] : [];
      return json(200, { ...ugwo(7), uid: UGWO_ID, status: 'requires_ugwo', checkout: of('ussd'), activities });
    }, ASKS);
    let isCharged = false;
    const [home, words] = [newFolder(), ['ugwo', 'charge', UGWO_ID, '--provider', 'gtb', '--again']];
    expect(await inProcess([...words, '--medium', 'ussd'], { home, service })).toMatchObject({ code: 0 });
    isCharged = true;
    expect(await onTerminal(words, { home, service }, { after: PART, line: '1' })).toMatchObject({ code: 9 });
    expect(service.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('is asked for among all, without a request, with --as-curl', async () => {
    const service = await offering(of('ussd'));
    const typed = { after: /3 {2}mobile_money\s+Number, name or part of it: $/, line: '1' };
    expect(await onTerminal([...ASKED.slice(0, 3), '--as-curl'], { service }, typed)).toMatchObject({ code: 0 });
    expect(service.seen).toEqual([]);
  });
});

describe('a missing payment request of ugwo charge', () => {
  const CHECKOUT = {
    uid: 'chk.AbCd.1',
    currency: ['NGN', 'Nigerian naira (NGN)'],
    mediums: [{ medium: 'bank_transfer' }],
  };
  const unpaid = (number: number, more: object = {}) => ({
    ...ugwo(number),
    status: 'requires_ugwo',
    checkout: CHECKOUT,
    ...more,
  });
  const listed = (): readonly object[] => [
    unpaid(1, {
      ref: null,
      onye: null,
      checkout: null,
      created_at: new Date(Date.now() - 3 * 24 * 3_600_000).toISOString(),
    }),
    { ...unpaid(2), status: 'cancelled', ref: 'GONE' },
    unpaid(3, {
      ref: 'INV-3',
      onye: { email: 'somebody.with.a.long.name@example.com' },
      created_at: new Date(Date.now() - 60_000).toISOString(),
    }),
  ];
  const serving = (data: readonly unknown[] = listed()) => serveBy(() => json(200, { data, next_cursor: 'more' }));
  const ASKED = ['ugwo', 'charge', '--medium', 'bank_transfer'];

  it('is selected on a terminal from the newest unpaid ones', async () => {
    const service = await serving();
    const found = /Enter for INV-3 somebody\.with\.a\.long\.na… NGN 5,000\.03 1 min, or another: $/;
    const typed = [
      { after: PART, line: 'inv' },
      { after: found, line: '' },
    ];
    const { code, raw: screen } = await onTerminal([...ASKED, '--dry-run'], { service, columns: 80 }, ...typed);
    expect(code).toBe(0);
    expect(screen).toMatch(/^Which payment request \(the newest unpaid ones\)\?$/m);
    expect(screen).toMatch(/^ {2}1 {2}…000001 +NGN 5,000\.01 +3 days$/m);
    expect(screen).toMatch(/^ {2}2 {2}INV-3 +somebody\.with\.a\.long\.na… +NGN 5,000\.03 +1 min$/m);
    expect(screen).not.toContain('GONE');
    expect(screen).toContain(`/v1/ugwo/${String(ugwo(3)['uid'])}/activities`);
    expect(service.seen.map(({ url }) => url)).toEqual(['/v1/ugwo?limit=100']);
  });

  it('is told in one line each on a narrow terminal', async () => {
    const { raw } = await onTerminal(ASKED, { service: await serving(), columns: 60 }, { after: PART, line: '' });
    expect(raw).toMatch(/^ {2}2 {2}INV-3 +NGN 5,000\.03 +1 min$/m);
  });

  it.each<[string, readonly string[], Record<string, string>]>([
    ['--yes', [...ASKED, '--yes'], {}],
    ['-q', [...ASKED, '-q'], {}],
    ['--no-input', [...ASKED, '--no-input'], {}],
    ['--as-curl', [...ASKED, '--as-curl'], {}],
    ['CI', ASKED, { CI: 'true' }],
  ])('is an error with %s', async (_what, args, env) => {
    const service = await serving();
    const { code, raw } = await onTerminal(args, { service, env });
    expect([code, raw]).toEqual([2, expect.stringContaining("missing required argument 'ugwo'")]);
    expect(service.seen).toEqual([]);
  });

  it.each(['', 'false', '0'])('is asked for with CI=%s', async (CI) => {
    const typed = { after: /Which payment request[\s\S]*part of it: $/, line: '' };
    expect(await onTerminal(ASKED, { service: await serving(), env: { CI } }, typed)).toMatchObject({ code: 130 });
  });

  it('is an error in a pipe, or if none is unpaid', async () => {
    const service = await serving([]);
    const piped = openThrough(['sh', '-c', '"$@" | cat', 'sh'], ASKED, { home: newFolder(), service });
    await piped.ended;
    expect(piped.raw()).toContain("missing required argument 'ugwo'");
    expect(service.seen).toEqual([]);
    const { code, raw } = await onTerminal(ASKED, { service });
    expect([code, raw]).toEqual([2, expect.stringContaining("missing required argument 'ugwo'")]);
  });
});

const REFUND = ['refund', 'create', SEEDED.paid.activity, '--ugwo', SEEDED.paid.ugwo, '--local'];

describe('a declined prompt', () => {
  const DECLINED = /^Cancelled; nothing was changed$/m;

  it.each<[string, readonly string[], RegExp, string]>([
    ['n', [...REFUND, '--provider', 'gtb', '--account-number', '0123456789'], /to account 0123456789 at gtb/, 'n'],
    ['Enter at a yes/no prompt', ['emulator', 'reset'], /\[y\/N\] $/, ''],
    ['Enter at a list', CHARGE, PART, ''],
    ['Enter at a text prompt', [...CHARGE, '--medium', 'mobile_money'], /code: $/, ''],
  ])('exits with 130 and says so: %s', async (_what, args, after, line) => {
    const { code, raw } = await onTerminal(args, { columns: 200 }, { after, line });
    expect([code, raw]).toEqual([130, expect.stringMatching(DECLINED)]);
  });

  it('exits with 130 and says so: Ctrl-D at a key prompt', async () => {
    const session = openTerminal(['login', '--environment', 'sandbox'], { home: newFolder() });
    await session.saw(/not shown\): $/);
    session.type('\u0004');
    expect(await session.ended).toEqual({ code: 130 });
    expect(await session.screen()).toMatch(DECLINED);
  });
});

describe('Ctrl-C at a prompt', () => {
  it.each<[string, readonly string[], RegExp]>([
    ['at a list', CHARGE, PART],
    ['at a text prompt', [...CHARGE, '--medium', 'mobile_money'], /code: $/],
    ['at a key prompt', ['login', '--environment', 'sandbox'], /not shown\): $/],
  ])('%s exits with 130 and restores the terminal', async (_what, args, question) => {
    const script = 'stty -g; "$@"; echo "ended with $?"; stty -g';
    const session = openThrough(['sh', '-c', script, 'sh'], args, { home: newFolder() });
    await session.saw(question);
    session.type('\u0003');
    await session.ended;
    const lines = session
      .raw()
      .trim()
      .split(/[\r\n]+/);
    expect(lines).toContain('ended with 130');
    expect(lines.at(-1)).toMatch(/^[\da-f:]{20,}$/);
    expect(lines.at(-1)).toBe(lines[0]);
    // The cursor is visible again.
    expect(session.raw().lastIndexOf('\u001b[?25l')).toBeLessThanOrEqual(session.raw().lastIndexOf('\u001b[?25h'));
  });
});

/** A home with two profiles, neither the default, for a local service. */
const withProfiles = async () => {
  const service = await serveBy(() => json(200, { uid: ONYE, email: 'a@b.example', first_name: 'Ada', meta: {} }));
  const home = newFolder();
  for (const name of ['first', 'shop', 'stall']) {
    const words = ['login', '--profile', name, '--base-url', service.origin, '--key-stdin', '--no-verify'];
    expect(await inProcess(words, { home, stdin: `sk.AbCd.${name.padEnd(80, 'x')}` })).toMatchObject({ code: 0 });
  }
  expect(await inProcess(['profile', 'remove', 'first', '--yes'], { home })).toMatchObject({ code: 0 });
  return { home, service };
};

describe('a missing profile', () => {
  it('is an error without a terminal; on a terminal, commands ask for it', async () => {
    const { home, service } = await withProfiles();
    const known = expect.stringContaining('known: shop, stall');
    expect(await inProcess(['profile', 'use'], { home })).toMatchObject({ code: 2, stderr: known });
    expect(await inProcess(['onye', 'get', ONYE], { home })).toMatchObject({ code: 4, stderr: known });

    const asked = { after: /Which profile\?\s+1 {2}shop\s+2 {2}stall\s+Number, name or part of it: $/, line: '2' };
    expect(await onTerminal(['onye', 'get', ONYE], { home }, asked)).toMatchObject({ code: 0 });
    const keys = service.seen.map(({ headers }) => headers['authorization']);
    expect(keys).toEqual([expect.stringContaining('sk.AbCd.stall')]);

    const typed = [
      { after: PART, line: 'sta' },
      { after: /Enter for stall, or another: $/, line: '' },
    ];
    expect(await onTerminal(['profile', 'use'], { home }, ...typed)).toMatchObject({ code: 0 });
    const shown = await inProcess(['profile', 'show', '-o', 'tsv', '--columns', 'name'], { home });
    expect(shown.stdout).toContain('stall');
  });
});
