import { beforeEach, describe, expect, it } from 'vitest';
import { valueAt } from '../../src/core/json.ts';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, quickClock } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { ACTIVITY, DEAD_ORIGIN, hang, json, problem, serve, serveBy, UGWO_ID, ugwo } from '../support/service.ts';
import { MINUTE } from '../support/units.ts';
import { csvOf, fileOf } from './bulk-support.ts';

beforeEach(() => void quickClock());

const TRANSFER = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'];

const bodyOf = (seen: { readonly body: string } | undefined): unknown => JSON.parse(seen?.body ?? '');

describe('ugwo charge', () => {
  it.each<[readonly string[], object, true?]>([
    [['--medium', 'bank_transfer', '--expires-in', '15m'], { medium: 'bank_transfer' }, true],
    [['--medium', 'ussd', '--provider', 'some_new_bank'], { medium: 'ussd', provider: 'some_new_bank' }],
    [
      ['--medium', 'mobile_money', '--provider', 'mtn', '--phone', '+233241234567'],
      { medium: 'mobile_money', provider: 'mtn', phone: '+233241234567' },
    ],
    [
      ['--medium', 'bank_transfer', '--param', 'note=x', '--param', 'n:=[1]'],
      { note: 'x', n: [1], medium: 'bank_transfer' },
    ],
  ])('%j sends the data %j', async (args, data, built) => {
    const { service } = await scene({
      ...(built && { built }),
      service: [json(200, ACTIVITY)],
      argv: ['ugwo', 'charge', UGWO_ID, ...args, '--json'],
      stdout: `${JSON.stringify(ACTIVITY)}\n`,
      requests: [`POST /v1/ugwo/${UGWO_ID}/activities`],
    });
    expect(bodyOf(service?.seen[0])).toEqual({ type: 'charge', data });
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
    const ended = await scene({
      service: [problem(422, 'Validation Failed', [{ propertyPath, title: 'wrong' }], { date })],
      argv: [...TRANSFER, '--expires-in', '5m', '--json'],
      exit: 3,
    });
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
        const expiry = String(valueAt(body, 'data.expires_at'));
        expect(expiry).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
        const far = Date.parse(expiry) - began - (14 + ahead) * MINUTE;
        expect([far > -2000, far < Date.now() - began + 2000], `${far} ms`).toEqual([true, true]);
      }
      if (what.includes('--json')) continue;
      if (said === undefined) expect(stderr).not.toContain("service's clock");
      else expect(stderr).toMatch(said);
    }
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
    ['an empty provider', ['--medium', 'ussd', '--provider', '', '--dry-run'], /--provider/],
    [
      'a value that is set twice',
      ['--medium', 'ussd', '--provider', 'gtb', '--param', 'provider=zenith'],
      /--param provider: use --provider/,
    ],
    [
      'a parameter that has an option',
      ['--medium', 'bank_transfer', '--param', 'expires_in=5m'],
      /--param expires_in: use --expires-in/,
    ],
    [
      'a value that is set twice, unchecked',
      ['--medium', 'ussd', '--provider', 'gtb', '--param', 'provider=zenith', '--no-validate'],
      /--param provider is already set/,
    ],
  ])('with %s sends nothing and exits 2', async (_what, args, stderr) => {
    const service = await serve([]);
    await scene({ service, argv: ['ugwo', 'charge', UGWO_ID, ...args], exit: 2, stderr });
    expect(service.connections()).toBe(0);
  });

  it("refuses another resource's identifier", () =>
    scene({
      argv: ['ugwo', 'charge', 'act.AbCd.x1', '--medium', 'bank_transfer'],
      exit: 2,
      stderr: ['is the identifier of an activity'],
    }));

  it('charges a payment request of any name with --no-validate', () =>
    scene({
      service: [json(200, ACTIVITY)],
      argv: ['ugwo', 'charge', 'pay_1', '--medium', 'bank_transfer', '--no-validate', '--no-preflight'],
      stderr: /^/,
      requests: ['POST /v1/ugwo/pay_1/activities'],
    }));

  it('sends unchecked values with --no-validate and names the flags in the errors of the service', async () => {
    const refused = [
      { path: 'data.medium', option: '--medium', did_you_mean: 'bank_transfer' },
      { path: 'data.provider', option: '--provider' },
      { path: 'data.phone', option: '--phone' },
      { path: 'data.expires_at', option: '--expires-in' },
      { path: 'data.note', option: '--param note' },
    ];
    const violations = refused.map(({ path }) => ({ propertyPath: path, title: `no ${path}` }));
    const ended = await scene({
      service: [problem(422, 'Validation Failed', violations)],
      argv: [
        ...['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfr', '--provider', 'x', '--phone', '1'],
        ...['--expires-in', '20m', '--param', 'note=1', '--no-validate', '--json'],
      ],
      exit: 3,
      requests: ['POST'],
    });
    expect(bodyOf(ended.service?.seen[0])).toMatchObject({
      data: { medium: 'bank_transfr', provider: 'x', phone: '1', note: '1' },
    });
    expect(errorOf(ended)['violations']).toEqual(
      refused.map(({ path, ...named }) => ({ property_path: path, title: `no ${path}`, ...named })),
    );
  });

  it('charges by a medium that paycli does not know, with its parameters', async () => {
    const argv = ['ugwo', 'charge', UGWO_ID, '--medium', 'pay_with_bank'];
    await scene({ service: [], argv, exit: 2 });
    const { service } = await scene({
      service: [json(200, ACTIVITY)],
      argv: [...argv, '--param', 'bank=gtb'],
      stderr: /^/,
    });
    expect(bodyOf(service?.seen[0])).toEqual({ type: 'charge', data: { medium: 'pay_with_bank', bank: 'gtb' } });
  });

  it.each(['gtbank', '058'])('suggests the bank code for %s', async (provider) => {
    await scene({
      service: [problem(422, 'Validation Failed', [{ propertyPath: 'data.provider', title: 'unknown' }])],
      argv: ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', provider],
      exit: 3,
      stderr: ['  --provider (data.provider): unknown\n  did you mean gtb?\n'],
    });
  });

  it('shows the activity and exits 11 when the charge failed', async () => {
    const error = { code: 'declined', message: 'Insufficient funds' };
    const failed = { ...ACTIVITY, status: 'failed', next_action: null, error };
    const argv = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb'];
    await scene({
      service: [json(200, failed)],
      argv,
      exit: 11,
      stdout: ['status\tfailed'],
      stderr: ['the charge failed: Insufficient funds'],
    });
    await scene({
      service: [json(200, failed)],
      argv: [...argv, '--json'],
      exit: 11,
      stdout: `${JSON.stringify(failed)}\n`,
      error: { kind: 'charge_failed', exit_code: 11, ledger_id: expect.stringMatching(/^chg-/) },
    });
  });

  it.each<[string, unknown, number, string]>([
    ['an unknown status', 'awaiting_moon', 0, 'awaiting_moon'],
    ['a status as a pair', ['failed', 'Failed'], 11, 'failed'],
  ])('accepts %s', async (_what, status, exit, shown) => {
    const service = [json(200, { ...ACTIVITY, status })];
    await scene({ service, argv: TRANSFER, exit, stdout: [`status\t${shown}`], stderr: /^/ });
  });
});

describe('an answer to ugwo charge', () => {
  // One of each kind; test/client/judge covers every status.
  it('200 without an activity: exits with 6 and prints the body to stderr', async () => {
    const odd = { ...ACTIVITY, uid: 'activity 7' };
    const service = [json(200, odd)];
    await scene({ service, argv: TRANSFER, exit: 6, stderr: [`\n${JSON.stringify(odd)}\n`] });
    await scene({ service, argv: [...TRANSFER, '--json'], exit: 6, error: { kind: 'unknown', answer: odd } });
  });

  it('no answer in time: exits with 6 and warns against repeating the command', () =>
    scene({
      service: [hang],
      argv: [...TRANSFER, '--timeout', '1s'],
      exit: 6,
      stderr: ["don't run it again until you know"],
    }));

  it.each([
    ['without a read', ['--no-preflight'], 5, 'safe to run the same command again'],
    ['for its read', [], 8, 'nothing was sent'],
  ])('no connection %s: says that repeating is safe', async (_what, more, exit, words) => {
    const env = { PAYCLI_BASE_URL: DEAD_ORIGIN, PAYCLI_SECRET_KEY: CANARY };
    await scene({ env, argv: [...TRANSFER, ...more], exit, stderr: [words] });
  });
});

describe('--dry-run and --as-curl', () => {
  it('print the request and send nothing', async () => {
    const service = await serve([]);
    const { stdout } = await scene({
      service,
      argv: ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb', '--dry-run', '--json'],
    });
    expect(JSON.parse(stdout)).toEqual({
      method: 'POST',
      url: `${service.origin}/v1/ugwo/${UGWO_ID}/activities`,
      body: { type: 'charge', data: { medium: 'ussd', provider: 'gtb' } },
      payment_request: expect.objectContaining({ uid: UGWO_ID }),
    });
    expect(service.looks).toHaveLength(1);
  });

  it('print a read request, too', async () => {
    const service = await serve([]);
    const argv = ['ugwo', 'list', '--limit', '5', '--cursor', 'c', '--dry-run', '--json'];
    const { stdout } = await scene({ service, argv });
    expect(JSON.parse(stdout)).toEqual({ method: 'GET', url: `${service.origin}/v1/ugwo?limit=5&cursor=c` });
  });
});
