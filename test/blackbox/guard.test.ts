import { describe, expect, it } from 'vitest';
import { atom, transferTo } from '../support/activity.ts';
import { uidOf } from '../support/ids.ts';
import { scene } from '../support/scene.ts';
import { ACTIVITY, type Answer, json, type Service, serveAll, serveAllBy, UGWO_ID, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { HOUR, MINUTE } from '../support/units.ts';
import { csvOf, fileOf, ugwoOf } from './bulk-support.ts';

const TRANSFER = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'];
const USSD = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb'];
const ONE_ROW = fileOf(csvOf('ugwo', ugwoOf(1)));
const FILE = ['ugwo', 'charge', '--from', ONE_ROW, '--medium', 'bank_transfer'];
const THEIRS = uidOf(77);

/** An account that somebody else made, open for ten minutes. */
const theirs = (some: object = {}): Record<string, unknown> => ({
  ...ACTIVITY,
  uid: THEIRS,
  next_action: transferTo('0123456789', 10 * MINUTE),
  created_at: atom(Date.now() - 5 * MINUTE),
  ...some,
});

const request = (some: object = {}): Record<string, unknown> => ({
  ...ugwo(7),
  uid: UGWO_ID,
  amount: 90_000,
  checkout: { uid: 'chk.AbCd.1' },
  activities: [],
  ...some,
});

const open = { activities: [theirs()] };
const partPaid = {
  total_amount_paid: 40_000,
  activities: [theirs({ status: 'successful', next_action: null, charged_amount: 40_000 })],
};

/** A service that shows this of every payment request, and gives this answer to charges. */
const showing = (some: object, charge: Answer = json(200, ACTIVITY)): Promise<Service> =>
  serveAllBy(({ method, url }) =>
    method === 'POST' ? charge : json(200, request({ uid: /ugw\.[^/]+$/.exec(url)?.[0] ?? UGWO_ID, ...some })),
  );

const methods = ({ seen }: Service): string => seen.map(({ method }) => method).join();

describe('a charge beside an account of another medium that can still be paid', () => {
  it.each([[[]], [['--yes']], [['--reuse']], [['--no-input']]])(
    'is refused off a terminal, and names the account and its end: %j',
    async (more) => {
      await scene({
        service: showing(open),
        argv: [...USSD, ...more],
        exit: 9,
        stderr: [
          /by another medium \(act\.\S+, not from this ledger\) can still be paid\n/,
          /account number 0123456789, until .*\d\d:\d\d\n/,
          '--again makes a second charge, and the customer may pay both',
        ],
        requests: ['GET'],
      });
    },
  );

  it.each<[string, readonly string[], RegExp, number]>([
    ['y', [], /^GET,GET,POST$/, 0],
    ['y', ['--yes'], /^GET,GET,POST$/, 0],
    ['n', [], /^GET$/, 130],
    ['n', ['--yes'], /^GET$/, 130],
  ])('is asked about on a terminal, and sent after another read: %s with %j', async (key, more, asked, code) => {
    const service = await showing(open);
    const session = openTerminal([...USSD, ...more], { service, columns: 200 });
    await session.saw(/account number 0123456789, until .*\d\d:\d\d/);
    await session.saw(/Charge it by ussd, too\? The customer may pay both\. \[y\/N\]/);
    session.type(`${key}\r`);
    expect(await session.ended).toEqual({ code });
    expect(methods(service)).toMatch(asked);
  });

  it('is asked about once more for an account that came while the question stood', async () => {
    const now = { activities: [theirs()] };
    const service = await serveAllBy(({ method }) => json(200, method === 'POST' ? ACTIVITY : request(now)));
    const session = openTerminal(USSD, { service, columns: 200 });
    await session.saw(/Charge it by ussd, too\?/);
    now.activities = [theirs(), theirs({ uid: uidOf(78), next_action: transferTo('0987654321', 10 * MINUTE) })];
    session.type('y\r');
    await session.saw(/account number 0987654321, until/);
    session.type('n\r');
    expect(await session.ended).toEqual({ code: 130 });
    expect(methods(service)).toBe('GET,GET');
  });

  it('is refused as a row of a file, and counted for --again', () =>
    scene({
      service: showing(open),
      argv: ['ugwo', 'charge', '--from', ONE_ROW, '--json', '--yes', '--medium', 'ussd', '--provider', 'gtb'],
      exit: 9,
      json: { refused: 1 },
      stderr: ['--again charges rows a second time'],
      requests: ['GET'],
      report: { 1: { state: 'refused', error: /another medium/ } },
    }));
});

describe('--remaining', () => {
  /** The charge's answer, which asks for this much. */
  const asking = (amount: number | undefined): Answer =>
    json(200, {
      ...ACTIVITY,
      amount,
      checkout: { currency: 'NGN' },
      next_action: transferTo('0123456789', 10 * MINUTE),
    });

  it.each([[[]], [['--again']]])('is named by the refusal of a request that is paid in part: %j', async (more) => {
    await scene({
      service: showing(partPaid),
      argv: [...TRANSFER, ...more],
      exit: 9,
      stderr: ['it is paid in part: NGN 500.00 is missing', '--remaining'],
      requests: ['GET'],
    });
  });

  it.each([
    ['shows as not paid', json(200, request())],
    ['does not show', json(404, {})],
  ])('charges nothing that the service %s', async (_what, look) => {
    await scene({
      service: serveAll([look]),
      argv: [...TRANSFER, '--remaining'],
      exit: 9,
      stderr: ['the service shows no such part'],
      requests: ['GET'],
    });
  });

  it.each([
    ['--again', '--again and --remaining'],
    ['--reuse', '--reuse and --remaining'],
    ['--no-preflight', '--remaining and --no-preflight'],
  ])('is a usage error with %s', async (other, both) => {
    const message = `${both} can't be used together`;
    for (const one of [TRANSFER, FILE]) {
      await scene({ service: [], argv: [...one, '--remaining', other, '--json'], exit: 2, error: { message } });
    }
  });

  it.each([
    ['the missing sum', 50_000, ''],
    ['the whole amount', 90_000, 'NGN 500.00 is missing, but this charge asks for NGN 900.00'],
    ['no amount', undefined, "NGN 500.00 is missing; the answer doesn't say how much"],
  ])('tells the customer the missing sum if the charge asks for %s, and warns', async (_what, amount, warning) => {
    const { stdout, stderr } = await scene({
      service: showing(partPaid, asking(amount)),
      argv: [...TRANSFER, '--remaining', '--share'],
      stdout: ['Amount: NGN 500.00\n'],
      stderr: [warning],
      requests: ['GET', 'POST'],
    });
    expect(stdout).not.toContain('900.00');
    expect(stderr.includes('missing')).toBe(warning !== '');
  });

  it.each([
    ['ugwo charge --reuse', [...TRANSFER, '--reuse']],
    ['ugwo charge --reuse --dry-run', [...TRANSFER, '--reuse', '--dry-run']],
    ['activity get', ['activity', 'get', UGWO_ID, ACTIVITY.uid]],
  ])('tells the customer by %s what is missing by then, whatever the charge asks for', async (_what, argv) => {
    const now = { ...partPaid };
    const made = {
      ...ACTIVITY,
      amount: 90_000,
      checkout: { currency: 'NGN' },
      next_action: transferTo('0123456789', HOUR),
    };
    const service = await serveAllBy(({ method, url }) => {
      if (method === 'POST' || url.includes('/activities/')) return json(200, made);
      return json(200, request(now));
    });
    const { home } = await scene({ service, argv: [...TRANSFER, '--remaining'], stderr: /^/ });
    Object.assign(now, { total_amount_paid: 60_000, activities: [...partPaid.activities, made] });
    const stdout = ['Amount: NGN 300.00\n', 'Reference: order-7\n'];
    await scene({ service, home, argv: [...argv, '--share'], stdout, stderr: /^/ });
  });

  it('shows the missing sum on the card', async () => {
    const service = await showing(partPaid, asking(90_000));
    const session = openTerminal([...TRANSFER, '--remaining'], { service, columns: 120 });
    expect(await session.ended).toEqual({ code: 0 });
    expect(await session.screen()).toMatch(/amount\s+NGN 500\.00/i);
  });

  it('works for a file whose rows were charged before, with the missing sum in the report', async () => {
    const argv = [...FILE, '--json', '--yes'];
    const paid = { ...ACTIVITY, status: 'successful', next_action: null, charged_amount: 40_000 };
    const uid = ugwoOf(1);
    const rest = {
      argv: [...argv, '--remaining'],
      stderr: /^/,
      report: {
        1: {
          state: 'accepted',
          missing_minor: '50000',
          error: /NGN 500\.00 is missing, but this charge asks for NGN 900\.00/,
        },
      },
    };
    const { home, service } = await scene({
      ...rest,
      service: serveAll([
        json(200, request({ uid })),
        json(200, ACTIVITY),
        json(200, request({ uid, total_amount_paid: 40_000, activities: [paid] })),
        json(200, { ...ACTIVITY, uid: uidOf(2), amount: 90_000 }),
        json(200, request({ uid, total_amount_paid: 90_000, activities: [paid, { ...paid, uid: uidOf(2) }] })),
      ]),
      before: [argv],
      requests: ['GET', 'POST', 'GET', 'POST'],
    });
    // A later run has them from the ledger, while the charge is open.
    const later = { ...rest, home, service };
    await scene({ ...later, requests: [] });
    const report = { 1: { payment: 'paid', missing_minor: '', error: '' } };
    await scene({ ...later, before: [['ledger', 'sync', '-q']], requests: ['GET'], report });
  });

  it('refuses the rows of a file that are not paid in part', () =>
    scene({
      service: showing({}),
      argv: [...FILE, '--yes', '--remaining', '--json'],
      exit: 9,
      json: { refused: 1 },
      requests: ['GET'],
    }));
});

describe('the notice that charges made elsewhere cannot be seen', () => {
  const SAYS = "charges made elsewhere can't be seen";

  it.each<[string, object, number]>([
    ['neither a list nor a latest activity', { activities: undefined }, 1],
    ['an empty list', {}, 0],
    ['no list, and no latest activity', { activities: undefined, latest_ugwo_activity: null }, 0],
    ['no list, and no latest activity in the other spelling', { activities: undefined, lastest_ugwo_activity: [] }, 0],
  ])('comes with an answer that shows %s', async (_what, some, times) => {
    const { stderr } = await scene({ service: showing(some), argv: TRANSFER, stderr: /^/ });
    expect(stderr.split(SAYS)).toHaveLength(times + 1);
  });

  it('comes once for a file', async () => {
    let made = 0;
    const charge: Answer = (...args) => json(200, { ...ACTIVITY, uid: uidOf(++made) })(...args);
    const file = fileOf(csvOf('ugwo', ugwoOf(1), ugwoOf(2)));
    const { stderr } = await scene({
      service: showing({ activities: undefined }, charge),
      argv: ['ugwo', 'charge', '--from', file, '--medium', 'bank_transfer', '--yes'],
      stderr: [SAYS],
    });
    expect(stderr.split(SAYS)).toHaveLength(2);
  });
});

describe('ugwo cancel', () => {
  const CANCEL = ['ugwo', 'cancel', UGWO_ID];
  const DIAL = { type: 'user_action', instruction: 'Dial', headers: { ussd: '*737#' } };

  it.each<[string, object, RegExp | undefined]>([
    [
      'an account',
      { activities: [theirs()] },
      /Account 0123456789 \(Test Bank\) can still be paid until .*\d\d:\d\d\./,
    ],
    ['a code', { activities: [theirs({ next_action: DIAL })] }, /The code \*737# can still be dialled\./],
    ['the latest account alone', { activities: undefined, latest_ugwo_activity: theirs() }, /Account 0123456789 /],
    ['an expired account', { activities: [theirs({ next_action: transferTo('0123456789', -MINUTE) })] }, undefined],
    ['a failed charge', { activities: [theirs({ status: 'failed' })] }, undefined],
  ])('names what can still be paid, and needs --yes without a terminal: %s', async (_what, shown, names) => {
    const { stderr } = await scene({
      service: showing(shown),
      argv: CANCEL,
      exit: 2,
      stderr: ['Cancel this payment request?', names ?? /^/],
      requests: ['GET'],
    });
    expect(/can still be/.test(stderr)).toBe(names !== undefined);
  });

  it('asks on a terminal', async () => {
    const service = await showing(open);
    const session = openTerminal(CANCEL, { service, columns: 120 });
    await session.saw(/Account 0123456789 \(Test Bank\) can still be paid until/);
    await session.saw(/\[y\/N\]|to confirm:/);
    session.type('n\r');
    expect(await session.ended).toEqual({ code: 130 });
    expect(methods(service)).toBe('GET');
  });
});
