import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { atom, transferTo } from '../support/activity.ts';
import { PROGRAM } from '../support/built.ts';
import { inProcess } from '../support/in-process.ts';
import { rewrite } from '../support/ledger.ts';
import type { Ended, RunOptions } from '../support/program.ts';
import { errorOf, newFolder, passingClock, paycli, runBefore, start } from '../support/program.ts';
import type { Answer, Seen, Service } from '../support/service.ts';
import { ACTIVITY, json, problem, raw, reset, serveBy, UGWO_ID, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { MINUTE } from '../support/units.ts';
import { csvOf, fileOf, reportOf, summaryOf, ugwoOf, ussdFile } from './bulk-support.ts';

const chargeFrom = (file: string, options: RunOptions, ...more: readonly string[]): Promise<Ended> =>
  inProcess(['ugwo', 'charge', '--from', file, '--json', ...more], options);

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
  serveBy(({ method }) => (method === 'GET' ? look : charge), { looks: 'asked' });

const methods = ({ seen }: Service): string => seen.map(({ method }) => method).join();
const rows = async (home: string): Promise<Record<string, unknown>[]> =>
  (JSON.parse((await inProcess(['ledger', 'list', '--json'], { home })).stdout) as { data: Record<string, unknown>[] })
    .data;

describe('the check before a charge', () => {
  it.each<[string, object, RegExp]>([
    ['paid', { status: 'ugwo_successful' }, /it is already paid/],
    ['refunded', { status: ['refunded', 'enum.ugwo_status.refunded'] }, /paid and refunded/],
    ['cancelled', { status: 'cancelled' }, /it is cancelled/],
    ['processing, and nothing explains it', { status: 'processing' }, /its status is processing/],
    ['paid in part', { total_amount_paid: 400_007 }, /paid in part: NGN 1,000\.00 is missing/],
    [
      'being paid by a charge by another medium',
      { activities: [account(THEIRS, MINUTE, { next_action: DIAL })] },
      /by another medium \(act\.AbCd\.\S+77, not from this ledger\) can still be paid\ndial \*737#, open until /,
    ],
    [
      'being paid by another charge',
      { activities: [account(THEIRS)] },
      /act\.AbCd\.\S+77, not from this ledger\) can still be paid/,
    ],
  ])('refuses a request that is %s with 9; nothing is sent or recorded', async (_what, some, message) => {
    const [service, home] = [await showing(json(200, request(some))), newFolder()];
    const ended = await inProcess(TRANSFER, { service, home });
    expect(ended).toMatchObject({ code: 9, stdout: '' });
    expect(errorOf(ended)['message']).toMatch(message);
    expect(methods(service)).toBe('GET');
    expect(await rows(home)).toEqual([]);
  });

  it('prints the existing account, whoever created it', async () => {
    const service = await showing(json(200, request({ activities: [account(THEIRS)] })));
    const ended = await paycli(TRANSFER, { service });
    expect(ended).toMatchObject({ code: 9, stdout: '' });
    const error = errorOf(ended);
    expect(error['message']).toContain('account number 0123456789');
    expect(error['activity']).toMatchObject({ uid: THEIRS });
    expect(error).not.toHaveProperty('ledger_id');
  });

  it("names the ledger's charge if it created the account", async () => {
    const [home, made] = [newFolder(), account(ACTIVITY.uid)];
    const first = await showing(json(200, request()), json(200, made));
    expect((await inProcess(TRANSFER, { service: first, home })).code).toBe(0);
    const [row] = await rows(home);
    const service = await serveBy(() => json(200, request({ activities: [made] })), { looks: 'asked' });
    const ended = await inProcess(TRANSFER, {
      service: { origin: service.origin },
      home,
      env: { PAYCLI_BASE_URL: first.origin },
    });
    expect(errorOf(ended)).toMatchObject({ kind: 'refused', ledger_id: row?.['id'] });
  });

  it.each<[string, object, number]>([
    ['open with another account', { activities: [account(THEIRS)] }, 0],
    ['open with a code', { activities: [account(THEIRS, MINUTE, { next_action: DIAL })] }, 0],
    ['processing without an activity', { status: 'processing' }, 0],
    ['cancelled', { status: 'cancelled' }, 9],
    ['paid', { status: 'ugwo_successful' }, 9],
    ['overpaid', { total_amount_paid: 900_000 }, 9],
    ['refunded', { status: 'refunded' }, 9],
    ['paid in part', { total_amount_paid: 1 }, 9],
  ])(
    'for a request that is %s is overridden by --again unless money came or it is cancelled',
    async (_what, some, code) => {
      const service = await showing(json(200, request(some)));
      expect((await inProcess([...TRANSFER, '--again'], { service })).code).toBe(code);
      expect(methods(service)).toBe(code === 0 ? 'GET,POST' : 'GET');
    },
  );

  it("returns the service's activity unchanged with --reuse", async () => {
    const theirs = account(THEIRS, 10 * MINUTE, { extra: 1.5 });
    const service = await showing(json(200, JSON.stringify(request({ activities: [theirs] })).replace('1.5', '1.50')));
    const ended = await inProcess([...TRANSFER, '--reuse'], { service });
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ uid: THEIRS });
    expect(ended.stdout).toContain('"extra":1.50');
    expect(methods(service)).toBe('GET');
  });

  it('does not reuse an activity for another phone', async () => {
    const other = account(THEIRS, MINUTE, { next_action: null, status: 'processing', medium: 'mobile_money' });
    const asking = {
      ...other,
      next_action: { type: 'prompt', instruction: 'Approve', headers: { phone: '+233200000000' } },
    };
    const service = await showing(json(200, request({ activities: [asking] })));
    const command = [
      'ugwo',
      'charge',
      UGWO_ID,
      '--medium',
      'mobile_money',
      '--provider',
      'mtn',
      '--phone',
      '+233241234567',
    ];
    expect((await inProcess([...command, '--reuse', '--json'], { service })).code).toBe(9);
  });

  it.each<[string, object, readonly string[]]>([
    ['another provider', { next_action: DIAL, provider: 'zenith' }, ['ussd', '--provider', 'gtb']],
    [
      'a phone number with the same last digits',
      { next_action: null, status: 'processing', medium: 'mobile_money', phone: '+233240001234' },
      ['mobile_money', '--provider', 'mtn', '--phone', '+233550001234'],
    ],
    ['a request without an id', { uid: undefined }, ['bank_transfer']],
  ])('does not reuse an activity for %s', async (_what, some, medium) => {
    const service = await showing(json(200, request({ activities: [account(THEIRS, MINUTE, some)] })));
    const ended = await inProcess(['ugwo', 'charge', UGWO_ID, '--medium', ...medium, '--reuse', '--json'], { service });
    expect(ended).toMatchObject({ code: 9, stdout: '' });
    expect(ended.stderr).not.toContain('undefined');
    expect(methods(service)).toBe('GET');
  });

  it("reuses another's new activity after its own charge failed", async () => {
    const [home, made] = [newFolder(), account(ACTIVITY.uid)];
    let later = false;
    const service = await serveBy(
      ({ method, url }) => {
        if (method === 'POST') return json(200, made);
        if (url.includes('/activities/')) return json(200, { ...made, status: 'failed', next_action: null });
        // The service does not list the failed activity.
        return json(200, request({ activities: later ? [account(THEIRS)] : [] }));
      },
      { looks: 'asked' },
    );
    expect((await inProcess(TRANSFER, { service, home })).code).toBe(0);
    later = true;
    const ended = await inProcess([...TRANSFER, '--reuse'], { service, home });
    expect(JSON.parse(ended.stdout)).toMatchObject({ uid: THEIRS });
    expect(methods(service)).toBe('GET,POST,GET,GET');
  });

  it('does not accept a cached answer from before the expiry with --reuse, whatever its date', async () => {
    const home = newFolder();
    const own = account(ACTIVITY.uid, -MINUTE);
    const service = await serveBy(
      ({ method, url }) => {
        if (method === 'POST') return json(200, own);
        // A cache has renewed the date of a nine-minute-old answer.
        return url.includes('/activities/') ? json(200, own, { age: '540' }) : json(404, {});
      },
      { looks: 'asked' },
    );
    const charge = [...TRANSFER, '--no-preflight'];
    expect((await inProcess(charge, { service, home })).code).toBe(0);
    expect((await inProcess([...charge, '--reuse'], { service, home })).code).toBe(0);
    expect(service.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('records the time at which the service created an answer, even if a cache served it', async () => {
    const home = newFolder();
    const at = Math.floor(Date.now() / 1000) * 1000;
    const date = (before: number): string => new Date(at - before).toUTCString();
    const service = await serveBy(({ method }) =>
      method === 'POST'
        ? json(200, ACTIVITY, { date: date(600_000) })
        : json(200, ACTIVITY, { date: date(0), age: '540' }),
    );
    expect((await inProcess([...TRANSFER, '--no-preflight'], { service, home })).code).toBe(0);
    const get = ['activity', 'get', UGWO_ID, ACTIVITY.uid];
    expect((await inProcess(get, { service, home })).code).toBe(0);
    const db = new DatabaseSync(join(home, 'ledger.sqlite'), { readOnly: true });
    onTestFinished(() => db.close());
    expect(JSON.parse(String(db.prepare('SELECT told FROM charge').get()?.['told'])).service).toBe(at - 540_000);
  });

  it('does not charge again with --reuse after a payment in time', async () => {
    const home = newFolder();
    const late = { date: new Date(Date.now() + 20 * MINUTE).toUTCString() };
    let paid = false;
    const made = account(ACTIVITY.uid);
    const service = await serveBy(
      ({ method }) => {
        if (method === 'POST') return json(200, made);
        const activities = paid ? [{ ...made, status: 'successful', next_action: null }] : [];
        return json(200, request({ activities, ...(paid ? { status: 'ugwo_successful' } : {}) }), paid ? late : {});
      },
      { looks: 'asked' },
    );
    expect((await inProcess([...TRANSFER, '--reuse'], { service, home })).code).toBe(0);
    paid = true;
    const again = await inProcess([...TRANSFER, '--reuse'], { service, home });
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ uid: ACTIVITY.uid, status: 'successful' });
    expect(methods(service)).toBe('GET,POST,GET');
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
  ])('that %s ends the command, and nothing is sent', async (_what, look, code) => {
    const [service, home] = [await showing(look), newFolder()];
    const ended = await inProcess(TRANSFER, { service, home });
    expect(ended.code).toBe(code);
    expect(service.seen.every(({ method }) => method === 'GET')).toBe(true);
    expect(await rows(home)).toEqual([]);
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
    const service = await showing(look);
    const ended = await inProcess(['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'], { service });
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain("can't show");
    expect(methods(service)).toBe('GET,POST');
  });

  describe('of a charge answered with 429', () => {
    const held = json(429, { message: 'Too Many Attempts.' });
    const before = [account(THEIRS, -MINUTE)];
    const same = json(200, request({ activities: before }));
    /** The end of a charge whose second read gives this answer. */
    const ended = async (second: Answer, first = same, answer: Answer = held) => {
      const looks = [first, second];
      const service = await serveBy(({ method }) => (method === 'POST' ? answer : looks.shift()), {
        looks: 'asked',
      });
      const home = newFolder();
      const { code, stderr } = await inProcess(TRANSFER, { service, home });
      return { code, stderr, asked: methods(service), states: (await rows(home)).map(({ state }) => state) };
    };

    it.each<[string, Answer]>([
      ['in another format', held],
      ['in the live dialect', json(429, { message: 'too_many_requests', errors: [] })],
      ['as an HTML page', raw('HTTP/1.1 429 Slow\r\ncontent-length: 4\r\n\r\n<h1>')],
      ['without a body', raw('HTTP/1.1 429 Slow\r\ncontent-length: 0\r\n\r\n')],
    ])('%s proves it not sent if a read after it shows nothing new: exits with 5', async (_form, answer) => {
      const { stderr, ...end } = await ended(same, same, answer);
      expect(end).toEqual({ code: 5, asked: 'GET,POST,GET', states: ['not_sent'] });
      expect(stderr).toContain('a read behind it shows nothing new');
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
      ['an error', json(404, {})],
    ])('leaves it unknown if that read shows %s: exits with 6', async (_shown, second) => {
      expect(await ended(second)).toMatchObject({ code: 6, asked: 'GET,POST,GET', states: ['unknown'] });
    });

    it('leaves it unknown if the first read shows no activities: exits with 6', async () => {
      const first = json(200, request({ activities: undefined }));
      expect(await ended(first, first)).toMatchObject({ code: 6, asked: 'GET,POST', states: ['unknown'] });
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
      const [service, home] = [await showing(json(404, body)), newFolder()];
      const ended = await inProcess(TRANSFER, { service, home });
      expect(ended).toMatchObject({ code: 3, stdout: '' });
      const { message, hint } = errorOf(ended);
      expect(message).toContain(`${UGWO_ID} was not charged: the service answered 404`);
      expect(hint).toContain('check the identifier');
      expect(methods(service)).toBe('GET');
      expect(await rows(home)).toEqual([]);
    },
  );

  it('fails only the row whose request does not exist: exits with 3', async () => {
    const service = await serveBy(
      ({ method, url }) => {
        if (method === 'POST') return json(200, ACTIVITY);
        return json(404, url.endsWith(ugwoOf(1)) ? { message: 'ugwo.error.not_found' } : {});
      },
      { looks: 'asked' },
    );
    const ended = await chargeFrom(ussdFile(1, 2), { service });
    expect(ended.code).toBe(3);
    expect(summaryOf(ended)).toMatchObject({ rejected: 1, accepted: 1 });
    expect(methods(service).match(/POST/g)).toHaveLength(1);
  });

  it('does not suggest --no-preflight during a Retry-After', async () => {
    const service = await serveBy(() => json(503, {}, { 'retry-after': '3600' }), { looks: 'asked' });
    expect(errorOf(await inProcess([...TRANSFER, '--json'], { service }))).toMatchObject({
      exit_code: 8,
      hint: 'run the same command again after that',
    });
  });

  it('is skipped with --no-preflight', async () => {
    const service = await showing(json(200, request({ status: 'cancelled' })));
    expect((await inProcess([...TRANSFER, '--no-preflight'], { service })).code).toBe(0);
    expect(methods(service)).toBe('POST');
  });

  it('records the amount, reference and customer of the payment request', async () => {
    const home = newFolder();
    const service = await showing(json(200, request({ amount: '500007', currency: ['NGN', 'enum.currency.NGN'] })));
    expect((await inProcess(TRANSFER, { service, home })).code).toBe(0);
    expect(await rows(home)).toMatchObject([
      { amount: 500_007, currency: 'NGN', ref: 'order-7', customer: 'ony.AbCd.000000000000000000000001' },
    ]);
  });

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
    const session = openTerminal(['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'], { service, columns: 200 });
    await session.saw(/was not charged/);
    expect(await session.ended).toEqual({ code: 9 });
    expect(session.raw()).not.toContain('Charging');
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
      const [service, home] = [await changing([...reads, json(200, request(change))]), newFolder()];
      expect(await inProcess(command(), { service, home })).toMatchObject({ code: 9 });
      expect(methods(service)).toBe([...reads.map(() => 'GET'), 'POST', 'GET'].join());
      expect((await rows(home)).map(({ state, exit_code: code }) => [state, code])).toEqual([['not_sent', 5]]);
    });

    it('is sent again if nothing has changed, at most three times, each under its own entry', async () => {
      const [service, home] = [await changing([open], 2), newFolder()];
      expect(await inProcess(command(), { service, home })).toMatchObject({ code: 0 });
      expect(methods(service).replace('GET,GET', 'GET')).toBe('GET,POST,GET,POST,GET,POST');
      expect((await rows(home)).map(({ state }) => state)).toEqual(['accepted', 'not_sent', 'not_sent']);
      const refusing = await changing([open], 3);
      expect(await inProcess(command(), { service: refusing, home: newFolder() })).toMatchObject({ code: 5 });
      expect(methods(refusing).match(/POST/g)).toHaveLength(3);
    });
  });

  it('during the wait of a 429 is not charged at another amount than the row says: exits with 9', async () => {
    const [service, home] = [await changing([open, open, json(200, request({ amount: 600_007 }))]), newFolder()];
    const ended = await inProcess(fileOfOne(), { service, home });
    expect(ended).toMatchObject({ code: 9 });
    expect(methods(service)).toBe('GET,GET,POST,GET');
    const job = await inProcess(['ledger', 'show', String(summaryOf(ended)['job']), '--json'], { home });
    expect(JSON.parse(job.stdout)).toMatchObject({ refused: 1, not_sent: 0, not_started: 0 });
  });

  it.each(both)('while the process is suspended is read again: %s', async (what, command) => {
    const reads = what === ROW ? 2 : 1;
    const charges = async (change: object): Promise<string> => {
      const clock = passingClock();
      let read = 0;
      const service = await serveBy(
        ({ method }) => {
          if (method === 'POST') return json(200, account(ACTIVITY.uid));
          read += 1;
          if (read === reads) clock.pass();
          return read > reads ? json(200, request(change)) : open;
        },
        { looks: 'asked' },
      );
      const { code } = await paycli(command(), { service, home: newFolder(), env: clock.env });
      return `${code} ${methods(service)}`;
    };
    const gets = Array.from({ length: reads + 1 }, () => 'GET').join();
    expect(await charges({})).toBe(`0 ${gets},POST`);
    expect(await charges({ status: 'cancelled' })).toBe(`9 ${gets}`);
  });

  it('is not refunded anew after a 429 if its payment has changed: exits with 9', async () => {
    const paid = { ...ACTIVITY, status: 'successful', amount: 500_007 };
    const shown = (amount: number): Answer => json(200, request({ activities: [{ ...paid, amount }] }));
    const one = ['refund', 'create', ACTIVITY.uid, '--ugwo', UGWO_ID, '--yes'];
    const row = fileOf(csvOf('activity,ugwo,amount,currency', `${ACTIVITY.uid},${UGWO_ID},5.00,NGN`));
    const file = ['refund', 'create', '--from', row, '--yes'];
    for (const [command, then, code, asked] of [
      [one, shown(500_007), 0, 'GET,POST,GET,POST'],
      [one, shown(400_007), 9, 'GET,POST,GET'],
      [file, shown(400_007), 0, 'GET,POST,GET,POST'],
      [file, json(200, request({ activities: [paid], currency: 'USD' })), 5, 'GET,POST,GET'],
    ] as const) {
      const looks = [shown(500_007), then];
      let sent = 0;
      const made = json(200, { uid: 'rfd.AbCd.1', status: 'processing' });
      const service = await serveBy(({ method }) => (method === 'GET' ? looks.shift() : ++sent === 1 ? slow : made), {
        looks: 'asked',
      });
      const ended = await inProcess(command, { service, home: newFolder() });
      expect([ended.code, methods(service)], ended.stderr).toEqual([code, asked]);
    }
  });
});

describe('an accepted but unusual answer', () => {
  it('with the activity of another charge causes a note and a mark in the ledger', async () => {
    const home = newFolder();
    const service = await serveBy(({ method, url }) =>
      method === 'GET' ? json(200, { ...request(), uid: url.split('/')[3] }) : json(200, account(ACTIVITY.uid)),
    );
    expect((await inProcess(TRANSFER, { service, home })).code).toBe(0);
    const other = ['ugwo', 'charge', 'ugw.AbCd.000000000000000000000002', '--medium', 'bank_transfer'];
    const ended = await inProcess(other, { service, home });
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(/note: the answer names the activity of chg-\w+, made earlier\n/);
    expect((await rows(home))[0]?.['evidence']).toMatchObject([{ kind: 'odd' }]);
  });

  it('with a dial string for a transfer causes a note', async () => {
    const service = await showing(json(200, request()), json(200, account(ACTIVITY.uid, 1000, { next_action: DIAL })));
    const ended = await inProcess(['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'], { service });
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('looks like another medium than bank_transfer');
  });
});

describe('the same payment request at another origin', () => {
  it('is noted, and charged', async () => {
    const home = newFolder();
    const [first, second] = [await showing(json(200, request())), await showing(json(200, request()))];
    expect((await inProcess(TRANSFER, { service: first, home })).code).toBe(0);
    const ended = await inProcess(['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'], { service: second, home });
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain(`has an earlier charge at ${first.origin}`);
  });

  it('needs confirmation on a terminal', async () => {
    const home = newFolder();
    const first = await showing(json(200, request()));
    const second = await serveBy(() => json(200, request()), { looks: 'asked' });
    expect((await inProcess(TRANSFER, { service: first, home })).code).toBe(0);
    const command = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'];
    const session = openTerminal(command, { service: second, home, columns: 200 });
    await session.saw(/Charge it here, too\? \[y\/N\]/);
    session.type('n\r');
    expect(await session.ended).toEqual({ code: 130 });
    expect(methods(second)).toBe('GET');
    expect((await rows(home)).map(({ state }) => state)).toEqual(['not_sent', 'accepted']);
  });

  it('by two names of this machine is one service', async () => {
    const home = newFolder();
    const service = await showing(json(200, request()));
    const byName = { ...service, origin: service.origin.replace('127.0.0.1', 'localhost') };
    expect((await inProcess([...TRANSFER, '--no-preflight'], { service, home })).code).toBe(0);
    expect((await inProcess([...TRANSFER, '--no-preflight'], { service: byName, home })).code).toBe(9);
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
    const [home, report] = [newFolder(), join(newFolder(), 'r.csv')];
    const ended = await chargeFrom(ussdFile(1, 2, 3), { service: charged, home }, '--report', report);
    expect(ended.code).toBe(9);
    expect(summaryOf(ended)).toMatchObject({ accepted: 2, refused: 1 });
    expect(postsOf(charged)).toEqual([1, 3]);
    expect(reportOf(report)).toMatchObject({
      1: { amount_minor: '500001', currency: 'NGN', ref: 'order-1' },
      2: { state: 'refused', error: expect.stringContaining('it is already paid') },
    });
  });

  it('notes the activities of every row, and reads the settings as often as for one row', async () => {
    const open = (number: number) => ({ ...ugwo(number), uid: ugwoOf(number), checkout: { uid: 'chk.AbCd.1' } });
    const failed = (number: number) =>
      json(200, { ...open(number), activities: [account(THEIRS, 0, { status: 'failed' })] });
    const busy = await service({ 1: failed(1), 2: failed(2), 3: failed(3) });
    const readsFor = async (...numbers: number[]): Promise<number> => {
      const [home, log] = [newFolder(), join(newFolder(), 'reads')];
      writeFileSync(log, '');
      writeFileSync(join(home, 'config.json'), '{}', { mode: 0o600 });
      const counting = `import fs from 'node:fs';
        import { syncBuiltinESMExports } from 'node:module';
        const { appendFileSync, readFileSync } = fs;
        fs.readFileSync = (path, ...how) => {
          if (String(path).endsWith('config.json')) appendFileSync(${JSON.stringify(log)}, '.');
          return readFileSync(path, ...how);
        };
        syncBuiltinESMExports();`;
      const args = ['ugwo', 'charge', '--from', ussdFile(...numbers), '--json'];
      expect(await paycli(args, { service: busy, home, env: runBefore(counting) })).toMatchObject({ code: 0 });
      return readFileSync(log, 'utf8').length;
    };
    const one = await readsFor(1);
    expect(one).toBeGreaterThan(0);
    expect(await readsFor(1, 2, 3)).toBe(one);
  });

  it('leaves rows whose check failed for the next run: exits with 8', async () => {
    const home = newFolder();
    const file = ussdFile(1, 2);
    const failing = await service({ 2: problem(422, 'No') });
    const options: RunOptions = { service: failing, home };
    const ended = await chargeFrom(file, options);
    expect(ended.code).toBe(8);
    expect(summaryOf(ended)).toMatchObject({ accepted: 1, not_sent: 1 });
    const healed = await service({});
    const again = await chargeFrom(file, { home, service: healed, env: {} });
    expect(again.code).toBe(0);
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
    const quick = await service({});
    expect((await chargeFrom(ussdFile(1, 2), { service: quick, home: newFolder() }, '--no-preflight')).code).toBe(0);
    expect(quick.seen.map(({ method }) => method)).toEqual(['POST', 'POST']);
    const blind = await service({ 1: json(404, {}), 2: json(404, {}) });
    const ended = await inProcess(['ugwo', 'charge', '--from', ussdFile(1, 2)], { service: blind, home: newFolder() });
    expect(ended.code).toBe(0);
    expect(ended.stderr.match(/can't show/g)).toHaveLength(1);
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
  const scene = async () => {
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
    const { home, service, states } = await scene();
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
    const { home, service, states } = await scene();
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
    const home = newFolder();
    const blind = await serveBy(({ method }) => (method === 'POST' ? json(200, ACTIVITY) : json(404, {})), {
      looks: 'asked',
    });
    expect((await inProcess(TRANSFER, { home, service: blind })).code).toBe(0);
    const open = await inProcess(['ledger', 'sync'], { home, service: blind });
    expect(open).toMatchObject({
      code: 0,
      stdout: 'payment\tcurrency\tcount\tamount_minor\treceived_minor\nopen\t\t1\t\t0\n',
    });
    expect(open.stderr).toContain('1 charge not shown by the service: counted as last seen.');
    const refusing = await serveBy(() => problem(422, 'No'));
    const other = ['ugwo', 'charge', ugwoOf(2), '--medium', 'ussd', '--provider', 'gtb', '--json'];
    const refused = await inProcess(other, { home, service: refusing });
    const named = await inProcess(['ledger', 'sync', String(errorOf(refused)['ledger_id'])], {
      home,
      service: blind,
    });
    expect(named.stderr).toContain("1 charge was not made and isn't in this total.");
  });

  it('are awaited for a whole file with --wait', async () => {
    const { home, service, states } = await scene();
    const run = start(['ugwo', 'charge', '--from', ussdFile(1, 2), '--json', '--wait'], { home, service });
    await expect.poll(() => states.size).toBe(2);
    states.set(activity(1), 'successful').set(activity(2), 'successful');
    const ended = await run.ended;
    expect(ended.code).toBe(0);
    expect(summaryOf(ended)).toMatchObject({
      payments: [{ payment: 'paid', currency: 'NGN', count: 2, amount: 1_000_003 }],
    });
  });

  it('exit with 12 after --wait-timeout, and with 11 if one failed', async () => {
    const { home, service, states } = await scene();
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

  it('are not awaited during a Retry-After longer than the wait', async () => {
    let posts = 0;
    const service = await serveBy(
      ({ method, url }) => {
        posts += method === 'POST' ? 1 : 0;
        if (method === 'POST') return json(200, ACTIVITY);
        if (posts > 0) return problem(429, 'Later', undefined, { 'retry-after': '3600' });
        return json(200, { ...request({ activities: [] }), uid: url.split('/')[3] });
      },
      { looks: 'asked' },
    );
    const ended = await chargeFrom(ussdFile(1), { home: newFolder(), service }, '--wait', '--wait-timeout', '10m');
    expect(ended.code).toBe(12);
    expect(summaryOf(ended)).toMatchObject({ accepted: 1, payments: [{ payment: 'open', count: 1 }] });
    expect(service.seen.filter(({ method }) => method === 'GET')).toHaveLength(2);
  });

  it.each<[string, 'key' | 'ledger' | 'service', number, RegExp]>([
    ['the key is rejected meanwhile', 'key', 12, /answered 401/],
    ['reads fail meanwhile', 'service', 12, /answered 503/],
    ['the ledger is deleted meanwhile', 'ledger', 10, /removed or replaced/],
  ])('are printed with the summary even if %s', async (_what, broken, code, message) => {
    const home = newFolder();
    let posts = 0;
    const service = await serveBy(
      ({ method, url }) => {
        posts += method === 'POST' ? 1 : 0;
        if (method === 'POST') return json(200, ACTIVITY);
        if (posts > 0 && broken !== 'ledger') return json(broken === 'key' ? 401 : 503, {});
        if (posts > 0)
          for (const end of ['', '-wal', '-shm']) rmSync(join(home, `ledger.sqlite${end}`), { force: true });
        return json(200, { ...request({ activities: posts > 0 ? [ACTIVITY] : [] }), uid: url.split('/')[3] });
      },
      { looks: 'asked' },
    );
    const ended = await chargeFrom(ussdFile(1), { home, service }, '--wait', '--wait-timeout', '1s');
    expect(ended.code).toBe(code);
    expect(summaryOf(ended)).toMatchObject({ accepted: 1, payments: [{ payment: 'open', count: 1 }] });
    expect(errorOf(ended)['message']).toMatch(message);
  });
});
