import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ErrorKind, PayError } from '../../src/core/error.ts';
import { bytesOf, contentOf, folderWith, KEY, newFolder, PIN, script } from '../config/world.ts';
import { type Call, call, LIVE, OLD, piped, profilesIn, SANDBOX, stored } from './profile-call.ts';

describe('login', () => {
  it('prompts for the environment and, hidden, for the key on a terminal', async () => {
    const outcome = await call('login', { lines: [' Sandbox ', KEY] });
    expect(outcome.prompts.map(({ hidden }) => hidden)).toEqual([false, true]);
    expect(outcome.prompts[1]?.text).toContain(SANDBOX);
    expect(outcome.probed).toEqual([{ origin: SANDBOX, key: KEY }]);
    expect(contentOf(outcome.file)).toEqual({ version: 1, default: 'default', profiles: { default: stored(SANDBOX) } });
    expect(outcome.records).toEqual([
      {
        name: 'default',
        default: true,
        origin: SANDBOX,
        environment: 'sandbox',
        key: '…xxxx',
        created_at: '2026-11-20T12:00:00+00:00',
      },
    ]);
  });

  it.each([
    ['live', { given: { environment: 'live' } }, LIVE],
    ['sandbox', { given: { environment: 'sandbox' } }, SANDBOX],
    ['--base-url', { globals: { baseUrl: `${PIN}/` } }, PIN],
    ['PAYCLI_BASE_URL', { env: { PAYCLI_BASE_URL: PIN } }, PIN],
    ['--base-url before PAYCLI_BASE_URL', { globals: { baseUrl: PIN }, env: { PAYCLI_BASE_URL: LIVE } }, PIN],
  ] as const)('reads the service from %s', async (_what, options, origin) => {
    const given = { keyStdin: true, ...('given' in options ? options.given : {}) };
    const outcome = await call('login', { ...options, given, stdin: KEY });
    expect(profilesIn(outcome)).toEqual({ default: stored(origin) });
    expect(outcome.prompts).toEqual([]);
  });

  it.each([
    ['--profile', { globals: { profile: 'shop' } }, 'shop'],
    ['PAYCLI_PROFILE', { env: { PAYCLI_PROFILE: 'shop' } }, 'shop'],
    ['--profile before PAYCLI_PROFILE', { globals: { profile: 'shop' }, env: { PAYCLI_PROFILE: 'other' } }, 'shop'],
    ['the default', {}, 'default'],
  ] as const)('reads the name from %s', async (_what, options, name) => {
    expect(profilesIn(await call('login', { ...piped, ...options }))).toEqual({ [name]: stored(SANDBOX) });
  });

  it.each([
    ['no line end', KEY, true],
    ['a line end', `${KEY}\n`, true],
    ['a Windows line end', `${KEY}\r\n`, true],
    ['two line ends', `${KEY}\n\n`, false],
    ['a space', `${KEY} \n`, false],
    ['two lines', `${KEY}\n${KEY}\n`, false],
    ['nothing', '', false],
    ['only a line end', '\n', false],
    ['a byte order mark', `\uFEFF${KEY}`, false],
    ['extra text', KEY.repeat(60), false],
  ])('--key-stdin accepts %s: %j', async (_what, stdin, works) => {
    const outcome = await call('login', { ...piped, stdin });
    if (works) expect(profilesIn(outcome)).toEqual({ default: stored(SANDBOX) });
    else {
      expect(outcome.error?.kind).toBe('auth');
      expect([outcome.probed, bytesOf(outcome.file)]).toEqual([[], undefined]);
    }
  });

  it('runs a key command once, checks its output and stores the command', async () => {
    const [folder, count] = [newFolder(), join(newFolder(), 'count')];
    const helper = script(join(folder, 'my helper'), `echo run >> ${count}; echo ${KEY}`);
    const outcome = await call('login', { given: { environment: 'live', keyCommand: `'${helper}' read 'op://a b'` } });
    expect(outcome.probed).toEqual([{ origin: LIVE, key: KEY }]);
    expect(profilesIn(outcome)).toEqual({
      default: { origin: LIVE, key_command: [helper, 'read', 'op://a b'], created_at: '2026-11-20T12:00:00+00:00' },
    });
    expect(outcome.records).toMatchObject([{ key: 'command' }]);
    expect(bytesOf(count)).toBe('run\n');
    expect(bytesOf(outcome.file)).not.toContain(KEY);
  });

  it.each([
    ['fails', 'exit 1', 'auth'],
    ['prints a public key', `echo ${KEY.replace('sk.', 'pk.')}`, 'auth'],
  ])('stores nothing if the key command %s', async (_what, body, kind) => {
    const helper = script(join(newFolder(), 'helper'), body);
    for (const noVerify of [false, true]) {
      const outcome = await call('login', { given: { environment: 'live', keyCommand: helper, noVerify } });
      expect(outcome.error?.kind).toBe(kind);
      expect(bytesOf(outcome.file)).toBeUndefined();
    }
  });

  it.each<[string, Call, RegExp]>([
    [
      'two sources for a key',
      { given: { environment: 'live', keyStdin: true, keyCommand: 'op' } },
      /can't be used together/,
    ],
    ['--environment and --base-url', { ...piped, globals: { baseUrl: PIN } }, /--environment and --base-url/],
    [
      '--environment and PAYCLI_BASE_URL',
      { ...piped, env: { PAYCLI_BASE_URL: PIN } },
      /--environment and PAYCLI_BASE_URL/,
    ],
    ['no service and no terminal', { given: { keyStdin: true }, stdin: KEY }, /which service/],
    ['no service and --no-input', { lines: [], globals: { input: false } }, /which service/],
    ['no key and no terminal', { given: { environment: 'live' } }, /no terminal to ask/],
    [
      'no key and --no-input',
      { given: { environment: 'live' }, lines: [], globals: { input: false } },
      /no terminal to ask/,
    ],
    ['end of input at the first prompt', { lines: [] }, /cancelled/],
    ['end of input at the key prompt', { lines: ['live'] }, /cancelled/],
    ['an unknown environment', { lines: ['production', ''] }, /cancelled/],
    ['an environment named like an object property', { lines: ['constructor'] }, /cancelled/],
    [
      '--key-stdin on a terminal',
      { given: { environment: 'live', keyStdin: true }, lines: [KEY] },
      /would show the key/,
    ],
    ['--local', { ...piped, globals: { local: true } }, /--local needs no login/],
    ['the profile local', { ...piped, globals: { profile: 'local' } }, /built-in emulator/],
    ['an invalid name', { ...piped, globals: { profile: '../x' } }, /not a profile name/],
    [
      'an invalid URL',
      { given: { keyStdin: true }, stdin: KEY, globals: { baseUrl: 'pay' } },
      /--base-url is not a URL/,
    ],
    ['an unclosed quote', { given: { environment: 'live', keyCommand: "op 'read" } }, /unclosed quote/],
    [
      'a key in the command',
      { given: { environment: 'live', keyCommand: `echo ${KEY}` } },
      /needs a command that prints it/,
    ],
  ])('stores nothing with %s', async (_what, options, message) => {
    const outcome = await call('login', options);
    expect(outcome.error?.kind).toBe(String(message).includes('cancelled') ? 'interrupted' : 'usage');
    expect(outcome.error?.message).toMatch(message);
    expect([outcome.probed, bytesOf(outcome.file)]).toEqual([[], undefined]);
  });

  it.each<[string, Call, RegExp]>([
    ['a public key', { ...piped, stdin: KEY.replace('sk.', 'pk.') }, /public key.*secret key starts with sk\./],
    [
      'http to another machine',
      { given: { keyStdin: true }, stdin: KEY, globals: { baseUrl: 'http://api.example' } },
      /not encrypted/,
    ],
    ["the emulator's key for another machine", { ...piped, stdin: `sk.Lcal.${'x'.repeat(80)}` }, /emulator/],
  ])('rejects %s before sending, even with --no-verify', async (_what, options, message) => {
    for (const noVerify of [false, true]) {
      const outcome = await call('login', { ...options, given: { ...options.given, noVerify } });
      expect(outcome.error?.kind).toBe('auth');
      expect(outcome.error?.message).toMatch(message);
      expect([outcome.probed, bytesOf(outcome.file)]).toEqual([[], undefined]);
    }
  });

  it.each<[ErrorKind, number | undefined, boolean]>([
    ['auth', 401, false],
    ['auth', 403, false],
    ['auth', undefined, true],
    ['not_sent', undefined, true],
    ['read_failed', 500, true],
    ['rejected', 404, true],
  ])('stores nothing after %s %s; suggests --no-verify: %s', async (kind, status, named) => {
    const folder = folderWith({ name: 'default', key: OLD });
    const probe = () =>
      Promise.reject(new PayError(kind, 'so it is', { hint: 'do this', ...(status === undefined ? {} : { status }) }));
    const before = bytesOf(join(folder, 'config.json'));
    const { error, file } = await call('login', { ...piped, folder, probe });
    expect([error?.kind, error?.detail.status]).toEqual([kind, status]);
    expect(error?.message).toBe("couldn't verify the key, so nothing was stored: so it is");
    // The usual hint for a 401 is to log in again.
    expect(error?.detail.hint?.startsWith('do this; ')).toBe(status !== 401);
    expect(error?.detail.hint?.includes('--no-verify')).toBe(named);
    expect(bytesOf(file)).toBe(before);
  });

  it('sends nothing with --no-verify', async () => {
    const outcome = await call('login', { ...piped, given: { ...piped.given, noVerify: true } });
    expect(outcome.probed).toEqual([]);
    expect(profilesIn(outcome)).toEqual({ default: stored(SANDBOX) });
  });

  it('rejects an unsafe folder before prompting for a key', async () => {
    const folder = folderWith({ name: 'shop' });
    chmodSync(folder, 0o755);
    const outcome = await call('login', { folder, lines: ['live', KEY] });
    expect([outcome.error?.kind, outcome.prompts]).toEqual(['auth', []]);
    const shared = newFolder();
    writeFileSync(join(shared, 'notes.txt'), '');
    chmodSync(shared, 0o755);
    const refused = await call('login', { folder: shared, lines: ['live', KEY] });
    expect([refused.error?.kind, refused.prompts]).toEqual(['auth', []]);
  });

  it('keeps an existing default', async () => {
    const folder = folderWith({ name: 'first' });
    const outcome = await call('login', { ...piped, folder, globals: { profile: 'second' } });
    expect(outcome.records).toMatchObject([{ name: 'second', default: false }]);
    expect(outcome.notices.join()).toContain('paycli profile use second');
    expect(contentOf(outcome.file)['default']).toBe('first');
  });

  it.each<[string, Call, 'asked' | 'not asked', boolean]>([
    ['after the answer yes', { lines: ['y', KEY] }, 'asked', true],
    ['after the answer YES', { lines: ['YES', KEY] }, 'asked', true],
    ['not after the answer n', { lines: ['n', KEY] }, 'asked', false],
    ['not after an empty answer', { lines: ['', KEY] }, 'asked', false],
    ['not after the answer yesterday', { lines: ['yesterday', KEY] }, 'asked', false],
    ['not on a closed terminal', { lines: [] }, 'asked', false],
    ['with --yes', { lines: [KEY], globals: { yes: true } }, 'not asked', true],
    ['not without a terminal', { given: { environment: 'live', keyStdin: true }, stdin: KEY }, 'not asked', true],
  ])('replaces a profile %s', async (_what, options, asked, replaced) => {
    const folder = folderWith({ name: 'default', key: OLD });
    const outcome = await call('login', { given: { environment: 'live' }, ...options, folder });
    expect(outcome.prompts.some(({ text }) => text.includes('Replace the profile "default"'))).toBe(asked === 'asked');
    expect(profilesIn(outcome)).toEqual({ default: replaced ? stored(LIVE) : stored(PIN, OLD) });
    expect(outcome.notices.some((text) => text.startsWith('Replaced the profile "default"'))).toBe(replaced);
    if (!replaced) expect([outcome.error?.kind, outcome.probed]).toEqual(['interrupted', []]);
  });

  it('does not replace with --no-input, unless --yes is given', async () => {
    const folder = folderWith({ name: 'default', key: OLD });
    const helper = script(join(newFolder(), 'helper'), `echo ${KEY}`);
    const given = { environment: 'live', keyCommand: helper };
    const { error } = await call('login', { folder, given, lines: [], globals: { input: false } });
    expect([error?.kind, error?.detail.hint]).toEqual(['usage', 'add --yes; nothing was changed']);
    expect(
      (await call('login', { folder, given, lines: [], globals: { input: false, yes: true } })).error,
    ).toBeUndefined();
  });
});
