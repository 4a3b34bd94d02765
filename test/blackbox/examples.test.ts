import { describe, expect, it } from 'vitest';
import type { CommandSpec } from '../../src/cli/define.ts';
import { words } from '../structure/words.ts';
import { newFolder, paycli, start } from '../support/program.ts';
import { inShell, tryLines } from '../support/shell.ts';
import { SPECS } from '../support/specs.ts';
import { openTerminal } from '../support/terminal.ts';
import { bodyOf, deliver, listen, secretFile, serveTarget } from '../support/webhooks.ts';

type Example = CommandSpec['examples'][number];

/** The codes that an example says it ends with, beside 0. */
const namedCodes = ({ about }: Example): number[] =>
  [...about.matchAll(/\bexit (\d+)/g)].map(([, code]) => Number(code));

const examplesOf = (wanted: (path: string) => boolean): (readonly [path: string, about: string, example: Example])[] =>
  SPECS.flatMap(({ path, examples }) =>
    examples.filter(() => wanted(path.join(' '))).map((example) => [path.join(' '), example.about, example] as const),
  );

const runsOn = (path: string): boolean => path === 'emulator start';
const isOfProfiles = (path: string): boolean => path === 'logout' || /^(?:profile|config) /.test(path);
const isLogin = (path: string): boolean => path === 'login';
const isListening = (path: string): boolean => path === 'webhook listen';
const isOfOneEvent = (path: string): boolean => /^webhook events (?:show|replay)$/.test(path);
/** What a new built-in service has no answer to. */
const isApart = (path: string): boolean =>
  [runsOn, isOfProfiles, isLogin, isListening, isOfOneEvent].some((is) => is(path));

describe.runIf(process.platform !== 'win32')('an example of help works as it is printed', () => {
  // `export PAYCLI_PROFILE=local` is --local for every line of an example, those in $(…) included.
  const LOCAL = { PAYCLI_PROFILE: 'local' };

  it.each(examplesOf((path) => !isApart(path)))('on a new built-in service: %s, %s', async (_path, _about, example) => {
    const { codes, ended } = await tryLines(example.line, { env: LOCAL });
    expect(codes, ended.stderr).toEqual(namedCodes(example));
  });

  it('and so does the first line of help', async () => {
    const { stdout } = await paycli(['--help']);
    const line = /^ {2}(paycli .* --local)$/m.exec(stdout)?.[1] ?? '';
    expect(await tryLines(line, {})).toMatchObject({ codes: [] });
  });

  it.each(examplesOf(runsOn))('until it is stopped: %s, %s', async (_path, _about, { line }) => {
    const running = start([], inShell(`exec ${line} --json`, {}));
    await running.saw(/"origin":"http:.*\n/);
    running.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 0 });
  });

  it.each(examplesOf(isListening))('on any free port, until it is stopped: %s, %s', async (_path, _about, { line }) => {
    const cwd = newFolder('cwd');
    secretFile(cwd);
    expect(line).toContain('--port 4400');
    const running = start([], inShell(`exec ${line.replace('--port 4400', '--port 0')}`, { cwd }));
    await running.saw(/Listening on http/);
    running.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130 });
  });

  it.each(examplesOf(isOfOneEvent))('where that event was received: %s, %s', async (_path, _about, { line }) => {
    const [home, target] = [newFolder(), await serveTarget()];
    const uid = /evt\.\S+/.exec(line)?.[0] ?? '';
    const listener = await listen(home, ['--until', '1']);
    await deliver(listener.origin, bodyOf(1).replace(/evt\.[^"]+/, uid));
    expect(await listener.ended).toMatchObject({ code: 0 });
    const here = line.replace('http://127.0.0.1:3000/webhooks', target.url);
    const { codes, ended } = await tryLines(here, { home });
    expect(codes, ended.stderr).toEqual([]);
  });

  // There is no profile that --local could stand for: these have the two that `login` would have stored.
  it.each(examplesOf(isOfProfiles))(
    'with a profile `default` and one called `shop`: %s, %s',
    async (_path, _about, { line }) => {
      const home = newFolder();
      for (const name of ['default', 'shop']) {
        const args = ['login', '--profile', name, '--environment', 'sandbox', '--key-stdin', '--no-verify'];
        expect(await paycli(args, { home, stdin: `sk.Test.${'0'.repeat(80)}` })).toMatchObject({ code: 0 });
      }
      const { codes, ended } = await tryLines(line, { home });
      expect(codes, ended.stderr).toEqual([]);
    },
  );

  // A login asks the public service, which no test does: an emulator takes its place, by --base-url for --environment. Its
  // key is piped in or typed, and `op` stands for the program of a password manager.
  it.each(examplesOf(isLogin))('against an emulator: %s, %s', async (_path, _about, { line }) => {
    const home = newFolder();
    const emulator = start(['emulator', 'start', '--json']);
    await emulator.saw(/"key":"[^"]+".*\n/);
    const { origin, key } = JSON.parse(emulator.stdout()) as { origin: string; key: string };
    expect(line).toMatch(/ --environment \w+/);
    const also = { op: `echo ${key}` };
    const named = / --profile \w+/.exec(line)?.[0] ?? '';
    const here = line.replace(/ --environment \w+/, ` --base-url ${origin}`);
    if (line.includes('--key-')) {
      const { codes, ended } = await tryLines(here, { home, stdin: key, also });
      expect(codes, ended.stderr).toEqual([]);
    } else {
      const terminal = openTerminal(words(here).slice(1), { home });
      await terminal.saw(/Secret key/);
      terminal.type(`${key}\r`);
      expect(await terminal.ended).toEqual({ code: 0 });
    }
    expect((await tryLines(`paycli ugwo list ${named}`, { home, also })).codes).toEqual([]);
  });
});
