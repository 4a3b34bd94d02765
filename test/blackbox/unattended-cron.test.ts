import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { PROGRAM } from '../support/built.ts';
import { inProcess } from '../support/in-process.ts';
import { type Ended, newFolder, start } from '../support/program.ts';
import { programs } from '../support/shell.ts';
import { toolOf } from '../support/tool.ts';
import { USSD } from './desk-support.ts';
import { blockBelow, openRealShop } from './unattended-support.ts';

const [, ...table] = blockBelow('The crontab').trim().split('\n');
const path = /^PATH=(.+)$/m.exec(blockBelow('The crontab'))?.[1] ?? '';

/** A user with a crontab, on a machine with paycli. */
const openUser = async () => {
  const shop = await openRealShop();
  const home = newFolder();
  const tools = programs({ paycli: `exec ${PROGRAM.map((word) => `'${word}'`).join(' ')} "$@"` });
  writeFileSync(join(tools, 'paycli-cron'), blockBelow('/usr/local/bin/paycli-cron'), { mode: 0o755 });
  const options = {
    home,
    env: {
      ...{ PAYCLI_BASE_URL: shop.origin, PAYCLI_SECRET_KEY: shop.key },
      PATH: [tools, path].join(delimiter),
      SHELL: '/bin/sh',
    },
    cwd: home,
  };
  /** Runs a line as cron does. */
  const cron = (line: string): Promise<Ended> => start(['-c', line], { ...options, program: ['/bin/sh'] }).ended;
  const request = async (some: Readonly<Record<string, unknown>> = {}): Promise<string> =>
    (await shop.request(undefined, some)).uid;
  const charge = async (uid: string, ...more: string[]): Promise<string> => {
    const ended = await inProcess(['ugwo', 'charge', uid, ...USSD, ...more, '--json'], options);
    expect(ended.code, ended.stderr).toBe(0);
    return JSON.parse(ended.stdout).uid;
  };
  const activitiesOf = async (uid: string): Promise<readonly unknown[]> => (await shop.read(uid)).activities;
  return { ...shop, home, options, cron, request, charge, activitiesOf };
};

const LOST = { metadata: { emulate: 'lost' } };

/** The command of the line of the crontab with this word. */
const lineWith = (word: string): string => {
  const found = table.filter((line) => line.includes(word));
  expect(found).toHaveLength(1);
  // In a crontab, a percent sign ends the command.
  return (found[0] ?? '').split(' ').slice(5).join(' ').replaceAll('\\%', '%');
};

const writeDue = (home: string, uids: readonly string[]): void =>
  writeFileSync(join(home, 'due.csv'), `ugwo,medium,provider\n${uids.map((uid) => `${uid},ussd,gtb\n`).join('')}`);

// Windows has no cron.
describe.skipIf(process.platform === 'win32')('the crontab', () => {
  it('mails nothing while nothing needs a person', async () => {
    const { cron, request, charge } = await openUser();
    await charge(await request());
    expect(await cron(lineWith('status'))).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('mails the cases of 14 with their commands', async () => {
    const { cron, request, charge, file, clock } = await openUser();
    const uid = await request();
    for (const activity of [await charge(uid), await charge(uid, '--again')])
      await emulatorRoom.settle({ file, clock, activity, as: 'successful', after: undefined });
    const { code, stdout } = await cron(lineWith('status'));
    expect(code).toBe(14);
    expect(stdout).toMatch(/^Cases for a person.*\n[\s\S]*paycli refund create act\./);
  });

  it('mails an unknown charge, which the hourly line then settles without another', async () => {
    const { cron, request, activitiesOf } = await openUser();
    const lost = await request(LOST);
    const { code, stdout } = await cron(`paycli-cron ugwo charge ${lost} ${USSD.join(' ')}`);
    expect([code, stdout]).toEqual([
      6,
      expect.stringMatching(/^A write may have been applied\..*\n[\s\S]*paycli ledger sync chg-/),
    ]);
    expect(await cron(lineWith('status'))).toMatchObject({ code: 0, stdout: '' });
    expect(await activitiesOf(lost)).toHaveLength(1);
  });

  it('mails the result of a charge that could not be printed', async () => {
    const { cron, request } = await openUser();
    const line = `paycli-cron ugwo charge ${await request()} ${USSD.join(' ')} --jq '.uid | tonumber'`;
    const { code, stdout } = await cron(line);
    expect([code, stdout]).toEqual([7, expect.stringMatching(/^A charge was made, .*\n[\s\S]*act\./)]);
  });

  it('mails other failures with their code', async () => {
    const { cron } = await openUser();
    const { code, stdout } = await cron('paycli-cron ugwo get nothing');
    expect([code, stdout]).toEqual([2, expect.stringMatching(/^paycli ended with exit code 2:\n./)]);
  });

  it('waits for the next run if the service is away', async () => {
    const { cron, close, request, charge } = await openUser();
    await charge(await request());
    await close();
    expect(await cron(lineWith('status'))).toMatchObject({ code: 0, stdout: '' });
  });

  it('charges the file of each day, with a report of its own', async () => {
    const { cron, home, request } = await openUser();
    for (const day of ['2026-11-20', '2026-11-21']) {
      const uid = await request();
      writeDue(home, [uid]);
      const line = `date() { [ "$1" = +%F ] && echo ${day}; }; ${lineWith('charge')}`;
      expect(await cron(line)).toMatchObject({ code: 0, stdout: '' });
      expect(readFileSync(join(home, `report-${day}.csv`), 'utf8')).toContain(uid);
    }
  });

  it('needs no lock: two runs at the same time charge each row once', async () => {
    const { cron, home, request, activitiesOf } = await openUser();
    const uids = await Promise.all(Array.from({ length: 8 }, () => request()));
    writeDue(home, uids);
    const runs = await Promise.all([cron(lineWith('charge')), cron(lineWith('charge'))]);
    expect(runs.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    const counts = await Promise.all(uids.map(async (uid) => (await activitiesOf(uid)).length));
    expect(counts).toEqual(uids.map(() => 1));
    // A row whose read was too old has an entry before its charge, too.
    const { stdout } = await inProcess(['ledger', 'list', '--state', 'accepted', '--json'], { home, env: {} });
    expect(JSON.parse(stdout).data).toHaveLength(uids.length);
  });
});

const promtool = toolOf('promtool') ?? '';

describe.runIf(promtool !== '')('Prometheus', () => {
  const FOLDER = '/var/lib/prometheus/node-exporter';

  /** Alerts that fire for the file that the line of the page writes. */
  const alertsFor = (text: string): string[] => {
    const folder = newFolder('rules');
    writeFileSync(join(folder, 'rules.yml'), blockBelow('Rules:'));
    execFileSync(promtool, ['check', 'rules', join(folder, 'rules.yml')]);
    const series = [...text.matchAll(/^(\w+\{.*\}) (\S+)$/gm)].map(([, name, value]) => ({
      series: name,
      values: `${value}+0x60`,
    }));
    const firing = (alert: string): boolean => {
      // A test that expects no alert fails if it fires.
      const test = { interval: '1m', input_series: series, alert_rule_test: [{ eval_time: '50m', alertname: alert }] };
      const file = join(folder, 'test.yml');
      writeFileSync(file, JSON.stringify({ rule_files: ['rules.yml'], evaluation_interval: '1m', tests: [test] }));
      const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', file], { encoding: 'utf8' });
      const wrong = status !== 0;
      expect(`${stdout}${stderr}`).toContain(wrong ? `alertname: ${alert}` : 'SUCCESS');
      return wrong;
    };
    return ['PaymentCases', 'PaymentSync', 'PaymentUnknown'].filter(firing);
  };

  const written = async ({ cron }: Awaited<ReturnType<typeof openUser>>): Promise<string> => {
    const folder = newFolder('collector');
    const { code, stderr } = await cron(blockBelow('textfile collector').replace(FOLDER, folder));
    expect(code, stderr).toBe(0);
    const text = readFileSync(join(folder, 'paycli.prom'), 'utf8');
    execFileSync(promtool, ['check', 'metrics'], { input: text });
    return text;
  };

  it('fires nothing on a quiet day', async () => {
    const user = await openUser();
    await user.charge(await user.request());
    expect(alertsFor(await written(user))).toEqual([]);
  });

  it('fires for cases', async () => {
    const user = await openUser();
    const uid = await user.request();
    for (const activity of [await user.charge(uid), await user.charge(uid, '--again')])
      await emulatorRoom.settle({ ...user, activity, as: 'successful', after: undefined });
    expect(alertsFor(await written(user))).toEqual(['PaymentCases']);
  });

  it('fires for a sync that failed, that is old, or that never was', async () => {
    const user = await openUser();
    await user.charge(await user.request());
    const text = await written(user);
    const old = text.replace(/^(paycli_last_sync_timestamp_seconds\{.*\}) \d+$/m, '$1 -3600');
    expect(old).not.toBe(text);
    await user.close();
    const failed = await written(user);
    expect([old, failed, ''].map(alertsFor)).toEqual([['PaymentSync'], ['PaymentSync'], ['PaymentSync']]);
  });

  it('fires for a charge that stays unknown', async () => {
    const user = await openUser();
    const text = await written(user);
    const aged = text.replace(/^(paycli_oldest_unknown_seconds\{.*\}) 0$/m, '$1 1000');
    expect(aged).not.toBe(text);
    expect(alertsFor(aged)).toEqual(['PaymentUnknown']);
  });
});
