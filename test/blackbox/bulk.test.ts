import { execFileSync } from 'node:child_process';
import { once as happened } from 'node:events';
import {
  appendFileSync,
  createWriteStream,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { utcAtom } from '../../src/core/time.ts';
import { CANARY } from '../support/canary.ts';
import { startHere } from '../support/in-process.ts';
import type { RunOptions } from '../support/program.ts';
import { errorOf, newFolder, passingClock, start } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import {
  ACTIVITY,
  type Answer,
  DEAD_ORIGIN,
  hang,
  json,
  ONYE_ID,
  problem,
  reset,
  serveAllBy,
  serveBy,
  ugwo,
} from '../support/service.ts';
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
  reportOf,
  reportPath,
  serveCharges,
  summaryOf,
  ugwoOf,
  ussdFile,
} from './bulk-support.ts';

const home = (): Pick<RunOptions, 'home'> => ({ home: newFolder() });

describe('ugwo charge --from', () => {
  it('sends each row once, with its medium and parameters', async () => {
    const file = fileOf(
      csvOf(
        'ugwo,medium,provider,phone,expires_in,param.note,param.level:,name',
        `${ugwoOf(1)},bank_transfer,,,10m,,,Ada`,
        `${ugwoOf(2)},ussd,gtb,,,hello,3,Obi`,
        `${ugwoOf(3)},mobile_money,mtn,+233201234567,,,,`,
      ),
    );
    const { seen } = await scene({
      built: true,
      service: serveCharges(),
      argv: charging(file),
      json: {
        job: expect.stringMatching(/^job-[0-9a-z]{16}$/),
        command: 'ugwo charge',
        file,
        rows: 3,
        accepted: 3,
        not_started: 0,
        skipped: 0,
        report: null,
      },
      requests: ['POST', 'POST', 'POST'],
    });
    expect(Object.fromEntries(seen.map((one) => [numberIn(one), JSON.parse(one.body).data]))).toEqual({
      1: { medium: 'bank_transfer', expires_at: expect.stringMatching(/^2\d{3}-.*\+00:00$/) },
      2: { medium: 'ussd', provider: 'gtb', note: 'hello', level: 3 },
      3: { medium: 'mobile_money', provider: 'mtn', phone: '+233201234567' },
    });
  });

  it('fills missing columns from options', async () => {
    const { seen } = await scene({
      service: serveCharges(),
      argv: charging(
        fileOf(csvOf('ugwo', ugwoOf(1), ugwoOf(2))),
        ...['--medium', 'ussd', '--provider', 'gtb', '--param', 'a=b'],
      ),
      json: { accepted: 2 },
    });
    const data = { medium: 'ussd', provider: 'gtb', a: 'b' };
    expect(seen.map(({ body }) => JSON.parse(body).data)).toEqual([data, data]);
  });

  it.each(['param.a', 'param.a:'])('rejects an option that repeats the column %s', async (column) => {
    await scene({
      service: [],
      argv: charging(
        fileOf(csvOf(`ugwo,${column}`, `${ugwoOf(1)},1`)),
        ...['--medium', 'ussd', '--provider', 'gtb', '--param', 'a=b'],
      ),
      exit: 2,
      error: { message: expect.stringContaining(`--param a and the column ${column} set the same value`) },
    });
  });

  it('splits cells at --delimiter if the header is ambiguous', () =>
    scene({
      service: serveCharges(),
      argv: charging(fileOf(`ugwo|medium|provider|a,b;c\n${ugwoOf(1)}|ussd|gtb|x,y;z\n`), '--delimiter', '|'),
      stderr: /^/,
      requests: [`POST /v1/ugwo/${ugwoOf(1)}/activities`],
    }));

  it('rejects an option that repeats a property of a later NDJSON row', async () => {
    const rows = [{ ugwo: ugwoOf(1) }, { ugwo: ugwoOf(2), medium: 'bank_transfer' }].map((row) => JSON.stringify(row));
    await scene({
      service: [],
      stdin: rows.join('\n'),
      argv: charging('-', '--medium', 'bank_transfer'),
      exit: 2,
      error: { violations: [{ row: 2, column: 'medium', title: 'is also set by --medium' }] },
    });
  });

  it('reads NDJSON with nested and null values from standard input', async () => {
    const row = (number: number) => ({ ugwo: ugwoOf(number), medium: 'ussd', provider: 'gtb', other: null });
    const rows = [1, 2].map((number) => JSON.stringify({ ...row(number), param: { deep: { n: number } } }));
    const { seen } = await scene({
      service: serveCharges(),
      stdin: `${rows.join('\n')}\n`,
      argv: charging('-', '--rate', '50/s'),
      json: { file: 'standard input', accepted: 2 },
      stderr: /^/,
    });
    expect(seen.map(({ body }) => JSON.parse(body).data.deep.n).sort()).toEqual([1, 2]);
  });

  it("reports each row unchanged, with the customer's next action", async () => {
    const refused = problem(422, 'Validation Failed', [{ propertyPath: 'data.provider', title: 'unknown bank' }]);
    const file = fileOf(
      `\uFEFFname;ugwo;medium;provider;state\r\n"=1;Ada ""A""";${ugwoOf(1)};ussd;gtb;Lagos\r\n+234;${ugwoOf(2)};ussd;gtv;\r\n`,
    );
    const run: Scene = {
      service: await serveCharges({ 2: refused }),
      argv: charging(file),
      exit: 3,
      json: { accepted: 1, rejected: 1 },
      report: {
        1: {
          ugwo: ugwoOf(1),
          state: 'Lagos',
          state_2: 'accepted',
          activity: activityOf(1),
          status: 'requires_action',
          ussd: '*737*000*5000#',
          error: '',
        },
        2: {
          ugwo: ugwoOf(2),
          state_2: 'rejected',
          activity: '',
          error: 'the service answered 422: Validation Failed; provider: unknown bank (did you mean gtb?)',
        },
      },
    };
    const { home, stdout } = await scene(run);
    await scene({ ...run, home, requests: [] });
    const text = readFileSync(JSON.parse(stdout).report, 'utf8');
    expect(text.startsWith('\uFEFFname;ugwo;medium;provider;state;row;state_2;activity;status;next_action')).toBe(true);
    expect(text).toContain('"=1;Ada ""A"""');
  });

  it('writes no key to the report, even if the service repeats it', () =>
    scene({
      service: serveCharges({ 1: problem(422, `Not with ${CANARY}`) }),
      argv: charging(ussdFile(1)),
      exit: 3,
      json: { rejected: 1 },
      report: { 1: { error: expect.stringMatching(/Not with \[secret ….{4}\]$/) } },
    }));

  it('reads standard input if the home folder does not exist yet', () =>
    scene({
      service: [],
      home: join(newFolder(), 'new'),
      stdin: readFileSync(ussdFile(1), 'utf8'),
      argv: charging('-', '--dry-run'),
      stderr: /^/,
    }));

  it('resumes when the same command runs again', async () => {
    const [service, file] = [await serveCharges({ 2: reset, 3: reset, 4: reset }), ussdFile(1, 2, 3, 4, 5, 6)];
    const { home } = await scene({
      service,
      argv: charging(file, '--concurrency', '1'),
      exit: 6,
      json: { accepted: 1, unknown: 3, not_started: 2 },
      error: { message: /stopped early: the results of 3 rows in a row are unknown/ },
      report: { 1: {}, 2: {}, 3: {}, 4: {} },
    });
    expect(postsOf(service)).toEqual(once(1, 2, 3, 4));
    await scene({
      service,
      home,
      argv: charging(file),
      exit: 6,
      json: { accepted: 3, unknown: 3, not_started: 0, skipped: 4 },
      report: {
        1: { state: 'accepted', activity: activityOf(1), ussd: '*737*000*5000#' },
        2: { state: 'unknown', activity: '' },
        3: { state: 'unknown' },
        4: { state: 'unknown' },
        5: { state: 'accepted', activity: activityOf(5) },
        6: { state: 'accepted', activity: activityOf(6) },
      },
    });
    expect(postsOf(service)).toEqual(once(1, 2, 3, 4, 5, 6));
  });

  it('checks a charge whose answer was lost once, then continues', async () => {
    const made = new Set<number>();
    const service = await serveAllBy((seen) => {
      const number = numberIn(seen);
      if (seen.method === 'GET') {
        const activities = made.has(number)
          ? [{ ...ACTIVITY, uid: activityOf(number), created_at: utcAtom(Date.now()) }]
          : [];
        return json(200, {
          uid: ugwoOf(number),
          status: 'pending',
          amount: 500,
          currency: 'NGN',
          checkout: {},
          activities,
        });
      }
      // The third charge was not created; its outcome stays unknown.
      if (number !== 3) made.add(number);
      return number > 4 ? charged(number) : reset;
    });
    const accepted = { state: 'accepted', ussd: '*737*000*5000#', error: '' };
    await scene({
      service,
      argv: charging(ussdFile(1, 2, 3, 4, 5), '--concurrency', '1'),
      exit: 6,
      json: { accepted: 4, unknown: 1, not_started: 0, skipped: 0 },
      report: {
        1: { ...accepted, activity: activityOf(1) },
        2: { ...accepted, activity: activityOf(2) },
        3: { state: 'unknown', activity: '' },
        4: { ...accepted, activity: activityOf(4) },
        5: { ...accepted, activity: activityOf(5) },
      },
    });
    expect(postsOf(service)).toEqual(once(1, 2, 3, 4, 5));
    // Each row is read before its charge; each lost one is read once more.
    expect(service.seen.filter(({ method }) => method === 'GET')).toHaveLength(5 + 4);
  });

  it('counts rows that already have an outcome if it stops before reaching them', async () => {
    let others = 0;
    const service = await serveBy((seen) => {
      if (numberIn(seen) > 1) {
        others += 1;
        return numberIn(seen) === 4 ? reset : charged(numberIn(seen));
      }
      return (...args) => {
        const timer = setInterval(() => {
          if (others < 3) return;
          clearInterval(timer);
          problem(401, 'Unauthorized')(...args);
        }, 20);
      };
    });
    const file = ussdFile(1, 2, 3, 4);
    const { home } = await scene({ service, argv: charging(file, '--continue-on-unknown'), exit: 6, json: {} });
    await scene({
      service,
      home,
      argv: charging(file, '--retry-failed', '--concurrency', '1'),
      exit: 6,
      json: { accepted: 2, unknown: 1, rejected: 1, not_started: 0, skipped: 3 },
      report: { 1: {}, 2: {}, 3: {}, 4: {} },
    });
    expect(postsOf(service)).toEqual({ 1: 2, 2: 1, 3: 1, 4: 1 });
  });

  it('counts rows that another process is sending once, also when it is stopped', async () => {
    const service = await serveCharges({ 1: hang, 3: hang });
    const [file, options] = [ussdFile(1, 2, 3), { service, ...home() }];
    start(['ugwo', 'charge', '--from', file, '--concurrency', '2'], options);
    // The third is sent once the second is in the ledger.
    await service.came(3);
    const second = startHere(['ugwo', 'charge', '--from', file], options);
    await second.saw(/waiting for 2 rows/);
    second.kill('SIGINT');
    const ended = await second.ended;
    expect(ended.code).toBe(130);
    expect(ended.stdout).toMatch(/accepted\s+1\n[\s\S]*sending\s+2/);
    expect(ended.stderr.match(/waiting for 2 rows/g)).toHaveLength(1);
  });

  it('gives each process rows of its own, and those of a killed one to the others', async () => {
    const service = await serveCharges({ 1: hang, 2: hang });
    const [file, options] = [ussdFile(...Array.from({ length: 130 }, (_, at) => at + 1)), { service, ...home() }];
    const run = ['ugwo', 'charge', '--from', file, '--json', '--concurrency', '2'];
    const first = start(run, options);
    await service.came(2);
    const second = startHere(run, options);
    await service.came(4);
    expect(Object.keys(postsOf(service))).toEqual(['1', '2', '129', '130']);
    first.kill('SIGKILL');
    const ended = await second.ended;
    expect(ended.code).toBe(6);
    expect(summaryOf(ended)).toMatchObject({ accepted: 128, unknown: 2, not_started: 0 });
    expect(new Set(Object.values(postsOf(service)))).toEqual(new Set([1]));
  });

  it('retries rows that were not sent, and with --retry-failed also rejected and failed ones', async () => {
    let [isOpen, isMended] = [false, false];
    const service = await serveBy((seen) => {
      const number = numberIn(seen);
      if (number === 2 && !isOpen) return problem(429, 'Slow down');
      if (number === 3 && !isMended) return problem(422, 'Validation Failed');
      if (number === 4 && !isMended) return charged(number, { status: 'failed', error: { message: 'declined' } });
      return number === 5 ? reset : charged(number + (isMended ? 10 : 0));
    });
    const file = ussdFile(1, 2, 3, 4, 5);
    const { home } = await scene({
      service,
      argv: charging(file, '--continue-on-unknown'),
      exit: 6,
      json: { accepted: 1, not_sent: 1, rejected: 1, failed: 1, unknown: 1 },
      error: { hint: /run the same command again to continue/ },
    });
    isOpen = true;
    await scene({
      service,
      home,
      argv: charging(file),
      exit: 6,
      json: { accepted: 2, not_sent: 0, rejected: 1, failed: 1, skipped: 4 },
      report: { 1: {}, 2: { state: 'accepted' }, 3: {}, 4: {}, 5: {} },
    });
    expect(postsOf(service)).toEqual({ 1: 1, 2: 4, 3: 1, 4: 1, 5: 1 });
    isMended = true;
    const json = { accepted: 4, rejected: 0, failed: 0, unknown: 1, skipped: 3 };
    await scene({ service, home, argv: charging(file, '--retry-failed'), exit: 6, json });
    expect(postsOf(service)).toEqual({ 1: 1, 2: 4, 3: 2, 4: 2, 5: 1 });
  });

  it('shows how a charge ended, also in later runs, and charges no reversed one again', async () => {
    const [odd, back] = [{ medium: ['momo', 'Mobile money'] }, { status: 'failed', charged_amount: 1000 }];
    const answers: Record<number, Record<string, unknown>> = {
      1: { ...odd, status: 'failed', error: null },
      2: { status: 'failed', error: { message: 'declined' } },
      3: { ...odd, ...back },
      4: { ...odd, status: 'failed', error: { code: 'psp.error.expired' } },
    };
    const service = await serveBy((seen) => charged(numberIn(seen), answers[numberIn(seen)] ?? {}));
    const [file, options, report] = [ussdFile(1, 2, 3, 4), { service, ...home() }, reportPath()];
    const reported = async (code: number, ...more: readonly string[]) => {
      expect((await chargeFrom(file, options, '--report', report, ...more)).code).toBe(code);
      return ['1', '2', '3', '4'].map((row) => [reportOf(report)[row]?.['state'], reportOf(report)[row]?.['error']]);
    };
    const paid = ['accepted', ''];
    const reversed = ['accepted', 'the payment was reversed: the provider took the money back'];
    const failed = ['failed', 'the charge failed'];
    const expired = ['expired', 'the time to pay is over, and nothing came'];
    expect(await reported(11)).toEqual([failed, ['failed', 'the charge failed: declined'], reversed, expired]);
    expect(await reported(11)).toEqual([failed, failed, reversed, expired]);
    for (const number of [1, 2, 4]) answers[number] = {};
    expect(await reported(11, '--retry-failed')).toEqual([paid, paid, reversed, paid]);
    expect(postsOf(service)).toEqual({ 1: 2, 2: 2, 3: 1, 4: 2 });
  });

  it('reserves disk space for the outcome of every row in flight', async () => {
    const home = newFolder();
    const sizes: number[] = [];
    const service = await serveBy((seen) => {
      const lines = readdirSync(home).filter((name) => name.endsWith('.ndjson'));
      sizes.push(...lines.map((name) => statSync(join(home, name)).size));
      return charged(numberIn(seen));
    });
    await scene({ service, home, argv: charging(ussdFile(1), '--concurrency', '3') });
    // Four slots of 8 KiB per row in flight, and one more.
    expect(sizes).toEqual([13 * 8192]);
  });

  it('stops at a rejected key and resumes with a valid one', async () => {
    let taken = false;
    const service = await serveBy((seen) => (taken ? charged(numberIn(seen)) : problem(401, 'Unauthorized')));
    const file = ussdFile(1, 2, 3);
    const { home } = await scene({
      service,
      argv: charging(file, '--concurrency', '1'),
      exit: 4,
      json: { rejected: 1, not_started: 2 },
      requests: [`POST /v1/ugwo/${ugwoOf(1)}/activities`],
    });
    taken = true;
    await scene({ service, home, argv: charging(file, '--retry-failed'), json: { accepted: 3 } });
  });

  it('refuses a row with an earlier open charge and retries it later', async () => {
    const [service, file] = [await serveCharges(), ussdFile(1, 2)];
    const { home } = await scene({
      service,
      before: [['ugwo', 'charge', ugwoOf(1), '--medium', 'ussd', '--provider', 'uba']],
      argv: charging(file),
      exit: 9,
      json: { accepted: 1, refused: 1 },
      requests: ['POST', 'POST'],
    });
    expect(postsOf(service)).toEqual(once(1, 2));
    const argv = charging(file, '--again');
    for (const requests of [[`POST /v1/ugwo/${ugwoOf(1)}/activities`], []])
      await scene({ service, home, argv, requests });
  });

  it.each<[string, Readonly<Record<string, unknown>>, reason: string, again: boolean]>([
    ['are cancelled', { status: 'cancelled' }, 'cancelled', false],
    ['were paid', { status: 'ugwo_successful' }, 'already paid', false],
    ['have charges by others', { activities: [ACTIVITY] }, 'an earlier charge can still be paid', true],
  ])(
    'groups rows that %s in one line, and suggests --again only where it helps',
    async (_what, more, reason, again) => {
      const open = { status: 'requires_ugwo', amount: 500, currency: 'NGN', checkout: {}, activities: [] };
      const ended = await scene({
        service: (seen) => json(200, { uid: ugwoOf(numberIn(seen)), ...open, ...more }),
        looks: 'asked',
        argv: charging(ussdFile(1, 2, 3, 4)),
        exit: 9,
        json: { refused: 4 },
        error: {
          message: `4 rows: 4 refused\n4 × ${reason}: rows 1, 2, 3 and 1 more`,
          hint: again ? /--again/ : 'to see what to do about a refused row, run its command alone, with --dry-run',
        },
        requests: ['GET', 'GET', 'GET', 'GET'],
      });
      expect(String(errorOf(ended)['hint'] ?? '').includes('--again')).toBe(again);
    },
  );

  describe('for payment requests that show no checkout', () => {
    const refusing = (propertyPath: string, title: string) => problem(422, 'Validation', [{ propertyPath, title }]);
    /** The third one shows a checkout; the others show none. */
    const serveWithout = (answer: Answer, third = charged(3)) =>
      serveAllBy((seen) => {
        const number = numberIn(seen);
        const checkout = number === 3 ? { uid: 'chk.AbCd.1' } : null;
        if (seen.method === 'GET') return json(200, { ...ugwo(number), checkout, activities: [] });
        return number === 3 ? third : answer;
      });
    const oneByOne = (...more: readonly string[]) => charging(ussdFile(1, 2, 3, 4), '--concurrency', '1', ...more);

    it.each([
      ['checkout', 'is missing'],
      ['', 'The payment request has no checkout.'],
    ])('sends no more of them after a 422 about the checkout, unless --again: %s %s', async (path, title) => {
      const service = await serveWithout(refusing(path, title));
      const { home } = await scene({
        service,
        argv: oneByOne(),
        exit: 3,
        json: { rejected: 1, refused: 2, accepted: 1 },
        report: { 1: {}, 2: { state: 'refused', error: /the service rejected row 1 for that/ }, 3: {}, 4: {} },
      });
      expect(postsOf(service)).toEqual(once(1, 3));
      const json = { rejected: 3, refused: 0 };
      await scene({ service, home, argv: oneByOne('--again'), exit: 3, json });
      expect(postsOf(service)).toEqual(once(1, 2, 3, 4));
    });

    it.each([
      ['are charged', charged(1), 0, { accepted: 4 }],
      ['are rejected for something else', refusing('data.provider', 'is unknown'), 3, { rejected: 3 }],
      ['are rejected for now', problem(409, 'The checkout is being changed.'), 3, { rejected: 3 }],
    ])('sends them all as long as they %s', async (_what, answer, exit, counts) => {
      const service = await serveWithout(answer);
      await scene({ service, argv: oneByOne(), exit, json: { ...counts, refused: 0 } });
      expect(postsOf(service)).toEqual(once(1, 2, 3, 4));
    });

    it('sends them after a 422 about the checkout of a request that shows one', () =>
      scene({
        service: serveWithout(charged(1), refusing('data.medium', 'is not offered by the checkout')),
        argv: charging(ussdFile(3, 1), '--concurrency', '1'),
        exit: 3,
        json: { rejected: 1, accepted: 1 },
      }));
  });

  it.each([
    ['before its read', [], 8],
    ['before its charge', ['--no-preflight'], 5],
  ])('reports a row as safe to retry if nobody answers %s', async (_when, more, exit) => {
    const env = { PAYCLI_BASE_URL: DEAD_ORIGIN, PAYCLI_SECRET_KEY: CANARY };
    await scene({ env, argv: charging(ussdFile(1), ...more), exit, json: { not_sent: 1 } });
  });

  it('waits no longer than --timeout, and continues after unknown rows with --continue-on-unknown', () =>
    scene({
      service: serveCharges({ 1: hang }),
      argv: charging(ussdFile(1, 2, 3), '--timeout', '1s', '--concurrency', '1', '--continue-on-unknown'),
      exit: 6,
      json: { accepted: 2, unknown: 1, not_started: 0 },
      error: { hint: expect.stringContaining('paycli ledger sync') },
    }));

  it('names the profile in the command that checks unknown rows', async () => {
    const service = await serveCharges({ 1: reset });
    const login = ['login', '--base-url', service.origin, '--key-stdin', '--profile', 'shop', '--no-verify'];
    await scene({
      stdin: `${CANARY}\n`,
      before: [login],
      argv: charging(ussdFile(1), '--profile', 'shop'),
      exit: 6,
      json: { unknown: 1 },
      error: { exit_code: 6, hint: /`paycli ledger sync --profile shop`/ },
    });
  });
});

describe('a file that adds a row to one already charged', () => {
  it('reports the earlier rows with their outcome and next action', async () => {
    const service = await serveCharges();
    const options = { service, ...home() };
    const [first, second] = [reportPath(), reportPath()];
    expect(await chargeFrom(ussdFile(1, 2), options, '--report', first)).toMatchObject({ code: 0 });
    const ended = await chargeFrom(ussdFile(1, 2, 3), options, '--report', second);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(summaryOf(ended)).toMatchObject({ rows: 3, accepted: 3, skipped: 2, refused: 0 });
    expect(postsOf(service)).toEqual(once(1, 2, 3));
    const [before, after] = [reportOf(first), reportOf(second)];
    for (const row of ['1', '2']) {
      const { activity, ussd, next_action, charge } = before[row] ?? {};
      expect(ussd).toMatch(/^\*\d+/);
      expect(after[row]).toMatchObject({ state: 'accepted', activity, ussd, next_action, charge });
    }
  });

  it('is refused if the earlier charge is unknown, with the command that checks it', async () => {
    const service = await serveCharges({ 1: reset });
    const argv = ['ugwo', 'charge', ugwoOf(1), '--medium', 'ussd', '--provider', 'gtb'];
    const { home } = await scene({ service, argv, exit: 6 });
    const error = { exit_code: 9, hint: 'find out about the unknown rows: `paycli ledger sync`' };
    await scene({ service, home, argv: charging(ussdFile(1)), exit: 9, json: { refused: 1 }, error, requests: [] });
  });

  it('is refused if a row was paid in part', async () => {
    let paid: object = { activities: [] };
    const service = await serveAllBy((seen) => {
      const number = numberIn(seen);
      return seen.method === 'POST' ? charged(number) : json(200, { ...ugwo(number), ...(number === 1 && paid) });
    });
    const { home } = await scene({ service, argv: charging(ussdFile(1)) });
    const part = { ...ACTIVITY, uid: activityOf(1), status: 'successful', next_action: null, charged_amount: 1000 };
    paid = { total_amount_paid: 1000, activities: [part] };
    const counts = { accepted: 1, refused: 1 };
    await scene({ service, home, argv: charging(ussdFile(1, 2)), exit: 9, json: counts });
    expect(postsOf(service)).toEqual(once(1, 2));
  });

  it('is refused if a row has other terms, is charged twice, or was charged elsewhere', async () => {
    const service = await serveCharges();
    const { home } = await scene({ service, argv: charging(ussdFile(1)) });
    const other = fileOf(csvOf('ugwo,medium,provider', `${ugwoOf(1)},ussd,uba`));
    await scene({ service, home, argv: charging(other), exit: 9, json: { accepted: 0, refused: 1 } });
    const argv = charging(ussdFile(2, 2), '--allow-repeats');
    await scene({ service, home, argv, exit: 9, json: { accepted: 1, refused: 1 } });
    expect(postsOf(service)).toEqual(once(1, 2));
  });
});

describe('--report', () => {
  it('does not overwrite the report of another job or another file, and sends nothing', async () => {
    const at = { service: await serveCharges(), ...home() };
    for (const name of ['result.csv', 'result.ndjson']) {
      const report = reportPath(name);
      const { stdout } = await scene({ ...at, argv: charging(ussdFile(1), '--report', report) });
      const text = readFileSync(report, 'utf8');
      const message = expect.stringContaining(`is the report of another job, ${JSON.parse(stdout).job}`);
      const error = { message, hint: /name a new file, or move this one away/ };
      for (const more of [[], ['--dry-run']]) {
        await scene({ ...at, argv: charging(ussdFile(2), '--report', report, ...more), exit: 2, error, requests: [] });
      }
      expect(readFileSync(report, 'utf8')).toBe(text);
    }
    for (const text of ['ugwo,medium\n', 'notes', '{"a":1}\n', '\u0000', '"']) {
      const report = fileOf(text, 'other.csv');
      const error = { message: /is there already, and is no report/ };
      await scene({ ...at, argv: charging(ussdFile(2), '--report', report), exit: 2, error, requests: [] });
      expect(readFileSync(report, 'utf8')).toBe(text);
    }
    expect(postsOf(at.service)).toEqual(once(1));
  });

  it('that cannot be written leaves no job, and sends nothing', async () => {
    const argv = charging(ussdFile(1), '--report', join(newFolder(), 'none', 'result.csv'));
    const { home } = await scene({ service: [], argv, exit: 2 });
    await scene({ home, argv: ['ledger', 'jobs', '--all-profiles', '--json'], json: { data: [] } });
  });

  it.each(['result.csv', 'result.ndjson'])(
    'overwrites the report of the same job or one without sendable rows: %s',
    async (name) => {
      const at = { service: await serveCharges(), ...home() };
      const report = fileOf('', name);
      const bad = fileOf(csvOf('ugwo,medium,provider,job', `${ugwoOf(1)},usd,gtb,x`));
      await scene({ ...at, argv: charging(bad, '--report', report), exit: 2 });
      const good = bad.replace('charges', 'right');
      writeFileSync(good, readFileSync(bad, 'utf8').replace('usd', 'ussd'));
      expect(readFileSync(report, 'utf8')).toContain('invalid');
      for (let run = 0; run < 2; run += 1) {
        await scene({ ...at, argv: charging(good, '--report', report) });
        expect(readFileSync(report, 'utf8')).toMatch(/^(?!.*invalid).*accepted/s);
        // Truncated as by a full disk.
        if (name === 'result.csv') truncateSync(report, statSync(report).size - 3);
      }
    },
  );
});

describe('a service with a long Retry-After', () => {
  const HOUR = { 'retry-after': '3600' };
  const held = problem(429, 'Too Many Requests', undefined, HOUR);
  const rows = Array.from({ length: 20 }, (_, index) => index + 1);

  it.each([
    ['after a charge: exits with 5', ['--no-preflight'], 'POST', 5],
    ['after a read: exits with 8', [], 'GET', 8],
  ] as const)('gets no more rows of a file %s', async (_what, options, method, code) => {
    const service = await serveBy((seen) => (seen.method === method ? held : charged(numberIn(seen))), {
      looks: 'asked',
    });
    const ended = await chargeFrom(ussdFile(...rows), { service, ...home() }, '--concurrency', '2', ...options);
    expect(ended.code).toBe(code);
    const summary = summaryOf(ended);
    expect(summary['not_started']).toBeGreaterThanOrEqual(18);
    expect(summary['not_started']).toBe(20 - Number(summary['not_sent']));
    expect(service.seen.length).toBeLessThanOrEqual(2);
    const { message, retry_at } = errorOf(ended);
    expect(message).toMatch(/stopped early: .* asks to wait (1 h|59 min), until /);
    expect(Date.parse(String(retry_at))).toBeGreaterThan(Date.now() + 3_000_000);
  });

  it('does not hide rows that finished before it', () =>
    scene({
      service: serveCharges({ 3: held }),
      argv: charging(ussdFile(1, 2, 3, 4), '--concurrency', '1', '--no-preflight'),
      exit: 5,
      json: { accepted: 2, not_sent: 1, not_started: 1 },
      report: { 1: { state: 'accepted' }, 2: { state: 'accepted' }, 3: { state: 'not_sent' } },
    }));

  it('gets no more requests from --check, a walk or a wait', async () => {
    const { home } = await scene({ service: serveCharges(), argv: charging(ussdFile(...rows)) });
    for (const argv of [
      charging(ussdFile(21, 22, 23), '--check', '--dry-run', '--concurrency', '1'),
      ['ugwo', 'list', '--all', '--json'],
      ['activity', 'wait', ugwoOf(1), activityOf(1), '--json'],
    ]) {
      await scene({
        service: () => held,
        looks: 'asked',
        home,
        argv,
        exit: 8,
        stdout: /^/,
        error: { message: /asks to wait 1 h, until / },
        requests: ['GET'],
      });
    }
  });
});

describe('ugwo charge --from --check --dry-run', () => {
  // Runs the built program: this process has already loaded the schemas.
  it('loads the schemas that it needs', async () => {
    const argv = charging(ussdFile(1, 2), '--check', '--dry-run');
    await scene({ built: true, service: serveCharges(), argv, stderr: /^/, requests: [] });
    await scene({
      built: true,
      service: () => json(200, { uid: ONYE_ID, meta: { a: 'b' } }),
      argv: ['onye', 'update', ONYE_ID, '--merge-meta', 'c=d', '--dry-run'],
      stderr: /^/,
      requests: [`GET /v1/onye/${ONYE_ID}`],
    });
  });
});

describe('a row that was not sent', () => {
  it("exits with the signal's code, not 5, if a signal ends its wait for a retry", async () => {
    const service = await serveBy(() => problem(429, 'Too Many Requests', undefined, { 'retry-after': '60' }));
    const run = startHere(['ugwo', 'charge', '--from', ussdFile(1), '--json', '--debug'], { service, ...home() });
    await run.saw(/waiting \d+ ms to send it again/);
    run.kill('SIGTERM');
    const ended = await run.ended;
    expect(ended.code).toBe(143);
    expect(summaryOf(ended)).toMatchObject({ not_sent: 1 });
    expect(errorOf(ended)['hint']).toContain('run the same command again');
  });

  it('is not a success if its expiry passed after the file was checked', async () => {
    const clock = passingClock();
    const service = await serveBy((seen) => {
      clock.pass();
      return charged(numberIn(seen));
    });
    const at = new Date(Date.now() + 600_000).toISOString();
    const file = fileOf(csvOf('ugwo,medium,expires_at', ...[1, 2].map((n) => `${ugwoOf(n)},bank_transfer,${at}`)));
    // A read would show the service's clock, which decides then.
    await scene({
      service,
      env: clock.env,
      argv: charging(file, '--concurrency', '1', '--no-preflight'),
      exit: 5,
      json: { accepted: 1, not_sent: 1 },
      error: { message: /row 2: .*; expires_at: should be in the future/ },
    });
  });
});

describe('a row whose expiry passed after it was sent', () => {
  it('is not invalid on resume', async () => {
    const service = await serveCharges({ 2: problem(401, 'Unauthorized') });
    const clock = passingClock();
    const at = new Date(Date.now() + 600_000).toISOString();
    const rows = [1, 2].map((number) => `${ugwoOf(number)},bank_transfer,${at}`);
    const file = fileOf(csvOf('ugwo,medium,expires_at', ...rows));
    const { home } = await scene({ service, argv: charging(file), exit: 4, json: { accepted: 1 } });
    clock.pass();
    for (const more of [[], ['--skip-invalid']]) {
      await scene({
        service,
        home,
        env: clock.env,
        argv: charging(file, ...more),
        exit: 4,
        json: { accepted: 1, rejected: 1, invalid: 0, skipped: 2 },
        report: { 1: { state: 'accepted', activity: activityOf(1) }, 2: { state: 'rejected' } },
      });
    }
    expect(postsOf(service)).toEqual(once(1, 2));
  });
});

describe('a file that changes during the run', () => {
  it.each<[string, (file: string) => void]>([
    ['is longer', (file) => appendFileSync(file, `${ugwoOf(9999)},ussd,gtb,\n`)],
    [
      'has other rows, but the same size and time',
      (file) => {
        const { atime, mtime } = statSync(file);
        writeFileSync(file, readFileSync(file, 'utf8').replaceAll('0000000', '1111111'));
        utimesSync(file, atime, mtime);
      },
    ],
    ['is deleted', (file) => rmSync(file)],
  ])('is sent as it was checked, if it %s', async (_what, change) => {
    const numbers = Array.from({ length: 150 }, (_, index) => index + 1);
    // More than is read ahead.
    const rows = numbers.map((number) => `${ugwoOf(number)},ussd,gtb,${'x'.repeat(5000)}`);
    const file = fileOf(csvOf('ugwo,medium,provider,note', ...rows));
    const service = await serveBy((seen) => {
      if (numberIn(seen) === 3) change(file);
      return charged(numberIn(seen));
    });
    await scene({ service, argv: charging(file) });
    expect(postsOf(service)).toEqual(once(...numbers));
  });
});

describe('an invalid file', () => {
  const BAD = csvOf(
    'ugwo,medium,provider,phone,expires_in,expires_at',
    `${ugwoOf(1)},ussd,gtb,,,`,
    'act.AbCd.000000000000000000000001,ussd,gtb,,,',
    `${ugwoOf(3)},usd,gtb,,,`,
    `${ugwoOf(4)},ussd,,,,`,
    `${ugwoOf(5)},bank_transfer,gtb,,,`,
    `${ugwoOf(6)},bank_transfer,,,20m,`,
    `${ugwoOf(7)},bank_transfer,,,soon,`,
    `${ugwoOf(8)},bank_transfer,,,,2020-01-01T00:00:00Z`,
    `${ugwoOf(9)},mobile_money,mtn,0201234567,,`,
    `${ugwoOf(1)},ussd,gtb,,,`,
    ',ussd,gtb,,,',
  );

  /** The rows of its report. */
  const INVALID = Object.fromEntries([2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((row) => [row, { state: 'invalid' }]));

  it('lists each violation with row and column, and sends nothing', () =>
    scene({
      service: [],
      argv: charging(fileOf(BAD)),
      exit: 2,
      error: {
        message: expect.stringContaining("10 of 11 rows can't be sent"),
        hint: expect.stringContaining('--skip-invalid'),
        violations: [
          { row: 2, column: 'ugwo', title: expect.stringContaining('is the identifier of an activity') },
          { row: 3, column: 'medium', title: expect.stringContaining('did you mean ussd?') },
          { row: 4, column: 'provider', title: expect.stringContaining('needs provider') },
          { row: 5, column: 'provider', title: expect.stringContaining("can't be used with medium bank_transfer") },
          { row: 6, column: 'expires_in', title: expect.stringContaining('15m (got 20m)') },
          { row: 7, column: 'expires_in', title: expect.stringContaining('"soon" is not a duration') },
          { row: 8, column: 'expires_at', title: expect.stringContaining('in the future') },
          { row: 9, column: 'phone', title: expect.stringContaining('national number') },
          { row: 10, column: 'ugwo', title: expect.stringContaining('duplicate of row 1') },
          { row: 11, column: 'ugwo', title: expect.stringContaining('is missing') },
        ],
      },
      report: {
        ...INVALID,
        3: { state: 'invalid', error: expect.stringContaining('medium: "usd"') },
      },
    }));

  it.each([
    ['too many cells in a row', `${ugwoOf(3)},ussd,gtb,x`, 'row 3: 4 cells, but the header has 3'],
    ['an unclosed quote', `${ugwoOf(3)},ussd,"gtb`, 'row 3, column "provider": unclosed quote'],
  ])('with %s stops the run and leaves an existing report unchanged', async (_name, row, told) => {
    const earlier = 'ugwo,row,state,error,job\r\n,1,invalid,ugwo: is missing,\r\n';
    const report = fileOf(earlier, 'result.csv');
    const file = fileOf(csvOf('ugwo,medium,provider', `${ugwoOf(1)},usd,gtb`, `${ugwoOf(2)},ussd,gtb`, row));
    await scene({
      service: [],
      argv: charging(file, '--skip-invalid', '--report', report),
      exit: 2,
      error: { message: `${file}: ${told}`, hint: expect.stringContaining('; nothing was sent') },
    });
    expect(readFileSync(report, 'utf8')).toBe(earlier);
  });

  it('sends its valid rows with --skip-invalid', () =>
    scene({
      service: serveCharges(),
      argv: charging(fileOf(BAD), '--skip-invalid'),
      json: { rows: 11, accepted: 1, invalid: 10, not_started: 0 },
      stderr: /^/,
      requests: [`POST /v1/ugwo/${ugwoOf(1)}/activities`],
      report: { 1: { state: 'accepted' }, ...INVALID },
    }));

  it('without a valid row exits with 2, also with --skip-invalid', () =>
    scene({ service: [], argv: charging(fileOf(csvOf('ugwo,medium', 'ugw.x,ussd')), '--skip-invalid'), exit: 2 }));

  it('may charge one payment request twice with --allow-repeats', async () => {
    const file = fileOf(csvOf('ugwo,medium,provider', `${ugwoOf(1)},ussd,gtb`, `${ugwoOf(1)},bank_transfer,`));
    const service = await serveCharges();
    await scene({ service, argv: charging(file, '--allow-repeats', '--again'), json: { accepted: 2 }, stderr: /^/ });
    expect(postsOf(service)).toEqual({ 1: 2 });
  });

  // Other invalid files: test/bulk/input and columns.
  it.each([
    ['has only a header', 'ugwo,medium\n', 'has no rows'],
    ['has no column ugwo', 'uid,medium\nx,ussd\n', 'no column ugwo'],
    ['has a NUL', `ugwo,medium,provider\n${ugwoOf(1)},ussd,g\0b\n`, 'row 1, column "provider": a NUL'],
  ])('is rejected if it %s', async (_name, text, told) => {
    const error = { message: expect.stringContaining(told) };
    await scene({ service: [], argv: charging(fileOf(text)), exit: 2, error });
  });

  it('may have a header in any case, which the report preserves', async () => {
    const report = reportPath();
    const file = fileOf(csvOf(' UGWO,Medium,Provider ,Param.Tier,Note', `${ugwoOf(1)},ussd,gtb,vip,hello`));
    await scene({
      service: serveCharges(),
      argv: charging(file, '--report', report),
      requests: [/ \{"type":"charge","data":\{"Tier":"vip","medium":"ussd","provider":"gtb"\}\}$/],
    });
    const [header, row] = readFileSync(report, 'utf8').split('\r\n');
    expect(header).toMatch(/^ UGWO,Medium,Provider ,Param.Tier,Note,row,state,/);
    expect(row).toContain(`${ugwoOf(1)},ussd,gtb,vip,hello,1,accepted,`);
  });

  it('may have 100,000 columns', async () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `c${index}`);
    const file = fileOf(`ugwo,medium,provider,${names.join()}\n${ugwoOf(1)},ussd,gtb,${names.map(() => 'x').join()}\n`);
    const report = reportPath();
    await scene({ service: serveCharges(), argv: charging(file, '--report', report) });
    expect(readFileSync(report, 'utf8').split('\r\n')[0]).toMatch(/,c99999,row,state,/);
  });

  it('becomes a new job once changed, and --resume rejects it', async () => {
    const at = { service: await serveCharges(), ...home() };
    const { stdout } = await scene({ ...at, argv: charging(ussdFile(1)) });
    const { job } = JSON.parse(stdout);
    const [changed, base] = [ussdFile(1, 2), ['--base-url', at.service.origin]];
    await scene({
      ...at,
      argv: charging(changed, '--resume', job, ...base),
      exit: 2,
      error: {
        message: /is a different job/,
        hint: expect.stringContaining(`compare with \`paycli ledger show ${job} ${base.join(' ')}\`,`),
      },
      requests: [],
    });
    await scene({ ...at, argv: charging(ussdFile(1), '--resume', job), requests: [] });
    await scene({ ...at, argv: charging(changed), json: { job: expect.not.stringContaining(job) } });
  });

  it("can't be its own report", async () => {
    const file = ussdFile(1);
    const text = readFileSync(file, 'utf8');
    await scene({ service: [], argv: charging(file, '--report', file), exit: 2 });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

it.runIf(process.platform !== 'win32')(
  'ugwo charge --from with a pipe that has no writer ends on SIGTERM',
  async () => {
    const path = join(newFolder('pipe'), 'rows');
    execFileSync('mkfifo', [path]);
    const service = await serveCharges();
    const running = start(['ugwo', 'charge', '--from', path, '--medium', 'bank_transfer'], { service, ...home() });
    const writer = createWriteStream(path);
    // Once this side is open, the program has opened the pipe too.
    await happened(writer, 'open');
    running.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 143, stdout: '' });
    writer.destroy();
  },
);

describe('--check', () => {
  const shown = (number: number, more: object) =>
    json(200, {
      uid: ugwoOf(number),
      amount: 500_000,
      currency: ['NGN', 'Naira (NGN)'],
      status: 'requires_ugwo',
      activities: [],
      ...more,
    });
  const checked = (others: Readonly<Record<number, object>>) =>
    serveBy(
      (seen) => (seen.method === 'GET' ? shown(numberIn(seen), others[numberIn(seen)] ?? {}) : charged(numberIn(seen))),
      { looks: 'asked' },
    );

  it("lists requests that can't be charged before sending", async () => {
    const service = checked({
      1: { status: 'ugwo_successful' },
      2: { status: ['cancelled', 'Cancelled'] },
      3: { checkout: null },
      4: { status: 'partially_refunded' },
      5: { status: 'refunded' },
    });
    const ended = await scene({
      service,
      argv: charging(ussdFile(1, 2, 3, 4, 5, 6), '--check'),
      exit: 2,
      requests: ['GET', 'GET', 'GET', 'GET', 'GET', 'GET'],
    });
    const { violations } = errorOf(ended) as { violations: { row: number }[] };
    expect([...violations].sort((a, b) => a.row - b.row)).toMatchObject([
      { row: 1, column: 'ugwo', title: expect.stringContaining('already paid') },
      { row: 2, column: 'ugwo', title: expect.stringContaining('cancelled') },
      { row: 4, column: 'ugwo', title: expect.stringContaining('partly refunded') },
      { row: 5, column: 'ugwo', title: expect.stringContaining('paid and refunded') },
    ]);
  });
});

describe('the requests for a file', () => {
  const shown = (number: number, status = 'requires_ugwo') =>
    json(200, { ...ugwo(number), uid: ugwoOf(number), status, checkout: { uid: 'chk.AbCd.1' }, activities: [] });
  const REJECTED = problem(422, 'Validation Failed', [{ propertyPath: 'data.medium', title: 'is not configured' }]);
  /** Rows 1 and 2 are new; of an earlier run, 3 was charged, 4 rejected, 5 refused, and 6 is unknown. */
  const charges = async (earlier: boolean) => {
    let first = earlier;
    const service = await serveAllBy((seen) => {
      const number = numberIn(seen);
      if (seen.method === 'GET') return shown(number, first && [1, 2, 5].includes(number) ? 'cancelled' : undefined);
      if (first && number === 6) return reset;
      return number === 4 ? REJECTED : charged(number);
    });
    const [file, options] = [ussdFile(1, 2, 3, 4, 5, 6), { service, ...home() }];
    if (earlier) expect(await chargeFrom(file, options)).toMatchObject({ code: 6 });
    first = false;
    const before = service.seen.length;
    const requests = (): Record<string, string> => {
      const all = service.seen.slice(before);
      const of = (one: string) => all.filter(({ method }) => method === one).map(numberIn);
      return { GET: of('GET').sort().join(' '), POST: of('POST').sort().join(' ') };
    };
    return { file, options, requests };
  };

  it.each<[string, earlier: boolean, exit: number, GET: string, POST: string]>([
    ['--dry-run', false, 0, '1 2 3 4 5 6', ''],
    ['--dry-run --check', false, 0, '1 1 2 2 3 3 4 4 5 5 6 6', ''],
    ['--dry-run --check --no-preflight', false, 0, '1 2 3 4 5 6', ''],
    ['--dry-run --no-preflight', false, 0, '', ''],
    ['', false, 3, '1 2 3 4 5 6', '1 2 3 4 5 6'],
    ['--no-preflight', false, 3, '', '1 2 3 4 5 6'],
    ['--check', false, 3, '1 1 2 2 3 3 4 4 5 5 6 6', '1 2 3 4 5 6'],
    ['--check --no-preflight', false, 3, '1 2 3 4 5 6', '1 2 3 4 5 6'],
    ['--dry-run', true, 6, '1 2 5', ''],
    ['--dry-run --check', true, 6, '1 1 2 2 5 5', ''],
    ['--dry-run --retry-failed', true, 6, '1 2 4 5', ''],
    ['', true, 6, '1 2 5', '1 2 5'],
    ['--no-preflight', true, 6, '', '1 2 5'],
    ['--check', true, 6, '1 1 2 2 5 5', '1 2 5'],
    ['--retry-failed', true, 6, '1 2 4 5', '1 2 4 5'],
    ['--retry-failed --check', true, 6, '1 1 2 2 4 4 5 5', '1 2 4 5'],
  ])('with "%s", after an earlier run: %s', async (args, earlier, exit, GET, POST) => {
    const { file, options, requests } = await charges(earlier);
    const argv = charging(file, ...args.split(' ').filter((arg) => arg !== ''));
    await scene({ ...options, argv, exit, stdout: /^/, stderr: /^/ });
    expect(requests()).toEqual({ GET, POST });
  });
});

describe('the options of ugwo charge --from', () => {
  it.each([
    [
      'a payment request with --from',
      ['ugwo', 'charge', ugwoOf(1), '--from', 'x.csv', '--medium', 'ussd'],
      '--from and',
    ],
    [
      'neither a payment request nor --from',
      ['ugwo', 'charge', '--medium', 'ussd'],
      "missing required argument 'ugwo'",
    ],
    ['--reuse', ['ugwo', 'charge', '--from', 'x.csv', '--reuse'], "--reuse and --from can't be used together"],
    [
      '--report without --from',
      ['ugwo', 'charge', ugwoOf(1), '--medium', 'ussd', '--report', 'r.csv'],
      '--report needs --from',
    ],
    ['--concurrency 0', ['ugwo', 'charge', '--from', 'x.csv', '--concurrency', '0'], '--concurrency'],
    ['a rate without a time', ['ugwo', 'charge', '--from', 'x.csv', '--rate', '50'], '--rate'],
    ['a missing file', ['ugwo', 'charge', '--from', 'nowhere.csv', '--medium', 'bank_transfer'], 'nowhere.csv'],
  ])('%s: usage error', async (_name, args, told) => {
    const error = { message: expect.stringContaining(told) };
    await scene({ service: [], argv: [...args, '--json'], exit: 2, error });
  });

  it('--dry-run reads and checks, but sends nothing', async () => {
    const bad = fileOf(csvOf('ugwo,medium', `${ugwoOf(1)},ussd`));
    const { home } = await scene({
      service: [],
      argv: charging(ussdFile(1, 2), '--dry-run'),
      json: { job: null, rows: 2, not_started: 2 },
      stderr: /^/,
    });
    await scene({ service: [], home, argv: charging(bad, '--dry-run'), exit: 2 });
    await scene({ home, argv: ['ledger', 'jobs', '--json'], json: { data: [] } });
  });
});
