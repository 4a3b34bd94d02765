import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { PROGRAM } from '../support/built.ts';
import { inProcess } from '../support/in-process.ts';
import { type Ended, newFolder, type Running, start } from '../support/program.ts';
import { programs } from '../support/shell.ts';
import { toolOf } from '../support/tool.ts';
import { bodyOf, deliver, SECRET } from '../support/webhooks.ts';
import { USSD } from './desk-support.ts';
import { blockBelow, openRealShop } from './unattended-support.ts';

const COMMON = 'paycli-.service.d/common.conf';
const SERVICES = ['paycli-watch.service', 'paycli-listen.service', 'paycli-status.service', 'mail-paycli@.service'];
const FILES = [...SERVICES, 'paycli-status.timer', COMMON];

/** Values of the settings of a unit, with those of the drop-in first. */
const settingsOf = (name: string): ReadonlyMap<string, readonly string[]> => {
  const settings = new Map<string, string[]>();
  for (const file of [COMMON, name]) {
    for (const [, key = '', value = ''] of blockBelow(file).matchAll(/^(\w+)=(.*)$/gm)) {
      settings.set(key, [...(settings.get(key) ?? []), value]);
    }
  }
  return settings;
};

/** Words of a command line of systemd, or of a list of variables. */
const wordsOf = (line: string): string[] =>
  (line.match(/(?:[^\s"]|"[^"]*")+/g) ?? []).map((word) => word.replaceAll('"', '').replaceAll('$$', '$'));

/**
 * A machine as systemd prepares it for units: a private state folder behind a link, and credentials as newer versions
 * hand them out, readable for a group that is an access list.
 */
const openMachine = async () => {
  const shop = await openRealShop();
  const [state, configuration] = [newFolder('state'), newFolder('etc')];
  mkdirSync(join(state, 'private/paycli'), { recursive: true, mode: 0o700 });
  symlinkSync('private/paycli', join(state, 'paycli'));
  writeFileSync(join(configuration, 'key'), `${shop.key}\n`, { mode: 0o600 });
  writeFileSync(join(configuration, 'secret'), `${SECRET}\n`, { mode: 0o600 });
  const prepare = (name: string) => {
    const settings = settingsOf(name);
    const credentials = newFolder('credentials');
    for (const credential of settings.get('LoadCredential') ?? []) {
      const [id = '', source = ''] = credential.split(':/etc/paycli/');
      writeFileSync(join(credentials, id), readFileSync(join(configuration, source)), { mode: 0o440 });
    }
    const filled = (text: string): string => text.replaceAll('%S', state).replaceAll('%d', credentials);
    const variables = (settings.get('Environment') ?? []).flatMap((line) => wordsOf(filled(line)));
    const env = {
      // Not those of the person who runs the tests.
      ...{ HOME: undefined, PAYCLI_HOME: undefined, XDG_CACHE_HOME: undefined, TZ: undefined, LC_ALL: undefined },
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin',
      CREDENTIALS_DIRECTORY: credentials,
      ...Object.fromEntries(variables.map((word) => word.split('='))),
    };
    const wordsIn = (setting: string): string[] => {
      const [line = '', ...others] = settings.get(setting) ?? [];
      expect([others, line.startsWith('/usr/bin/paycli ')]).toEqual([[], true]);
      return wordsOf(filled(line.replace('--environment live', `--base-url ${shop.origin}`))).slice(1);
    };
    return { settings, env, wordsIn };
  };
  return {
    ...shop,
    /** Runs another command as the unit, such as that of a person with `systemd-run`. */
    asUnit: (...args: string[]): Promise<Ended> =>
      inProcess(args, { env: prepare('paycli-status.service').env, cwd: '/' }),
    /** Starts a unit: ExecStartPre, then ExecStart, with some words replaced. */
    unit: async (name: string, others: Readonly<Record<string, string>> = {}, before: readonly string[] = []) => {
      const { settings, env, wordsIn } = prepare(name);
      const first = await inProcess(wordsIn('ExecStartPre'), { env, cwd: '/' });
      expect(first.code, first.stderr).toBe(0);
      const words = wordsIn('ExecStart').map((word) => others[word] ?? word);
      const [file, ...program] = [...before, ...PROGRAM] as [string, ...string[]];
      const run = start(words, { env, cwd: '/', program: [file, ...program] });
      return { run, stop: () => stopOf(run, settings) };
    },
  };
};

/** Stops a unit as systemd does. Resolves to true if it counts as a success. */
const stopOf = async (run: Running, settings: ReadonlyMap<string, readonly string[]>): Promise<boolean> => {
  const seconds = Number(settings.get('TimeoutStopSec')?.[0]);
  expect(seconds).toBeGreaterThan(0);
  const timer = setTimeout(() => run.kill('SIGKILL'), seconds * 1000);
  onTestFinished(() => clearTimeout(timer));
  run.kill('SIGTERM');
  const { code, signal } = await run.ended;
  const successes = (settings.get('SuccessExitStatus') ?? []).flatMap((line) => line.split(' ')).map(Number);
  return signal !== 'SIGKILL' && [0, ...successes].includes(code ?? -1);
};

const analyze = toolOf('systemd-analyze') ?? '';

describe.runIf(analyze !== '')('systemd', () => {
  const installed = (): string => {
    const folder = newFolder('units');
    for (const file of FILES) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      // A machine without paycli checks the units, too.
      writeFileSync(join(folder, file), blockBelow(file).replaceAll('/usr/bin/paycli', '/bin/true'));
    }
    return folder;
  };

  it.each(FILES.filter((file) => file !== COMMON))('accepts %s', (file) => {
    const { status, stdout, stderr } = spawnSync(analyze, ['verify', join(installed(), file)], { encoding: 'utf8' });
    const ours = `${stdout}${stderr}`.split('\n').filter((line) => /paycli/.test(line));
    expect([status, ours]).toEqual([0, []]);
  });

  it('mails the last lines of a unit that failed', () => {
    const [line = ''] = settingsOf('mail-paycli@.service').get('ExecStart') ?? [];
    const [, script = ''] = /^\/bin\/sh -c '(.*)'$/.exec(line) ?? [];
    const tools = programs({ journalctl: 'echo "journal $*"', sendmail: 'cat; echo "to $*"' });
    const asked = script.replaceAll('%i', 'paycli-watch.service').replace('/usr/sbin/', `${tools}/`);
    const env = { PATH: `${tools}:${process.env['PATH']}` };
    const { stdout } = spawnSync('/bin/sh', ['-c', asked], { encoding: 'utf8', env });
    expect(stdout.split('\n')).toEqual([
      'Subject: paycli-watch.service failed',
      ...['', 'journal -n 50 -u paycli-watch.service', 'to root', ''],
    ]);
  });

  it.each(SERVICES.filter((file) => file.startsWith('paycli-')))('finds little exposed of %s', (file) => {
    const args = ['security', '--offline=true', '--no-pager', '--threshold=20', join(installed(), file)];
    const { status, stdout } = spawnSync(analyze, args, { encoding: 'utf8' });
    expect(stdout).toContain('Overall exposure level');
    expect(status, stdout).toBe(0);
  });

  const strace = toolOf('strace') ?? '';

  it.runIf(strace !== '')('allows each system call that a run makes', async () => {
    const { unit } = await openMachine();
    const filters = settingsOf('paycli-status.service').get('SystemCallFilter') ?? [];
    const allowed = new Set<string>();
    const add = (set: string): void => {
      for (const line of execFileSync(analyze, ['syscall-filter', set], { encoding: 'utf8' }).split('\n').slice(1)) {
        const name = line.trim();
        if (name.startsWith('@')) add(name);
        else if (/^\w+$/.test(name)) allowed.add(name);
      }
    };
    for (const set of filters) add(set);
    const calls = join(newFolder('strace'), 'calls');
    const { run } = await unit('paycli-status.service', {}, [strace, '-f', '-qq', '-o', calls]);
    expect((await run.ended).code).toBe(0);
    const used = new Set([...readFileSync(calls, 'utf8').matchAll(/^\d+ +(\w+)\(/gm)].map(([, name = '']) => name));
    expect(used.size).toBeGreaterThan(20);
    expect([...used].filter((name) => !allowed.has(name))).toEqual([]);
  });
});

// The units' user and folders are those of systemd, and its commands those of a shell.
describe.skipIf(process.platform === 'win32')('the unit', () => {
  it('paycli-watch tells the program about a payment, and stops in time', async () => {
    const { unit, asUnit, request, file, clock } = await openMachine();
    await (await unit('paycli-status.service')).run.ended;
    const { uid } = await request();
    const charged = await asUnit('ugwo', 'charge', uid, ...USSD, '--json');
    expect(charged.code, charged.stderr).toBe(0);
    const notify = join(programs({ notify: 'cat' }), 'notify');
    const { run, stop } = await unit('paycli-watch.service', { '/usr/local/bin/notify': notify });
    await run.saw(new RegExp(uid));
    const activity = String(JSON.parse(charged.stdout).uid);
    await emulatorRoom.settle({ file, clock, activity, as: 'successful', after: undefined });
    await run.saw(/"kind":"paid"/);
    expect(await stop(), run.stderr()).toBe(true);
  });

  it('paycli-listen takes an event with the secret of its credential, and stops in time', async () => {
    const { unit } = await openMachine();
    const { run, stop } = await unit('paycli-listen.service', { 4400: '0' });
    await run.saw(/Listening on http:\S+\d\. /);
    const [, origin = ''] = /Listening on (http:\S+)\. /.exec(run.stderr()) ?? [];
    expect((await deliver(origin, bodyOf(1))).status).toBe(200);
    expect(run.stderr()).not.toContain("don't update the ledger");
    expect(await stop(), run.stderr()).toBe(true);
  });

  it('paycli-status asks the service, and fails once something needs a person', async () => {
    const { unit, asUnit, request, file, clock } = await openMachine();
    expect((await (await unit('paycli-status.service')).run.ended).code).toBe(0);
    const { uid } = await request();
    const first = await asUnit('ugwo', 'charge', uid, ...USSD, '--json');
    const second = await asUnit('ugwo', 'charge', uid, ...USSD, '--again', '--json');
    for (const { stdout } of [first, second]) {
      const activity = String(JSON.parse(stdout).uid);
      await emulatorRoom.settle({ file, clock, activity, as: 'successful', after: undefined });
    }
    const ended = await (await unit('paycli-status.service')).run.ended;
    expect([ended.code, ended.stdout]).toEqual([14, expect.stringContaining('twice')]);
  });
});
