import { execFileSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import type { CommandSpec } from '../../src/cli/define.ts';
import { words } from '../structure/words.ts';
import { inProcess } from '../support/in-process.ts';
import { type Ended, newFolder, type Running, start } from '../support/program.ts';
import { inShell, type Place, type Tried, tryLines } from '../support/shell.ts';
import { SPECS } from '../support/specs.ts';
import { openTerminal } from '../support/terminal.ts';
import { bodyOf, deliver, listen, secretFile, serveTarget } from '../support/webhooks.ts';
import { command, document, judged } from './schema-support.ts';

type Example = CommandSpec['examples'][number];

/** The exit codes in an example's description, besides 0. */
const namedCodes = ({ about }: Example): number[] =>
  [...about.matchAll(/\bexit (\d+)/g)].map(([, code]) => Number(code));

const examplesOf = (wanted: (path: string) => boolean): (readonly [path: string, about: string, example: Example])[] =>
  SPECS.flatMap(({ path, examples }) =>
    examples.filter(() => wanted(path.join(' '))).map((example) => [path.join(' '), example.about, example] as const),
  );

const runsOn = (path: string): boolean => path === 'emulator start';
const isOfProfiles = (path: string): boolean => /^(?:profile|config|ledger use)\b/.test(path);
const isLogin = (path: string): boolean => path === 'login';
const isListening = (path: string): boolean => path === 'webhook listen';
const isOfOneEvent = (path: string): boolean => /^webhook events (?:show|replay)$/.test(path);
const sendsEvent = (path: string): boolean => path === 'webhook trigger';
/** Examples that need more than a new built-in service. */
const isApart = (path: string): boolean =>
  [runsOn, isLogin, isListening, isOfOneEvent, sendsEvent].some((is) => is(path));

/** Examples with another format, or that run until stopped. */
const OTHERWISE = /(?: -o | --columns| --as-curl| > |emulator start|paycli schema)/;
const lastOf = ({ line }: Example): string => line.split('\n').at(-1) ?? '';
const printsJson = (example: Example): boolean => !OTHERWISE.test(lastOf(example).replaceAll(/"\$\(.*?\)"/g, ''));

/** Per command, the first plain example and the first with a file. Their JSON must match the schema. */
const inJson = new Set(
  SPECS.flatMap(({ examples }) => {
    const fit = examples.filter(printsJson);
    return [fit[0], fit.find(({ line }) => line.includes(' --from '))];
  }),
);
/** Shapes of lines. The first example of each also runs in a shell, by the built program. */
const SHAPES = [
  /^paycli [^'"$|>\n]*$/,
  /^paycli .*'.* .*'/,
  /^printf .* > \S+\n/,
  /^\(umask/,
  /^printf [^>]* \| paycli/,
  /"\$\(paycli/,
  /\$\(date/,
  /^paycli .* > /,
];
const ASKED = /"\$\(paycli (.*?)\)"/;

/** Runs the lines with `paycli` and each "$(paycli …)" in this process; what prepares them is a shell's. */
const tryHere = async (lines: string, { home = newFolder(), env = {} }: Place): Promise<Tried> => {
  const cwd = newFolder('cwd');
  const run = (text: string, stdin = '') => inProcess(words(text), { home, env, stdin, cwd });
  const prepare = (text: string) => execFileSync('/bin/sh', ['-c', text], { cwd, encoding: 'utf8' });
  const ends: Ended[] = [];
  for (const one of lines.split('\n')) {
    const asked = ASKED.exec(one)?.[1];
    const told = asked === undefined ? '' : (await run(asked)).stdout.trim();
    const [, first, text] = /^(?:(.*) \| )?paycli (.*)$/.exec(one.replace(ASKED, told)) ?? [];
    if (text === undefined) prepare(one);
    else ends.push(await run(text, first === undefined ? '' : prepare(first)));
  }
  const codes = ends.map(({ code }) => Number(code)).filter((code) => code !== 0);
  return { codes, ended: ends.at(-1) as Ended };
};

/** The example with --json on its last line. */
const asJson = ({ line }: Example): string => `${line.replace(/ --json$/, '')} --json`;

const judge = (path: string, { stdout, stderr }: Ended): void => {
  expect(stdout + stderr).not.toBe('');
  if (stdout !== '') judged(command(path)?.output.json ?? { not: {} }, stdout);
  for (const line of stderr.split('\n').filter((one) => one.startsWith('{'))) judged(document.error, line);
};

/** A home with the two profiles that the examples of `login` create. */
const withProfiles = async (): Promise<Place> => {
  const home = newFolder();
  for (const name of ['default', 'shop']) {
    const args = ['login', '--profile', name, '--environment', 'sandbox', '--key-stdin', '--no-verify'];
    expect(await inProcess(args, { home, stdin: `sk.Test.${'0'.repeat(80)}` })).toMatchObject({ code: 0 });
  }
  return { home };
};

describe.runIf(process.platform !== 'win32')('a help example works as printed', () => {
  // `export PAYCLI_PROFILE=local` acts like --local on every line, including $(…).
  const LOCAL = { PAYCLI_PROFILE: 'local' };

  it.each(examplesOf((path) => !isApart(path)))(
    'with a new built-in service, or the profiles `default` and `shop`: %s, %s',
    async (path, _about, example) => {
      const place = isOfProfiles(path) ? await withProfiles() : { env: LOCAL };
      const isJson = inJson.has(example);
      const line = isJson ? asJson(example) : example.line;
      const { codes, ended } = await tryHere(line.replace(/timeout \d+s/, 'timeout 1s'), place);
      expect(codes, ended.stderr).toEqual(namedCodes(example));
      // A preparing command has its own exit codes.
      const told = command(path)?.exit_codes.map(({ code }) => code) ?? [];
      if (!example.line.includes('\n')) expect(told).toEqual(expect.arrayContaining(codes));
      if (isJson) judge(path, ended);
      // Scripts want one value and no heading.
      if (/ -o tsv --columns \w+$/.test(example.line)) expect(ended.stdout).toMatch(/^[^\t\n]+\n$/);
    },
  );

  it.each(SHAPES)('in a shell: the first like %s', async (shape) => {
    const all = examplesOf((path) => !isApart(path) && !isOfProfiles(path));
    const [, , example] = all.find(([, , { line }]) => shape.test(line)) as (typeof all)[number];
    const { codes, ended } = await tryLines(example.line, { env: LOCAL });
    expect(codes, ended.stderr).toEqual(namedCodes(example));
  });

  // Scripts store the one printed value in a variable.
  it('in a script', async () => {
    const lines = examplesOf((path) => path === 'ugwo create').map(([, , { line }]) => line);
    const line = lines.find((one) => one.endsWith(' -o tsv --columns uid')) ?? '';
    const next = 'paycli ugwo get "$value" -o tsv --columns uid';
    const { codes, ended } = await tryLines(`value="$(${line})"\n${next}`, { env: LOCAL });
    expect(codes, ended.stderr).toEqual([]);
    expect(ended.stdout).toMatch(/^ugw\.\S+\n$/);
  });

  it('also the first line of help', async () => {
    const { stdout } = await inProcess(['--help']);
    const line = /^Start here: (paycli .* --local) /m.exec(stdout)?.[1] ?? '';
    expect(await tryLines(line, {})).toMatchObject({ codes: [] });
  });

  it.each(examplesOf(runsOn))('until stopped: %s, %s', async (_path, _about, { line }) => {
    const running = start([], inShell(`exec ${line} --json`, {}));
    await running.saw(/"origin":"http:.*\n/);
    running.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 0 });
  });

  it.each(examplesOf(isListening))('on any free port, until stopped: %s, %s', async (_path, _about, { line }) => {
    const cwd = newFolder('cwd');
    secretFile(cwd);
    expect(line).toContain('--port 4400');
    const running = start([], inShell(`exec ${line.replace('--port 4400', '--port 0')}`, { cwd }));
    await running.saw(/Listening on http/);
    running.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130 });
  });

  it('for a received event', async () => {
    const [home, target] = [newFolder(), await serveTarget()];
    const examples = examplesOf(isOfOneEvent);
    const [uid = ''] = /evt\.\S+/.exec(examples[0]?.[2].line ?? '') ?? [];
    const listener = await listen(home, ['--until', '1']);
    await deliver(listener.origin, bodyOf(1).replace(/evt\.[^"]+/, uid));
    expect(await listener.ended).toMatchObject({ code: 0 });
    for (const [path, , { line }] of examples) {
      const here = line.replace('http://127.0.0.1:3000/webhooks', target.url);
      const { codes, ended } = await tryHere(`${here} --json`, { home });
      expect(codes, ended.stderr).toEqual([]);
      judge(path, ended);
    }
  });

  it.each(examplesOf(sendsEvent))('with a receiver: %s, %s', async (path, _about, { line }) => {
    const target = await serveTarget();
    const { codes, ended } = await tryHere(`${line.replace('http://127.0.0.1:3000/webhooks', target.url)} --json`, {});
    expect(codes, ended.stderr).toEqual([]);
    judge(path, ended);
  });

  let emulator: Running | undefined;
  afterAll(() => emulator?.kill('SIGKILL'));
  /** One emulator for all logins, which change nothing in it. */
  const ofEmulator = async (): Promise<{ origin: string; key: string }> => {
    emulator ??= start(['emulator', 'start', '--json'], { atEnd: () => undefined });
    await emulator.saw(/"key":"[^"]+".*\n/);
    return JSON.parse(emulator.stdout());
  };

  // Uses an emulator instead of the public service (--base-url for --environment). The key is piped or typed; `op`
  // stands for a password manager.
  it.each(examplesOf(isLogin))('with an emulator: %s, %s', async (_path, _about, { line }) => {
    const home = newFolder();
    const { origin, key } = await ofEmulator();
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
    const { env = {} } = inShell('', { home, also });
    expect(await inProcess(['ugwo', 'list', ...words(named)], { home, env })).toMatchObject({ code: 0 });
  });
});
