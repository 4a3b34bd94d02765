import { describe, expect, it } from 'vitest';
import { valueAt } from '../../src/core/json.ts';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, paycli } from '../support/program.ts';
import type { Answer } from '../support/service.ts';
import {
  ACTIVITY,
  DEAD_ORIGIN,
  hang,
  json,
  problem,
  raw,
  reset,
  serve,
  serveBy,
  UGWO_ID,
  ugwo,
} from '../support/service.ts';
import { MINUTE } from '../support/units.ts';
import { csvOf, fileOf } from './bulk-support.ts';

const bodyOf = (seen: { readonly body: string } | undefined): unknown => JSON.parse(seen?.body ?? '');

describe('ugwo charge', () => {
  it.each([
    [['--medium', 'bank_transfer', '--expires-in', '15m'], { medium: 'bank_transfer' }],
    [['--medium', 'ussd', '--provider', 'some_new_bank'], { medium: 'ussd', provider: 'some_new_bank' }],
    [
      ['--medium', 'mobile_money', '--provider', 'mtn', '--phone', '+233241234567'],
      { medium: 'mobile_money', provider: 'mtn', phone: '+233241234567' },
    ],
    [
      ['--medium', 'bank_transfer', '--param', 'note=x', '--param', 'n:=[1]'],
      { note: 'x', n: [1], medium: 'bank_transfer' },
    ],
  ])('%j sends the data %j', async (args, data) => {
    const service = await serve([json(200, ACTIVITY)]);
    const ended = await paycli(['ugwo', 'charge', UGWO_ID, ...args, '--json'], { service });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toBe(`${JSON.stringify(ACTIVITY)}\n`);
    expect(service.seen).toMatchObject([{ method: 'POST', url: `/v1/ugwo/${UGWO_ID}/activities` }]);
    expect(bodyOf(service.seen[0])).toEqual({ type: 'charge', data });
  });

  it.each<[string, number, string, unknown]>([
    ['minutes ahead', -6 * MINUTE, 'expires_at', expect.stringMatching(/^this machine's clock is [56] min.* ahead of/)],
    [
      'minutes behind',
      6 * MINUTE,
      'data.expires_at',
      expect.stringMatching(/^this machine's clock is [56] min.* behind/),
    ],
    ['right', 0, 'data.expires_at', undefined],
    ['minutes ahead, and another field is at fault', -6 * MINUTE, 'data.medium', undefined],
  ])('names a clock that is off if the expiry is refused: %s', async (_what, ahead, propertyPath, hint) => {
    const date = new Date(Date.now() + ahead).toUTCString();
    const service = await serve([problem(422, 'Validation Failed', [{ propertyPath, title: 'wrong' }], { date })]);
    const args = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--expires-in', '5m', '--json'];
    const ended = await inProcess(args, { service });
    expect(ended.code).toBe(3);
    expect(errorOf(ended)['hint']).toEqual(hint);
  });

  it('sends --expires-at in DATE_ATOM form with its own offset', async () => {
    const service = await serve([json(200, ACTIVITY)]);
    const at = new Date(Date.now() + 5 * 60_000);
    const lagos = new Date(at.getTime() + 3_600_000).toISOString().slice(0, 19);
    await inProcess(['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--expires-at', `${lagos}.250+0100`], {
      service,
    });
    expect(bodyOf(service.seen[0])).toMatchObject({ data: { expires_at: `${lagos}+01:00` } });
  });

  it.each([
    [
      'minutes ahead',
      6,
      /^(Row 1: )?The service's clock is [56] min ahead of this machine's\. The account expires by the service's\.$/m,
    ],
    ['minutes behind', -6, /^(Row 1: )?The service's clock is [56] min behind this machine's\./m],
    ['right', 0, undefined],
  ])("counts --expires-in by the service's clock, which is %s", async (_what, ahead, said) => {
    const [one, file] = [
      ['ugwo', 'charge', UGWO_ID],
      ['ugwo', 'charge', '--from', fileOf(csvOf('ugwo', UGWO_ID))],
    ];
    for (const what of [one, file, [...one, '--dry-run'], [...one, '--dry-run', '--json']]) {
      const began = Date.now();
      const headers = { date: new Date(began + ahead * MINUTE).toUTCString() };
      const shown = { ...ugwo(1), uid: UGWO_ID, checkout: { uid: 'chk.AbCd.1' }, activities: [] };
      const service = await serveBy(({ method }) => json(200, method === 'GET' ? shown : ACTIVITY, headers), {
        looks: 'asked',
      });
      const args = [...what, '--medium', 'bank_transfer', '--expires-in', '14m'];
      const { code, stdout, stderr } = await inProcess(args, { service, home: newFolder() });
      expect(code, stderr).toBe(0);
      const sent = service.seen.find(({ method }) => method === 'POST');
      const body = what.includes('--json') ? valueAt(JSON.parse(stdout), 'body') : sent && bodyOf(sent);
      if (body !== undefined) {
        const far = Date.parse(String(valueAt(body, 'data.expires_at'))) - began - (14 + ahead) * MINUTE;
        expect([far > -2000, far < Date.now() - began + 2000], `${far} ms`).toEqual([true, true]);
      }
      if (what.includes('--json')) continue;
      if (said === undefined) expect(stderr).not.toContain("service's clock");
      else expect(stderr).toMatch(said);
    }
  });

  it('sends --expires-in as an absolute time', async () => {
    const service = await serve([json(200, ACTIVITY)]);
    const before = Date.now();
    await inProcess(['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--expires-in', '10m'], { service });
    const { data } = bodyOf(service.seen[0]) as { data: { expires_at: string } };
    expect(data.expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
    const ahead = Date.parse(data.expires_at) - before;
    expect(ahead).toBeGreaterThan(9 * 60_000);
    expect(ahead).toBeLessThan(11 * 60_000);
  });

  // Rules per medium: test/charge/mediums. Values per field: test/contract/activity.
  it.each([
    ['an unknown medium', ['--medium', 'bank-transfer'], /did you mean bank_transfer\?/],
    ['no provider for ussd', ['--medium', 'ussd'], /--medium ussd needs --provider/],
    [
      'two expiry options',
      ['--medium', 'bank_transfer', '--expires-in', '5m', '--expires-at', '2030-01-01T00:00:00Z'],
      /can't be used together/,
    ],
    [
      'a duration without a unit',
      ['--medium', 'bank_transfer', '--expires-in', '10'],
      /--expires-in: "10" is not a duration/,
    ],
    [
      'an expiry in the past',
      ['--medium', 'bank_transfer', '--expires-at', '2020-01-01T00:00:00Z'],
      /--expires-at.*in the future; this machine's clock says 20\d\d-\d\d-\d\dT/s,
    ],
    [
      'an expiry without an offset',
      ['--medium', 'bank_transfer', '--expires-at', '2026-11-20T10:00:00'],
      /not a time with an offset/,
    ],
    ['--wait-timeout without --wait', ['--medium', 'bank_transfer', '--wait-timeout', '5m'], /needs --wait/],
  ])('with %s sends nothing and exits 2', async (_what, args, message) => {
    const service = await serve([]);
    const ended = await inProcess(['ugwo', 'charge', UGWO_ID, ...args], { service });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(message);
    expect(service.connections()).toBe(0);
  });

  it("refuses another resource's identifier", async () => {
    const ended = await inProcess(['ugwo', 'charge', 'act.AbCd.x1', '--medium', 'bank_transfer']);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('is the identifier of an activity') });
  });

  it('charges a payment request of any name with --no-validate', async () => {
    const service = await serve([json(200, ACTIVITY)]);
    const args = ['ugwo', 'charge', 'pay_1', '--medium', 'bank_transfer', '--no-validate', '--no-preflight'];
    expect(await inProcess(args, { service })).toMatchObject({ code: 0 });
    expect(service.seen).toMatchObject([{ method: 'POST', url: '/v1/ugwo/pay_1/activities' }]);
  });

  it('sends unchecked values with --no-validate and names the flags in the errors of the service', async () => {
    const violations = [
      { propertyPath: 'data.medium', title: 'The value you selected is not a valid choice.' },
      { propertyPath: 'data.provider', title: 'unknown provider' },
      { propertyPath: 'data.phone', title: 'wrong' },
      { propertyPath: 'data.expires_at', title: 'too late' },
      { propertyPath: 'data.note', title: 'unexpected' },
    ];
    const service = await serve([problem(422, 'Validation Failed', violations)]);
    const ended = await inProcess(
      [
        'ugwo',
        'charge',
        UGWO_ID,
        '--medium',
        'bank_transfr',
        '--provider',
        'x',
        '--phone',
        '1',
        '--expires-in',
        '20m',
        '--param',
        'note=1',
        '--no-validate',
        '--json',
      ],
      { service },
    );
    expect(ended.code).toBe(3);
    expect(bodyOf(service.seen[0])).toMatchObject({
      data: { medium: 'bank_transfr', provider: 'x', phone: '1', note: '1' },
    });
    expect(errorOf(ended)['violations']).toEqual([
      {
        property_path: 'data.medium',
        title: 'The value you selected is not a valid choice.',
        option: '--medium',
        did_you_mean: 'bank_transfer',
      },
      { property_path: 'data.provider', title: 'unknown provider', option: '--provider' },
      { property_path: 'data.phone', title: 'wrong', option: '--phone' },
      { property_path: 'data.expires_at', title: 'too late', option: '--expires-in' },
      { property_path: 'data.note', title: 'unexpected', option: '--param note' },
    ]);
  });

  it.each([
    [['--medium', 'ussd', '--param', 'provider=gtb'], { medium: 'ussd', provider: 'gtb' }],
    [['--param', 'medium=pay_with_bank'], { medium: 'pay_with_bank' }],
  ])('builds the data from %j with --no-validate', async (args, data) => {
    const service = await serve([json(200, ACTIVITY)]);
    await inProcess(['ugwo', 'charge', UGWO_ID, '--no-validate', ...args], { service });
    expect(bodyOf(service.seen[0])).toEqual({ type: 'charge', data });
  });

  it('charges by a medium that paycli does not know, with its parameters', async () => {
    const service = await serve([json(200, ACTIVITY)]);
    const open = ['ugwo', 'charge', UGWO_ID, '--medium', 'pay_with_bank'];
    expect((await inProcess(open, { service })).code).toBe(2);
    expect((await inProcess([...open, '--param', 'bank=gtb'], { service })).code).toBe(0);
    expect(service.seen.map(bodyOf)).toEqual([{ type: 'charge', data: { medium: 'pay_with_bank', bank: 'gtb' } }]);
  });

  it.each([
    [['--medium', 'ussd', '--provider', 'gtb', '--param', 'provider=zenith'], /--param provider: use --provider/],
    [['--medium', 'bank_transfer', '--param', 'expires_in=5m'], /--param expires_in: use --expires-in/],
    [
      ['--medium', 'ussd', '--provider', 'gtb', '--param', 'provider=zenith', '--no-validate'],
      /--param provider is already set/,
    ],
  ])('rejects a value that is set twice: %j', async (args, message) => {
    const ended = await inProcess(['ugwo', 'charge', UGWO_ID, ...args], { service: await serve([]) });
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  });

  it.each(['gtbank', '058'])('suggests the bank code for %s', async (provider) => {
    const service = await serve([
      problem(422, 'Validation Failed', [{ propertyPath: 'data.provider', title: 'unknown' }]),
    ]);
    const ended = await inProcess(['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', provider], { service });
    expect(ended).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('  --provider (data.provider): unknown\n  did you mean gtb?\n'),
    });
  });

  it('shows the activity and exits 11 when the charge failed', async () => {
    const failed = {
      ...ACTIVITY,
      status: 'failed',
      next_action: null,
      error: { code: 'declined', message: 'Insufficient funds' },
    };
    const service = await serve([json(200, failed), json(200, failed)]);
    const args = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb'];
    const ended = await inProcess(args, { service });
    expect(ended).toMatchObject({ code: 11, stdout: expect.stringContaining('status\tfailed') });
    expect(ended.stderr).toContain('the charge failed: Insufficient funds');
    const asJson = await inProcess([...args, '--json'], { service });
    expect(asJson.stdout).toBe(`${JSON.stringify(failed)}\n`);
    expect(errorOf(asJson)).toMatchObject({
      kind: 'charge_failed',
      exit_code: 11,
      ledger_id: expect.stringMatching(/^chg-/),
    });
  });

  it('accepts an unknown status and a status as a pair', async () => {
    const service = await serve([
      json(200, { ...ACTIVITY, status: 'awaiting_moon' }),
      json(200, { ...ACTIVITY, status: ['failed', 'Failed'] }),
    ]);
    const args = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'];
    expect(await inProcess(args, { service })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('status\tawaiting_moon'),
    });
    expect(await inProcess(args, { service })).toMatchObject({
      code: 11,
      stdout: expect.stringContaining('status\tfailed'),
    });
  });
});

describe('an answer to ugwo charge', () => {
  // One of each kind; test/client/judge covers every status.
  it.each<[string, Answer, number, string]>([
    ['401', problem(401, 'Unauthorized'), 4, 'auth'],
    ['422', problem(422, 'Validation Failed'), 3, 'rejected'],
    ['500', problem(500, 'Oops'), 6, 'unknown'],
    ['200 cut short', raw('HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n{"uid":"act.'), 6, 'unknown'],
    ['a connection reset', reset, 6, 'unknown'],
  ])('%s: one request, and the matching exit code', async (_what, answer, code, kind) => {
    const service = await serve([answer]);
    const ended = await inProcess(['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '-o', 'ndjson'], {
      service,
    });
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(errorOf(ended)).toMatchObject({ kind, exit_code: code });
  });

  it('200 without an activity: exits with 6 and prints the body to stderr', async () => {
    const odd = { ...ACTIVITY, uid: 'activity 7' };
    const service = await serve([json(200, odd), json(200, odd)]);
    const args = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'];
    const ended = await inProcess(args, { service });
    expect(ended).toMatchObject({ code: 6, stdout: '' });
    expect(ended.stderr.split('\n')).toContain(JSON.stringify(odd));
    expect(errorOf(await inProcess([...args, '--json'], { service }))).toMatchObject({ kind: 'unknown', answer: odd });
  });

  it('no answer in time: exits with 6 and warns against repeating the command', async () => {
    const service = await serve([hang]);
    const ended = await inProcess(['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--timeout', '1s'], {
      service,
    });
    expect(ended).toMatchObject({ code: 6, stdout: '' });
    expect(ended.stderr).toContain("don't run it again until you know");
  });

  it('no connection: exits with 5 and says that repeating is safe', async () => {
    const [command, service] = [['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'], { origin: DEAD_ORIGIN }];
    const ended = await inProcess([...command, '--no-preflight'], { service });
    expect(ended).toMatchObject({ code: 5, stdout: '' });
    expect(ended.stderr).toContain('safe to run the same command again');
    const looked = await inProcess(command, { service });
    expect(looked).toMatchObject({ code: 8, stdout: '' });
    expect(looked.stderr).toContain('nothing was sent');
  });

  it('429 to every try: exits with 5', async () => {
    const slow = problem(429, 'Too Many Requests', undefined, { 'retry-after': '0' });
    const service = await serve([slow, slow, slow]);
    expect(await inProcess(['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'], { service })).toMatchObject({
      code: 5,
    });
  });

  it('429, then an activity: exits with 0', async () => {
    const service = await serve([problem(429, 'Slow', undefined, { 'retry-after': '0' }), json(200, ACTIVITY)]);
    expect(await inProcess(['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'], { service })).toMatchObject({
      code: 0,
    });
  });
});

describe('--dry-run and --as-curl', () => {
  it('print the request and send nothing', async () => {
    const service = await serve([]);
    const ended = await inProcess(
      ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb', '--dry-run', '--json'],
      { service },
    );
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toEqual({
      method: 'POST',
      url: `${service.origin}/v1/ugwo/${UGWO_ID}/activities`,
      body: { type: 'charge', data: { medium: 'ussd', provider: 'gtb' } },
      payment_request: expect.objectContaining({ uid: UGWO_ID }),
    });
    expect(service.looks).toHaveLength(1);
  });

  it('check the request', async () => {
    const service = await serve([]);
    expect(
      await inProcess(['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', '', '--dry-run'], { service }),
    ).toMatchObject({ code: 2 });
  });

  it('print a read request, too', async () => {
    const service = await serve([]);
    const ended = await inProcess(['ugwo', 'list', '--limit', '5', '--cursor', 'c', '--dry-run', '--json'], {
      service,
    });
    expect(JSON.parse(ended.stdout)).toEqual({ method: 'GET', url: `${service.origin}/v1/ugwo?limit=5&cursor=c` });
  });
});
