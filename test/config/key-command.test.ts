import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runKeyCommand } from '../../src/config/key-command.ts';
import { type Machine, realMachine } from '../../src/config/machine.ts';
import type { Env } from '../../src/core/io.ts';
import { splitCommand } from '../../src/core/shell.ts';
import { errorOf, fakeIo, KEY, newFolder, script, wordsOf } from './world.ts';

const SYSTEM = '/usr/bin:/bin';

interface Options {
  readonly env?: Env;
  readonly machine?: Partial<Machine>;
  readonly stop?: AbortSignal;
}

const run = (
  command: readonly string[],
  { env = { PATH: SYSTEM }, machine = {}, stop }: Options = {},
): Promise<string> =>
  runKeyCommand(command, fakeIo(env, stop === undefined ? {} : { stop }).io, { ...realMachine, ...machine });

/** Runs a helper with this body. */
const helper = (body: string, options: Options = {}, ...args: readonly string[]): Promise<string> =>
  run([script(join(newFolder(), 'helper'), body), ...args], options);

/** Resolves when the process is gone; a zombie still exists. */
const gone = async (pid: number): Promise<void> => {
  for (;;) {
    try {
      process.kill(pid, 0);
      if (/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return;
    } catch {
      return;
    }
    await setImmediate();
  }
};

describe('splitCommand', () => {
  it.each([
    ['op read op://vault/key', ['op', 'read', 'op://vault/key']],
    ["  op\tread  'op://my vault/key' ", ['op', 'read', 'op://my vault/key']],
    ['op "a b" \'c d\'', ['op', 'a b', 'c d']],
    ['a\'b c\'d"e f"', ['ab cde f']],
    ['op "" \'\'', ['op', '', '']],
    [`op "it's" 'say "x"'`, ['op', "it's", 'say "x"']],
    ['C:\\bin\\op.exe a\\ b', ['C:\\bin\\op.exe', 'a\\', 'b']],
    [
      'op $HOME ~ `id` $(id) | tee x > y; z && w',
      ['op', '$HOME', '~', '`id`', '$(id)', '|', 'tee', 'x', '>', 'y;', 'z', '&&', 'w'],
    ],
  ])('%s', (text, words) => {
    expect(splitCommand(text)).toEqual(words);
  });

  it.each(['', '   ', 'op "read', "op 'read", 'op "a\' b', '"'])('rejects "%s"', async (text) => {
    expect((await errorOf(() => splitCommand(text))).kind).toBe('usage');
  });

  it('restores any words that were quoted', () => {
    const word = fc.string().filter((text) => !text.includes("'"));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        expect(splitCommand(words.map((text) => `'${text}'`).join(' '))).toEqual(words);
      }),
    );
  });
});

describe('a key command', () => {
  it.each([
    ['a line', `echo ${KEY}`],
    ['a line with a Windows line end', `printf '${KEY}\\r\\n'`],
    ['a line without a line end', `printf %s ${KEY}`],
    ['a line in pieces', `printf sk.; printf '%s\\n' ${KEY.slice(3)}`],
    ['a line, with other output on stderr', `echo noise >&2; echo ${KEY}`],
    ['8 characters', 'echo sk.a.b.c'],
    ['512 characters', `head -c 512 /dev/zero | tr '\\0' k; echo`],
  ])('returns the key it prints: %s', async (_what, body) => {
    expect(await helper(body)).toMatch(/^(sk\.Test\.canaryx{74}|sk\.a\.b\.c|k{512})$/);
  });

  it.each([
    ['nothing', 'true', 'printed nothing'],
    ['an empty line', 'echo', 'printed nothing'],
    ['a carriage return in the middle', `printf 'sk.\\r${KEY}'`, 'space or a line break'],
    ['two lines', `echo ${KEY}; echo ${KEY}`, 'space or a line break'],
    ['an empty line after it', `echo ${KEY}; echo`, 'space or a line break'],
    ['an empty line before it', `echo; echo ${KEY}`, 'space or a line break'],
    ['a space', `echo ' ${KEY}'`, 'space or a line break'],
    ['a NUL', `printf 'sk.Test.\\0${KEY}\\n'`, 'printable ASCII'],
    ['an escape sequence', `printf '\\033[1m${KEY}\\n'`, 'printable ASCII'],
    ['non-ASCII letters', `echo ${KEY}é`, 'printable ASCII'],
    ['bytes that are not UTF-8', `printf '${KEY}\\377\\n'`, 'printable ASCII'],
    ['7 characters', 'echo sk.a.bc', 'printable ASCII'],
    ['513 characters', "head -c 513 /dev/zero | tr '\\0' k; echo", 'printable ASCII'],
    ['a public key', `echo ${KEY.replace('sk.', 'pk.')}`, 'public key'],
    ['endless output', `while :; do echo ${KEY}; done`, 'printed more than a key'],
    ['a key, and exits with an error', `echo ${KEY}; exit 3`, 'ended with exit code 3'],
    ['a key, and is killed', `echo ${KEY}; kill -9 $$`, 'was killed by SIGKILL'],
    ['a key, and never exits', `echo ${KEY}; exec tail -f /dev/null`, 'did not finish within 0.2 s'],
    ['nothing, and never exits', 'exec tail -f /dev/null', 'did not finish within 0.2 s'],
    ['a key, and leaves a child that holds the pipe open', `sleep 3 & echo ${KEY}`, 'did not finish within 0.2 s'],
  ])('is rejected if it prints %s', async (_what, body, why) => {
    const limit = why.includes('did not finish') ? { machine: { keyCommandLimit: 200 } } : {};
    const error = await errorOf(() => helper(body, limit));
    expect(error.kind).toBe('auth');
    expect(error.message).toMatch(/^the key command ".*\/helper" /);
    expect(error.message).toContain(why);
    expect(error.detail.hint).toContain('one line');
    for (const form of [KEY, KEY.replace('sk.', 'pk.'), KEY.slice(3, 14), 'kkkk'])
      expect(wordsOf(error)).not.toContain(form);
  });

  it('registers its output with the redactor, even if it is not a valid key', async () => {
    const { io } = fakeIo({ PATH: SYSTEM });
    const bad = script(join(newFolder(), 'helper'), `echo 'a ${KEY}'`);
    await errorOf(() => runKeyCommand([bad], io, realMachine));
    expect(io.redactor.clean(`a ${KEY}`)).not.toContain(KEY);
  });

  it('does not get the key of this call in its environment, and has an empty stdin', async () => {
    const env = { PATH: SYSTEM, PAYCLI_SECRET_KEY: KEY, paycli_secret_key: KEY, OTHER: 'kept-as-it-is' };
    const file = join(newFolder(), 'env');
    expect(await helper(`env > ${file}; cat; echo sk.$OTHER`, { env })).toBe('sk.kept-as-it-is');
    expect(readFileSync(file, 'utf8')).toContain('OTHER=kept-as-it-is');
    expect(readFileSync(file, 'utf8')).not.toContain(KEY);
  });

  it('gets its arguments unchanged: no shell reads them', async () => {
    const [marker, list] = [join(newFolder(), 'marker'), join(newFolder(), 'list')];
    const words = [`$(touch ${marker})`, '`id`', '$HOME', '*', 'a b', ';', '|', "'", '"', ''];
    expect(await helper(`printf '%s\\n' "$@" > ${list}; echo sk.with.words`, {}, ...words)).toBe('sk.with.words');
    expect(readFileSync(list, 'utf8')).toBe(words.map((word) => `${word}\n`).join(''));
    expect(existsSync(marker)).toBe(false);
  });

  it('runs in the root folder, not in the working folder', async () => {
    expect(await helper('echo "folder=$(pwd)="')).toBe('folder=/=');
  });

  it('is stopped by the signal that stops the run', async () => {
    const controller = new AbortController();
    const ending = errorOf(() => helper('exec tail -f /dev/null', { stop: controller.signal }));
    controller.abort('SIGTERM');
    const error = await ending;
    expect([error.kind, error.detail.exitCode]).toEqual(['interrupted', 143]);
    expect((await errorOf(() => helper(`echo ${KEY}`, { stop: controller.signal }))).kind).toBe('interrupted');
  });

  it.skipIf(process.platform === 'win32')('is killed alone if there are no process groups', async () => {
    const pid = join(newFolder(), 'pid');
    const controller = new AbortController();
    const options = { machine: { killGroup: undefined }, stop: controller.signal } as const;
    const ending = errorOf(() => helper(`echo $$ > ${pid}.new; mv ${pid}.new ${pid}; exec tail -f /dev/null`, options));
    while (!existsSync(pid)) await setImmediate();
    controller.abort('SIGTERM');
    expect((await ending).kind).toBe('interrupted');
    await gone(Number(readFileSync(pid, 'utf8')));
  });

  it.skipIf(process.platform === 'win32')('takes its child processes with it when it is killed', async () => {
    const pid = join(newFolder(), 'pid');
    const body = `sh -c 'echo $$ > ${pid}.new; mv ${pid}.new ${pid}; exec sleep 600' & wait`;
    const started = async (): Promise<number> => {
      while (!existsSync(pid)) await setImmediate();
      return Number(readFileSync(pid, 'utf8'));
    };
    const controller = new AbortController();
    const ending = errorOf(() => helper(body, { stop: controller.signal }));
    const child = await started();
    expect(process.kill(child, 0)).toBe(true);
    controller.abort('SIGTERM');
    expect((await ending).kind).toBe('interrupted');
    await gone(child);
    rmSync(pid);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const late = errorOf(() => helper(body, { machine: { keyCommandLimit: 1000 } }));
    const other = await started();
    vi.advanceTimersByTime(1000);
    expect((await late).message).toContain('did not finish within 1 s');
    await gone(other);
  });

  it.each([
    ['is not there', ['/nowhere/helper']],
    ['is a folder', ['/usr/bin']],
    ['is not a program', ['/etc/passwd']],
    ['has no name', ['']],
    ['is an empty list', []],
    ['is not on PATH', ['surely-no-such-program']],
  ])('is rejected if it %s', async (_what, command) => {
    const error = await errorOf(() => run(command));
    expect(error.kind).toBe('auth');
    expect(error.message).toContain('was not found');
  });

  it("is rejected if it can't be started", async () => {
    const nul = await errorOf(() => run(['/bin/echo', `${KEY}\0`]));
    expect(nul.message).toContain('could not be started');
    expect(wordsOf(nul)).not.toContain(KEY);
    const noInterpreter = script(join(newFolder(), 'helper'), '');
    writeFileSync(noInterpreter, '#!/nowhere/interpreter\n');
    expect((await errorOf(() => run([noInterpreter]))).message).toContain('could not be started');
  });
});

describe('the search for a key command on PATH', () => {
  /** A working folder with an `op` in it and in a subfolder; both leave a marker when they run. */
  const trap = () => {
    const cwd = newFolder();
    const marker = join(newFolder(), 'trapped');
    mkdirSync(join(cwd, 'bin'));
    script(join(cwd, 'op'), `touch ${marker}; echo ${KEY}`);
    script(join(cwd, 'bin', 'op'), `touch ${marker}; echo ${KEY}`);
    const link = join(newFolder(), 'link');
    symlinkSync(cwd, link);
    return { cwd, marker, link };
  };

  const safe = (): string => {
    const folder = newFolder();
    script(join(folder, 'op'), 'echo sk.from.safe');
    return folder;
  };

  const entriesOf = ({ cwd, link }: { cwd: string; link: string }): string[] => [
    '',
    '.',
    './bin',
    'bin',
    '../x',
    cwd,
    `${cwd}/`,
    join(cwd, 'bin'),
    `${cwd}/bin/../bin/`,
    link,
    join(link, 'bin'),
    '/nowhere',
  ];

  it('skips every folder that the working folder controls', async () => {
    const place = trap();
    const entries = entriesOf(place);
    const machine = { cwd: () => place.cwd };
    const good = safe();
    for (const entry of entries) {
      expect((await errorOf(() => run(['op'], { env: { PATH: entry }, machine }))).message, entry).toContain(
        'was not found',
      );
      expect(await run(['op'], { env: { PATH: [entry, good].join(delimiter) }, machine }), entry).toBe('sk.from.safe');
    }
    expect(await run(['op'], { env: { PATH: [...entries, good].join(delimiter) }, machine })).toBe('sk.from.safe');
    expect(existsSync(place.marker)).toBe(false);
  });

  it.each(['./op', 'bin/op', '../op', './bin/op'])('never runs the relative path %s', async (word) => {
    const place = trap();
    const before = process.cwd();
    process.chdir(place.cwd);
    try {
      const error = await errorOf(() =>
        run([word], { env: { PATH: `.${delimiter}${place.cwd}${delimiter}${SYSTEM}` } }),
      );
      expect(error.message).toContain('was not found');
      expect(error.detail.hint).toContain('absolute path');
    } finally {
      process.chdir(before);
    }
    expect(existsSync(place.marker)).toBe(false);
  });
});
