import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { confirmer } from '../../src/cli/confirm.ts';
import type { CommandSpec } from '../../src/cli/define.ts';
import type { Deps } from '../../src/commands/deps.ts';
import { emulatorCommands } from '../../src/commands/emulator/spec.ts';
import { SEEDED } from '../../src/core/data-files.ts';
import { valueAt } from '../../src/core/json.ts';
import type { Result } from '../../src/core/result.ts';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { clockAt, customersIn, faultOf, sendRaw, tempFolder } from './support.ts';
import { wakingClock } from './webhook-support.ts';

const never = (): never => {
  throw new Error('not for this command');
};

interface Situation {
  readonly globals?: Partial<Deps['globals']>;
  /** What is typed at a terminal; undefined when there is none. */
  readonly typed?: string;
}

interface World {
  readonly deps: Deps;
  readonly notices: string[];
  readonly prompts: string[];
  readonly stop: AbortController;
  readonly data: string;
}

const world = ({ globals = {}, typed }: Situation = {}): World => {
  const notices: string[] = [];
  const prompts: string[] = [];
  const stop = new AbortController();
  const data = join(tempFolder(), 'data');
  const stdin = {
    isTerminal: typed !== undefined,
    text: never,
    bytes: never,
    line: async (prompt: string) => {
      prompts.push(prompt);
      return typed === '' ? undefined : typed;
    },
  };
  const asked = { yes: false, input: true, ...globals };
  const deps = {
    confirm: confirmer({ stdin, stderr: stdin } as never, asked),
    io: { stdin, clock: wakingClock(), signals: { stop: stop.signal, leave: new AbortController().signal } },
    globals: asked,
    folders: async () => ({ config: '/nowhere', data }),
    emulator: async () => emulatorRoom,
    notice: async (said: string | readonly string[]) => void notices.push(...[said].flat()),
    source: async (source: { path: string }) => readFileSync(source.path, 'utf8'),
  } as unknown as Deps;
  return { deps, notices, prompts, stop, data };
};

const specOf = (verb: string): CommandSpec => {
  const spec = emulatorCommands.find(({ path }) => path.join(' ') === `emulator ${verb}`);
  if (spec === undefined) throw new Error(`no emulator ${verb}`);
  return spec;
};

/** Runs a command with its options as text, as the command line would. */
const run = async (
  verb: string,
  { deps }: World,
  texts: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<Result> => {
  const spec = specOf(verb);
  const given = Object.entries(texts).map(([name, text]) => [name, spec.options[name]?.parse?.(text) ?? true]);
  const input = spec.read(args, Object.fromEntries(given), { validate: true });
  return (await spec.load()).run(input, deps as never);
};

const shown = (result: Result): unknown => ('record' in result ? result.record?.value : undefined);

/** Each column of the view is in the record and in what the declaration promises. */
const expectSound = (verb: string, result: Result): void => {
  if (!('view' in result)) throw new Error('no view');
  const { columns } = result.view;
  expect(columns.map(({ path }) => valueAt(shown(result), path))).not.toContain(undefined);
  for (const { path } of columns) expect(specOf(verb).output).toContain(path);
};

describe('emulator start', () => {
  test('fills an empty file, says so, answers, and is closed when the program is told to stop', async () => {
    const here = world();
    const result = await run('start', here);
    if (result.kind !== 'service') throw new Error(`not a service: ${result.kind}`);
    const { origin, key, data } = result.record.value as { origin: string; key: string; data: string };
    expectSound('start', result);
    expect(data).toBe(join(here.data, 'emulator.sqlite'));
    expect(here.notices).toEqual([
      `First use: created 25 customers and 120 payment requests in ${data}`,
      `For your scripts: export PAYCLI_BASE_URL=${origin} PAYCLI_SECRET_KEY=${key}`,
      'Stop it with Ctrl-C.',
    ]);
    const headers = { authorization: `Bearer ${key}` };
    const { status, json } = await sendRaw(origin, { path: '/v1/ugwo?limit=100', headers });
    expect([status, json.data.length]).toEqual([200, 100]);
    here.stop.abort('SIGINT');
    await result.done;
    await expect(sendRaw(origin, { path: '/v1/ugwo', headers })).rejects.toThrow('ECONNREFUSED');
  });

  test('a file with records is not filled, and nothing is said of it', async () => {
    const here = world();
    await run('seed', here, { customers: '1', ugwo: '0' });
    const result = await run('start', here);
    here.stop.abort('SIGINT');
    if (result.kind === 'service') await result.done;
    expect(here.notices).toEqual([expect.stringMatching(/^For your scripts/), 'Stop it with Ctrl-C.']);
    expect(customersIn(join(here.data, 'emulator.sqlite'))).toHaveLength(1);
  });

  test('told to stop before it had begun, it ends', async () => {
    const here = world();
    here.stop.abort('SIGTERM');
    const result = await run('start', here);
    expect(result.kind).toBe('service');
    if (result.kind === 'service') await result.done;
  });

  test('--port and --data are taken; a port in use is a usage error', async () => {
    const here = world();
    const file = join(here.data, 'own.sqlite');
    const first = await run('start', here, { data: file, port: '0' });
    const { origin } = shown(first) as { origin: string };
    const { port } = new URL(origin);
    expect(shown(first)).toMatchObject({ data: file });
    expect(await faultOf(run('start', here, { port }))).toMatchObject({
      kind: 'usage',
      message: `port ${port} is already in use`,
    });
    here.stop.abort('SIGINT');
    if (first.kind === 'service') await first.done;
    const again = await run('start', here, { port });
    expect(shown(again)).toMatchObject({ origin });
    if (again.kind === 'service') await again.done;
  });

  test.each(['-1', '65536', '80a', ''])('--port %j is a usage error', async (port) => {
    expect(await faultOf(run('start', world(), { port }))).toMatchObject({ kind: 'usage' });
  });
});

describe('emulator seed', () => {
  test('adds the usual records, or as many as given', async () => {
    const here = world();
    const data = join(here.data, 'emulator.sqlite');
    const first = await run('seed', here);
    expect(shown(first)).toEqual({ customers: 25, ugwo: 120, data });
    expect(shown(await run('seed', here, { customers: '0', ugwo: '3' }))).toEqual({ customers: 0, ugwo: 3, data });
    expect(customersIn(data)).toHaveLength(25);
    expectSound('seed', first);
  });
});

describe('emulator reset', () => {
  const filled = async (situation: Situation): Promise<World & { customers: () => number }> => {
    const here = world(situation);
    const data = join(here.data, 'emulator.sqlite');
    await emulatorRoom.seed({ file: data, clock: clockAt(), customers: 2, ugwo: 1 });
    return { ...here, customers: () => customersIn(data).length };
  };

  test.each(['y', 'Y', 'yes', ' yes '])('asks on a terminal, names the file, and %j removes', async (typed) => {
    const here = await filled({ typed });
    const result = await run('reset', here);
    expect(here.prompts).toEqual([`Remove every record from ${join(here.data, 'emulator.sqlite')}? [y/N] `]);
    expect(here.customers()).toBe(0);
    expectSound('reset', result);
  });

  test.each(['n', '', ' ', 'yes please', 'no'])('the answer %j removes nothing', async (typed) => {
    const here = await filled({ typed });
    expect(await faultOf(run('reset', here))).toMatchObject({ kind: 'interrupted' });
    expect(here.prompts).toHaveLength(1);
    expect(here.customers()).toBe(2);
  });

  test('--yes asks nobody', async () => {
    const here = await filled({ globals: { yes: true } });
    await run('reset', here);
    expect(here.prompts).toEqual([]);
    expect(here.customers()).toBe(0);
  });

  test.each([
    ['without a terminal', {}],
    ['with --no-input', { typed: 'y', globals: { input: false } }],
  ])('%s it needs --yes', async (_case, situation: Situation) => {
    const here = await filled(situation);
    const fault = await faultOf(run('reset', here));
    expect(fault.kind).toBe('usage');
    expect(fault.detail.hint).toContain('--yes');
    expect(here.prompts).toEqual([]);
    expect(here.customers()).toBe(2);
  });
});

describe('emulator settle', () => {
  const charged = async () => {
    const here = world();
    const file = join(here.data, 'emulator.sqlite');
    const { clock } = here.deps.io;
    await emulatorRoom.seed({ file, clock, customers: 0, ugwo: 1 });
    const { origin, key, close } = await emulatorRoom.start({ file, port: 0, clock });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const [ugwo] = (await sendRaw(origin, { path: '/v1/ugwo', headers })).json.data;
    const body = JSON.stringify({ type: 'charge', data: { medium: 'ussd', provider: 'gtb' } });
    const path = `/v1/ugwo/${ugwo.uid}/activities`;
    const activity = (await sendRaw(origin, { method: 'POST', path, headers, body })).json;
    await close();
    return { here, activity };
  };

  test('shows the activity as it now stands', async () => {
    const { here, activity } = await charged();
    const result = await run('settle', here, { as: 'failed' }, [activity.uid]);
    expect(shown(result)).toEqual({
      ...activity,
      status: 'failed',
      next_action: null,
      error: { code: 'psp.error.declined', message: expect.stringMatching(/./) },
    });
  });

  test('with --in shows when it is due, too', async () => {
    const { here, activity } = await charged();
    const result = await run('settle', here, { as: 'successful', in: '90s' }, [activity.uid]);
    expect(shown(result)).toEqual({ ...activity, due: '2026-11-20T12:01:30+00:00' });
    expectSound('settle', result);
  });

  test.each([
    ['another identifier', ['ugw.Lcal.x'], { as: 'failed' }, 'is the identifier of a payment request'],
    ['an unknown activity', ['act.Lcal.x'], { as: 'failed' }, 'there is no activity act.Lcal.x'],
    ['no ending', ['act.Lcal.x'], {}, '--as is required: successful, failed, expired'],
    ['an unknown ending', ['act.Lcal.x'], { as: 'succesful' }, 'did you mean successful?'],
    ['no duration', ['act.Lcal.x'], { as: 'failed', in: '30' }, 'is not a duration'],
    ['an amount of a failure', ['act.Lcal.x'], { as: 'failed', amount: '5' }, 'is for --as successful'],
  ])('%s is a usage error', async (_case, args, texts: Record<string, string>, message) => {
    const fault = await faultOf(run('settle', world(), texts, args));
    expect([fault.kind, fault.message]).toEqual(['usage', expect.stringContaining(message)]);
  });
});

test('emulator settle --amount-minor: so much is paid', async () => {
  const here = world();
  const file = join(here.data, 'emulator.sqlite');
  await emulatorRoom.seed({ file, clock: here.deps.io.clock, customers: 0, ugwo: 120 });
  const texts = { as: 'successful', amount: '100' };
  expect(shown(await run('settle', here, texts, [SEEDED.processing.activity]))).toMatchObject({ charged_amount: 100 });
});

describe('emulator clock', () => {
  test('is moved on, shown, and set back', async () => {
    const here = world();
    const result = await run('clock', here, {}, ['+15m']);
    expect(shown(result)).toEqual({ now: '2026-11-20T12:15:00+00:00', moved: 900_000 });
    expectSound('clock', result);
    expect(shown(await run('clock', here, {}, ['45m']))).toMatchObject({ moved: 3_600_000 });
    expect(shown(await run('clock', here))).toMatchObject({ moved: 3_600_000 });
    expect(shown(await run('clock', here, {}, ['back']))).toMatchObject({ now: '2026-11-20T12:00:00+00:00', moved: 0 });
  });

  test.each(['soon', '-15m', '15', ''])('%j is a usage error', async (by) => {
    expect(await faultOf(run('clock', world(), {}, [by]))).toMatchObject({ kind: 'usage' });
  });
});

describe('emulator faults', () => {
  const RULE = { path: '/v1/ugwo', status: 503 };

  const rulesFile = (text = JSON.stringify({ rules: [RULE] })): string => {
    const file = join(tempFolder(), 'faults.json');
    writeFileSync(file, text);
    return file;
  };

  const listed = async (result: Result): Promise<unknown[]> => {
    if (result.kind !== 'list') throw new Error(`no list: ${result.kind}`);
    const values: unknown[] = [];
    for await (const { records } of result.pages) values.push(...records.map(({ value }) => value));
    return values;
  };

  test('are set from a file, shown with their counts, and cleared', async () => {
    const here = world();
    const wanted = [{ ...RULE, seen: 0, fired: 0 }];
    expect(await listed(await run('faults', here, {}, [rulesFile()]))).toEqual(wanted);
    expect(await listed(await run('faults', here))).toEqual(wanted);
    expect(here.notices).toEqual([]);
    const cleared = await run('faults', here, { clear: 'true' });
    expect(await listed(cleared)).toEqual([]);
    expect(cleared).toHaveProperty('toldEmpty', true);
    const none = await run('faults', here);
    expect(await listed(none)).toEqual([]);
    expect(none).not.toHaveProperty('toldEmpty');
    expect(here.notices).toEqual(['All faults were cleared.']);
  });

  test.each([
    ['no JSON', '{', 'is not JSON'],
    ['no rules', '{"rules": [{"status": 200}]}', 'these are no rules for faults'],
  ])('%s is a usage error', async (_what, text, message) => {
    const here = world();
    const fault = await faultOf(run('faults', here, {}, [rulesFile(text)]));
    expect([fault.kind, fault.message]).toEqual(['usage', expect.stringContaining(message)]);
  });

  test('emulator start --faults follows them until it stops', async () => {
    const here = world();
    const result = await run('start', here, { faults: rulesFile() });
    if (result.kind !== 'service') throw new Error(`not a service: ${result.kind}`);
    const { origin, key } = result.record.value as { origin: string; key: string };
    const headers = { authorization: `Bearer ${key}` };
    expect((await sendRaw(origin, { path: '/v1/ugwo', headers })).status).toBe(503);
    here.stop.abort('SIGINT');
    await result.done;
    expect(await listed(await run('faults', here))).toEqual([]);
  });
});

test.each([{}, { unsigned: true, secretOut: 'x' }])('a webhook is signed in one way, not with %j', (given) => {
  const add = emulatorCommands.find(({ path }) => path.join(' ') === 'emulator webhook add');
  expect(() => add?.read(['http://127.0.0.1:1/'], given, { validate: true })).toThrow(
    'choose one of --secret-out, --secret-file and --unsigned',
  );
});
