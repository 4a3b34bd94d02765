import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RUNTIME } from '../support/built.ts';
import { inProcess } from '../support/in-process.ts';
import { type Ended, errorOf, newFolder, paycli, runBefore } from '../support/program.ts';
import { ACTIVITY, type Answer, DEAD_ORIGIN, json, page, raw, serve, serveBy, UGWO_ID } from '../support/service.ts';
import { programs } from '../support/shell.ts';

const { version, name } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string; name: string };

const latest = (text: unknown): Answer => json(200, { name, 'dist-tags': { latest: text }, versions: {} });

const CHECK = ['version', '--check', '--json'];

const checkAt = async (answer: Answer): Promise<Ended> => {
  const registry = await serve([answer]);
  return inProcess(CHECK, { env: { npm_config_registry: registry.origin } });
};

describe('version --check', () => {
  it.each([
    ['99.0.0', true],
    ['0.2.0', true],
    ['0.10.0', true],
    ['0.1.1-rc.1', true],
    [version, false],
    [`${version}-rc.1`, false],
    ['0.0.9', false],
  ])('compares with the newest version of the registry: %s', async (text, newer) => {
    const ended = await checkAt(latest(text));
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toEqual({
      version,
      latest: text,
      newer,
      registry: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });
  });

  it('sends one GET for the package, under the path of the registry, without the key', async () => {
    const registry = await serve([latest('99.0.0')]);
    const service = await serve([]);
    const env = { npm_config_registry: `${registry.origin}/repository/npm/` };
    const ended = await inProcess(['version', '--check'], { service, env });
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/^version\t.+\nlatest\t99\.0\.0\nnewer\ttrue\n/);
    expect(ended.stderr).toContain('paycli 99.0.0 is available');
    const [seen] = registry.seen;
    expect(`${seen?.method} ${seen?.url}`).toBe(`GET /repository/npm/${name}`);
    expect(seen?.headers).not.toHaveProperty('authorization');
  });

  it.runIf(process.platform !== 'win32')('asks npm for the registry if no variable names one', async () => {
    const registry = await serve([latest(version)]);
    const PATH = `${programs({ npm: `[ "$PWD $*" = '/ config get registry --global' ] && echo ${registry.origin}/` })}:/usr/bin:/bin`;
    const ended = await inProcess(['version', '--check'], { env: { PATH } });
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).toContain('No newer version is available.');
  });

  it.each([
    ['without npm', { PATH: newFolder('bin') }, 'npm was not found'],
    ['with a variable that holds no address', { npm_config_registry: 'registry' }, 'npm names none'],
  ])('says how to name a registry: %s', async (_what, env, why) => {
    const ended = await inProcess(CHECK, { env });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(errorOf(ended)).toMatchObject({
      message: expect.stringContaining(why),
      hint: expect.stringContaining('set npm_config_registry'),
    });
  });

  it.each<[string, Answer, number, RegExp]>([
    ['404', json(404, {}), 3, /has no package paycli/],
    ['500', json(500, {}), 8, /it answered 500/],
    ['a redirect', json(302, {}, { location: 'https://elsewhere.example/' }), 8, /it answered 302/],
    ['no JSON', json(200, '<html>'), 8, /without a version/],
    ['JSON of another kind', json(200, 'null'), 8, /without a version/],
    ['a version that is none', latest('\u001b[2J1.0.0'), 8, /without a version/],
    ['a broken connection', raw(''), 8, /connection was closed/],
  ])('ends as the registry answers: %s', async (_what, answer, code, message) => {
    const ended = await checkAt(answer);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(errorOf(ended)['message']).toMatch(message);
  });

  it('exits with 8 if nobody answers', async () => {
    const ended = await inProcess(CHECK, { env: { npm_config_registry: DEAD_ORIGIN } });
    expect(ended).toMatchObject({ code: 8, stdout: '' });
    expect(errorOf(ended)['message']).toContain('refused the connection');
  });

  it('goes through the proxy', async () => {
    const env = { HTTPS_PROXY: DEAD_ORIGIN, npm_config_registry: 'https://registry.example' };
    const ended = await inProcess(CHECK, { env });
    expect(ended).toMatchObject({ code: 8 });
    expect(errorOf(ended)['message']).toContain('through the proxy 127.0.0.1:1 (from HTTPS_PROXY)');
  });
});

/** Writes down where a run connects to, by address or path. */
const noting = (file: string): string => `
  import { appendFileSync } from 'node:fs';
  import { Socket } from 'node:net';
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function (...args) {
    const [first, second] = [args[0]].flat();
    const to = typeof first === 'object' ? (first.path ?? (first.host + ':' + first.port)) : second + ':' + first;
    appendFileSync(${JSON.stringify(file)}, to + '\\n');
    return connect.apply(this, args);
  };`;

describe('nothing phones home', () => {
  const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'];

  it.runIf(RUNTIME === 'node').each([
    [['ugwo', 'list'], true],
    [CHARGE, true],
    [['doctor'], true],
    [['api', '/v1/ugwo'], true],
    [['login', '--key-stdin', '--no-verify'], false],
    [['version'], false],
    [['--version'], false],
    [['--help'], false],
    [['ugwo', 'charge', '--help'], false],
    [['ledger', 'list'], false],
    [['profile', 'list'], false],
    [['completion', 'bash'], false],
    [['schema'], false],
  ])('%j connects to its service alone, or to nothing: %s', async (args, connects) => {
    const registry = await serve([]);
    const service = await serveBy(({ method }) => (method === 'POST' ? json(200, ACTIVITY) : page([1], null)));
    const file = join(newFolder('connections'), 'connections');
    const env = { ...runBefore(noting(file)), npm_config_registry: registry.origin };
    const stdin = `sk.Test.${'0'.repeat(80)}\n`;
    const ended = await paycli(args, { service, env, stdin });
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    const places = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    expect([...new Set(places)]).toEqual(connects ? [new URL(service.origin).host] : []);
    expect(registry.connections()).toBe(0);
  });

  it.runIf(RUNTIME === 'node')('lists the connection of --check', async () => {
    const registry = await serve([latest(version)]);
    const file = join(newFolder('connections'), 'connections');
    const env = { ...runBefore(noting(file)), npm_config_registry: registry.origin };
    expect(await paycli(CHECK, { env })).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toBe(`${new URL(registry.origin).host}\n`);
  });
});
