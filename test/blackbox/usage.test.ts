import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { TOPICS } from '../../src/cli/program.ts';
import { NOUNS } from '../../src/commands/all.ts';
import { words } from '../structure/words.ts';
import { NODE_PROGRAM } from '../support/built.ts';
import { CANARY } from '../support/canary.ts';
import { onTerminal } from '../support/on-terminal.ts';
import { newFolder, paycli, runBefore, start } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { ACTIVITY, hang, ONYE_ID, serveBy, UGWO_ID } from '../support/service.ts';
import { SPECS } from '../support/specs.ts';

/** Runs a module given as text. */
const runModule = (text: string): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, ['--input-type=module', '-e', text], { encoding: 'utf8' });

/** A text without this part. */
const without = (part: string): RegExp => new RegExp(`^(?![^]*${part})`);

describe('help', () => {
  it.each([[[]], [['--help']], [['help']]])('%j prints the first page on stdout', async (args) => {
    await scene({
      ...(args.length === 0 && { built: true }),
      argv: args,
      stdout: ['Usage: paycli', 'ugwo', 'onye', 'login', '--local', 'Start here', 'Payments', without('--timeout')],
    });
  });

  it('names every command on a first page of at most 30 lines', async () => {
    const { stdout } = await scene({ argv: ['--help'], env: { COLUMNS: '80' } });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(30);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const names = stdout.replaceAll(/\n {25}/g, ' ').matchAll(/^.{13}(\w+) +(?:.*: )?([\w, ]+)$/gm);
    const listed = [...names].flatMap(([, noun = '', verbs = '']) =>
      verbs.split(', ').map((verb) => `${noun} ${verb}`),
    );
    for (const { path } of SPECS) {
      if (path.length === 1) expect(stdout).toMatch(new RegExp(`^.{13}${path[0]} `, 'm'));
      else expect(listed).toContain(path.slice(0, 2).join(' '));
    }
  });

  it.each([
    [
      ['help', 'payment', 'get'],
      ['ugwo', 'get', '--help'],
    ],
    [
      ['help', 'ugwo', 'charge', '--all'],
      ['ugwo', 'charge', '--help', '--all'],
    ],
  ])('%j prints the same as %j', async (argv, same) => {
    const { stdout } = await scene({ argv: same });
    await scene({ argv, stdout });
  });

  it('is ASCII in an ASCII locale', async () => {
    const env = { LC_ALL: 'C' };
    await scene({ argv: ['ugwo', 'charge', '--help'], env, stdout: /^[ -~\n]+$/ });
    await scene({ argv: ['nope'], env, exit: 2, stderr: /^-> see: paycli --help$/m });
  });

  it.each<[string, readonly (string | RegExp)[]]>([
    [
      'ugwo charge --help',
      ['--medium', 'Exit codes:', 'paycli ugwo charge ugw.', '--help --all', without('--delimiter')],
    ],
    ['ugwo charge --help --all', ['--delimiter']],
    // A command's own option --all is no request for help.
    ['ugwo list --all --help', ['--all ']],
    ['--help --all', ['--timeout']],
    ['help ugwo', ['charge', 'list']],
    ['help ugwo charge', ['Usage: paycli ugwo charge', '--medium']],
    ['onye update -h', ['--merge-meta', 'Exit codes:']],
    ['customer update --help', ['Usage: paycli onye update']],
    ['help payment', ['Alias: `paycli payment`.']],
    // An empty cell of a table makes no line.
    ['help exit-codes', [/^ *0 +done\n *1 +/m]],
  ])('%s contains %j', async (line, stdout) => {
    await scene({ argv: line.split(' '), stdout });
  });

  it('fits a narrow terminal', async () => {
    const { code, raw } = await onTerminal(['ugwo', 'list', '--help', '--all'], { columns: 60 });
    expect(code).toBe(0);
    const [, options = ''] = raw.split('Options:');
    expect(options).toContain('--cursor');
    expect(options.split('\n').filter((line) => line.length > 60)).toEqual([]);
  });

  it('paints only its headings on a terminal', async () => {
    const { raw } = await onTerminal(['ugwo', 'get', '--help'], { columns: 120 });
    expect(raw).toContain('\u001b[1mUsage: paycli ugwo get [options] <ugwo>\u001b[22m');
    await scene({ argv: ['ugwo', 'get', '--help'], env: { COLUMNS: '120' }, stdout: stripVTControlCharacters(raw) });
  });

  it.each(TOPICS)('has the topic %s, also in ASCII', async (topic) => {
    const argv = ['help', 'docs', topic];
    await scene({ argv });
    await scene({ argv, env: { LC_ALL: 'C' }, stdout: /^(?:[ -~]*\n){5,}$/ });
  });

  it('finds a phrase on the same pages at every width', async () => {
    const pagesAt = async (columns: string) => {
      const argv = ['help', '--search', 'the payment request'];
      const { stdout } = await scene({ argv, env: { COLUMNS: columns } });
      expect(stdout.split('\n').filter((line) => line.length > Number(columns))).toEqual([]);
      return stdout.split('\n').filter((line) => line.startsWith('paycli help '));
    };
    expect(await pagesAt('80')).toEqual(await pagesAt('200'));
  });

  it('finds a word in all pages', async () => {
    await scene({ argv: ['help', '--search', 'idempotency'], stdout: /^paycli help docs service\n/m });
    await scene({ argv: ['help', '--search', 'zzzz'], exit: 2 });
  });

  it('prints the version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    for (const argv of [['--version'], ['version']]) await scene({ argv, stdout: `${version}\n` });
    await scene({ argv: ['version', '--json'], json: { version } });
  });
});

describe('a noun or group alone', () => {
  const groups = Object.entries(NOUNS).flatMap(([noun, { groups = {} }]) =>
    Object.keys(groups).map((one) => [noun, one]),
  );

  it.each([...Object.keys(NOUNS).map((noun) => [noun]), ...groups])('shows its help: %s %s', async (...words) => {
    const path = words.filter((word) => typeof word === 'string');
    const { stdout } = await scene({ argv: ['help', ...path] });
    await scene({ argv: [...path, '--local'], stdout });
  });
});

it('every list takes --all', async () => {
  const lists = SPECS.filter(({ options }) => 'cursor' in options);
  expect(lists.filter(({ options }) => !('all' in options)).map(({ path }) => path)).toEqual([]);
  await scene({ argv: ['ledger', 'list', '--all', '--local'], stderr: 'Nothing found.\n' });
});

describe('a wrong command line', () => {
  it.each([
    [['ugwo', '--lmit'], /unknown option '--lmit'/],
    [['ugwo', 'chrage'], /unknown command 'chrage' \(Did you mean charge\?\)/],
    [['ugow', 'list'], /unknown command 'ugow' \(Did you mean ugwo\?\)/],
    [['ugvo', 'list'], /unknown command 'ugvo' \(Did you mean ugwo\?\)/],
    [['charge', 'ugw.A.b'], /unknown command 'charge' \(Did you mean ugwo charge\?\)/],
    [['create'], /unknown command 'create' \(Did you mean one of ugwo create, onye create, refund create\?\)/],
    [['list'], /unknown command 'list'$/m],
    [['payment', 'nope'], /see: paycli ugwo --help$/m],
    [['webhook', 'events', 'lst'], /unknown command 'lst' \(Did you mean list\?\)/],
    [['help', 'charge'], /unknown command 'charge' \(Did you mean ugwo charge\?\)/],
    [['ugwo', 'list', '--lmit', '3'], /unknown option '--lmit'.*--limit/s],
    [['completion', '--shell', 'bash'], /unknown option '--shell': give the shell without it/],
    [['ugwo', 'list', '--limit'], /--limit.*argument missing/s],
    [['ugwo', 'list', '--timeout', 'soon'], /--timeout: "soon" is not a duration/],
    [['ugwo', 'list', '--timeout', '0s'], /--timeout: must be between 1s and 1h \(got 0s\)/],
    [['ugwo', 'list', '--timeout', '1000h'], /--timeout: must be between 1s and 1h \(got 1000h\)/],
    [['help', 'nope'], /unknown command 'nope'/],
    [['help', 'ugwo', 'nope'], /unknown command 'nope'/],
    // No page of the commands leads to `refund` as a topic.
    [['help', 'docs', 'refun'], /no page of the help is "refun"\n→ see: paycli help docs\n$/],
    [['help', 'charging', 'nope'], /unknown command 'charging'\n/],
    [['ugwo', 'list', '--color', 'blue'], /--color: "blue" is not one of auto, always, never/],
    [['ugwo', 'list', '--json', '-o', 'csv'], /--json/],
    [['ugwo', 'list', 'extra'], /too many arguments/],
  ])('%j exits with 2, the reason and the help command', async (args, message) => {
    const { stderr } = await scene({ argv: args, exit: 2, stderr: message });
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(4);
  });

  it.each(['ugwo --json', '--json ugwo list --lmit', 'ugwo list --lmit --json', 'ugwo nope -o ndjson'])(
    'causes a JSON error if JSON is requested anywhere: %s',
    async (line) => {
      const error = { kind: 'usage', exit_code: 2, hint: expect.stringContaining('--help') };
      await scene({ argv: line.split(' '), exit: 2, error });
    },
  );

  it('gets the help command on its own line on a terminal', async () => {
    const { code, raw } = await onTerminal(['ugwo', 'list', '--timeout', 'a-while'], { columns: 50 });
    expect(code).toBe(2);
    expect(stripVTControlCharacters(raw).trimEnd()).toBe(
      [
        'error: --timeout: "a-while" is not a duration',
        '  such as 90s, 10m or 1h',
        '→ see:',
        '    paycli ugwo list --help',
      ].join('\n'),
    );
  });

  it.each(['ugwo charge ugw.A.b', 'ugwo list --limit', 'nope'])('always gets a help command: %s', async (line) => {
    await scene({ argv: line.split(' '), exit: 2, stderr: /^→ see: paycli.* --help$/m });
  });

  it.each([
    [['--local', '--base-url', 'https://x.test'], {}],
    [['--profile', 'local', '--base-url', 'https://x.test'], {}],
    [['--profile', 'local'], { PAYCLI_BASE_URL: 'https://x.test' }],
    [['--base-url', 'https://x.test'], { PAYCLI_PROFILE: 'local' }],
    [['--local', '--profile', 'shop'], {}],
  ])('that combines the emulator with another target is rejected: %j %j', async (args, env) => {
    await scene({ argv: ['ugwo', 'list', ...args], env, exit: 2, stderr: ["can't be used together"] });
  });

  it.each([
    [['ugwo', 'list', `--key=${CANARY}`]],
    [['login', CANARY]],
    [['ugwo', 'charge', CANARY, '--medium', 'ussd']],
    [['onye', 'update', ONYE_ID, '--meta', CANARY]],
    [['ugwo', 'list', '--json', '--timeout', CANARY]],
  ])('never repeats a key: %#', async (args) => {
    const { stderr } = await scene({ argv: args, exit: 2, stderr: [CANARY.slice(-4)] });
    expect(stderr).not.toContain(CANARY);
  });

  it.each([
    '--base-url https://x.test ugwo list --dry-run --json',
    'ugwo --dry-run list --base-url https://x.test --json',
  ])('may have global options before and after the noun: %s', async (line) => {
    await scene({ argv: line.split(' '), stdout: '{"method":"GET","url":"https://x.test/v1/ugwo?limit=10"}\n' });
  });
});

describe('--dry-run', () => {
  it.each(
    SPECS.filter(({ previews }) => previews !== true).map(({ path, examples }) => [
      path.join(' '),
      examples[0]?.line.split(/\n| \| /).findLast((call) => call.startsWith('paycli ')) ?? '',
    ]),
  )('is rejected by %s, which sends no request', async (_path, line) => {
    const home = newFolder();
    for (const option of ['--dry-run', '--as-curl']) {
      await scene({ home, argv: [...words(line).slice(1), '--yes', option], exit: 2, stderr: ['--dry-run'] });
    }
    expect(readdirSync(home)).toEqual([]);
  });
});

describe('an old Node.js', () => {
  it('gets one sentence', () => {
    const text = readFileSync('bin/paycli.js', 'utf8');
    const old = text.replaceAll('process.versions.node', "'20.20.2'");
    expect(old).not.toBe(text);
    expect(runModule(old)).toMatchObject({
      status: 4,
      stdout: '',
      stderr: 'paycli needs Node.js 22.19 or later; this is 20.20.2.\n',
    });
  });

  // The child process must not think that it is the old version.
  const young =
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.0.0' } }); delete process.env.NODE_OPTIONS;";

  it("starts the checkout's own Node, with its streams and exit code", async () => {
    const run = (...args: string[]) => paycli(args, { env: runBefore(young) });
    expect(await run('--version')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
    expect(await run('no-such-command')).toMatchObject({ code: 2, stderr: expect.stringContaining('no-such-command') });
  });

  it.runIf(process.platform === 'linux').each([
    ['SIGINT', 130],
    ['SIGQUIT', 143],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const)('forwards %s to that process', async (signal, code) => {
    const asked = Promise.withResolvers<void>();
    const service = await serveBy(() => {
      asked.resolve();
      return hang;
    });
    const program = ['setsid', ...NODE_PROGRAM] as const;
    const running = start(['ugwo', 'list'], { service, program, env: runBefore(young) });
    await asked.promise;
    running.kill(signal);
    expect(await running.ended).toMatchObject({ code, stderr: expect.stringContaining('Cancelled by') });
  });

  it.each(['22.18.9', '21.7.0', '14.0.0'])('is any before 22.19: %s', (version) => {
    const text = readFileSync('bin/paycli.js', 'utf8').replaceAll('process.versions.node', `'${version}'`);
    expect(runModule(text).status).toBe(4);
  });
});

it.each([
  ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'],
  ['ugwo', 'create', '--amount', '5,000.00', '--currency', 'NGN'],
  ['ugwo', 'cancel', UGWO_ID, '--yes'],
  ['onye', 'create', '--email', 'ada@example.com'],
  ['onye', 'update', ONYE_ID, '--email', 'ada@example.com'],
  ['onye', 'delete', ONYE_ID, '--yes'],
  ['refund', 'create', ACTIVITY.uid, '--amount', '5,000.00', '--yes'],
  ['activity', 'wait', UGWO_ID, ACTIVITY.uid],
  ['ledger', 'resolve', 'chg-000000000000', '--as', 'not-created', '--reason', 'x', '--yes'],
  ['approve', 'plan-000000000000'],
  ['policy', 'set', 'shop', '--max-charges', '1', '--yes'],
])('a column that %s %s does not print is refused before anything is done', async (...argv) => {
  const { home } = await scene({
    service: [],
    looks: 'asked',
    argv: [...argv, '--columns', 'nosuch', '-o', 'tsv'],
    exit: 2,
    stderr: ['no column "nosuch"'],
    entries: [],
  });
  await scene({ home, argv: ['policy', 'list', '--json'], json: { data: [] } });
});
