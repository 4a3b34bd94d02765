import fs, { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { atom, transferTo } from '../support/activity.ts';
import { PROGRAM } from '../support/built.ts';
import { clock } from '../support/clock.ts';
import { inProcess } from '../support/in-process.ts';
import { rewrite } from '../support/ledger.ts';
import { onTerminal } from '../support/on-terminal.ts';
import { errorOf, newFolder, paycli, type RunOptions, start } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import type { Answer, Seen, Service } from '../support/service.ts';
import { ACTIVITY, json, problem, raw, reset, serveAllBy, serveBy, UGWO_ID, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { MINUTE } from '../support/units.ts';
import { chargeFrom, charging, csvOf, fileOf, summaryOf, ugwoOf, ussdFile } from './bulk-support.ts';

const TRANSFER = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--json'];
const THEIRS = 'act.AbCd.000000000000000000000077';
const DIAL = { type: 'user_action', instruction: 'Dial', headers: { ussd: '*737#' } };

/** An account that expires after this time. */
const account = (uid: string, livesFor = 10 * MINUTE, some: object = {}): Record<string, unknown> => ({
  ...ACTIVITY,
  uid,
  next_action: transferTo('0123456789', livesFor),
  created_at: atom(Date.now() + livesFor - 15 * MINUTE),
  ...some,
});

const request = (some: object = {}): Record<string, unknown> => ({
  ...ugwo(7),
  uid: UGWO_ID,
  checkout: { uid: 'chk.AbCd.1' },
  onye: { uid: 'ony.AbCd.000000000000000000000001', email: 'ada@example.com' },
  activities: [],
  ...some,
});

/** A service that gives these answers to reads and charges. */
const showing = (look: Answer, charge: Answer = json(200, account(ACTIVITY.uid))): Promise<Service> =>
  serveAllBy(({ method }) => (method === 'GET' ? look : charge));

const methods = ({ seen }: Service): string => seen.map(({ method }) => method).join();
const rows = async (home: string): Promise<Record<string, unknown>[]> =>
  (JSON.parse((await inProcess(['ledger', 'list', '--json'], { home })).stdout) as { data: Record<string, unknown>[] })
    .data;

describe('the check before a charge', () => {
  it.each<[string, object, RegExp, number]>([
    ['paid', { status: 'ugwo_successful' }, /it is already paid/, 9],
    ['refunded', { status: ['refunded', 'enum.ugwo_status.refunded'] }, /paid and refunded/, 9],
    ['cancelled', { status: 'cancelled' }, /it is cancelled/, 9],
    ['processing, and nothing explains it', { status: 'processing' }, /its status is processing/, 0],
    ['overpaid', { total_amount_paid: 900_000 }, /it is already paid/, 9],
    ['paid in part', { total_amount_paid: 400_007 }, /paid in part: NGN 1,000\.00 is missing/, 9],
    [
      'being paid by a charge by another medium',
      { activities: [account(THEIRS, MINUTE, { next_action: DIAL })] },
      /by another medium \(act\.AbCd\.\S+77, not from this ledger\) can still be paid\ndial \*737#, open until /,
      0,
    ],
    [
      'being paid by another charge',
      { activities: [account(THEIRS)] },
      /act\.AbCd\.\S+77, not from this ledger\) can still be paid/,
      0,
    ],
  ])(
    'refuses a request that is %s with 9, also with --again if money came or it is cancelled',
    async (_what, some, message, again) => {
      await scene({
        service: showing(json(200, request(some))),
        argv: TRANSFER,
        exit: 9,
        error: { message: expect.stringMatching(message) },
        requests: ['GET'],
        entries: [],
      });
      await scene({
        service: showing(json(200, request(some))),
        argv: [...TRANSFER, '--again'],
        exit: again,
        stderr: /^/,
        requests: again === 0 ? ['GET', 'POST'] : ['GET'],
      });
    },
  );

  it('prints the existing account, whoever created it', async () => {
    const ended = await scene({
      service: showing(json(200, request({ activities: [account(THEIRS)] }))),
      argv: TRANSFER,
      exit: 9,
      error: { message: expect.stringContaining('account number 0123456789'), activity: { uid: THEIRS } },
    });
    expect(errorOf(ended)).not.toHaveProperty('ledger_id');
  });

  it("names the ledger's charge if it created the account", async () => {
    const made = account(ACTIVITY.uid);
    const home = newFolder();
    let activities: object[] = [];
    const service = await serveAllBy(({ method }) => json(200, method === 'POST' ? made : request({ activities })));
    await scene({ service, home, argv: TRANSFER, requests: ['GET', 'POST'] });
    const [row] = await rows(home);
    activities = [made];
    await scene({ service, home, argv: TRANSFER, exit: 9, error: { kind: 'refused', ledger_id: row?.['id'] } });
  });

  it("returns the service's activity unchanged with --reuse", async () => {
    const theirs = account(THEIRS, 10 * MINUTE, { extra: 1.5 });
    await scene({
      service: showing(json(200, JSON.stringify(request({ activities: [theirs] })).replace('1.5', '1.50'))),
      argv: [...TRANSFER, '--reuse'],
      stdout: /"extra":1\.50/,
      json: { uid: THEIRS },
      requests: ['GET'],
    });
  });

  const processing = { next_action: null, status: 'processing' };
  const prompt = { type: 'prompt', instruction: 'Approve', headers: { phone: '+233200000000' } };
  const mobileBy = (phone: string): string[] => ['mobile_money', '--provider', 'mtn', '--phone', phone];

  it.each<[string, object, readonly string[]]>([
    ['another phone', { ...processing, medium: 'mobile_money', next_action: prompt }, mobileBy('+233241234567')],
    ['another provider', { next_action: DIAL, provider: 'zenith' }, ['ussd', '--provider', 'gtb']],
    [
      'a phone number with the same last digits',
      { ...processing, medium: 'mobile_money', phone: '+233240001234' },
      mobileBy('+233550001234'),
    ],
    ['a request without an id', { uid: undefined }, ['bank_transfer']],
  ])('does not reuse an activity for %s', async (_what, some, medium) => {
    const { stderr } = await scene({
      service: showing(json(200, request({ activities: [account(THEIRS, MINUTE, some)] }))),
      argv: ['ugwo', 'charge', UGWO_ID, '--medium', ...medium, '--reuse', '--json'],
      exit: 9,
      requests: ['GET'],
    });
    expect(stderr).not.toContain('undefined');
  });

  it('reuses a paid activity of its own ledger by another medium', async () => {
    let now: object = { activities: [] };
    const service = await serveAllBy(({ method }) => json(200, method === 'POST' ? ACTIVITY : request(now)));
    const options = { service, home: newFolder() };
    expect(await inProcess(TRANSFER, options)).toMatchObject({ code: 0 });
    now = { activities: [{ ...ACTIVITY, next_action: null, status: 'successful' }], status: 'ugwo_successful' };
    const ussd = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb'];
    await scene({
      ...options,
      argv: [...ussd, '--reuse', '--json'],
      json: { uid: ACTIVITY.uid },
      requests: ['GET'],
    });
  });

  it("reuses another's new activity after its own charge failed", async () => {
    const made = account(ACTIVITY.uid);
    // The service does not list the failed activity.
    const listed = [[], [account(THEIRS)]];
    await scene({
      service: serveAllBy(({ method, url }) => {
        if (method === 'POST') return json(200, made);
        if (url.includes('/activities/')) return json(200, { ...made, ...processing, status: 'failed' });
        return json(200, request({ activities: listed.shift() }));
      }),
      before: [TRANSFER],
      argv: [...TRANSFER, '--reuse'],
      stderr: /^/,
      json: { uid: THEIRS },
      requests: ['GET', 'POST', 'GET', 'GET'],
    });
  });

  it('does not accept a cached answer from before the expiry with --reuse, whatever its date', async () => {
    const own = account(ACTIVITY.uid, -MINUTE);
    const charge = [...TRANSFER, '--no-preflight'];
    await scene({
      service: ({ method, url }) => {
        if (method === 'POST') return json(200, own);
        // A cache has renewed the date of a nine-minute-old answer.
        return url.includes('/activities/') ? json(200, own, { age: '540' }) : json(404, {});
      },
      looks: 'asked',
      before: [charge],
      argv: [...charge, '--reuse'],
      stderr: /^/,
      requests: ['POST', 'GET'],
    });
  });

  it('records the time at which the service created an answer, even if a cache served it', async () => {
    const at = Math.floor(Date.now() / 1000) * 1000;
    const date = (before: number): string => new Date(at - before).toUTCString();
    const { home } = await scene({
      service: [json(200, ACTIVITY, { date: date(600_000) }), json(200, ACTIVITY, { date: date(0), age: '540' })],
      before: [[...TRANSFER, '--no-preflight']],
      argv: ['activity', 'get', UGWO_ID, ACTIVITY.uid],
      requests: ['POST', 'GET'],
    });
    const db = new DatabaseSync(join(home, 'ledger.sqlite'), { readOnly: true });
    onTestFinished(() => db.close());
    expect(JSON.parse(String(db.prepare('SELECT told FROM charge').get()?.['told'])).service).toBe(at - 540_000);
  });

  it('does not charge again with --reuse after a payment in time', async () => {
    const late = { date: new Date(Date.now() + 20 * MINUTE).toUTCString() };
    const made = account(ACTIVITY.uid);
    const paid = { status: 'ugwo_successful', activities: [{ ...made, status: 'successful', next_action: null }] };
    await scene({
      service: [json(200, request()), json(200, made), json(200, request(paid), late)],
      looks: 'asked',
      before: [[...TRANSFER, '--reuse']],
      argv: [...TRANSFER, '--reuse'],
      stderr: /^/,
      json: { uid: ACTIVITY.uid, status: 'successful' },
      requests: ['GET', 'POST', 'GET'],
    });
  });

  it('is required once an account has expired, since its outcome is unknown', async () => {
    const home = newFolder();
    const service = await showing(json(200, request()), json(200, account(ACTIVITY.uid)));
    expect((await inProcess([...TRANSFER, '--no-preflight'], { service, home })).code).toBe(0);
    const past = atom(Date.now() - 60 * MINUTE);
    // The service's time was not read since, and the machine may have been up for less than an hour.
    rewrite(
      join(home, 'ledger.sqlite'),
      `UPDATE charge SET told = NULL, next_action = json_set(next_action, '$.headers.expires_at', '${past}')`,
    );
    const ended = await inProcess([...TRANSFER, '--no-preflight'], { service, home });
    expect(ended.code).toBe(9);
    expect(errorOf(ended)['message']).toContain('but may have been paid in time');
  });

  it.each<[string, Answer, number]>([
    ['fails', problem(500, 'Oops'), 8],
    ['resets the connection', reset, 8],
    ['is not JSON', raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'), 8],
    ['is refused with 422', problem(422, 'No'), 8],
    ['fails with 401', problem(401, 'Unauthorized'), 4],
    ['fails with 403', problem(403, 'Forbidden'), 4],
    ['comes from a cache', json(200, request(), { age: '60' }), 8],
  ])('that %s ends the command, and nothing is sent', async (_what, look, exit) => {
    const { service } = await scene({ service: showing(look), argv: TRANSFER, exit, entries: [] });
    expect(service?.seen.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it.each<[string, Answer]>([
    ['404 without a known message', problem(404, 'Not found')],
    ['405', json(405, { message: 'Method not allowed' })],
    ['501', json(501, {})],
    ['a 404 page', raw('HTTP/1.1 404 No\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\n<p/>')],
    ['a 404 that names the path', json(404, { message: `The route v1/ugwo/${UGWO_ID} could not be found.` })],
    ['a 404 that names the URL', json(404, { title: 'No', detail: `there is nothing at /v1/ugwo/${UGWO_ID}` })],
    ['a 404 that names a route', json(404, { message: 'No route for GET ugwo' })],
    ['the same answer to every GET', json(200, { status: 'ok' })],
    ['another payment request', json(200, ugwo(9))],
    ['a list for every GET', json(200, { data: [], next_cursor: null })],
  ])('continues with a note after %s', async (_what, look) => {
    await scene({
      service: showing(look),
      argv: ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'],
      stderr: /can't show/,
      requests: ['GET', 'POST'],
    });
  });

  describe('of a charge answered with 429', () => {
    const held = json(429, { message: 'Too Many Attempts.' });
    const before = [account(THEIRS, -MINUTE)];
    const same = json(200, request({ activities: before }));
    /** A charge whose second read gives this answer. */
    const charge = (second: Answer, first = same, answer: Answer = held) => {
      const looks = [first, second];
      return {
        service: serveAllBy(({ method }) => (method === 'POST' ? answer : looks.shift())),
        argv: TRANSFER,
      };
    };

    it.each<[string, Answer]>([
      ['in another format', held],
      ['in the live dialect', json(429, { message: 'too_many_requests', errors: [] })],
      ['as an HTML page', raw('HTTP/1.1 429 Slow\r\ncontent-length: 4\r\n\r\n<h1>')],
      ['without a body', raw('HTTP/1.1 429 Slow\r\ncontent-length: 0\r\n\r\n')],
    ])('%s proves it not sent if a read after it shows nothing new: exits with 5', async (_form, answer) => {
      await scene({
        ...charge(same, same, answer),
        exit: 5,
        stderr: /a read behind it shows nothing new/,
        requests: ['GET', 'POST', 'GET'],
        entries: [{ state: 'not_sent' }],
      });
    });

    it.each<[string, Answer]>([
      ['one more activity', json(200, request({ activities: [...before, account(ACTIVITY.uid)] }))],
      [
        'a new latest activity',
        json(200, request({ activities: before, lastest_ugwo_activity: account(ACTIVITY.uid) })),
      ],
      ['another activity', json(200, request({ activities: [account(ACTIVITY.uid)] }))],
      ['no earlier activity', json(200, request({ activities: [] }))],
      ['no activities', json(200, request({ activities: undefined }))],
      ['a cached answer', json(200, request({ activities: before }), { age: '60' })],
      [
        'an answer as old as the first',
        json(200, request({ activities: before }), { date: new Date(0).toUTCString() }),
      ],
    ])('leaves it unknown if that read shows %s: exits with 6', async (_shown, second) => {
      await scene({ ...charge(second), exit: 6, requests: ['GET', 'POST', 'GET'], entries: [{ state: 'unknown' }] });
    });

    it('leaves it unknown if the first read shows no activities: exits with 6', async () => {
      const first = json(200, request({ activities: undefined }));
      await scene({ ...charge(first, first), exit: 6, requests: ['GET', 'POST'], entries: [{ state: 'unknown' }] });
    });
  });

  const MISSING: readonly [string, object][] = [
    ['by a code in detail', { title: 'Not Found', status: 404, detail: 'ugwo.error.not_found' }],
    ['by a code in message', { message: 'nzube.ugwo.error.not_found', errors: [] }],
    ['by its code alone', { code: 'payment_request_not_found' }],
    ['in words', { error: { message: 'Payment request not found' } }],
    ['by its identifier', { message: `No such object: ${UGWO_ID}` }],
  ];

  it.each(MISSING)(
    'fails if the service says that the request does not exist, %s: exits with 3',
    async (_what, body) => {
      await scene({
        service: showing(json(404, body)),
        argv: TRANSFER,
        exit: 3,
        error: {
          message: expect.stringContaining(`${UGWO_ID} was not charged: the service answered 404`),
          hint: expect.stringContaining('check the identifier'),
        },
        requests: ['GET'],
        entries: [],
      });
    },
  );

  it('fails only the row whose request does not exist: exits with 3', async () => {
    const missing = json(404, { message: 'ugwo.error.not_found' });
    const { service } = await scene({
      service: ({ method, url }) => {
        if (method === 'POST') return json(200, ACTIVITY);
        return url.endsWith(ugwoOf(1)) ? missing : json(404, {});
      },
      looks: 'asked',
      argv: charging(ussdFile(1, 2)),
      exit: 3,
      json: { rejected: 1, accepted: 1 },
    });
    expect(service?.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('does not suggest --no-preflight during a Retry-After', () =>
    scene({
      service: showing(json(503, {}, { 'retry-after': '3600' })),
      argv: TRANSFER,
      exit: 8,
      error: { exit_code: 8, hint: 'run the same command again after that' },
    }));

  it('is skipped with --no-preflight', () =>
    scene({
      service: showing(json(200, request({ status: 'cancelled' }))),
      argv: [...TRANSFER, '--no-preflight'],
      requests: ['POST'],
    }));

  it('records the amount, reference and customer of the payment request', () =>
    scene({
      service: showing(json(200, request({ amount: '500007', currency: ['NGN', 'enum.currency.NGN'] }))),
      argv: TRANSFER,
      entries: [{ amount: 500_007, currency: 'NGN', ref: 'order-7', customer: 'ony.AbCd.000000000000000000000001' }],
    }));

  it('prints the amount on a terminal before the charge is sent', async () => {
    const said = Promise.withResolvers<void>();
    const held: Answer = (...args) => void said.promise.then(() => json(200, account(ACTIVITY.uid))(...args));
    const service = await showing(json(200, request()), held);
    const session = openTerminal(['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'], { service, columns: 160 });
    await session.saw(/NGN 5,000\.07, order-7, Order 7, ada@example\.com/);
    said.resolve();
    expect(await session.ended).toEqual({ code: 0 });
  });

  it('prints no amount on a terminal if the charge is refused', async () => {
    const service = await showing(json(200, request({ activities: [account(THEIRS)] })));
    const { code, raw } = await onTerminal(['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'], {
      service,
      columns: 200,
    });
    expect([code, raw]).toEqual([9, expect.stringMatching(/was not charged/)]);
    expect(raw).not.toContain('Charging');
  });

  it('lets only one of two processes send that read the same state', async () => {
    const home = newFolder();
    const posts: Seen[] = [];
    const both = Promise.withResolvers<void>();
    let looks = 0;
    const service = await serveBy(
      (seen) => (one, response, socket) => {
        if (seen.method === 'POST') {
          posts.push(one);
          return json(200, account(ACTIVITY.uid))(one, response, socket);
        }
        looks += 1;
        if (looks === 2) both.resolve();
        // Answers neither read before both have arrived.
        void both.promise.then(() => json(200, request())(one, response, socket));
      },
      { looks: 'asked' },
    );
    const ends = await Promise.all([1, 2].map(() => inProcess(TRANSFER, { service, home })));
    expect(ends.map(({ code }) => code).sort()).toEqual([0, 9]);
    expect(posts).toHaveLength(1);
  });
});

describe('a request that changes after its read', () => {
  const slow = problem(429, 'Slow', undefined, { 'retry-after': '0' });
  const open = json(200, request());
  const fileOfOne = (): string[] => [
    ...['ugwo', 'charge', '--json', '--from'],
    fileOf(csvOf('ugwo,medium,amount_minor', `${UGWO_ID},bank_transfer,500007`)),
  ];
  const ROW = 'a row of a file';
  const both = [
    ['a single charge', () => TRANSFER],
    [ROW, fileOfOne],
  ] as const;
  /** Answers reads in their order, the last one to all further ones, and the first charges with 429. */
  const changing = (looks: readonly Answer[], refusals = 1) => {
    let [read, sent] = [0, 0];
    return serveBy(
      ({ method }) => {
        if (method === 'POST') return ++sent > refusals ? json(200, account(ACTIVITY.uid)) : slow;
        return looks[Math.min(read++, looks.length - 1)];
      },
      { looks: 'asked' },
    );
  };

  describe.each(both)('during the wait of a 429: %s', (what, command) => {
    it.each<[string, object]>([
      ['paid', { status: 'ugwo_successful' }],
      ['cancelled', { status: 'cancelled' }],
      ['charged by somebody else', { activities: [account(THEIRS)] }],
    ])('is not sent again once it is %s: exits with 9', async (_change, change) => {
      // The first read of the file compares the amount.
      const reads = what === ROW ? [open, open] : [open];
      await scene({
        service: changing([...reads, json(200, request(change))]),
        argv: command(),
        exit: 9,
        stdout: what === ROW ? /"refused":1/ : '',
        requests: [...reads.map(() => 'GET'), 'POST', 'GET'],
        entries: [{ state: 'not_sent', exit_code: 5 }],
      });
    });

    it('is sent again if nothing has changed, at most three times, each under its own entry', async () => {
      const tries = [...(what === ROW ? ['GET'] : []), 'GET', 'POST', 'GET', 'POST', 'GET', 'POST'];
      const [accepted, notSent] = [{ state: 'accepted' }, { state: 'not_sent' }];
      await scene({
        service: changing([open], 2),
        argv: command(),
        requests: tries,
        entries: [accepted, notSent, notSent],
      });
      await scene({
        service: changing([open], 3),
        argv: command(),
        exit: 5,
        stdout: what === ROW ? /"not_sent":1/ : '',
        requests: tries,
        entries: [notSent, notSent, notSent],
      });
    });
  });

  it('during the wait of a 429 is not charged at another amount than the row says: exits with 9', async () => {
    const refused = { refused: 1, not_sent: 0, not_started: 0 };
    const { home, stdout } = await scene({
      service: changing([open, open, json(200, request({ amount: 600_007 }))]),
      argv: fileOfOne(),
      exit: 9,
      json: refused,
      requests: ['GET', 'GET', 'POST', 'GET'],
    });
    await scene({ home, argv: ['ledger', 'show', String(JSON.parse(stdout).job), '--json'], json: refused });
  });

  it.each(both)('while the process is suspended is read again: %s', async (what, command) => {
    const reads = what === ROW ? 2 : 1;
    const charges = async (change: object): Promise<string> => {
      const now = vi.spyOn(clock, 'now');
      onTestFinished(() => now.mockRestore());
      let read = 0;
      const service = await serveBy(
        ({ method }) => {
          if (method === 'POST') return json(200, account(ACTIVITY.uid));
          read += 1;
          if (read === reads) now.mockImplementation(() => Date.now() + 60 * MINUTE);
          return read > reads ? json(200, request(change)) : open;
        },
        { looks: 'asked' },
      );
      const { code } = await inProcess(command(), { service, home: newFolder() });
      now.mockRestore();
      return `${code} ${methods(service)}`;
    };
    const gets = Array.from({ length: reads + 1 }, () => 'GET').join();
    expect(await charges({})).toBe(`0 ${gets},POST`);
    expect(await charges({ status: 'cancelled' })).toBe(`9 ${gets}`);
  });

  describe('is not refunded anew after a 429 if its payment has changed', () => {
    const paid = { ...ACTIVITY, status: 'successful', amount: 500_007 };
    const shown = (amount: number, more: object = {}): Answer =>
      json(200, request({ activities: [{ ...paid, amount, ...more }] }));
    const abroad = json(200, request({ activities: [paid], currency: 'USD' }));
    const refundOf = (how: string): readonly string[] => {
      if (how === 'one') return ['refund', 'create', ACTIVITY.uid, '--ugwo', UGWO_ID, '--yes'];
      const rows = csvOf('activity,ugwo,amount,currency', `${ACTIVITY.uid},${UGWO_ID},5.00,NGN`);
      return ['refund', 'create', '--from', fileOf(rows), '--yes'];
    };

    const SENT = ['GET', 'POST', 'GET', 'POST'];

    it.each<[string, string, Answer, number, readonly string[], string?]>([
      ['one', 'nothing', shown(500_007), 0, SENT, 'successful'],
      ['one', 'the whole amount', shown(400_007), 9, ['GET', 'POST', 'GET']],
      ['one', 'what came of it', shown(500_007, { charged_amount: 400_007 }), 9, ['GET', 'POST', 'GET']],
      ['one', 'its status', shown(500_007, { status: 'partially_refunded' }), 0, SENT, 'partially_refunded'],
      ['a row with an amount', 'the whole amount', shown(400_007), 0, SENT, 'successful'],
      ['a row with an amount', 'the currency', abroad, 5, ['GET', 'POST', 'GET']],
    ])('%s, and what changed is %s', async (how, _what, then, exit, requests, status) => {
      const [looks, posts] = [
        [shown(500_007), then],
        [slow, json(200, { uid: 'rfd.AbCd.1', status: 'processing' })],
      ];
      const { home } = await scene({
        service: serveAllBy(({ method }) => (method === 'GET' ? looks : posts).shift()),
        argv: refundOf(how),
        exit,
        stderr: /^/,
        stdout: /^/,
        requests,
      });
      const list = await inProcess(['ledger', 'list', '--kind', 'refund', '--json'], { home });
      const { data } = JSON.parse(list.stdout) as { data: readonly { evidence: readonly object[] }[] };
      expect(data[0]?.evidence[0]).toMatchObject(status === undefined ? {} : { kind: 'paid', status });
    });
  });
});

describe('an accepted but unusual answer', () => {
  it('with the activity of another charge causes a note and a mark in the ledger', () =>
    scene({
      service: serveBy(() => json(200, account(ACTIVITY.uid))),
      before: [TRANSFER],
      argv: ['ugwo', 'charge', ugwoOf(2), '--medium', 'bank_transfer'],
      stderr: /note: the answer names the activity of chg-\w+, made earlier\n/,
      entries: [{ evidence: [{ kind: 'odd' }] }, {}],
    }));

  it('with a dial string for a transfer causes a note', () =>
    scene({
      service: showing(json(200, request()), json(200, account(ACTIVITY.uid, 1000, { next_action: DIAL }))),
      argv: ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'],
      stderr: /looks like another medium than bank_transfer/,
    }));
});

describe('the same payment request at another origin', () => {
  it('is noted, and charged', async () => {
    const first = await showing(json(200, request()));
    const { home } = await scene({ service: first, argv: TRANSFER });
    await scene({
      service: showing(json(200, request())),
      home,
      argv: ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'],
      stderr: [`has an earlier charge at ${first.origin}`],
    });
  });

  it('needs confirmation on a terminal', async () => {
    const home = newFolder();
    const first = await showing(json(200, request()));
    const second = await serveBy(() => json(200, request()), { looks: 'asked' });
    expect((await inProcess(TRANSFER, { service: first, home })).code).toBe(0);
    const command = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'];
    const typed = { after: /Charge it here, too\? \[y\/N\]/, line: 'n' };
    const { code } = await onTerminal(command, { service: second, home, columns: 200 }, typed);
    expect(code).toBe(130);
    expect(methods(second)).toBe('GET');
    expect((await rows(home)).map(({ state }) => state)).toEqual(['not_sent', 'accepted']);
  });

  it('by two names of this machine is one service', async () => {
    const service = await showing(json(200, request()));
    const argv = [...TRANSFER, '--no-preflight'];
    const { home } = await scene({ service, argv });
    const byName = { ...service, origin: service.origin.replace('127.0.0.1', 'localhost') };
    await scene({ service: byName, home, argv, exit: 9, requests: [] });
  });
});

describe('the check before each row of a file', () => {
  const numberOf = ({ url }: Seen): number => Number(/ugw\.AbCd\.(\d+)/.exec(url)?.[1]);
  const service = (looks: Readonly<Record<number, Answer>>): Promise<Service> =>
    serveBy(
      (seen) => {
        const number = numberOf(seen);
        const uid = `act.AbCd.${String(number).padStart(24, '0')}`;
        if (seen.method === 'POST') return json(200, { ...ACTIVITY, uid });
        return looks[number] ?? json(200, { ...ugwo(number), checkout: { uid: 'chk.AbCd.1' }, activities: [] });
      },
      { looks: 'asked' },
    );
  const postsOf = ({ seen }: Service): number[] =>
    seen
      .filter(({ method }) => method === 'POST')
      .map(numberOf)
      .sort();

  it('refuses paid requests, and the report has the amounts', async () => {
    const charged = await service({ 2: json(200, { ...ugwo(2), status: 'ugwo_successful' }) });
    await scene({
      service: charged,
      argv: charging(ussdFile(1, 2, 3)),
      exit: 9,
      json: { accepted: 2, refused: 1 },
      report: {
        1: { amount_minor: '500001', currency: 'NGN', ref: 'order-1' },
        2: { state: 'refused', error: expect.stringContaining('it is already paid') },
        3: { state: 'accepted' },
      },
    });
    expect(postsOf(charged)).toEqual([1, 3]);
  });

  it('notes the activities of every row, and reads the settings as often as for one row', async () => {
    const open = (number: number) => ({ ...ugwo(number), uid: ugwoOf(number), checkout: { uid: 'chk.AbCd.1' } });
    const failed = (number: number) =>
      json(200, { ...open(number), activities: [account(THEIRS, 0, { status: 'failed' })] });
    const busy = await service({ 1: failed(1), 2: failed(2), 3: failed(3) });
    const readsFor = async (...numbers: number[]): Promise<number> => {
      const home = newFolder();
      writeFileSync(join(home, 'config.json'), '{}', { mode: 0o600 });
      const args = ['ugwo', 'charge', '--from', ussdFile(...numbers), '--json'];
      const reads = vi.spyOn(fs, 'readFileSync');
      syncBuiltinESMExports();
      const ended = await inProcess(args, { service: busy, home });
      const ofSettings = reads.mock.calls.filter(([path]) => path === join(home, 'config.json'));
      reads.mockRestore();
      syncBuiltinESMExports();
      expect(ended).toMatchObject({ code: 0 });
      return ofSettings.length;
    };
    const one = await readsFor(1);
    expect(one).toBeGreaterThan(0);
    expect(await readsFor(1, 2, 3)).toBe(one);
  });

  it('leaves rows whose check failed for the next run: exits with 8', async () => {
    const argv = charging(ussdFile(1, 2));
    const failing = service({ 2: problem(422, 'No') });
    const { home } = await scene({ service: failing, argv, exit: 8, json: { accepted: 1, not_sent: 1 } });
    const healed = await service({});
    await scene({ service: healed, home, argv, json: { accepted: 2 } });
    expect(postsOf(healed)).toEqual([1, 2]);
  });

  it.each([
    ['in a bulk run', []],
    ['with --check', ['--check']],
  ])('delays the other rows during a Retry-After, %s', async (_when, more) => {
    const [told, at] = [Promise.withResolvers<void>(), new Map<number, number>()];
    const slow = problem(429, 'Slow Down', undefined, { 'retry-after': '1' });
    const open: Answer = (seen, ...answer) => {
      const number = numberOf(seen);
      json(200, { ...ugwo(number), uid: ugwoOf(number), checkout: { uid: 'chk.AbCd.1' }, activities: [] })(
        seen,
        ...answer,
      );
    };
    const shown: Answer = (seen, ...answer) => {
      const number = numberOf(seen);
      const isFirst = !at.has(number);
      if (isFirst) at.set(number, performance.now());
      if (number === 1 && isFirst) return slow(seen, ...answer);
      if (number === 2) return void told.promise.then(() => open(seen, ...answer));
      return open(seen, ...answer);
    };
    const options: RunOptions = { service: await service({ 1: shown, 2: shown, 3: shown }), home: newFolder() };
    const args = ['ugwo', 'charge', '--from', ussdFile(1, 2, 3), '--concurrency', '2', '--debug', ...more];
    const running = start(args, options);
    await running.saw(/waiting \d+ ms before attempt 2/);
    told.resolve();
    expect(await running.ended).toMatchObject({ code: 0 });
    expect((at.get(3) ?? 0) - (at.get(1) ?? 0)).toBeGreaterThan(990);
  });

  it('is skipped with --no-preflight, and a service without reads causes one note', async () => {
    const argv = ['ugwo', 'charge', '--from', ussdFile(1, 2)];
    await scene({ service: service({}), argv: [...argv, '--no-preflight'], stderr: /^/, requests: ['POST', 'POST'] });
    const blind = service({ 1: json(404, {}), 2: json(404, {}) });
    const { stderr } = await scene({ service: blind, argv, stderr: /can't show/ });
    expect(stderr.match(/can't show/g)).toHaveLength(1);
  });
});

describe('a ledger file', () => {
  it('deleted during a run ends it, and nothing more is sent', async () => {
    const home = newFolder();
    const numbers = Array.from({ length: 40 }, (_, index) => index + 1);
    let posts = 0;
    const service = await serveBy((seen) => {
      posts += 1;
      if (posts === 10)
        for (const end of ['', '-wal', '-shm']) rmSync(join(home, `ledger.sqlite${end}`), { force: true });
      return json(200, {
        ...ACTIVITY,
        uid: `act.AbCd.${String(posts).padStart(24, '0')}`,
        ugwo_uid: seen.url.split('/')[3],
      });
    });
    const ended = await chargeFrom(ussdFile(...numbers), { service, home }, '--concurrency', '1', '--no-preflight');
    expect([7, 10]).toContain(ended.code);
    expect(posts).toBeLessThan(13);
    expect(ended.stderr).toContain('removed or replaced');
  });

  it.runIf(process.platform === 'linux' && process.geteuid?.() === 0)(
    'mounted without its folder is refused',
    async () => {
      const [home, inside, service] = [newFolder(), newFolder('my home'), await showing(json(200, request()))];
      expect((await inProcess([...TRANSFER], { service, home })).code).toBe(0);
      const [outer, inner] = [home, inside].map((folder) => join(folder, 'ledger.sqlite')) as [string, string];
      writeFileSync(inner, '', { mode: 0o600 });
      const mounted = ['sh', '-c', 'mount --bind "$0" "$1" && shift && exec "$@"', outer, inner, ...PROGRAM] as const;
      const program = ['unshare', '--mount', ...mounted] as const;
      const ended = await paycli([...TRANSFER, '--again'], { service, home: inside, program });
      expect(ended.code).toBe(10);
      expect(errorOf(ended)['message']).toContain('is mounted as a single file');
      expect(methods(service)).toBe('GET,POST');
    },
  );

  it('that was deleted or replaced blocks charging until the user removes the charge count', async () => {
    const [home, other, service] = [newFolder(), newFolder(), await showing(json(200, request()))];
    expect((await inProcess([...TRANSFER], { service, home })).code).toBe(0);
    const ledger = join(home, 'ledger.sqlite');
    for (const end of ['', '-wal', '-shm']) rmSync(`${ledger}${end}`, { force: true });
    const charge = [...TRANSFER, '--again'];
    for (const args of [charge, ['ledger', 'list', '--json'], ['ledger', 'backup', join(home, 'copy'), '--json']]) {
      const ended = await inProcess(args, { service, home });
      expect([ended.code, errorOf(ended)['message']]).toEqual([10, `the ledger ${ledger} is missing: it had 1 charge`]);
    }
    expect((await inProcess(['ledger', 'status', '--json'], { home })).stdout).toContain('the ledger is missing');
    expect((await inProcess(['doctor', '--offline'], { home })).stdout).toContain('is missing: it had 1 charge');
    expect(existsSync(ledger)).toBe(false);
    expect((await inProcess(['policy', 'list'], { home: other })).code).toBe(0);
    copyFileSync(join(other, 'ledger.sqlite'), ledger);
    expect(errorOf(await inProcess(charge, { service, home }))['message']).toContain(
      'is not the one that had 1 charge',
    );
    expect(methods(service)).toBe('GET,POST');
    rmSync(join(home, 'highest-charge'));
    expect((await inProcess(charge, { service, home })).code).toBe(0);
  });

  it('restored from an old copy is refused', async () => {
    const [home, service] = [newFolder(), await showing(json(200, request()))];
    expect((await inProcess([...TRANSFER], { service, home })).code).toBe(0);
    const old = readFileSync(join(home, 'ledger.sqlite'));
    expect((await inProcess([...TRANSFER, '--again'], { service, home })).code).toBe(0);
    const db = join(home, 'ledger.sqlite');
    rmSync(db);
    writeFileSync(db, old, { mode: 0o600 });
    const ended = await inProcess(TRANSFER, { service, home });
    expect(ended.code).toBe(10);
    expect(errorOf(ended)['message']).toContain('knows 1 of 2 charges');
    rmSync(join(home, 'highest-charge'));
    expect((await inProcess(['ledger', 'list'], { home })).code).toBe(0);
  });
});

describe('payments', () => {
  /** Three charges; then the first is paid and the second fails. */
  const charges = async () => {
    const [home, states] = [newFolder(), new Map<string, string>()];
    const service = await serveBy(
      ({ method, url }) => {
        const number = Number(/ugw\.AbCd\.(\d+)/.exec(url)?.[1]);
        const uid = `act.AbCd.${String(number).padStart(24, '0')}`;
        const status = states.get(uid) ?? 'requires_action';
        const activity = { ...ACTIVITY, uid, status, created_at: atom(Date.now()) };
        if (method === 'POST') {
          states.set(uid, 'requires_action');
          return json(200, activity);
        }
        return json(200, {
          ...ugwo(number),
          checkout: { uid: 'chk.AbCd.1' },
          activities: states.has(uid) ? [activity] : [],
        });
      },
      { looks: 'asked' },
    );
    return { home, service, states };
  };
  const activity = (number: number): string => `act.AbCd.${String(number).padStart(24, '0')}`;

  it('are found by ledger sync, with sums, and recorded', async () => {
    const { home, service, states } = await charges();
    const file = fileOf(
      csvOf('ugwo,medium,provider', ...[1, 2, 3].map((n) => `ugw.AbCd.${String(n).padStart(24, '0')},ussd,gtb`)),
    );
    const charged = await chargeFrom(file, { home, service });
    expect(charged.code).toBe(0);
    states.set(activity(1), 'successful').set(activity(2), 'failed');
    const ended = await inProcess(['ledger', 'sync', '--json'], { home, service });
    expect(ended.code).toBe(0);
    expect((JSON.parse(ended.stdout) as { data: unknown[] }).data).toEqual([
      { payment: 'paid', currency: 'NGN', count: 1, amount: 500_001, received: 500_001 },
      { payment: 'open', currency: 'NGN', count: 1, amount: 500_003, received: 0 },
      { payment: 'failed', currency: 'NGN', count: 1, amount: 500_002, received: 0 },
    ]);
    const job = String(summaryOf(charged)['job']);
    expect((await rows(home)).map(({ status }) => status)).toEqual(['requires_action', 'failed', 'successful']);
    const looks = service.seen.length;
    const again = await inProcess(['ledger', 'sync', job, '-o', 'tsv'], { home, service });
    expect(again.stdout.split('\n')[1]).toBe('paid\tNGN\t1\t500001\t500001');
    // A job that is named is read whole: a payment may have been reversed.
    expect(service.seen).toHaveLength(looks + 3);
  });

  it('are found for all open charges, from files and single ones', async () => {
    const { home, service, states } = await charges();
    for (const file of [ussdFile(1, 2), ussdFile(3)]) {
      expect((await chargeFrom(file, { home, service })).code).toBe(0);
    }
    const single = ['ugwo', 'charge', ugwoOf(4), '--medium', 'ussd', '--provider', 'gtb'];
    expect((await inProcess(single, { home, service })).code).toBe(0);
    states.set(activity(1), 'successful').set(activity(4), 'successful');
    const ended = await inProcess(['ledger', 'sync'], { home, service });
    expect(ended.stdout).toMatch(/^payment\t.*\npaid\tNGN\t2\t1000005\t1000005\nopen\tNGN\t2\t1000005\t0\n$/);
  });

  it('are found for an expired charge if its id is given', async () => {
    const home = newFolder();
    let [status, at] = ['requires_action', Date.now()];
    const made = account(ACTIVITY.uid, MINUTE, { created_at: atom(at) });
    const service = await serveBy(
      ({ method }) => {
        if (method === 'POST') return json(200, made);
        return json(200, request({ activities: [{ ...made, status }] }), { date: new Date(at).toUTCString() });
      },
      { looks: 'asked' },
    );
    expect((await inProcess([...TRANSFER, '--no-preflight'], { service, home })).code).toBe(0);
    at += 2 * MINUTE;
    const sync = async (...ids: readonly string[]) =>
      (await inProcess(['ledger', 'sync', ...ids], { service, home })).stdout.split('\n')[1]?.split('\t')[0] ?? '';
    // The server's clock alone does not prove expiry, because the activity is new.
    expect(await sync()).toBe('open');
    status = 'expired';
    expect(await sync()).toBe('expired');
    status = 'successful';
    expect(await sync()).toBe('');
    expect(await sync(String((await rows(home))[0]?.['id']))).toBe('paid');
  });

  it('count as last recorded if the service does not show them, and not at all for rejected charges', async () => {
    const service = await serveAllBy(({ method, url }) => {
      if (method === 'GET') return json(404, {});
      return url.includes(ugwoOf(2)) ? problem(422, 'No') : json(200, ACTIVITY);
    });
    const { home } = await scene({
      service,
      before: [TRANSFER],
      argv: ['ledger', 'sync'],
      stdout: 'payment\tcurrency\tcount\tamount_minor\treceived_minor\nopen\t\t1\t\t0\n',
      stderr: /1 charge not shown by the service: counted as last seen\./,
    });
    const other = ['ugwo', 'charge', ugwoOf(2), '--medium', 'ussd', '--provider', 'gtb', '--json'];
    const id = String(errorOf(await inProcess(other, { home, service }))['ledger_id']);
    await scene({
      home,
      service,
      argv: ['ledger', 'sync', id],
      stderr: /1 charge was not made and isn't in this total\./,
    });
  });

  it('are awaited for a whole file with --wait', async () => {
    const { home, service, states } = await charges();
    const run = inProcess(['ugwo', 'charge', '--from', ussdFile(1, 2), '--json', '--wait'], { home, service });
    await expect.poll(() => states.size).toBe(2);
    states.set(activity(1), 'successful').set(activity(2), 'successful');
    const ended = await run;
    expect(ended.code).toBe(0);
    expect(summaryOf(ended)).toMatchObject({
      payments: [{ payment: 'paid', currency: 'NGN', count: 2, amount: 1_000_003 }],
    });
  });

  it('exit with 12 after --wait-timeout, and with 11 if one failed', async () => {
    const { home, service, states } = await charges();
    const command = ['ugwo', 'charge', '--from', ussdFile(1), '--json', '--wait'];
    const open = await inProcess([...command, '--wait-timeout', '1s'], { home, service });
    expect(open.code).toBe(12);
    expect(errorOf(open)['hint']).toContain('paycli ledger sync job-');
    states.set(activity(1), 'failed');
    expect((await inProcess(command, { home, service })).code).toBe(11);
  });

  it('are not awaited after a signal, which sets the exit code', async () => {
    const [home, held] = [newFolder(), Promise.withResolvers<void>()];
    const service = await serveBy((seen) => (one, response, socket) => {
      if (seen.method === 'POST') void held.promise.then(() => json(200, ACTIVITY)(one, response, socket));
    });
    const run = start(['ugwo', 'charge', '--from', ussdFile(1), '--wait'], { home, service });
    await service.came(1);
    run.kill('SIGINT');
    await run.saw(/in flight/);
    held.resolve();
    const ended = await run.ended;
    expect(ended.code).toBe(130);
    expect(ended.stdout).toContain('accepted\t1');
    expect(ended.stderr).toContain('paycli ledger sync job-');
  });

  /** Answers reads with this after the charge of the one row. */
  const afterCharge = (read: () => Answer): Promise<Service> => {
    let isCharged = false;
    return serveAllBy(({ method, url }) => {
      if (method === 'GET') return isCharged ? read() : json(200, { ...request(), uid: url.split('/')[3] });
      isCharged = true;
      return json(200, ACTIVITY);
    });
  };
  const waitFor = (time: string): string[] => [
    ...['ugwo', 'charge', '--from', ussdFile(1), '--json'],
    ...['--wait', '--wait-timeout', time],
  ];
  const OPEN = { accepted: 1, payments: [{ payment: 'open', count: 1 }] };

  it('are not awaited during a Retry-After longer than the wait', () =>
    scene({
      service: afterCharge(() => problem(429, 'Later', undefined, { 'retry-after': '3600' })),
      argv: waitFor('10m'),
      exit: 12,
      json: OPEN,
      requests: ['GET', 'POST', 'GET'],
    }));

  it.each([
    ['the key is rejected meanwhile', 401],
    ['reads fail meanwhile', 503],
  ])('are printed with the summary even if %s', async (_what, status) => {
    await scene({
      service: afterCharge(() => json(status, {})),
      argv: waitFor('1s'),
      exit: 12,
      json: OPEN,
      error: { message: expect.stringContaining(`answered ${status}`) },
    });
  });

  it('are printed with the summary even if the ledger is deleted meanwhile', async () => {
    const home = newFolder();
    const deleting = (): Answer => {
      for (const end of ['', '-wal', '-shm']) rmSync(join(home, `ledger.sqlite${end}`), { force: true });
      return json(200, { ...request({ activities: [ACTIVITY] }), uid: ugwoOf(1) });
    };
    await scene({
      service: afterCharge(deleting),
      home,
      argv: waitFor('1s'),
      exit: 10,
      json: OPEN,
      error: { message: expect.stringContaining('removed or replaced') },
    });
  });
});
