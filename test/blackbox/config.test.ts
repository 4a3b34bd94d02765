import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onTerminal, type Shown } from '../support/on-terminal.ts';
import { newFolder, type RunOptions } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { ACTIVITY, DEAD_ORIGIN, json, page, serve, UGWO_ID } from '../support/service.ts';
import { openTerminal, openThrough } from '../support/terminal.ts';

const KEY = `sk.Test.${'0'.repeat(80)}`;

/** A home with the profile `shop` for a local service and these defaults. */
const withSettings = (origin: string, defaults: unknown): string => {
  const home = newFolder();
  const shop = { origin, key: KEY, created_at: '2026-11-20T10:00:00+00:00', defaults };
  const file = { version: 1, profiles: { shop }, default: 'shop' };
  writeFileSync(join(home, 'config.json'), JSON.stringify(file), { mode: 0o600 });
  return home;
};

const configOf = (home: string): string => readFileSync(join(home, 'config.json'), 'utf8');

/** A run on a terminal without colour, unless `env` has it. */
const shownBy = (args: readonly string[], options: RunOptions): Promise<Shown> =>
  onTerminal(args, { ...options, env: { NO_COLOR: '1', ...options.env } });

/** The same on a real terminal, by a process of its own. */
const shownByProcess = async (args: readonly string[], options: RunOptions): Promise<Shown> => {
  const terminal = openTerminal(args, { ...options, env: { NO_COLOR: '1', ...options.env } });
  return { ...(await terminal.ended), raw: terminal.raw().replaceAll('\r\n', '\n') };
};

const NOT_LOCAL = /--local needs no login, and has no profile to change/;

describe('config', () => {
  it('lists each setting with its source', async () => {
    const home = withSettings(DEAD_ORIGIN, { output: 'json' });
    const argv = ['config', 'list'];
    await scene({
      home,
      before: [['config', 'set', 'columns.ugwo.list', 'ref,status']],
      argv,
      stdout:
        'setting\tvalue\tfrom\noutput\tjson\tprofile shop\ncolor\tauto\tbuilt-in\nmedium\t\tbuilt-in\ncurrency\t\tbuilt-in\ntime_zone\t\tbuilt-in\ncolumns.ugwo.list\tref,status\tprofile shop\n',
    });
    await scene({ home, env: { NO_COLOR: '1' }, argv, stdout: ['color\t1\tNO_COLOR\n'] });
    await scene({ home, env: { PAYCLI_PROFILE: 'local' }, argv, stdout: ['output\ttable\tbuilt-in\n'] });
    await scene({ home, env: { TZ: 'Asia/Tokyo' }, argv, stdout: ['time_zone\tAsia/Tokyo\tTZ\n'] });
    const stored = '{"setting":"output","value":"json","from":"profile shop"}\n';
    await scene({ home, argv: ['config', 'get', 'output', '--json'], stdout: stored });
    const builtIn = 'setting\toutput\nvalue\ttable\nfrom\tbuilt-in\n';
    await scene({ home, argv: ['config', 'unset', 'output'], stdout: builtIn });
    expect(configOf(home)).not.toContain('"output"');
  });

  it.each([
    [['config', 'set', 'output', 'xml'], /output: "xml" is not one of table, tsv, json, ndjson, csv/],
    [['config', 'set', 'outptu', 'json'], /no setting "outptu" \(did you mean output\?\)/],
    [['config', 'set', 'columns.ugwo.list', 'a,,b'], /has an empty name/],
    [['config', 'set', 'medium', 'cash'], /is not one of bank_transfer/],
    [['config', 'set', 'currency', 'naira'], /currency: "naira" is not a code, such as NGN/],
    [['config', 'set', 'time_zone', 'Lagos'], /time_zone: "Lagos" is not a time zone, such as Africa\/Lagos/],
    // The process would take an offset for UTC.
    [['config', 'set', 'time_zone', '+01:00'], /time_zone: "\+01:00" is not a time zone/],
    [['config', 'get', '__proto__'], /no setting/],
    [['config', 'set', 'medium', 'ussd', '--local'], NOT_LOCAL],
    [['config', 'unset', 'output', '--local'], NOT_LOCAL],
    [['ledger', 'use', 'postgres://ada@db.example/payments', '--local'], NOT_LOCAL],
    [['profile', 'use', 'shop', '--local'], NOT_LOCAL],
    [['profile', 'rename', 'shop', 'store', '--profile', 'local'], NOT_LOCAL],
    [['profile', 'remove', 'shop', '--local', '--yes'], NOT_LOCAL],
  ])('rejects %j', async (argv, stderr) => {
    const home = withSettings(DEAD_ORIGIN, { output: 'json' });
    const before = configOf(home);
    await scene({ home, argv, exit: 2, stderr });
    expect(configOf(home)).toBe(before);
  });

  it('keeps settings after another login', () =>
    scene({
      home: withSettings(DEAD_ORIGIN, { output: 'json' }),
      before: [['login', '--profile', 'shop', '--base-url', DEAD_ORIGIN, '--key-stdin', '--no-verify']],
      stdin: KEY.replaceAll('0', '1'),
      argv: ['config', 'get', 'output'],
      stdout: 'setting\toutput\nvalue\tjson\nfrom\tprofile shop\n',
    }));
});

describe('a default of the profile', () => {
  it('applies on a terminal, never in a pipe', async () => {
    const service = await serve([page([1], null), page([1], null), page([1], null), page([1], null), page([1], null)]);
    const home = withSettings(service.origin, { output: 'json' });
    expect((await shownBy(['ugwo', 'list'], { home })).raw).toMatch(/^\{"data":\[/);
    await scene({ home, argv: ['ugwo', 'list'], stdout: /^uid\t.*\nugw\.[^{]+\t/ });
    const piped = openThrough(['sh', '-c', '"$@" | cat', 'sh'], ['ugwo', 'list'], { home });
    await piped.ended;
    expect(piped.raw()).toMatch(/^uid\t/);
    // A flag wins.
    expect((await shownBy(['ugwo', 'list', '-o', 'csv'], { home })).raw).toMatch(/^uid,/);
    expect((await shownBy(['ugwo', 'list', '--columns', 'ref'], { home })).raw).toMatch(/^ref *\n/);
  });

  it('does not apply to a command with its own format', async () => {
    const service = await serve([page([1], null)]);
    const home = withSettings(service.origin, { output: 'csv' });
    expect((await shownBy(['api', '/v1/ugwo'], { home })).raw).toMatch(/^\{/);
  });

  it("sets the columns of one command's table", async () => {
    const service = await serve([page([1], null), page([1], null)]);
    const home = withSettings(service.origin, { 'columns.ugwo.list': 'ref,status' });
    expect((await shownBy(['payment', 'list'], { home })).raw).toMatch(/^ref +status *\n/);
    expect((await shownBy(['ugwo', 'list', '--json'], { home })).raw).toMatch(/^\{"data":\[/);
  });

  it('with an unknown column causes an error that names the setting', async () => {
    const service = await serve([page([1], null)]);
    const home = withSettings(service.origin, { 'columns.ugwo.list': 'ref,nosuch' });
    const { code, raw } = await shownBy(['ugwo', 'list'], { home });
    expect(code).toBe(2);
    expect(raw).toMatch(/no column "nosuch"/);
    expect(raw.replaceAll(/\s+/g, ' ')).toContain('paycli config unset columns.ugwo.list --profile shop');
  });

  it('turns colour off unless the environment decides', async () => {
    const service = await serve([page([1], null), page([1], null), page([1], null)]);
    const home = withSettings(service.origin, {});
    const look = async () => (await shownBy(['ugwo', 'list'], { home, env: { NO_COLOR: '' } })).raw;
    expect(await look()).toContain('\u001b[1m');
    await scene({ home, argv: ['config', 'set', 'color', 'never'] });
    expect(await look()).not.toContain('\u001b[');
    expect((await shownBy(['ugwo', 'list', '--color', 'always'], { home })).raw).toContain('\u001b[1m');
  });

  it('sets the medium of a charge on a terminal only', async () => {
    const service = await serve([json(200, ACTIVITY)]);
    const home = withSettings(service.origin, { medium: 'bank_transfer' });
    await scene({ home, argv: ['ugwo', 'charge', UGWO_ID], exit: 2, stderr: ['--medium is required'] });
    expect(service.seen).toEqual([]);
    expect((await shownBy(['ugwo', 'charge', UGWO_ID, '--no-input'], { home })).code).toBe(2);
    expect((await shownBy(['ugwo', 'charge', UGWO_ID], { home })).code).toBe(0);
    expect(service.seen.map(({ body }) => body)).toEqual([expect.stringContaining('bank_transfer')]);
  });

  it('sets the currency of one request on a terminal only', async () => {
    const service = await serve([json(200, { uid: UGWO_ID, status: 'not_paid', amount: 500, currency: 'JPY' })]);
    const home = withSettings(service.origin, {});
    await scene({ home, argv: ['config', 'set', 'currency', 'jpy', '--json'], json: { value: 'JPY' } });
    const create = ['ugwo', 'create', '--amount', '500'];
    await scene({ home, argv: create, exit: 2, stderr: ['no currency given'] });
    expect((await shownBy([...create, '--no-input'], { home })).code).toBe(2);
    expect((await shownBy([...create, '--currency', 'EUR'], { home })).code).toBe(2);
    expect(service.seen).toEqual([]);
    expect((await shownBy(create, { home })).code).toBe(0);
    expect(JSON.parse(service.seen[0]?.body ?? '')).toEqual({ amount: 500, currency: 'JPY' });
  });

  it('sets the time zone of days and times on a terminal, unless TZ does', async () => {
    // The time zone is the process's. Created at 10:00 UTC, when the next day begins in Kiritimati.
    const service = await serve([page([1], null), page([1], null)]);
    const home = withSettings(service.origin, { time_zone: 'Pacific/Kiritimati' });
    const list = ['ugwo', 'list', '--since', '2026-11-21', '--columns', 'created_at'];
    const shown = async (TZ: string) => (await shownByProcess(list, { home, env: { TZ } })).raw;
    expect(await shown('')).toContain('2026-11-21 00:00\n');
    expect(await shown('UTC')).toContain('Nothing found.');
  });

  it('takes a time zone in any case', async () => {
    const service = await serve([page([1], null)]);
    const home = withSettings(service.origin, {});
    await scene({ home, argv: ['config', 'set', 'time_zone', 'pacific/kiritimati'] });
    const { raw } = await shownByProcess(['ugwo', 'list', '--columns', 'created_at'], { home, env: { TZ: '' } });
    expect(raw).toContain('2026-11-21 00:00\n');
  });

  it.each([
    [{ output: 'xml' }, 'the setting output of the profile "shop" is not one of table, tsv, json, ndjson, csv: "xml"'],
    [{ color: 5 }, 'the setting color of the profile "shop" is not a text: 5'],
  ])('with the invalid value %j is named in the error, and can be removed', async (defaults, message) => {
    const service = await serve([page([1], null)]);
    const home = withSettings(service.origin, defaults);
    const { code, raw } = await shownBy(['ugwo', 'list'], { home });
    expect(code).toBe(2);
    const text = raw.replaceAll(/\s+/g, ' ');
    expect(text).toContain(message);
    const [, line = ''] = /remove it: paycli (config unset \w+ --profile shop)/.exec(text) ?? [];
    await scene({ home, argv: line.split(' ') });
    expect((await shownBy(['ugwo', 'list'], { home })).code).toBe(0);
  });

  it('does not prevent reading the key, even if malformed', async () => {
    const service = await serve([page([1], null)]);
    const home = withSettings(service.origin, 'nonsense');
    await scene({ home, argv: ['ugwo', 'list'], stdout: ['order-1'] });
  });
});

describe.skipIf(process.env['PAYCLI_PROGRAM'] !== undefined)(
  'a key under NODE_DEBUG=stream, where Node would print it',
  () => {
    const helper = (): string => {
      const path = join(newFolder('helper'), 'helper');
      writeFileSync(path, `#!/bin/sh\necho ${KEY}\n`, { mode: 0o755 });
      return path;
    };

    it.each([
      ['standard input', () => ['--key-stdin', '--no-verify'], 'standard input'],
      ['a key command', () => ['--key-command', helper()], 'the key'],
    ])('is not read from %s: exits with 4', async (_from, source, what) => {
      await scene({
        built: true,
        env: { NODE_DEBUG: 'http,STREAM' },
        stdin: KEY,
        argv: ['login', '--profile', 'shop', '--base-url', DEAD_ORIGIN, ...source()],
        exit: 4,
        // Neither the key nor its bytes, which Node would print.
        stderr: `error: NODE_DEBUG would print ${what}, so it was not read\n→ unset NODE_DEBUG; --debug shows the requests without secrets\n`,
      });
    });

    it('is not asked for on a terminal', async () => {
      const args = ['login', '--profile', 'shop', '--base-url', DEAD_ORIGIN, '--no-verify'];
      const { code, raw } = await shownByProcess(args, { home: newFolder(), env: { NODE_DEBUG: 'stream' } });
      expect(code).toBe(4);
      expect(raw).toContain('NODE_DEBUG would print what is typed');
    });
  },
);
