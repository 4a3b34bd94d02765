import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { inProcess } from '../support/in-process.ts';
import { newFolder, paycli, type RunOptions } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { ACTIVITY, json, type Seen, type Service, serveAllBy, ugwo } from '../support/service.ts';
import { activityOf, charged, numberIn, ugwoOf } from './bulk-support.ts';
import { chargeOf, newTeam } from './team-support.ts';

const PAID = { ...ACTIVITY, status: 'successful', next_action: null };
const ON_1 = `/v1/ugwo/${ugwoOf(1)}`;

/** Serves payment requests that each have one activity with the same number. */
const serveKnown = (): Promise<Service> =>
  serveAllBy((seen: Seen) => {
    const number = numberIn(seen);
    if (seen.method === 'POST') return charged(number);
    const activity = { ...PAID, uid: activityOf(number) };
    return json(200, seen.url.includes('/activities/') ? activity : { ...ugwo(number), activities: [activity] });
  });

const inFile = async (service: Service): Promise<RunOptions> => ({ service, home: newFolder() });
/** Options of a second machine that shares the ledger of the charging one. */
const inTeam = async (service: Service): Promise<RunOptions> => {
  const team = await newTeam();
  expect(await chargeOf(ugwoOf(1), team.machine(service))).toMatchObject({ code: 0 });
  return team.machine(service);
};

const uidIn = (stdout: string): unknown => (JSON.parse(stdout) as { uid: unknown }).uid;

describe.each(['get', 'wait'])('activity %s', (verb) => {
  it('finds the payment request of an activity in the ledger', async () => {
    const service = await serveKnown();
    const options = await inFile(service);
    expect(await chargeOf(ugwoOf(1), options)).toMatchObject({ code: 0 });
    const ended = await paycli(['activity', verb, activityOf(1), '--json'], options);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(uidIn(ended.stdout)).toBe(activityOf(1));
    // A wait reads the request after the payment, for the money.
    const urls = [`${ON_1}/activities/${activityOf(1)}`, ...(verb === 'wait' ? [ON_1] : [])];
    expect(service.seen.map(({ url }) => url).slice(-urls.length)).toEqual(urls);
  });

  // The tests have no PostgreSQL on Windows.
  it.skipIf(process.platform === 'win32')('finds the payment request in a shared ledger', async () => {
    const ended = await inProcess(['activity', verb, activityOf(1), '--json'], await inTeam(await serveKnown()));
    expect([ended.code, uidIn(ended.stdout)]).toEqual([0, activityOf(1)]);
  });

  it('names the command to run if the ledger does not know the activity', () =>
    scene({
      service: [],
      argv: ['activity', verb, activityOf(1), '--json'],
      exit: 2,
      error: {
        message: `this ledger has no charge with the activity ${activityOf(1)}`,
        hint: `give its payment request too: \`paycli activity ${verb} ugw.… ${activityOf(1)}\``,
      },
    }));

  it('ignores charges of another service', async () => {
    const options = await inFile(await serveKnown());
    expect(await chargeOf(ugwoOf(1), options)).toMatchObject({ code: 0 });
    const argv = ['activity', verb, activityOf(1)];
    await scene({ ...options, service: [], argv, exit: 2, stderr: ['this ledger has no charge'] });
  });

  it.each([
    ['named by the service', { lastest_ugwo_activity: { uid: activityOf(7), status: 'failed' }, activities: [PAID] }],
    [
      'created last',
      {
        activities: [
          { uid: activityOf(6), created_at: '2026-11-20T12:00:00+00:00' },
          { uid: activityOf(7), created_at: '2026-11-20T13:00:00+01:00' },
          { uid: activityOf(5), created_at: '2026-11-20T11:00:00+00:00' },
        ],
      },
    ],
  ])('accepts a payment request and shows its activity %s', async (_which, shown) => {
    const request = json(200, { ...ugwo(1), ...shown });
    // A wait reads the request again after the payment, for the money.
    const last = verb === 'wait' ? [`GET ${ON_1}`] : [];
    await scene({
      service: [request, json(200, { ...PAID, uid: activityOf(7) }), ...last.map(() => request)],
      looks: 'asked',
      argv: ['activity', verb, ugwoOf(1), '--json'],
      json: { uid: activityOf(7) },
      stderr: /^/,
      requests: [`GET ${ON_1}`, `GET ${ON_1}/activities/${activityOf(7)}`, ...last],
    });
  });

  it.each([[[]], [undefined]])('reports that the payment request has no activity: %j', async (activities) => {
    await scene({
      service: [json(200, { ...ugwo(1), activities })],
      looks: 'asked',
      argv: ['activity', verb, ugwoOf(1), '--json'],
      exit: 3,
      error: {
        message: `the service shows no activity of ${ugwoOf(1)}`,
        hint: `create one: \`paycli ugwo charge ${ugwoOf(1)}\``,
      },
    });
  });

  it('proposes a charge at the place of the run', () =>
    scene({
      argv: ['activity', verb, SEEDED.ugwo, '--local', '--json'],
      exit: 3,
      error: { hint: `create one: \`paycli ugwo charge ${SEEDED.ugwo} --local\`` },
    }));

  it('proposes a charge for each payment request of an e-mail address', async () => {
    const service = await serveAllBy((seen: Seen) => {
      const number = numberIn(seen);
      if (seen.method === 'POST') return charged(number);
      return json(200, { ...ugwo(number), onye: { email: 'ada@example.com' }, activities: [] });
    });
    const lines = [2, 1].map((number) => `\`paycli ugwo charge ${ugwoOf(number)} --base-url ${service.origin}\``);
    const by = ['--medium', 'ussd', '--provider', 'gtb', '--json'];
    await scene({
      service,
      before: [1, 2].map((number) => ['ugwo', 'charge', ugwoOf(number), ...by]),
      argv: ['activity', verb, 'ada@example.com', '--base-url', service.origin, '--json'],
      exit: 3,
      error: { hint: `create one: ${lines.join(' or ')}` },
    });
  });

  it.each([
    ['act.7', 'is not the identifier of an activity'],
    [`${activityOf(1)} ${ugwoOf(1)}`, 'is the identifier of an activity, not of a payment request'],
    ['', "missing required argument 'id': the activity, act.…, or its payment request, ugw.…"],
  ])('refuses `%s`', async (words, message) => {
    const argv = ['activity', verb, ...words.split(' ').filter((word) => word !== '')];
    await scene({ argv, exit: 2, stderr: [message] });
  });
});

it('activity get records what the payment request shows of other activities, too', async () => {
  const options = await inFile(await serveKnown());
  expect(await chargeOf(ugwoOf(1), options)).toMatchObject({ code: 0 });
  const [own, other] = [1, 7].map((number) => ({ ...PAID, uid: activityOf(number) }));
  const request = { ...ugwo(1), lastest_ugwo_activity: other, activities: [other, own] };
  await scene({
    ...options,
    service: serveAllBy(({ url }) => json(200, url.endsWith(ON_1) ? request : other)),
    argv: ['activity', 'get', ugwoOf(1)],
    entries: [{ activity: activityOf(1), status: 'successful' }],
  });
});

it('activity get --dry-run prints the request for each kind of argument', async () => {
  const options = await inFile(await serveKnown());
  expect(await chargeOf(ugwoOf(1), options)).toMatchObject({ code: 0 });
  const shown = async (...ids: readonly string[]) =>
    (await inProcess(['activity', 'get', ...ids, '--dry-run'], options)).stdout;
  expect(await shown(activityOf(1))).toContain(`${ON_1}/activities/${activityOf(1)}`);
  expect(await shown(ugwoOf(1))).toMatch(new RegExp(`${ON_1}$`, 'm'));
});
