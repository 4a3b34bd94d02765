import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { scene } from '../support/scene.ts';
import { page, problem, serve } from '../support/service.ts';

const TAIL = `…${CANARY.slice(-4)}`;
const OTHER = `${CANARY.slice(0, -4)}beef`;

/** Stores the key on standard input as this profile. */
const login = (name: string, where = '--environment live') =>
  `login --profile ${name} ${where} --key-stdin --no-verify`.split(' ');

describe('profile show', () => {
  it('sends nothing, and prints the last characters of the key in the environment', async () => {
    const service = await serve([]);
    const { stdout } = await scene({ service, argv: ['profile', 'show', '--json'] });
    expect(JSON.parse(stdout)).toEqual({
      name: null,
      default: false,
      origin: service.origin,
      environment: 'loopback',
      key: TAIL,
      created_at: null,
      key_from: 'environment',
      operator: expect.any(String),
      accepted: null,
    });
    expect(service.connections()).toBe(0);
  });

  it("checks the profile's key with --check", async () => {
    const { origin, seen } = await serve([page([1], null), problem(401, 'No')]);
    const there = `--base-url ${origin}`;
    const argv = ['profile', 'show', 'two', '--check', '--json'];
    const { home } = await scene({ argv: login('one', there), stdin: CANARY, stderr: /^/ });
    const json = { name: 'two', key: '…beef', accepted: true };
    await scene({ home, before: [login('two', there)], stdin: OTHER, argv, json });
    await scene({ home, argv, exit: 4 });
    expect(seen.map(({ headers }) => headers['authorization'])).toEqual(Array(2).fill(`Bearer ${OTHER}`));
  });

  it.each<[what: string, words: readonly string[], env: Readonly<Record<string, string>>, name: string]>([
    ['the default profile', [], {}, 'a'],
    ['the profile in the argument', ['b'], {}, 'b'],
    ['--profile', ['--profile', 'b'], {}, 'b'],
    ['PAYCLI_PROFILE', [], { PAYCLI_PROFILE: 'b' }, 'b'],
    ['the argument over --profile', ['b', '--profile', 'a'], {}, 'b'],
    ['the argument over --local', ['b'], { PAYCLI_PROFILE: 'local' }, 'b'],
    ['--local', ['--local'], {}, 'local'],
  ])('selects %s', async (_what, words, env, name) => {
    const argv = ['profile', 'show', ...words, '--json'];
    await scene({ env, before: [login('a'), login('b')], stdin: CANARY, argv, json: { name, default: name === 'a' } });
  });

  it('notes that a key in the environment overrides the stored one', () =>
    scene({
      env: { PAYCLI_SECRET_KEY: CANARY },
      before: [login('a')],
      stdin: OTHER,
      argv: ['profile', 'show', 'a'],
      stdout: [`key\t${TAIL}\n`],
      stderr: 'PAYCLI_SECRET_KEY is set: it is used instead of the stored key\n',
    }));

  it('names the known profiles in the error for an unknown one', () =>
    scene({
      before: [login('a')],
      stdin: CANARY,
      argv: ['profile', 'show', 'b'],
      exit: 4,
      stderr: ['error: no profile "b"\n→ did you mean "a"? known: a; '],
    }));

  it('has the command that adds a profile if there is none', () =>
    scene({ argv: ['profile', 'show'], exit: 4, stderr: ['error: no profiles yet\n→ run `paycli login` '] }));
});

describe('an alias', () => {
  it.each([
    ['whoami', ['profile', 'show']],
    ['logout', ['profile', 'remove']],
  ])('`%s` runs %j with the same options and help', async (alias, words) => {
    const { home } = await scene({ argv: login('a'), stdin: CANARY, stderr: /^/ });
    expect(await inProcess([alias, '--nope'], { home })).toEqual(await inProcess([...words, '--nope'], { home }));
    const help = await inProcess([...words, '--help']);
    expect(help.stdout).toContain(`Alias: \`paycli ${alias}\`.`);
    expect(await inProcess([alias, '--help'])).toEqual(help);
    expect(await inProcess(['help', alias])).toEqual(help);
    expect(await inProcess([alias, 'b'], { home })).toEqual(await inProcess([...words, 'b'], { home }));
    await scene({ home, argv: ['--profile', 'a', alias, '--yes'], stdout: /^name\ta\n/, stderr: /^/ });
  });

  it('is not listed in other help pages and never suggested', async () => {
    for (const words of [['--help'], ['help', 'profile'], ['whoam'], ['logot']]) {
      const { stdout, stderr } = await inProcess(words);
      expect(stdout + stderr).not.toMatch(/\b(?:whoami|logout)\b/);
    }
  });
});
