import { describe, expect, it } from 'vitest';
import { onyeOf, ugwoOf, uidOf } from '../support/ids.ts';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, passingClock, type RunOptions, paycli as runApart, start } from '../support/program.ts';
import { ACTIVITY, hang, json, type Seen, serveAllBy, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { charged, csvOf, fileOf, numberIn, once, postsOf, reportOf, reportPath, summaryOf } from './bulk-support.ts';
import { newTeam } from './team-support.ts';

type Fields = Readonly<Record<string, unknown>>;

const customer = (number: number, more: Fields = {}): Fields => ({
  uid: onyeOf(number),
  email: `c${number}@example.com`,
  first_name: `First${number}`,
  last_name: null,
  ref: null,
  status: 'active',
  billing_address: null,
  meta: null,
  created_at: '2026-11-20T10:00:00+00:00',
  ...more,
});

const request = (number: number, more: Fields = {}): Fields => ({
  ...ugwo(number),
  onye: { uid: onyeOf(number), email: `c${number}@example.com` },
  checkout: { uid: 'chk.AbCd.1' },
  activities: [],
  ...more,
});

interface Shop {
  readonly ugwo?: readonly Fields[];
  readonly onye?: readonly Fields[];
  /** Records on a page; the service ignores the limit. */
  readonly size?: number;
  /** The number of a payment request whose charge, or of a customer whose update, gets no answer. */
  readonly mute?: number;
  /** True if the refs and e-mail addresses of the first two records change places once the list was read. */
  readonly swaps?: true;
}

/** A service with these records, newest first, that a test may change, and runs of the program with one ledger. */
const open = async (shop: Shop = {}) => {
  const records = { ugwo: [...(shop.ugwo ?? [])], onye: [...(shop.onye ?? [])] };
  const swap = (): void => {
    for (const [all, name] of [
      [records.ugwo, 'ref'],
      [records.onye, 'email'],
    ] as const) {
      const [one = {}, other = {}, ...more] = all;
      all.splice(0, all.length, { ...one, [name]: other[name] }, { ...other, [name]: one[name] }, ...more);
    }
  };
  const service = await serveAllBy((seen) => {
    const [, kind, id, more] = /^\/v1\/(ugwo|onye)(?:\/([^/?]+))?(\/activities)?/.exec(seen.url) ?? [];
    const all = kind === 'ugwo' ? records.ugwo : records.onye;
    if (id === undefined) {
      if (shop.swaps) setImmediate(swap);
      const at = Number(new URL(seen.url, 'http://x').searchParams.get('cursor') ?? 0);
      const end = at + (shop.size ?? 100);
      return json(200, { data: all.slice(at, end), next_cursor: end < all.length ? String(end) : null });
    }
    const found = all.find(({ uid }) => uid === id);
    if (found === undefined) return json(404, { title: 'Not Found', status: 404 });
    if (seen.method === 'PATCH' && shop.mute !== undefined && id === onyeOf(shop.mute)) return hang;
    if (more === undefined) return json(200, found);
    return numberIn(seen) === shop.mute ? hang : charged(numberIn(seen));
  });
  const options: RunOptions = { service, home: newFolder() };
  const paycli = (...args: readonly string[]) => inProcess(args, options);
  const asked = (from = 0): readonly string[] =>
    service.seen.slice(from).map(({ method, url }: Seen) => `${method} ${url}`);
  return { records, swap, service, options, paycli, asked };
};

const CHARGE = ['--medium', 'bank_transfer', '--json'];
const LIST = 'GET /v1/ugwo?limit=100';
const CUSTOMER = `GET /v1/onye/${onyeOf(1)}`;
const READ = (number: number): string => `GET /v1/ugwo/${ugwoOf(number)}`;
const POST = (number: number): string => `POST /v1/ugwo/${ugwoOf(number)}/activities`;

describe('a ref that is spelled differently', () => {
  const [composed, apart] = ['INV \u00e9', 'inv\u00a0e\u0301'];

  it('means the only record that it fits, and the line says so', async () => {
    const { paycli, asked } = await open({ ugwo: [request(1), request(2, { ref: apart })] });
    const ended = await paycli('ugwo', 'charge', composed, ...CHARGE.slice(0, 2));
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain(`${composed} is ${ugwoOf(2)}`);
    expect(ended.stderr).toContain(', whose ref is spelled differently: ');
    expect(asked().at(-1)).toBe(POST(2));
  });

  it('means the record that has exactly this text before any other', async () => {
    const { paycli } = await open({ ugwo: [request(1, { ref: apart }), request(2, { ref: composed })], size: 1 });
    const { stdout, stderr } = await paycli('ugwo', 'get', composed, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ uid: ugwoOf(2) });
    expect(stderr).not.toContain('differently');
  });

  it('means none of several', async () => {
    const { paycli } = await open({ ugwo: [request(1, { ref: apart }), request(2, { ref: 'inv \u00e9' })] });
    const ended = await paycli('ugwo', 'charge', composed, ...CHARGE);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('2 payment requests have the ref');
  });

  it('means no record while the rest of the list may have the name itself', async () => {
    const others = Array.from({ length: 21 }, (_, at) => request(at + 2));
    const ugwo = [request(1, { ref: 'INV-1' }), ...others, request(30, { ref: 'inv-1' })];
    const { paycli, service } = await open({ ugwo, size: 1 });
    const ended = await paycli('ugwo', 'charge', 'inv-1', ...CHARGE, '--yes');
    expect(ended.code).toBe(2);
    expect(errorOf(ended)['message']).toMatch(/no payment request with the ref "inv-1" .*; "INV-1" is another ref/);
    expect(service.seen.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('is told for each of the names of a file', async () => {
    const { paycli } = await open({ ugwo: [request(1), request(2), request(3, { ref: apart })] });
    const file = fileOf(csvOf('ugwo', 'order-1', 'order-2', composed));
    const ended = await paycli('ugwo', 'charge', '--from', file, ...CHARGE.slice(0, 2), '--yes');
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain(`Names: order-1 is ${ugwoOf(1)} and 1 more\n`);
    expect(ended.stderr).toContain(`Names: ${composed} is ${ugwoOf(3)}, whose ref is spelled differently: `);
  });

  it('is found by its charge in the ledger, alone and by find', async () => {
    const shop = await open({ ugwo: [request(1, { ref: 'INV e\u0301' })] });
    expect(await shop.paycli('ugwo', 'charge', ugwoOf(1), ...CHARGE)).toMatchObject({ code: 0 });
    const found = await shop.paycli('find', composed, '-o', 'csv', '--columns', 'ugwo');
    expect(found.stdout).toContain(ugwoOf(1));
    expect(found.stderr).toContain('Found by another spelling');
  });
});

describe('a ref in place of the id of a payment request', () => {
  it.each([
    ['ugwo get order-2 --json', [LIST, READ(2)]],
    ['activity get order-2 --json', [LIST, READ(2)]],
    ['ugwo charge order-2 --medium bank_transfer', [LIST, READ(2), POST(2)]],
    ['ugwo charge order-2 --medium bank_transfer --dry-run', [LIST, READ(2)]],
    ['ugwo charge order-2 --medium bank_transfer --as-curl', [LIST]],
    ['ugwo cancel order-2 --yes', [LIST, READ(2), `DELETE /v1/ugwo/${ugwoOf(2)}`]],
    ['ugwo get order-2 --as-curl', [LIST]],
  ])('is taken by `%s`', async (line, requests) => {
    const { paycli, asked } = await open({ ugwo: [request(1), request(2)] });
    const { code, stderr } = await paycli(...line.split(' '));
    expect([0, 3], stderr).toContain(code);
    expect(asked()).toEqual(requests);
  });

  it('is looked for in the ledger first, and the record is read', async () => {
    const { paycli, asked, service } = await open({ ugwo: [request(1)] });
    expect(await paycli('ugwo', 'charge', ugwoOf(1), ...CHARGE)).toMatchObject({ code: 0 });
    const from = service.seen.length;
    expect(JSON.parse((await paycli('ugwo', 'get', 'order-1', '--json')).stdout)).toMatchObject({ uid: ugwoOf(1) });
    expect(asked(from)).toEqual([READ(1)]);
  });

  it.each([
    ['ugwo charge order-1 --medium bank_transfer --again --yes', [READ(1), POST(1)]],
    ['ugwo charge order-1 --medium bank_transfer --again --dry-run', [READ(1)]],
    ['ugwo cancel order-1 --yes', [READ(1), `DELETE /v1/ugwo/${ugwoOf(1)}`]],
    ['activity get order-1', [READ(1), `${READ(1)}/activities/${uidOf(1)}`]],
    ['refund create order-1 --dry-run', [READ(1)]],
    ['onye get c1@example.com', [CUSTOMER]],
    ['onye update c1@example.com --merge-meta a=1', [CUSTOMER, CUSTOMER.replace('GET', 'PATCH')]],
  ])('is read once if the ledger knows it: %s', async (line, requests) => {
    const status = line.startsWith('refund') ? 'successful' : ACTIVITY['status'];
    const { paycli, records, asked, service } = await open({ ugwo: [request(1)], onye: [customer(1)] });
    expect(await paycli('ugwo', 'charge', ugwoOf(1), ...CHARGE)).toMatchObject({ code: 0 });
    records.ugwo[0] = request(1, { activities: [{ ...ACTIVITY, uid: uidOf(1), status }] });
    const from = service.seen.length;
    const { stderr } = await paycli(...line.split(' '));
    expect(asked(from), stderr).toEqual(requests);
  });

  it('is read anew before the charge if its first read is too old by then', async () => {
    const { paycli, records, options, asked, service } = await open({ ugwo: [request(1)] });
    expect(await paycli('ugwo', 'charge', ugwoOf(1), ...CHARGE)).toMatchObject({ code: 0 });
    const clock = passingClock();
    const slow = {
      ...request(1),
      get status() {
        clock.pass();
        return 'requires_ugwo';
      },
    };
    records.ugwo[0] = slow;
    const from = service.seen.length;
    const line = ['ugwo', 'charge', 'order-1', ...CHARGE, '--again', '--yes'];
    const ended = await runApart(line, { ...options, env: clock.env });
    expect(ended.code, ended.stderr).toBe(0);
    expect(asked(from)).toEqual([READ(1), READ(1), POST(1)]);
  });

  it('is not taken from the ledger of another service or workspace', async () => {
    const { paycli, options, asked } = await open({ ugwo: [request(1)] });
    expect(await paycli('ugwo', 'charge', ugwoOf(1), ...CHARGE)).toMatchObject({ code: 0 });
    const other = await open({ ugwo: [request(2, { ref: 'order-1' })] });
    const get = (more: RunOptions) => inProcess(['ugwo', 'get', 'order-1', '--json'], { ...options, ...more });
    expect(JSON.parse((await get({ service: other.service })).stdout)).toMatchObject({ uid: ugwoOf(2) });
    expect(other.asked()).toEqual([LIST, READ(2)]);
    const from = asked().length;
    const env = { PAYCLI_SECRET_KEY: `sk.Othr.${'0'.repeat(80)}` };
    expect(await get({ env })).toMatchObject({ code: 0 });
    expect(asked(from)).toEqual([LIST, READ(1)]);
  });

  it('that has another record by now is not taken from the ledger', async () => {
    const { paycli, records, asked, service } = await open({ ugwo: [request(1)] });
    expect(await paycli('ugwo', 'charge', 'order-1', ...CHARGE)).toMatchObject({ code: 0 });
    records.ugwo[0] = request(1, { ref: 'order-1-old' });
    const from = service.seen.length;
    const gone = await paycli('ugwo', 'charge', 'order-1', ...CHARGE, '--again');
    expect(gone).toMatchObject({ code: 2, stderr: expect.stringContaining('no payment request with the ref') });
    records.ugwo.push(request(2, { ref: 'order-1' }));
    const shown = await paycli('ugwo', 'get', 'order-1', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ uid: ugwoOf(2) });
    expect(asked(from)).toEqual([READ(1), LIST, READ(1), LIST, READ(2)]);
  });

  it('of which there are several is refused, with all of them and a command', async () => {
    const twice = [request(1, { ref: 'a b' }), request(2, { ref: 'a b', status: 'cancelled', onye: null })];
    const { paycli, asked } = await open({ ugwo: twice });
    const { code, stdout, stderr } = await paycli('ugwo', 'charge', 'a b', '--medium', 'bank_transfer');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      'error: 2 payment requests have the ref "a b"\n' +
        `  ${ugwoOf(1)}: NGN 5,000.01, c1@example.com, not paid\n` +
        `  ${ugwoOf(2)}: NGN 5,000.02, cancelled\n` +
        '→ give the id of one of them\n',
    );
    expect(asked()).toEqual([LIST]);
  });

  it('that nothing has is refused, with the places that were searched', async () => {
    const { paycli } = await open({ ugwo: [request(1), request(2)] });
    expect(await paycli('ugwo', 'cancel', "it's 7", '--yes')).toMatchObject({
      code: 2,
      stderr:
        'error: no payment request with the ref "it\'s 7" (looked in the ledger, and through all 2 payment requests of ' +
        "the service)\n→ find it with: paycli find 'it'\\''s 7' --service\n",
    });
  });

  it('that looks like an option is named by a command that takes it', async () => {
    const { paycli } = await open({ ugwo: [request(1)] });
    const { stderr } = await paycli('ugwo', 'get', '--', '-7');
    expect(stderr).toContain('→ find it with: paycli find --service -- -7\n');
    const { code, stderr: said } = await paycli('find', '--', '-7');
    expect([code, said]).toEqual([0, expect.stringContaining('At the service: paycli find --service -- -7\n')]);
  });

  it('is looked for on twenty pages', async () => {
    const many = Array.from({ length: 25 }, (_none, index) => request(index + 1));
    const { paycli, asked } = await open({ ugwo: many, size: 1 });
    const { stderr } = await paycli('ugwo', 'get', "it's 7");
    expect(stderr).toContain('through the newest 20 payment requests');
    expect(stderr).toContain("→ find it with: paycli ugwo list --ref 'it'\\''s 7'\n");
    expect(asked()).toHaveLength(20);
    const from = asked().length;
    expect(await paycli('ugwo', 'get', 'order-1')).toMatchObject({ code: 0 });
    // The next page may be under way when the first one arrives.
    expect(asked(from).length).toBeLessThanOrEqual(3);
  });

  it.each(['inv.2026.001', 'order 1', 'it\'s "7"', '  x  ', 'act-1', 'a@b', '-'])('may be `%s`', async (ref) => {
    const { paycli } = await open({ ugwo: [request(1, { ref })] });
    const { code, stdout, stderr } = await paycli('ugwo', 'get', '--json', '--', ref);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ uid: ugwoOf(1), ref });
  });

  it.each([
    ['ugw.AbCd', /"ugw.AbCd" is not the identifier of a payment request/],
    ['act.AbCd.1', /is the identifier of an activity, not of a payment request/],
    ['', /"" is not the identifier/],
    ['x'.repeat(151), /is not the identifier/],
  ])('that looks like a mistyped id, or is none, is refused: `%s`', async (text, message) => {
    const { paycli } = await open();
    expect(await paycli('ugwo', 'get', text)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  });

  it.each([undefined, '..', 'act.AbCd.1', onyeOf(1)])('is not that of a record with the id %s', async (uid) => {
    const { paycli, asked } = await open({ ugwo: [request(1, { uid })] });
    const { code, stderr } = await paycli('ugwo', 'cancel', 'order-1', '--yes');
    expect([code, stderr]).toEqual([2, expect.stringContaining('no payment request with the ref "order-1"')]);
    expect(asked()).toEqual([LIST]);
  });

  it('is refused with --no-preflight, and sent as it is with --no-validate', async () => {
    const { paycli, asked } = await open({ ugwo: [request(1)] });
    expect(await paycli('ugwo', 'charge', 'order-1', ...CHARGE, '--no-preflight')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--no-preflight'),
    });
    expect(asked()).toEqual([]);
    expect(await paycli('ugwo', 'get', 'order-1', '--no-validate')).toMatchObject({ code: 3 });
    expect(asked()).toEqual(['GET /v1/ugwo/order-1']);
  });

  it('reports other faults of the command line before it is looked for', async () => {
    const { paycli, asked } = await open();
    expect(await paycli('ugwo', 'charge', 'order-1', '--medium', 'ussd')).toMatchObject({ code: 2 });
    const columns = ['--columns', 'uid,nonsense', '-o', 'tsv', '--medium', 'bank_transfer'];
    expect(await paycli('ugwo', 'charge', 'order-1', ...columns)).toMatchObject({ code: 2 });
    expect(asked()).toEqual([]);
  });

  it('is looked for once for several, in one walk', async () => {
    const { paycli, asked } = await open({ ugwo: [request(1), request(2), request(3)], size: 1 });
    const watched = await paycli('watch', 'order-1', 'order-2', 'order-1');
    expect(watched.stderr).toContain(`no charge of ${ugwoOf(1)}`);
    expect(asked().slice(0, 2)).toEqual([LIST, `${LIST}&cursor=1`]);
  });

  it('is taken by refund create --ugwo', async () => {
    const { paycli, asked } = await open({ ugwo: [request(1)] });
    const activity = 'act.AbCd.1';
    const ended = await paycli('refund', 'create', activity, '--ugwo', 'order-1', '--yes');
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(`no activity of ${ugwoOf(1)}`) });
    expect(asked()).toEqual([LIST, READ(1)]);
  });
});

describe('an e-mail address in place of the id of a customer', () => {
  it.each([
    ['onye get C2@Example.com --json', 'GET'],
    ['onye update c2@example.com --first-name Ada', 'PATCH'],
    ['onye delete c2@example.com --yes', 'DELETE'],
  ])('is taken by `%s`', async (line, method) => {
    const { paycli, service } = await open({ onye: [customer(1), customer(2)] });
    const { stderr } = await paycli(...line.split(' '));
    expect(service.seen[0]?.url).toBe('/v1/onye?limit=100');
    const last = service.seen.at(-1);
    expect([last?.method, last?.url], stderr).toEqual([method, `/v1/onye/${onyeOf(2)}`]);
  });

  it('that has moved to another customer is not taken from the ledger', async () => {
    const { paycli, records } = await open({ ugwo: [request(1)], onye: [customer(1)] });
    expect(await paycli('ugwo', 'charge', ugwoOf(1), ...CHARGE)).toMatchObject({ code: 0 });
    records.onye[0] = customer(1, { email: 'new@example.com' });
    records.onye.push(customer(2, { email: 'c1@example.com' }));
    const updated = await paycli('onye', 'update', 'c1@example.com', '--first-name', 'Ada');
    expect(updated.stderr).toContain(`c1@example.com is ${onyeOf(2)}: First2, c1@example.com, active\n`);
  });

  it('that no customer has is not looked for a second time', async () => {
    const { paycli } = await open({ onye: [customer(1)] });
    const { stderr } = await paycli('onye', 'get', 'c2@example.com');
    expect(stderr).toMatch(/ through all 1 customers of the service\)\n→ find it with: paycli onye list\n$/);
  });

  it('must be one', async () => {
    const { paycli } = await open();
    expect(await paycli('onye', 'get', 'Ada Bello')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /"Ada Bello" is not the identifier of a customer .+\n→ give ony\.…, or the e-mail address of the customer\n$/,
      ),
    });
  });
});

describe('a write by name', () => {
  it('prints the record before it sends, and asks nothing without a terminal', async () => {
    const { paycli, asked } = await open({ ugwo: [request(1)] });
    const ended = await paycli('ugwo', 'charge', 'order-1', '--medium', 'bank_transfer');
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain(`order-1 is ${ugwoOf(1)}: NGN 5,000.01, c1@example.com, not paid\n`);
    expect(asked()).toEqual([LIST, READ(1), POST(1)]);
  });

  it('says what was paid of a request that is paid in part', async () => {
    const { paycli } = await open({ ugwo: [request(1, { total_amount_paid: 250_000 })] });
    const { stderr } = await paycli('ugwo', 'charge', 'order-1', '--medium', 'bank_transfer');
    expect(stderr).toContain(`: NGN 5,000.01, c1@example.com, part paid: NGN 2,500.00 of 5,000.01\n`);
  });

  it.each([
    ['y', [], 0, [LIST, READ(1), POST(1)]],
    ['n', [], 130, [LIST]],
    ['', ['--yes'], 0, [LIST, READ(1), POST(1)]],
  ])('asks on a terminal: %s %s', async (answer, more, code, requests) => {
    const { options, asked } = await open({ ugwo: [request(1)] });
    const session = openTerminal(['ugwo', 'charge', 'order-1', '--medium', 'bank_transfer', ...more], options);
    await session.saw(new RegExp(`order-1 is ${ugwoOf(1)}: NGN 5,000\\.01, c1@example\\.com, not paid`));
    if (answer !== '') {
      await session.saw(/Is this the one\? \[y\/N\] /);
      session.type(`${answer}\r`);
    }
    expect(await session.ended).toEqual({ code });
    if (answer === '') expect(session.raw()).not.toContain('Is this the one');
    expect(session.raw()).not.toContain('Charging');
    expect(asked()).toEqual(requests);
  });

  it('asks for a missing medium, too', async () => {
    const { options, asked } = await open({ ugwo: [request(1)] });
    const session = openTerminal(['ugwo', 'charge', 'order-1'], options);
    await session.saw(/part of it: /);
    session.type('bank_transfer\r');
    await session.saw(/Is this the one\? \[y\/N\] /);
    session.type('y\r');
    expect(await session.ended).toEqual({ code: 0 });
    expect(asked()).toEqual([LIST, READ(1), LIST, READ(1), POST(1)]);
  });

  it('is offered the mediums of its checkout alone', async () => {
    const checkout = { uid: 'chk.AbCd.1', mediums: [{ medium: 'bank_transfer' }] };
    const { options } = await open({ ugwo: [request(1, { checkout })] });
    const session = openTerminal(['ugwo', 'charge', 'order-1'], options);
    await session.saw(/1 {2}bank_transfer\s+Number, name or part of it: /);
    expect(session.raw()).not.toContain('ussd');
    session.type('\r');
    expect(await session.ended).toEqual({ code: 130 });
  });

  it('is no question if nothing has the name', async () => {
    const { options } = await open({ ugwo: [request(1)] });
    const session = openTerminal(['ugwo', 'charge', 'order-9'], options);
    expect(await session.ended).toEqual({ code: 2 });
    expect(session.raw()).not.toContain('Which medium');
  });

  it.each([
    ['ugwo charge order-1 --medium bank_transfer', 'Is this the one', 'has "order-2" now'],
    ['ugwo cancel order-1', 'Cancel this payment request', 'has "order-2" now'],
    ['onye update c1@example.com --first-name Ada', 'Is this the one', 'has "c2@example.com" now'],
    ['onye update c1@example.com --first-name Obi', 'Is this the one', 'has "c2@example.com" now', 'known'],
    ['onye delete c1@example.com', 'Delete this customer', 'has "c2@example.com" now'],
  ])('sends nothing if the name has moved while a person was asked: %s', async (line, question, found, known?) => {
    const shop = { ugwo: [request(1), request(2)], onye: [customer(1), customer(2)] };
    const { options, paycli, service, swap } = await open(shop);
    if (known) expect(await paycli('ugwo', 'charge', ugwoOf(1), ...CHARGE)).toMatchObject({ code: 0 });
    const from = service.seen.length;
    const session = openTerminal(line.split(' '), options);
    await session.saw(new RegExp(`${question}.*\\[y/N\\] `, 's'));
    swap();
    session.type('y\r');
    expect(await session.ended).toEqual({ code: 9 });
    expect(session.raw().replaceAll(/\s+/g, ' ')).toContain(found);
    expect(service.seen.slice(from).filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it.each(['--json', '--again', '--reuse', '--dry-run'])(
    'charges nothing if the ref moved after it was looked up: %s',
    async (more) => {
      const { paycli, service } = await open({ ugwo: [request(1), request(2)], swaps: true });
      const ended = await paycli('ugwo', 'charge', 'order-1', '--medium', 'bank_transfer', more);
      expect(ended.code, ended.stderr).toBe(9);
      const [one, two] = more === '--json' ? ['\\"order-1\\"', '\\"order-2\\"'] : ['"order-1"', '"order-2"'];
      expect(ended.stderr).toContain(`${ugwoOf(1)} was found by the ref ${one}, and has ${two} now`);
      expect(ended.stderr).toContain('run the same command again to look for the ref anew, or give the id');
      expect(postsOf(service)).toEqual({});
    },
  );

  it('that asks by itself asks once', async () => {
    const { options, asked } = await open({ ugwo: [request(1)] });
    const session = openTerminal(['ugwo', 'cancel', 'order-1'], options);
    await session.saw(/Cancel this payment request\? .*\[y\/N\] /s);
    session.type('n\r');
    expect(await session.ended).toEqual({ code: 130 });
    expect(session.raw()).not.toContain('Is this the one');
    expect(asked()).toEqual([LIST, READ(1)]);
  });
});

describe('names in a file', () => {
  const from = (file: string): readonly string[] => [
    'ugwo',
    'charge',
    '--from',
    file,
    '--medium',
    'bank_transfer',
    '--json',
  ];

  it('of charges are looked up together, beside ids, and each row is charged once over any number of runs', async () => {
    const { paycli, asked, service } = await open({ ugwo: [request(1), request(2), request(3)] });
    const file = fileOf(csvOf('ugwo', 'order-1', ugwoOf(2), ' order-3 '));
    const report = reportPath();
    const first = await paycli(...from(file), '--report', report);
    expect(first.code, first.stderr).toBe(0);
    expect(asked().slice(0, 2).sort()).toEqual([READ(1), LIST].sort());
    expect(asked().filter((one) => one === LIST)).toHaveLength(1);
    expect(postsOf(service)).toEqual(once(1, 2, 3));
    expect(reportOf(report)['1']).toMatchObject({ ugwo: 'order-1', state: 'accepted', ref: 'order-1' });
    const again = await paycli(...from(file));
    expect([again.code, summaryOf(again)['job']]).toEqual([0, summaryOf(first)['job']]);
    expect(postsOf(service)).toEqual(once(1, 2, 3));
  });

  it('stay the same job after a kill, and no row is charged twice', async () => {
    const { paycli, records, service, options } = await open({ ugwo: [request(1), request(2), request(3)], mute: 2 });
    const args = from(fileOf(csvOf('ugwo', 'order-1', 'order-2', 'order-3')));
    const first = start([...args, '--concurrency', '1'], options);
    while (postsOf(service)[2] === undefined) await service.came(service.seen.length + 1);
    first.kill('SIGKILL');
    await first.ended;
    records.ugwo[0] = request(1, { ref: 'renamed' });
    const again = await paycli(...args);
    expect(again.code, again.stderr).toBe(6);
    expect(summaryOf(again)).toMatchObject({ accepted: 2, unknown: 1, rejected: 0 });
    expect(postsOf(service)).toEqual(once(1, 2, 3));
  });

  it.each(['--json', '--again'])(
    'of charges are refused if they have moved since they were looked up: %s',
    async (more) => {
      const { paycli, service } = await open({ ugwo: [request(1), request(2), request(3)], swaps: true });
      const report = reportPath();
      const args = [...from(fileOf(csvOf('ugwo', 'order-1', ugwoOf(2), 'order-3'))), more];
      const ended = await paycli(...args, '--report', report);
      expect(ended.code, ended.stderr).toBe(9);
      expect(reportOf(report)[1]).toMatchObject({
        state: 'refused',
        error: `nothing was sent: ${ugwoOf(1)} was found by the ref "order-1", and has "order-2" now`,
      });
      expect(postsOf(service)).toEqual(once(2, 3));
    },
  );

  it.each([
    ['first_name', 'Ada'],
    ['meta.tier', 'vip'],
  ])('of updates are refused if they have moved since they were looked up: %s', async (column, cell) => {
    const { paycli, service } = await open({ onye: [customer(1), customer(2), customer(3)], swaps: true });
    const file = fileOf(csvOf(`uid,${column}`, `c1@example.com,${cell}`, `c3@example.com,${cell}`));
    const ended = await paycli('onye', 'update', '--from', file, '--json');
    expect([ended.code, summaryOf(ended)], ended.stderr).toMatchObject([9, { refused: 1, accepted: 1 }]);
    const sent = service.seen.filter(({ method }) => method === 'PATCH');
    expect(sent.map(({ url }) => url)).toEqual([`/v1/onye/${onyeOf(3)}`]);
  });

  it('are told with their ids', async () => {
    const { paycli } = await open({ ugwo: [request(1), request(2)] });
    const ended = await paycli(
      'ugwo',
      'charge',
      '--from',
      fileOf(csvOf('ugwo,medium', 'order-1,ussd', 'order-2,ussd')),
      '--provider',
      'gtb',
    );
    expect(ended.stderr).toContain(`Names: order-1 is ${ugwoOf(1)} and 1 more\n`);
  });

  it('let a notice about the rows count each cell once', async () => {
    const { paycli } = await open({ ugwo: [request(1), request(2)] });
    const file = fileOf(csvOf('ugwo,medium,provider', 'order-1,ussd,NULL', `${ugwoOf(2)},ussd,NULL`));
    const ended = await paycli('ugwo', 'charge', '--from', file, '--dry-run');
    expect(ended.stderr).toMatch(/^2 cells look like leftovers/m);
  });

  it('that nothing, or more than one has, are faults of their rows', async () => {
    const twice = [request(1, { ref: 'a' }), request(2, { ref: 'a' }), request(3)];
    const { paycli, service } = await open({ ugwo: twice });
    const file = fileOf(csvOf('ugwo', 'a', 'order-3', 'nope', 'ugw.AbCd'));
    const { code, stderr } = await paycli('ugwo', 'charge', '--from', file, '--medium', 'bank_transfer');
    expect(code).toBe(2);
    expect(stderr).toContain(`row 1, column ugwo: 2 payment requests have the ref "a": ${ugwoOf(1)}, ${ugwoOf(2)}\n`);
    expect(stderr).toContain('row 3, column ugwo: no payment request with the ref "nope" (looked in the ledger, and');
    expect(stderr).toContain('row 4, column ugwo: "ugw.AbCd" is not the identifier of a payment request');
    expect(stderr).toContain('3 of 4 rows');
    expect(postsOf(service)).toEqual({});
    expect(await paycli(...from(file), '--skip-invalid')).toMatchObject({ code: 0 });
    expect(postsOf(service)).toEqual(once(3));
  });

  it('are duplicates of the same name, and of its id', async () => {
    const { paycli, service } = await open({ ugwo: [request(1)] });
    const file = fileOf(csvOf('ugwo', 'order-1', 'order-1', ugwoOf(1)));
    const { code, stderr } = await paycli('ugwo', 'charge', '--from', file, '--medium', 'bank_transfer');
    expect([code, stderr.match(/duplicate of row 1/g)?.length]).toEqual([2, 2]);
    expect(postsOf(service)).toEqual({});
  });

  it('may be more than the ledger is asked for one by one', async () => {
    const many = Array.from({ length: 30 }, (_none, index) => request(index + 1));
    const { paycli, asked, service } = await open({ ugwo: many });
    const rows = many.map(({ ref }) => JSON.stringify({ ugwo: ref, medium: 'bank_transfer' }));
    const file = fileOf(`${rows.join('\n')}\n`, 'a.ndjson');
    expect(await paycli('ugwo', 'charge', '--from', file, '--json')).toMatchObject({ code: 0 });
    const sent = asked().length;
    expect(await paycli('ugwo', 'charge', '--from', file, '--json')).toMatchObject({ code: 0 });
    expect(asked().slice(sent)).toEqual([]);
    expect(Object.values(postsOf(service))).toEqual(Array(30).fill(1));
  });

  it('may be older than those of the pages in which one name is looked for', async () => {
    const { paycli, asked, service } = await open({
      ugwo: Array.from({ length: 25 }, (_none, index) => request(index + 1)),
      size: 1,
    });
    const ended = await paycli(...from(fileOf(csvOf('ugwo', 'order-1', 'order-23'))));
    expect(ended.code, ended.stderr).toBe(0);
    expect(asked().filter((one) => one.startsWith(LIST)).length).toBeGreaterThan(20);
    expect(postsOf(service)).toEqual(once(1, 23));
    const nothing = await paycli('ugwo', 'charge', '--from', fileOf(csvOf('ugwo', 'order-99')), '--medium', 'ussd');
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('through all 25 payment requests')]);
  });

  it('are refused with --no-preflight', async () => {
    const { paycli, asked } = await open({ ugwo: [request(1)] });
    const { code, stderr } = await paycli(...from(fileOf(csvOf('ugwo', 'order-1'))), '--no-preflight');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--no-preflight')]);
    expect(asked()).toEqual([]);
  });

  it('of updates are e-mail addresses', async () => {
    const { paycli, service } = await open({ onye: [customer(1), customer(2)] });
    const file = fileOf(csvOf('uid,email,first_name', 'C1@example.com,,Ada', `${onyeOf(2)},,Obi`));
    const ended = await paycli('onye', 'update', '--from', file, '--json');
    expect(ended.code, ended.stderr).toBe(0);
    const sent = service.seen
      .filter(({ method }) => method === 'PATCH')
      .map(({ url, body }) => [url, JSON.parse(body)]);
    expect(sent.sort()).toEqual([
      [`/v1/onye/${onyeOf(1)}`, { first_name: 'Ada' }],
      [`/v1/onye/${onyeOf(2)}`, { first_name: 'Obi' }],
    ]);
  });

  /** An update by name that changes the name, gets no answer, and leaves the name to another customer. */
  const expectKept = async (env: NonNullable<RunOptions['env']> = {}): Promise<void> => {
    const { options, records, service } = await open({ onye: [customer(1), customer(2)], mute: 1 });
    const file = fileOf(csvOf('uid,email', 'c1@example.com,new@example.com', `${onyeOf(2)},c1@example.com`));
    const update = (...more: readonly string[]) =>
      inProcess(['onye', 'update', '--json', '--from', file, ...more], { ...options, env });
    const first = await update('--timeout', '1s');
    expect(first.code, first.stderr).toBe(6);
    expect(summaryOf(first)).toMatchObject({ accepted: 1, unknown: 1 });
    records.onye = [customer(1, { email: 'new@example.com' }), customer(2, { email: 'c1@example.com' })];
    const from = service.seen.length;
    const again = await update();
    expect(again.code, again.stderr).toBe(0);
    expect(service.seen.slice(from).map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET /v1/onye/${onyeOf(1)}`,
    ]);
  };

  it('keep, over the runs of a job, the ids to which their rows were sent', async () => {
    await expectKept();
  });

  it.skipIf(process.platform === 'win32')('keep their ids in PostgreSQL, too', async () => {
    await expectKept({ PAYCLI_LEDGER: (await newTeam()).url });
  });

  it('of refunds are refs of their payment requests', async () => {
    const { paycli, asked } = await open({ ugwo: [request(1)] });
    const file = fileOf(csvOf('activity,ugwo,amount', 'act.AbCd.1,order-1,all', 'act.AbCd.2,order-9,all'));
    const ended = await paycli('refund', 'create', '--from', file, '--dry-run');
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('row 2, column ugwo: no payment request')]);
    expect(ended.stderr).not.toContain('row 1');
    expect(asked()).toEqual([LIST]);
  });
});
