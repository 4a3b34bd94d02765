import fs, { copyFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { atom, transferTo } from '../support/activity.ts';
import { PROGRAM } from '../support/built.ts';
import { clock } from '../support/clock.ts';
import { inProcess } from '../support/in-process.ts';
import { onTerminal } from '../support/on-terminal.ts';
import { errorOf, newFolder, paycli, quickClock, type RunOptions, start } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import type { Answer, Seen, Service } from '../support/service.ts';
import {
  ACTIVITY,
  json,
  later,
  problem,
  raw,
  reset,
  serveAll,
  serveAllBy,
  serveBy,
  UGWO_ID,
  ugwo,
} from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { MINUTE } from '../support/units.ts';
import {
  activityOf,
  charged,
  chargeFrom,
  charging,
  csvOf,
  fileOf,
  numberIn,
  once,
  postsOf,
  ugwoOf,
  ussdFile,
} from './bulk-support.ts';

beforeEach(() => void quickClock());

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

/** A request that this activity has paid. */
const paidBy = (activity: object): object => ({
  status: 'ugwo_successful',
  activities: [{ ...activity, next_action: null, status: 'successful' }],
});

/** A service that gives these answers to reads and charges. */
const showing = (look: Answer, charge: Answer = json(200, account(ACTIVITY.uid))): Promise<Service> =>
  serveAllBy(({ method }) => (method === 'GET' ? look : charge));

const methods = ({ seen }: Service): string => seen.map(({ method }) => method).join();
const rows = async (home: string): Promise<Record<string, unknown>[]> =>
  (JSON.parse((await inProcess(['ledger', 'list', '--json'], { home })).stdout) as { data: Record<string, unknown>[] })
    .data;

describe('the check before a charge', () => {
  it.each<[string, object, object, number]>([
    ['paid', { status: 'ugwo_successful' }, { message: /it is already paid/ }, 9],
    ['refunded', { status: ['refunded', 'enum.ugwo_status.refunded'] }, { message: /paid and refunded/ }, 9],
    ['cancelled', { status: 'cancelled' }, { message: /it is cancelled/ }, 9],
    ['processing, and nothing explains it', { status: 'processing' }, { message: /its status is processing/ }, 0],
    [
      'being paid by a charge by another medium',
      { activities: [account(THEIRS, MINUTE, { next_action: DIAL })] },
      { message: /by another medium \(act\.\S+77, not from this ledger\) can still be paid\ndial \*737#, open until / },
      0,
    ],
    [
      'being paid by another charge, whose account it shows',
      { activities: [account(THEIRS)] },
      {
        message: /act\.AbCd\.\S+77, not from this ledger\) can still be paid\n.*\naccount number 0123456789, until /,
        activity: { uid: THEIRS },
      },
      0,
    ],
  ])(
    'refuses a request that is %s with 9, also with --again if money came or it is cancelled',
    async (_what, some, error, again) => {
      const run = { service: await showing(json(200, request(some))), argv: TRANSFER };
      await scene({ ...run, exit: 9, stderr: /^(?!.*ledger_id)/, error, requests: ['GET'], entries: [] });
      const requests = again === 0 ? ['GET', 'POST'] : ['GET'];
      await scene({ ...run, argv: [...TRANSFER, '--again'], exit: again, stderr: /^/, requests });
    },
  );

  it("names the ledger's charge if it created the account", async () => {
    const made = account(ACTIVITY.uid);
    const ended = await scene({
      service: serveAll([json(200, request()), json(200, made), json(200, request({ activities: [made] }))]),
      before: [TRANSFER],
      argv: TRANSFER,
      exit: 9,
      error: { kind: 'refused' },
      requests: ['GET', 'POST', 'GET'],
    });
    expect(errorOf(ended)['ledger_id']).toBe((await rows(ended.home))[0]?.['id']);
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

  it('reuses a paid activity of its own ledger by another medium', () =>
    scene({
      service: serveAll([json(200, request()), json(200, ACTIVITY), json(200, request(paidBy(ACTIVITY)))]),
      before: [TRANSFER],
      argv: ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb', '--reuse', '--json'],
      stderr: /^/,
      json: { uid: ACTIVITY.uid },
      requests: ['GET', 'POST', 'GET'],
    }));

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
    await scene({
      service: serveAll([json(200, request()), json(200, made), json(200, request(paidBy(made)), late)]),
      before: [[...TRANSFER, '--reuse']],
      argv: [...TRANSFER, '--reuse'],
      stderr: /^/,
      json: { uid: ACTIVITY.uid, status: 'successful' },
      requests: ['GET', 'POST', 'GET'],
    });
  });

  it.each<[string, Answer, exit: number, reads: number]>([
    ['fails', problem(500, 'Oops'), 8, 4],
    ['resets the connection', reset, 8, 4],
    ['is not JSON', raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'), 8, 1],
    ['is refused with 422', problem(422, 'No'), 8, 1],
    ['fails with 401', problem(401, 'Unauthorized'), 4, 1],
    ['fails with 403', problem(403, 'Forbidden'), 4, 1],
    ['comes from a cache', json(200, request(), { age: '60' }), 8, 1],
  ])('that %s ends the command, and nothing is sent', async (_what, look, exit, reads) => {
    await scene({ service: showing(look), argv: TRANSFER, exit, requests: Array(reads).fill('GET'), entries: [] });
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
        ...charge(later(same), same, answer),
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
      await scene({
        ...charge(later(second)),
        exit: 6,
        requests: ['GET', 'POST', 'GET'],
        entries: [{ state: 'unknown' }],
      });
    });

    it('waits for an answer with a newer date, since dates have no fractions of a second', () =>
      scene({ ...charge(same), built: true, exit: 5, entries: [{ state: 'not_sent' }] }));

    it('leaves it unknown if the first read shows no activities: exits with 6', async () => {
      const first = json(200, request({ activities: undefined }));
      await scene({ ...charge(first, first), exit: 6, requests: ['GET', 'POST'], entries: [{ state: 'unknown' }] });
    });
  });

  it.each<[string, object]>([
    ['by a code in detail', { title: 'Not Found', status: 404, detail: 'ugwo.error.not_found' }],
    ['by a code in message', { message: 'nzube.ugwo.error.not_found', errors: [] }],
    ['by its code alone', { code: 'payment_request_not_found' }],
    ['in words', { error: { message: 'Payment request not found' } }],
    ['by its identifier', { message: `No such object: ${UGWO_ID}` }],
  ])('fails if the service says that the request does not exist, %s: exits with 3', async (_what, body) => {
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
  });

  it('fails only the row whose request does not exist: exits with 3', () =>
    scene({
      service: serveAll([json(404, { message: 'ugwo.error.not_found' }), json(404, {}), json(200, ACTIVITY)]),
      argv: charging(ussdFile(1, 2), '--concurrency', '1'),
      exit: 3,
      json: { rejected: 1, accepted: 1 },
      requests: [`GET /v1/ugwo/${ugwoOf(1)}`, `GET /v1/ugwo/${ugwoOf(2)}`, `POST /v1/ugwo/${ugwoOf(2)}/activities`],
      report: { 1: { state: 'rejected' }, 2: { state: 'accepted' } },
    }));

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

  it.each(
    both.flatMap(([what, command]) => [
      [what, 'nothing has changed', command, {}, 0] as const,
      [what, 'it is cancelled', command, { status: 'cancelled' }, 9] as const,
    ]),
  )('while the process is suspended is read again: %s, %s', async (what, _change, command, change, exit) => {
    const reads = what === ROW ? ['GET', 'GET'] : ['GET'];
    const now = vi.spyOn(clock, 'now');
    onTestFinished(() => now.mockRestore());
    let read = 0;
    await scene({
      service: serveAllBy(({ method }) => {
        if (method === 'POST') return json(200, account(ACTIVITY.uid));
        read += 1;
        if (read === reads.length) now.mockImplementation(() => Date.now() + 60 * MINUTE);
        return read > reads.length ? json(200, request(change)) : open;
      }),
      argv: command(),
      exit,
      stdout: /^/,
      requests: [...reads, 'GET', ...(exit === 0 ? ['POST'] : [])],
    });
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
      ['one', 'nothing', shown(500_007), 0, SENT],
      ['one', 'the whole amount', shown(400_007), 9, ['GET', 'POST', 'GET']],
      ['one', 'what came of it', shown(500_007, { charged_amount: 400_007 }), 9, ['GET', 'POST', 'GET']],
      ['one', 'its status', shown(500_007, { status: 'partially_refunded' }), 0, SENT, 'partially_refunded'],
      ['a row with an amount', 'the whole amount', shown(400_007), 0, SENT],
      ['a row with an amount', 'the currency', abroad, 5, ['GET', 'POST', 'GET']],
    ])('%s, and what changed is %s', async (how, _what, then, exit, requests, status = 'successful') => {
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
      const jq = '.data[0].evidence[0] | "\\(.kind) \\(.status)"';
      await scene({ home, argv: ['ledger', 'list', '--kind', 'refund', '--jq', jq], stdout: `paid ${status}\n` });
    });
  });
});

it('an answer with the activity of another charge causes a note and a mark in the ledger', () =>
  scene({
    service: serveBy(() => json(200, account(ACTIVITY.uid))),
    before: [TRANSFER],
    argv: ['ugwo', 'charge', ugwoOf(2), '--medium', 'bank_transfer'],
    stderr: /note: the answer names the activity of chg-\w+, made earlier\n/,
    entries: [{ evidence: [{ kind: 'odd' }] }, {}],
  }));

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
  const service = (looks: Readonly<Record<number, Answer>>): Promise<Service> =>
    serveAllBy((seen) => {
      const number = numberIn(seen);
      if (seen.method === 'POST') return charged(number);
      return looks[number] ?? json(200, { ...ugwo(number), checkout: { uid: 'chk.AbCd.1' }, activities: [] });
    });

  it('refuses paid requests, and the report has the amounts', async () => {
    const { seen } = await scene({
      service: service({ 2: json(200, { ...ugwo(2), status: 'ugwo_successful' }) }),
      argv: charging(ussdFile(1, 2, 3)),
      exit: 9,
      json: { accepted: 2, refused: 1 },
      report: {
        1: { amount_minor: '500001', currency: 'NGN', ref: 'order-1' },
        2: { state: 'refused', error: /it is already paid/ },
        3: { state: 'accepted' },
      },
    });
    expect(postsOf({ seen })).toEqual(once(1, 3));
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
    const looks: Record<number, Answer> = { 2: problem(422, 'No') };
    const failing = service(looks);
    const first = await scene({ service: failing, argv, exit: 8, json: { accepted: 1, not_sent: 1 } });
    delete looks[2];
    await scene({ service: failing, home: first.home, argv, json: { accepted: 2 }, requests: ['GET', 'POST'] });
  });

  it.each([
    ['in a bulk run', []],
    ['with --check', ['--check']],
  ])('delays the other rows during a Retry-After, %s', async (_when, more) => {
    const [told, at] = [Promise.withResolvers<void>(), new Map<number, number>()];
    const slow = problem(429, 'Slow Down', undefined, { 'retry-after': '1' });
    const open: Answer = (seen, ...answer) => {
      const number = numberIn(seen);
      json(200, { ...ugwo(number), uid: ugwoOf(number), checkout: { uid: 'chk.AbCd.1' }, activities: [] })(
        seen,
        ...answer,
      );
    };
    const shown: Answer = (seen, ...answer) => {
      const number = numberIn(seen);
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
    const { home, service } = await scene({ service: showing(json(200, request())), argv: TRANSFER });
    const run = { home, service, argv: [...TRANSFER, '--again'] };
    const refused = { ...run, exit: 10, requests: [] };
    const ledger = join(home, 'ledger.sqlite');
    for (const end of ['', '-wal', '-shm']) rmSync(`${ledger}${end}`, { force: true });
    const error = { message: `the ledger ${ledger} is missing: it had 1 charge` };
    await scene({ ...refused, error });
    await scene({ ...refused, error, argv: ['ledger', 'list', '--json'] });
    await scene({ ...refused, error, argv: ['ledger', 'backup', join(home, 'copy'), '--json'] });
    await scene({ home, argv: ['ledger', 'status', '--json'], stdout: ['the ledger is missing'] });
    await scene({ home, argv: ['doctor', '--offline'], exit: 10, stdout: ['is missing: it had 1 charge'] });
    expect(existsSync(ledger)).toBe(false);
    const other = await scene({ argv: ['policy', 'list'], stderr: /^/ });
    copyFileSync(join(other.home, 'ledger.sqlite'), ledger);
    await scene({ ...refused, error: { message: /is not the one that had 1 charge/ } });
    rmSync(join(home, 'highest-charge'));
    await scene({ ...run, requests: ['GET', 'POST'] });
  });
});

describe('payments', () => {
  /** Charges everything, and then shows the activities with these statuses. */
  const paying = (statusOf: (number: number, read: number) => string | undefined): Promise<Service> => {
    const reads: Record<number, number> = {};
    return serveAllBy((seen) => {
      const number = numberIn(seen);
      const request = { ...ugwo(number), checkout: { uid: 'chk.AbCd.1' } };
      if (seen.method === 'POST') {
        reads[number] = 0;
        return charged(number);
      }
      if (reads[number] === undefined) return json(200, { ...request, activities: [] });
      reads[number] += 1;
      const status = statusOf(number, reads[number]) ?? 'requires_action';
      return json(200, { ...request, activities: [{ ...ACTIVITY, uid: activityOf(number), status }] });
    });
  };

  it('are found by ledger sync, with sums, and recorded', async () => {
    const service = await paying((number) => ['', 'successful', 'failed'][number]);
    const { home, stdout } = await scene({ service, argv: charging(ussdFile(1, 2, 3)) });
    const sums = [
      { payment: 'paid', currency: 'NGN', count: 1, amount: 500_001, received: 500_001, paid_twice: 0 },
      { payment: 'open', currency: 'NGN', count: 1, amount: 500_003, received: 0, paid_twice: 0 },
      { payment: 'failed', currency: 'NGN', count: 1, amount: 500_002, received: 0, paid_twice: 0 },
    ];
    await scene({
      service,
      home,
      argv: ['ledger', 'sync', '--json'],
      stdout: sums.map((one) => JSON.stringify(one)),
      entries: [{ status: 'requires_action' }, { status: 'failed' }, { status: 'successful' }],
    });
    await scene({
      service,
      home,
      argv: ['ledger', 'sync', JSON.parse(stdout).job, '-o', 'tsv'],
      stdout: ['\npaid\tNGN\t1\t500001\t500001\t0\n'],
      // A job that is named is read whole: a payment may have been reversed.
      requests: ['GET', 'GET', 'GET'],
    });
  });

  it('are found for all open charges, from files and single ones', () =>
    scene({
      service: paying((number) => (number === 1 || number === 4 ? 'successful' : undefined)),
      before: [
        charging(ussdFile(1, 2)),
        charging(ussdFile(3)),
        ['ugwo', 'charge', ugwoOf(4), '--medium', 'ussd', '--provider', 'gtb'],
      ],
      argv: ['ledger', 'sync'],
      stdout: /^payment\t.*\npaid\tNGN\t2\t1000005\t1000005\t0\nopen\tNGN\t2\t1000005\t0\t0\n$/,
    }));

  it('are found for an expired charge if its id is given', async () => {
    const home = newFolder();
    let [status, at] = ['requires_action', Date.now()];
    const made = account(ACTIVITY.uid, MINUTE, { created_at: atom(at) });
    const service = await serveAllBy(({ method }) => {
      if (method === 'POST') return json(200, made);
      return json(200, request({ activities: [{ ...made, status }] }), { date: new Date(at).toUTCString() });
    });
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

  it('count as last recorded if the service does not show them', () =>
    scene({
      service: serveAllBy(({ method }) => (method === 'GET' ? json(404, {}) : json(200, ACTIVITY))),
      before: [TRANSFER],
      argv: ['ledger', 'sync'],
      stdout: 'payment\tcurrency\tcount\tamount_minor\treceived_minor\tpaid_twice\nopen\t\t1\t\t0\t0\n',
      stderr: /1 charge not shown by the service: counted as last seen\./,
    }));

  it('are awaited for a whole file with --wait', () =>
    scene({
      service: paying((_number, read) => (read > 1 ? 'successful' : undefined)),
      argv: charging(ussdFile(1, 2), '--wait'),
      json: { payments: [{ payment: 'paid', currency: 'NGN', count: 2, amount: 1_000_003 }] },
    }));

  it('exit with 12 after --wait-timeout, and with 11 if one failed', async () => {
    let status: string | undefined;
    const service = await paying(() => status);
    const argv = charging(ussdFile(1), '--wait');
    const { home } = await scene({
      service,
      argv: [...argv, '--wait-timeout', '1s'],
      exit: 12,
      json: { accepted: 1 },
      error: { hint: /paycli ledger sync job-/ },
    });
    status = 'failed';
    await scene({ service, home, argv, exit: 11, stdout: /^/ });
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
  const waitFor = (time: string): string[] => charging(ussdFile(1), '--wait', '--wait-timeout', time);
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
