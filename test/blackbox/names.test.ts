import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { clock } from '../support/clock.ts';
import { onyeOf, ugwoOf, uidOf } from '../support/ids.ts';
import { onTerminal } from '../support/on-terminal.ts';
import { newFolder, type RunOptions, start } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { ACTIVITY, type Answer, hang, json, problem, type Seen, serveAllBy, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { MINUTE } from '../support/units.ts';
import { charged, csvOf, fileOf, numberIn, once, postsOf, summaryOf } from './bulk-support.ts';
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

type Records = Record<'ugwo' | 'onye', Fields[]>;

interface Shop extends Partial<Records> {
  /** Records on a page; the service ignores the limit. */
  readonly size?: number;
  /** The number of a payment request whose charge, or of a customer whose update, gets no answer. */
  readonly mute?: number;
  /** True if the refs and e-mail addresses of the first two records change places once the list was read. */
  readonly swaps?: true;
}

/** Lets the first two records change their refs and e-mail addresses. */
const swap = ({ ugwo, onye }: Records): void => {
  for (const [all, name] of [
    [ugwo, 'ref'],
    [onye, 'email'],
  ] as const) {
    const [one = {}, other = {}] = all;
    all.splice(0, 2, { ...one, [name]: other[name] }, { ...other, [name]: one[name] });
  }
};

/** What a service with these records, newest first, answers. */
const answers =
  (records: Records, { size = 100, mute, swaps }: Shop) =>
  (seen: Seen): Answer => {
    const [, kind, id, more] = /^\/v1\/(ugwo|onye)(?:\/([^/?]+))?(\/activities)?/.exec(seen.url) ?? [];
    const all = kind === 'ugwo' ? records.ugwo : records.onye;
    if (id === undefined) {
      if (swaps) setImmediate(swap, records);
      const at = Number(new URL(seen.url, 'http://x').searchParams.get('cursor') ?? 0);
      const end = at + size;
      return json(200, { data: all.slice(at, end), next_cursor: end < all.length ? String(end) : null });
    }
    const found = all.find(({ uid }) => uid === id);
    if (found === undefined) return json(404, { title: 'Not Found', status: 404 });
    if (seen.method === 'PATCH' && mute !== undefined && id === onyeOf(mute)) return hang;
    if (more === undefined) return json(200, found);
    return numberIn(seen) === mute ? hang : charged(numberIn(seen));
  };

const recordsOf = ({ ugwo = [], onye = [] }: Shop): Records => ({ ugwo: [...ugwo], onye: [...onye] });

/** The service of a scene, with these records. */
const shop = (some: Shop = {}) => ({ service: answers(recordsOf(some), some), looks: 'asked' }) as const;

const lineOf = ({ method, url }: Seen): string => `${method} ${url}`;

/** The same with one ledger for several runs; the test may change the records. */
const open = async (some: Shop = {}) => {
  const records = recordsOf(some);
  const service = await serveAllBy(answers(records, some));
  const asked = () => service.seen.map(lineOf);
  return { records, asked, options: { service, home: newFolder() } };
};

const chargeOf = (name: string, ...more: string[]): string[] => {
  return ['ugwo', 'charge', name, '--medium', 'bank_transfer', ...more];
};
const LIST = 'GET /v1/ugwo?limit=100';
const CUSTOMERS = 'GET /v1/onye?limit=100';
const READ = (number: number): string => `GET /v1/ugwo/${ugwoOf(number)}`;
const POST = (number: number): string => `POST /v1/ugwo/${ugwoOf(number)}/activities`;
const ONYE = (method: string, number: number): string => `${method} /v1/onye/${onyeOf(number)}`;
/** The reads of a list on this many pages. */
const pages = (count: number): RegExp[] => Array(count).fill(/^GET \/v1\/ugwo\?limit=100(&cursor=\d+)?$/);

/** Charges the payment requests of a file. */
const fromFile = (text: string): string[] => ['ugwo', 'charge', '--from', fileOf(text), '--medium', 'bank_transfer'];

describe('a ref that is spelled differently', () => {
  const [composed, apart] = ['INV \u00e9', 'inv\u00a0e\u0301'];

  it('means the only record that it fits, and the line says so', () =>
    scene({
      ...shop({ ugwo: [request(1), request(2, { ref: apart })] }),
      argv: chargeOf(composed),
      stderr: [`${composed} is ${ugwoOf(2)}`, ', whose ref is spelled differently: '],
      requests: [LIST, READ(2), POST(2)],
    }));

  it('means the record that has exactly this text before any other', () =>
    scene({
      ...shop({ ugwo: [request(1, { ref: apart }), request(2, { ref: composed })], size: 1 }),
      argv: ['ugwo', 'get', composed, '--json'],
      json: { uid: ugwoOf(2) },
      stderr: '',
    }));

  it('means none of several', () =>
    scene({
      ...shop({ ugwo: [request(1, { ref: apart }), request(2, { ref: 'inv \u00e9' })] }),
      argv: chargeOf(composed, '--json'),
      exit: 2,
      error: { message: expect.stringContaining('2 payment requests have the ref') },
      requests: [LIST],
    }));

  it('means no record while the rest of the list may have the name itself', () => {
    const others = Array.from({ length: 21 }, (_, at) => request(at + 2));
    return scene({
      ...shop({ ugwo: [request(1, { ref: 'INV-1' }), ...others, request(30, { ref: 'inv-1' })], size: 1 }),
      argv: chargeOf('inv-1', '--json', '--yes'),
      exit: 2,
      error: { message: expect.stringMatching(/no payment request with the ref "inv-1" .*; "INV-1" is another ref/) },
      requests: pages(20),
    });
  });

  it('is told for each of the names of a file', () =>
    scene({
      ...shop({ ugwo: [request(1), request(2), request(3, { ref: apart }), request(4, { ref: 'INV-4' })] }),
      argv: [...fromFile(csvOf('ugwo', 'order-1', 'order-2', composed, 'inv-4')), '--yes'],
      stderr: [
        `Names: order-1 is ${ugwoOf(1)} and 1 more\n`,
        `Names: ${composed} is ${ugwoOf(3)}, whose ref is spelled differently: `,
        `, inv-4 is ${ugwoOf(4)}, whose ref is spelled differently: "INV-4"\n`,
      ],
    }));

  it('is found by its charge in the ledger, alone and by find', async () => {
    await scene({
      ...shop({ ugwo: [request(1, { ref: 'INV e\u0301' })] }),
      before: [chargeOf(ugwoOf(1))],
      argv: ['find', composed, '-o', 'csv', '--columns', 'ugwo'],
      stdout: [ugwoOf(1)],
      stderr: ['Found by another spelling'],
    });
  });

  it('is not found by find if several payment requests in the ledger have it', async () => {
    await scene({
      ...shop({ ugwo: [request(1, { ref: 'INV e\u0301' }), request(2, { ref: 'INV e\u0301' })] }),
      before: [chargeOf(ugwoOf(1)), chargeOf(ugwoOf(2))],
      argv: ['find', composed, '-o', 'csv', '--columns', 'ugwo'],
      stdout: 'ugwo\r\n',
      stderr: [`Several payment requests have another spelling of it: INV e\u0301\n`],
    });
  });
});

describe('a ref in place of the id of a payment request', () => {
  it.each([
    ['ugwo get order-2 --json', [LIST, READ(2)]],
    ['activity get order-2 --json', [LIST, READ(2)], 3],
    ['ugwo charge order-2 --medium bank_transfer', [LIST, READ(2), POST(2)]],
    ['ugwo charge order-2 --medium bank_transfer --dry-run', [LIST, READ(2)]],
    ['ugwo charge order-2 --medium bank_transfer --as-curl', [LIST]],
    ['ugwo cancel order-2 --yes', [LIST, READ(2), `DELETE /v1/ugwo/${ugwoOf(2)}`]],
    ['ugwo get order-2 --as-curl', [LIST]],
    ['onye get C2@Example.com --json', [CUSTOMERS, ONYE('GET', 2)]],
    ['onye update c2@example.com --first-name Ada', [CUSTOMERS, ONYE('PATCH', 2)]],
    ['onye delete c2@example.com --yes', [CUSTOMERS, ONYE('GET', 2), ONYE('DELETE', 2)]],
  ])('is taken by `%s`', async (line, requests, exit = 0) => {
    const both = { ugwo: [request(1), request(2)], onye: [customer(1), customer(2)] };
    await scene({ ...shop(both), argv: line.split(' '), exit, stderr: /^/, requests });
  });

  it.each([
    ['ugwo get order-1 --json', [READ(1)]],
    ['ugwo charge order-1 --medium bank_transfer --again --yes', [READ(1), POST(1)]],
    ['ugwo charge order-1 --medium bank_transfer --again --dry-run', [READ(1)]],
    ['ugwo cancel order-1 --yes', [READ(1), `DELETE /v1/ugwo/${ugwoOf(1)}`]],
    ['activity get order-1', [READ(1), `${READ(1)}/activities/${uidOf(1)}`]],
    ['refund create order-1 --dry-run', [READ(1)]],
    ['onye get c1@example.com', [ONYE('GET', 1)]],
    ['onye update c1@example.com --merge-meta a=1', [ONYE('GET', 1), ONYE('PATCH', 1)]],
  ])('is looked for in the ledger first, and the record is read once: %s', async (line, requests) => {
    const status = line.startsWith('refund') ? 'successful' : ACTIVITY['status'];
    const { records, options } = await open({ ugwo: [request(1)], onye: [customer(1)] });
    await scene({ ...options, argv: chargeOf(ugwoOf(1), '--json') });
    records.ugwo[0] = request(1, { activities: [{ ...ACTIVITY, uid: uidOf(1), status }] });
    await scene({ ...options, argv: line.split(' '), stderr: /^/, requests });
  });

  it('is read anew before the charge if its first read is too old by then', async () => {
    const { records, options } = await open({ ugwo: [request(1)] });
    await scene({ ...options, argv: chargeOf(ugwoOf(1), '--json') });
    const now = vi.spyOn(clock, 'now');
    onTestFinished(() => now.mockRestore());
    const slow = {
      ...request(1),
      get status() {
        now.mockImplementation(() => Date.now() + 60 * MINUTE);
        return 'requires_ugwo';
      },
    };
    records.ugwo[0] = slow;
    await scene({
      ...options,
      argv: chargeOf('order-1', '--json', '--again', '--yes'),
      stderr: /^/,
      requests: [READ(1), READ(1), POST(1)],
    });
  });

  it('is not taken from the ledger of another service or workspace', async () => {
    const { home, service } = await scene({ ...shop({ ugwo: [request(1)] }), argv: chargeOf(ugwoOf(1), '--json') });
    const argv = ['ugwo', 'get', 'order-1', '--json'];
    await scene({
      ...shop({ ugwo: [request(2, { ref: 'order-1' })] }),
      home,
      argv,
      json: { uid: ugwoOf(2) },
      requests: [LIST, READ(2)],
    });
    const env = { PAYCLI_SECRET_KEY: `sk.Othr.${'0'.repeat(80)}` };
    await scene({ home, service, env, argv, json: { uid: ugwoOf(1) }, requests: [LIST, READ(1)] });
  });

  it('that has another record by now is not taken from the ledger', async () => {
    const { records, options } = await open({ ugwo: [request(1)] });
    await scene({ ...options, argv: chargeOf('order-1', '--json') });
    records.ugwo[0] = request(1, { ref: 'order-1-old' });
    await scene({
      ...options,
      argv: chargeOf('order-1', '--again'),
      exit: 2,
      stderr: ['no payment request with the ref'],
      requests: [READ(1), LIST],
    });
    records.ugwo.push(request(2, { ref: 'order-1' }));
    const argv = ['ugwo', 'get', 'order-1', '--json'];
    await scene({ ...options, argv, json: { uid: ugwoOf(2) }, requests: [READ(1), LIST, READ(2)] });
  });

  it('of which there are several is refused, with all of them and a command', () =>
    scene({
      ...shop({ ugwo: [request(1, { ref: 'a b' }), request(2, { ref: 'a b', status: 'cancelled', onye: null })] }),
      argv: chargeOf('a b'),
      exit: 2,
      stderr:
        'error: 2 payment requests have the ref "a b"\n' +
        `  ${ugwoOf(1)}: NGN 5,000.01, c1@example.com, not paid\n` +
        `  ${ugwoOf(2)}: NGN 5,000.02, cancelled\n` +
        '→ give the id of one of them\n',
      requests: [LIST],
    }));

  it('that nothing has is refused, with the places that were searched', () =>
    scene({
      ...shop({ ugwo: [request(1), request(2)] }),
      argv: ['ugwo', 'cancel', "it's 7", '--yes'],
      exit: 2,
      stderr:
        'error: no payment request with the ref "it\'s 7" (looked in the ledger, and through all 2 payment requests of ' +
        "the service)\n→ find it with: paycli find 'it'\\''s 7' --service\n",
      requests: [LIST],
    }));

  it('that looks like an option is named by a command that takes it', async () => {
    await scene({
      ...shop({ ugwo: [request(1)] }),
      argv: ['ugwo', 'get', '--', '-7'],
      exit: 2,
      stderr: ['→ find it with: paycli find --service -- -7\n'],
    });
    await scene({ argv: ['find', '--', '-7'], stderr: ['At the service: paycli find --service -- -7\n'] });
  });

  it('is looked for on twenty pages', async () => {
    const many = Array.from({ length: 25 }, (_none, index) => request(index + 1));
    const { service } = await scene({
      ...shop({ ugwo: many, size: 1 }),
      argv: ['ugwo', 'get', "it's 7"],
      exit: 2,
      stderr: ['through the newest 20 payment requests', "→ find it with: paycli ugwo list --ref 'it'\\''s 7'\n"],
      requests: pages(20),
    });
    const { seen } = await scene({ service, argv: ['ugwo', 'get', 'order-1'] });
    // The next page may be under way when the first one arrives.
    expect(seen.length).toBeLessThanOrEqual(3);
  });

  it.each(['inv.2026.001', 'order 1', 'it\'s "7"', '  x  ', 'act-1', 'a@b', '-'])('may be `%s`', async (ref) => {
    const argv = ['ugwo', 'get', '--json', '--', ref];
    await scene({ ...shop({ ugwo: [request(1, { ref })] }), argv, json: { uid: ugwoOf(1), ref } });
  });

  it.each<[argv: string[], fault: string]>([
    [['ugwo', 'get', 'ugw.AbCd'], '"ugw.AbCd" is not the identifier of a payment request'],
    [['ugwo', 'get', 'act.AbCd.1'], 'is the identifier of an activity, not of a payment request'],
    [['ugwo', 'get', ''], '"" is not the identifier'],
    [['ugwo', 'get', 'x'.repeat(151)], 'is not the identifier'],
    [chargeOf('order-1', '--no-preflight'), '--no-preflight'],
    [['ugwo', 'charge', 'order-1', '--medium', 'ussd'], '--provider'],
    [chargeOf('order-1', '-o', 'tsv', '--columns', 'uid,nonsense'), 'nonsense'],
  ])('is refused before it is looked for: %j: %s', async (argv, fault) => {
    await scene({ ...shop(), argv, exit: 2, stderr: [fault], requests: [] });
  });

  it.each([undefined, '..', 'act.AbCd.1', onyeOf(1)])('is not that of a record with the id %s', async (uid) => {
    await scene({
      ...shop({ ugwo: [request(1, { uid })] }),
      argv: ['ugwo', 'cancel', 'order-1', '--yes'],
      exit: 2,
      stderr: ['no payment request with the ref "order-1"'],
      requests: [LIST],
    });
  });

  it('is taken by refund create --ugwo', () =>
    scene({
      ...shop({ ugwo: [request(1)] }),
      argv: ['refund', 'create', 'act.AbCd.1', '--ugwo', 'order-1', '--yes'],
      exit: 2,
      stderr: [`no activity of ${ugwoOf(1)}`],
      requests: [LIST, READ(1)],
    }));

  it('is sent as it is with --no-validate', () =>
    scene({
      ...shop({ ugwo: [request(1)] }),
      argv: ['ugwo', 'get', 'order-1', '--no-validate'],
      exit: 3,
      requests: ['GET /v1/ugwo/order-1'],
    }));

  it('is looked for once for several, in one walk', async () => {
    const { seen } = await scene({
      ...shop({ ugwo: [request(1), request(2), request(3)], size: 1 }),
      argv: ['watch', 'order-1', 'order-2', 'order-1'],
      exit: 2,
      stderr: [`no charge of ${ugwoOf(1)}`],
    });
    expect(seen.slice(0, 2).map(lineOf)).toEqual([LIST, `${LIST}&cursor=1`]);
  });
});

describe('an e-mail address in place of the id of a customer', () => {
  it('that has moved to another customer is not taken from the ledger', async () => {
    const { options, records } = await open({ ugwo: [request(1)], onye: [customer(1)] });
    await scene({ ...options, argv: chargeOf(ugwoOf(1), '--json') });
    records.onye[0] = customer(1, { email: 'new@example.com' });
    records.onye.push(customer(2, { email: 'c1@example.com' }));
    await scene({
      ...options,
      argv: ['onye', 'update', 'c1@example.com', '--first-name', 'Ada'],
      stderr: [`c1@example.com is ${onyeOf(2)}: First2, c1@example.com, active\n`],
    });
  });

  it('that no customer has is not looked for a second time', () =>
    scene({
      ...shop({ onye: [customer(1)] }),
      argv: ['onye', 'get', 'c2@example.com'],
      exit: 2,
      stderr: / through all 1 customers of the service\)\n→ find it with: paycli onye list\n$/,
      requests: [CUSTOMERS],
    }));

  it('must be one', () =>
    scene({
      ...shop(),
      argv: ['onye', 'get', 'Ada Bello'],
      exit: 2,
      stderr:
        /"Ada Bello" is not the identifier of a customer .+\n→ give ony\.…, or the e-mail address of the customer\n$/,
      requests: [],
    }));
});

describe('a write by name', () => {
  it('prints the record before it sends, and asks nothing without a terminal', () =>
    scene({
      ...shop({ ugwo: [request(1)] }),
      argv: chargeOf('order-1'),
      stderr: [`order-1 is ${ugwoOf(1)}: NGN 5,000.01, c1@example.com, not paid\n`],
      requests: [LIST, READ(1), POST(1)],
    }));

  it('says what was paid of a request that is paid in part', () =>
    scene({
      ...shop({ ugwo: [request(1, { total_amount_paid: 250_000 })] }),
      argv: chargeOf('order-1'),
      exit: 9,
      stderr: [': NGN 5,000.01, c1@example.com, part paid: NGN 2,500.00 of 5,000.01\n'],
    }));

  it('says what came by an activity that brought a part', () => {
    const part = { ...ACTIVITY, uid: uidOf(1), status: 'successful', amount: 500_001, charged_amount: 250_000 };
    return scene({
      ...shop({ ugwo: [request(1, { activities: [part] })] }),
      argv: ['refund', 'create', 'order-1', '--dry-run'],
      stderr: [/^order-1 is act\.AbCd\.\d+1: NGN 5,000\.01, c1@example\.com, part paid: NGN 2,500\.00 of 5,000\.01\n/],
    });
  });

  it.each([
    ['y', [], 0, [LIST, READ(1), POST(1)]],
    ['n', [], 130, [LIST]],
    ['', ['--yes'], 0, [LIST, READ(1), POST(1)]],
  ])('asks on a terminal: %s %s', async (answer, more, code, requests) => {
    const { options, asked } = await open({ ugwo: [request(1)] });
    const argv = ['ugwo', 'charge', 'order-1', '--medium', 'bank_transfer', ...more];
    const typed = answer === '' ? [] : [{ after: /Is this the one\? \[y\/N\] /, line: answer }];
    const { raw, ...ended } = await onTerminal(argv, options, ...typed);
    expect(raw).toContain(`order-1 is ${ugwoOf(1)}: NGN 5,000.01, c1@example.com, not paid`);
    expect(ended).toEqual({ code });
    if (answer === '') expect(raw).not.toContain('Is this the one');
    expect(raw).not.toContain('Charging');
    expect(asked()).toEqual(requests);
  });

  it('asks for a missing medium, too', async () => {
    const { options, asked } = await open({ ugwo: [request(1)] });
    const { code } = await onTerminal(
      ['ugwo', 'charge', 'order-1'],
      options,
      { after: /part of it: /, line: 'bank_transfer' },
      { after: /Is this the one\? \[y\/N\] /, line: 'y' },
    );
    expect(code).toBe(0);
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
    const { code, raw } = await onTerminal(['ugwo', 'charge', 'order-9'], options);
    expect(code).toBe(2);
    expect(raw).not.toContain('Which medium');
  });

  it.each([
    ['ugwo charge order-1 --medium bank_transfer', 'Is this the one', 'has "order-2" now'],
    ['ugwo cancel order-1', 'Cancel this payment request', 'has "order-2" now'],
    ['onye update c1@example.com --first-name Ada', 'Is this the one', 'has "c2@example.com" now'],
    ['onye update c1@example.com --first-name Obi', 'Is this the one', 'has "c2@example.com" now', 'known'],
    ['onye delete c1@example.com', 'Delete this customer', 'has "c2@example.com" now'],
  ])('sends nothing if the name has moved while a person was asked: %s', async (line, question, found, known?) => {
    const shop = { ugwo: [request(1), request(2)], onye: [customer(1), customer(2)] };
    const { options, records, asked } = await open(shop);
    if (known) await scene({ ...options, argv: chargeOf(ugwoOf(1), '--json') });
    const from = asked().length;
    const after = new RegExp(`${question}.*\\[y/N\\] `, 's');
    const { code, raw } = await onTerminal(line.split(' '), options, { after, first: () => swap(records), line: 'y' });
    expect(code).toBe(9);
    expect(raw.replaceAll(/\s+/g, ' ')).toContain(found);
    const sent = asked().slice(from);
    expect(sent.filter((one) => !one.startsWith('GET'))).toEqual([]);
  });

  it.each(['--json', '--again', '--reuse', '--dry-run'])(
    'charges nothing if the ref moved after it was looked up: %s',
    async (more) => {
      const [one, two] = more === '--json' ? ['\\"order-1\\"', '\\"order-2\\"'] : ['"order-1"', '"order-2"'];
      await scene({
        ...shop({ ugwo: [request(1), request(2)], swaps: true }),
        argv: chargeOf('order-1', more),
        exit: 9,
        stderr: [
          `${ugwoOf(1)} was found by the ref ${one}, and has ${two} now`,
          'run the same command again to look for the ref anew, or give the id',
        ],
        requests: [LIST, READ(1)],
      });
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
  it('of charges are looked up together, beside ids, and each row is charged once over any number of runs', async () => {
    const argv = [...fromFile(csvOf('ugwo', 'order-1', ugwoOf(2), ' order-3 ')), '--json'];
    const ended = await scene({
      ...shop({ ugwo: [request(1), request(2), request(3)] }),
      argv,
      json: { accepted: 3 },
      stderr: /^/,
      report: {
        1: { ugwo: 'order-1', state: 'accepted', ref: 'order-1' },
        2: { ugwo: ugwoOf(2), state: 'accepted', ref: 'order-2' },
        3: { ugwo: ' order-3 ', state: 'accepted', ref: 'order-3' },
      },
    });
    const asked = ended.seen.map(lineOf);
    expect(asked.slice(0, 2).sort()).toEqual([READ(1), LIST].sort());
    expect(asked.slice(2).sort()).toEqual([READ(2), READ(3), POST(1), POST(2), POST(3)].sort());
    const { home, service } = ended;
    await scene({ home, service, argv, json: { job: summaryOf(ended)['job'] }, stderr: /^/, requests: [] });
  });

  it('stay the same job after a kill, and no row is charged twice', async () => {
    const { records, options } = await open({ ugwo: [request(1), request(2), request(3)], mute: 2 });
    const { service } = options;
    const argv = [...fromFile(csvOf('ugwo', 'order-1', 'order-2', 'order-3', 'order-1')), '--allow-repeats', '--json'];
    const first = start([...argv, '--concurrency', '1'], options);
    while (postsOf(service)[2] === undefined) await service.came(service.seen.length + 1);
    first.kill('SIGKILL');
    await first.ended;
    records.ugwo[0] = request(1, { ref: 'renamed' });
    await scene({ ...options, argv, exit: 6, json: { accepted: 2, unknown: 1, rejected: 0, refused: 1 } });
    expect(postsOf(service)).toEqual(once(1, 2, 3));
  });

  it.each(['--json', '--again'])(
    'of charges are refused if they have moved since they were looked up: %s',
    async (more) => {
      const ended = await scene({
        ...shop({ ugwo: [request(1), request(2), request(3)], swaps: true }),
        argv: [...fromFile(csvOf('ugwo', 'order-1', ugwoOf(2), 'order-3')), '--json', more],
        exit: 9,
        json: { refused: 1, accepted: 2 },
        report: {
          1: {
            state: 'refused',
            error: `nothing was sent: ${ugwoOf(1)} was found by the ref "order-1", and has "order-2" now`,
          },
          2: { ugwo: ugwoOf(2), state: 'accepted' },
          3: { ugwo: 'order-3', state: 'accepted' },
        },
      });
      expect(postsOf(ended)).toEqual(once(2, 3));
    },
  );

  it.each([
    ['first_name', 'Ada'],
    ['meta.tier', 'vip'],
  ])('of updates are refused if they have moved since they were looked up: %s', async (column, cell) => {
    const file = fileOf(csvOf(`uid,${column}`, `c1@example.com,${cell}`, `c3@example.com,${cell}`));
    const { seen } = await scene({
      ...shop({ onye: [customer(1), customer(2), customer(3)], swaps: true }),
      argv: ['onye', 'update', '--from', file, '--json'],
      exit: 9,
      json: { refused: 1, accepted: 1 },
    });
    expect(seen.map(lineOf).filter((one) => one.startsWith('PATCH'))).toEqual([ONYE('PATCH', 3)]);
  });

  it('are told with their ids', () =>
    scene({
      ...shop({ ugwo: [request(1), request(2)] }),
      argv: [...fromFile(csvOf('ugwo', 'order-1', 'order-2')), '--dry-run'],
      stderr: [`Names: order-1 is ${ugwoOf(1)} and 1 more\n`],
    }));

  it('let a notice about the rows count each cell once', () => {
    const file = fileOf(csvOf('ugwo,medium,provider', 'order-1,ussd,NULL', `${ugwoOf(2)},ussd,NULL`));
    return scene({
      ...shop({ ugwo: [request(1), request(2)] }),
      argv: ['ugwo', 'charge', '--from', file, '--dry-run'],
      stderr: /^2 cells look like leftovers/m,
    });
  });

  it('that nothing, or more than one has, are faults of their rows', async () => {
    const twice = [request(1, { ref: 'a' }), request(2, { ref: 'a' }), request(3)];
    const argv = fromFile(csvOf('ugwo', 'a', 'order-3', 'nope', 'ugw.AbCd'));
    const { home, service } = await scene({
      ...shop({ ugwo: twice }),
      argv,
      exit: 2,
      stderr: [
        `row 1, column ugwo: 2 payment requests have the ref "a": ${ugwoOf(1)}, ${ugwoOf(2)}\n`,
        'row 3, column ugwo: no payment request with the ref "nope" (looked in the ledger, and',
        'row 4, column ugwo: "ugw.AbCd" is not the identifier of a payment request',
        '3 of 4 rows',
      ],
      requests: [LIST],
    });
    await scene({ home, service, argv: [...argv, '--skip-invalid'], stderr: /^/, requests: [LIST, READ(3), POST(3)] });
  });

  it('are duplicates of the same name, and of its id', () =>
    scene({
      ...shop({ ugwo: [request(1)] }),
      argv: fromFile(csvOf('ugwo', 'order-1', 'order-1', ugwoOf(1))),
      exit: 2,
      stderr: /row 2.*duplicate of row 1.*\n.*row 3.*duplicate of row 1/,
      requests: [LIST],
    }));

  it('may be more than the ledger is asked for one by one', async () => {
    const many = Array.from({ length: 30 }, (_none, index) => request(index + 1));
    const rows = many.map(({ ref }) => JSON.stringify({ ugwo: ref, medium: 'bank_transfer' }));
    const argv = ['ugwo', 'charge', '--from', fileOf(`${rows.join('\n')}\n`, 'a.ndjson'), '--json'];
    const { home, service, ...ended } = await scene({ ...shop({ ugwo: many }), argv, stderr: /^/ });
    expect(Object.values(postsOf(ended))).toEqual(Array(30).fill(1));
    await scene({ home, service, argv, stderr: /^/, requests: [] });
  });

  it('may be older than those of the pages in which one name is looked for', async () => {
    const ugwo = Array.from({ length: 25 }, (_none, index) => request(index + 1));
    const { home, service, seen } = await scene({
      ...shop({ ugwo, size: 1 }),
      argv: fromFile(csvOf('ugwo', 'order-1', 'order-23')),
      stderr: [ugwoOf(1)],
    });
    expect(seen.filter(({ url }) => url.startsWith('/v1/ugwo?')).length).toBeGreaterThan(20);
    expect(postsOf({ seen })).toEqual(once(1, 23));
    await scene({
      home,
      service,
      argv: fromFile(csvOf('ugwo', 'order-99')),
      exit: 2,
      stderr: ['through all 25 payment requests'],
    });
  });

  it('are refused with --no-preflight', () =>
    scene({
      ...shop({ ugwo: [request(1)] }),
      argv: [...fromFile(csvOf('ugwo', 'order-1')), '--no-preflight'],
      exit: 2,
      stderr: ['--no-preflight'],
      requests: [],
    }));

  it('of updates are e-mail addresses', () =>
    scene({
      ...shop({ onye: [customer(1), customer(2)] }),
      argv: [
        ...['onye', 'update', '--json', '--concurrency', '1', '--from'],
        fileOf(csvOf('uid,email,first_name', 'C1@example.com,,Ada', `${onyeOf(2)},,Obi`)),
      ],
      json: { accepted: 2 },
      stderr: /^/,
      requests: [
        CUSTOMERS,
        ONYE('GET', 1),
        `${ONYE('PATCH', 1)} {"first_name":"Ada"}`,
        `${ONYE('PATCH', 2)} {"first_name":"Obi"}`,
      ],
    }));

  /** An update by name that changes the name, gets no answer, and leaves the name to another customer. */
  const expectKept = async (env: NonNullable<RunOptions['env']> = {}): Promise<void> => {
    const { options, records } = await open({ onye: [customer(1), customer(2)], mute: 1 });
    const file = fileOf(csvOf('uid,email', 'c1@example.com,new@example.com', `${onyeOf(2)},c1@example.com`));
    const update = { ...options, env, argv: ['onye', 'update', '--json', '--from', file] };
    const argv = [...update.argv, '--timeout', '1s'];
    await scene({ ...update, argv, exit: 6, json: { accepted: 1, unknown: 1 } });
    records.onye = [customer(1, { email: 'new@example.com' }), customer(2, { email: 'c1@example.com' })];
    await scene({ ...update, stderr: /^/, requests: [ONYE('GET', 1)] });
  };

  it('keep, over the runs of a job, the ids to which their rows were sent', async () => {
    await expectKept();
  });

  it.skipIf(process.platform === 'win32')('keep their ids in PostgreSQL, too', async () => {
    await expectKept({ PAYCLI_LEDGER: (await newTeam()).url });
  });

  it('of refunds are refs of their payment requests', () =>
    scene({
      ...shop({ ugwo: [request(1)] }),
      argv: [
        ...['refund', 'create', '--dry-run', '--from'],
        fileOf(csvOf('activity,ugwo,amount', 'act.AbCd.1,order-1,all', 'act.AbCd.2,order-9,all')),
      ],
      exit: 2,
      stderr: /^(?!.*row 1)(?:.*\n)*.*row 2, column ugwo: no payment request/,
      requests: [LIST],
    }));

  it('of refunds mean the same payment request once a row of it was sent', async () => {
    const [paid, other] = [1, 2].map((number) => ({ ...ACTIVITY, uid: uidOf(number), status: 'successful' }));
    const records = recordsOf({ ugwo: [request(1, { activities: [paid, other] })] });
    const refused = new Set([uidOf(2)]);
    const service = await serveAllBy((seen) => {
      if (seen.method === 'GET') return answers(records, {})(seen);
      const { ugwo_activity: uid } = JSON.parse(seen.body);
      return refused.delete(uid) ? problem(422, 'No') : json(200, { uid: `rfd.${uid}`, status: 'processing' });
    });
    const file = fileOf(
      csvOf('activity,ugwo,amount_minor,currency', ...[1, 2].map((number) => `${uidOf(number)},order-1,100,NGN`)),
    );
    const argv = ['refund', 'create', '--from', file, '--yes', '--json'];
    const place = { service, home: newFolder(), stderr: /^/ };
    await scene({ ...place, argv, exit: 3, json: { accepted: 1, rejected: 1 } });
    await scene({ ...place, argv: [...argv, '--retry-failed'], json: { accepted: 2 } });
  });
});
