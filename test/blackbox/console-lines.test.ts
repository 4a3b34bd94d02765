import { describe, expect, it } from 'vitest';
import { start } from '../support/program.ts';
import { inShell } from '../support/shell.ts';
import { type Console, startConsole } from './console-support.ts';

const WAYS = ['paycli', 'curl'] as const;
type Way = (typeof WAYS)[number];

const decoded = (html: string): string =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** The lines of an action as its page shows them, by the action's name. */
const linesIn = (html: string, name: string, way: Way): string => {
  const [, block = ''] = html.split(`<h3>${name}</h3>`);
  const codes = [...block.matchAll(/<code>([^<]*)<\/code>/g)].map(([, code = '']) => decoded(code));
  return codes[WAYS.indexOf(way)] ?? '';
};

const opened = async (way: Way) => {
  const service = await startConsole();
  const env = {
    PAYCLI_SECRET_KEY: service.key,
    PAYCLI_CONTROL_TOKEN: service.control_token,
    PAYCLI_HOME: service.home,
  };
  /** Runs an action of a page as it stands there. */
  const run = async (
    path: string,
    name: string,
    edit: (lines: string) => string = (lines) => lines,
  ): Promise<string> => {
    const html = await (await fetch(`${service.console}${path}`)).text();
    const lines = edit(linesIn(html, name, way));
    expect(lines).toMatch(way === 'paycli' ? /paycli / : /curl .*\n? .*http:\/\/127\.0\.0\.1:/);
    expect([lines.includes(service.key), lines.includes(service.control_token)]).toEqual([false, false]);
    const { code, stdout, stderr } = await start([], inShell(`set -e\n${lines}`, { home: service.home, env })).ended;
    expect(code, `${lines}\n${stderr}`).toBe(0);
    return stdout;
  };
  return { ...service, run };
};

type Opened = Awaited<ReturnType<typeof opened>>;

const activitiesOf = async ({ call }: Console, ugwo: string) =>
  (await call('GET', `/v1/ugwo/${ugwo}`)).json.activities as readonly {
    readonly uid: string;
    readonly status: string;
  }[];

describe.runIf(process.platform !== 'win32')('what the console shows does in a shell what its button does', () => {
  it.each(WAYS)('for %s', { timeout: 300_000 }, async (way) => {
    const service = await opened(way);
    await sendsAgain(service);
    await charges(service, way);
    await sendsEvents(service);
    await moves(service);
  });
});

/** Charges, and lets the customer pay, fail or pay twice. */
const charges = async (service: Opened, way: Way): Promise<void> => {
  const { run, request, charge } = service;
  const [paid, failed, twice] = [await request(), await request(), await request()];
  await run(`ugwo/${paid}`, 'Charge by ussd');
  await run(`ugwo/${paid}`, 'Pay');
  expect(await activitiesOf(service, paid)).toMatchObject([{ status: 'successful' }]);
  await run(`ugwo/${paid}`, 'Take the payment back');
  await charge(failed);
  await run(`ugwo/${failed}`, 'Fail');
  expect(await activitiesOf(service, failed)).toMatchObject([{ status: 'failed' }]);
  await charge(twice);
  // What a curl line answers with stands in its output: the second activity of an own charge is named by hand.
  if (way === 'curl') await charge(twice);
  await run(`ugwo/${twice}`, 'Pay twice');
  expect((await activitiesOf(service, twice)).map(({ status }) => status)).toEqual(['successful', 'successful']);
};

/** Moves the clock, sets faults, seeds and resets. */
const moves = async ({ run, call, charge, request }: Opened): Promise<void> => {
  const ugwo = await request();
  await charge(ugwo);
  await run('clock', '+ 15m');
  expect((await call('GET', `/v1/ugwo/${ugwo}`)).json.activities).toMatchObject([
    { error: { code: 'psp.error.expired' } },
  ]);
  await run('clock', 'Back to the real time');
  await run('faults', 'Out of service: on');
  expect((await charge(ugwo)).status).toBe(503);
  await run('faults', 'Out of service: off');
  await run('faults', 'Sent twice: on');
  expect((await charge(ugwo)).status).toBe(200);
  await run('faults', 'Behave again');
  await run('clock', 'Seed');
  const count = async (): Promise<number> => (await call('GET', '/v1/ugwo?limit=100')).json.data.length;
  expect(await count()).toBe(100);
  await run('clock', 'Reset');
  expect(await count()).toBe(0);
};

/** Adds an address for events, sends one, replays it and removes the address. */
const sendsEvents = async ({ run }: Opened): Promise<void> => {
  // Nobody listens there; a try that fails is one all the same.
  const nowhere = (lines: string): string => lines.replace(':4242/', ':9/');
  await run('webhooks', 'Add', nowhere);
  expect(await run('webhooks', 'Send')).toContain('ugwo.successful');
  await run('webhooks', 'Replay the newest');
  expect(await run('webhooks', 'Remove http://127.0.0.1:9/webhooks')).toContain('http://127.0.0.1:9/webhooks');
};

/** Sends a request again: the second and the fourth of all. */
const sendsAgain = async ({ run, call, request }: Opened): Promise<void> => {
  const uid = await request({ ref: 'ONCE', description: `it's "quoted" $HOME` });
  await call('GET', `/v1/ugwo/${uid}?x=%24HOME&y='`);
  const onye = (await call('GET', '/v1/onye?limit=1')).json.data[0].uid as string;
  await call('PATCH', `/v1/onye/${onye}`, { ref: `O'Brien "$HOME"` });
  await call('PATCH', `/v1/onye/${onye}`, { ref: 'another' });
  expect(await run('requests/2', 'The same request again')).toContain(uid);
  await run('requests/4', 'The same request again');
  expect((await call('GET', `/v1/onye/${onye}`)).json.ref).toBe(`O'Brien "$HOME"`);
};
