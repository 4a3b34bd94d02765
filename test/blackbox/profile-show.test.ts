import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { newFolder, type RunOptions } from '../support/program.ts';
import { page, problem, type Service, serve } from '../support/service.ts';

const login = async (home: string, name: string, key = CANARY): Promise<void> => {
  const args = ['login', '--profile', name, '--environment', 'live', '--key-stdin', '--no-verify'];
  expect(await inProcess(args, { home, stdin: key })).toMatchObject({ code: 0 });
};

const show = async (args: readonly string[], options: RunOptions): Promise<unknown> =>
  JSON.parse((await inProcess(['profile', 'show', ...args, '--json'], options)).stdout);

describe('profile show', () => {
  it('sends nothing, and prints the last characters of the key in the environment', async () => {
    const service = await serve([]);
    const ended = await inProcess(['profile', 'show', '--json'], { service });
    expect(JSON.parse(ended.stdout)).toEqual({
      name: null,
      default: false,
      origin: service.origin,
      environment: 'loopback',
      key: `…${CANARY.slice(-4)}`,
      created_at: null,
      key_from: 'environment',
      operator: expect.any(String),
      accepted: null,
    });
    expect(ended.stdout).not.toContain(CANARY);
    expect(service.connections()).toBe(0);
  });

  const authorizationOf = ({ seen }: Service) => seen.map(({ headers }) => headers['authorization']);

  it("checks the profile's key with --check", async () => {
    const service = await serve([page([1], null), problem(401, 'No')]);
    const home = newFolder();
    for (const [name, key] of [
      ['one', CANARY],
      ['two', `${CANARY.slice(0, -4)}beef`],
    ] as const) {
      const args = ['login', '--profile', name, '--base-url', service.origin, '--key-stdin', '--no-verify'];
      await inProcess(args, { home, stdin: key });
    }
    expect(await show(['two', '--check'], { home })).toMatchObject({ name: 'two', key: '…beef', accepted: true });
    expect(await inProcess(['profile', 'show', 'two', '--check'], { home })).toMatchObject({ code: 4, stdout: '' });
    expect(authorizationOf(service)).toEqual(Array(2).fill(`Bearer ${CANARY.slice(0, -4)}beef`));
  });

  it.each<[what: string, args: readonly string[], env: Readonly<Record<string, string>>, name: string]>([
    ['the default profile', [], {}, 'a'],
    ['the profile in the argument', ['b'], {}, 'b'],
    ['--profile', ['--profile', 'b'], {}, 'b'],
    ['PAYCLI_PROFILE', [], { PAYCLI_PROFILE: 'b' }, 'b'],
    ['the argument over --profile', ['b', '--profile', 'a'], {}, 'b'],
    ['the argument over --local', ['b'], { PAYCLI_PROFILE: 'local' }, 'b'],
    ['--local', ['--local'], {}, 'local'],
  ])('selects %s', async (_what, args, env, name) => {
    const home = newFolder();
    await login(home, 'a');
    await login(home, 'b');
    expect(await show(args, { home, env })).toMatchObject({ name, default: name === 'a' });
  });

  it('notes that a key in the environment overrides the stored one', async () => {
    const home = newFolder();
    await login(home, 'a', `${CANARY.slice(0, -4)}beef`);
    const ended = await inProcess(['profile', 'show', 'a'], { home, env: { PAYCLI_SECRET_KEY: CANARY } });
    expect(ended.stdout).toContain(`key\t…${CANARY.slice(-4)}\n`);
    expect(ended.stderr).toContain('PAYCLI_SECRET_KEY is set: it is used instead of the stored key');
  });

  it('names the known profiles in the error for an unknown one', async () => {
    const home = newFolder();
    await login(home, 'a');
    const ended = await inProcess(['profile', 'show', 'b'], { home });
    expect(ended).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('known: a') });
    expect(await inProcess(['profile', 'show'])).toMatchObject({ code: 4 });
  });
});

describe('an alias', () => {
  it.each([
    ['whoami', ['profile', 'show']],
    ['logout', ['profile', 'remove']],
  ])('`%s` runs %j with the same options and help', async (alias, words) => {
    const home = newFolder();
    await login(home, 'a');
    expect(await inProcess([alias, '--nope'], { home })).toEqual(await inProcess([...words, '--nope'], { home }));
    const help = await inProcess([...words, '--help']);
    expect(help.stdout).toContain(`Alias: \`paycli ${alias}\`.`);
    expect(await inProcess([alias, '--help'])).toEqual(help);
    expect(await inProcess(['help', alias])).toEqual(help);
    expect(await inProcess([alias, 'b'], { home })).toEqual(await inProcess([...words, 'b'], { home }));
    expect(await inProcess(['--profile', 'a', alias, '--yes'], { home })).toMatchObject({ code: 0 });
  });

  it('is not listed in other help pages and never suggested', async () => {
    for (const words of [['--help'], ['help', 'profile'], ['whoam'], ['logot']]) {
      const { stdout, stderr } = await inProcess(words);
      expect(stdout + stderr).not.toMatch(/\b(?:whoami|logout)\b/);
    }
  });
});
