import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PROGRAM } from '../support/built.ts';
import { environment, newFolder, paycli } from '../support/program.ts';
import { MIB } from '../support/units.ts';
import { bodyOf, deliver, listen, secretFile, uidOf } from '../support/webhooks.ts';

/** Sends raw text to a port and returns the response. */
const talk = (origin: string, ...texts: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => undefined).on('close', () => resolve(answer));
    for (const text of texts) socket.write(text);
  });

describe('webhook listen', () => {
  it('accepts a body of up to one mebibyte, with or without a content length', async () => {
    const listener = await listen(newFolder(), ['--until', '1', '--columns', 'uid']);
    const large = `${bodyOf(1).slice(0, -1)}, "x": "${'x'.repeat(MIB - bodyOf(1).length - 10)}" }`;
    expect(large).toHaveLength(MIB);
    const head = 'POST / HTTP/1.1\r\nhost: x\r\n';
    expect(await talk(listener.origin, `${head}content-length: ${MIB + 1}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /);
    const chunk = `100000\r\n${'x'.repeat(MIB)}\r\n`;
    expect(await talk(listener.origin, `${head}transfer-encoding: chunked\r\n\r\n`, chunk, '1\r\nx\r\n')).toMatch(
      /^(?:HTTP\/1\.1 413 |$)/,
    );
    expect(await deliver(listener.origin, large)).toMatchObject({ status: 200, text: `stored ${uidOf(1)}\n` });
    expect(await listener.ended).toMatchObject({ code: 0, stdout: `${uidOf(1)}\n` });
  });

  it('accepts only POST, limited headers and complete bodies', async () => {
    const home = newFolder();
    const listener = await listen(home);
    expect(await talk(listener.origin, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 405 [\s\S]*POST/);
    const long = `POST / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(await talk(listener.origin, long)).toMatch(/^HTTP\/1\.1 431 /);
    const socket = connect(Number(new URL(listener.origin).port), '127.0.0.1');
    socket.end('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nhalf');
    expect(await deliver(listener.origin, bodyOf(1))).toMatchObject({ status: 200 });
    listener.kill('SIGTERM');
    expect(await listener.ended).toMatchObject({ code: 143 });
    const { stdout } = await paycli(['webhook', 'events', 'list', '--columns', 'uid'], { home });
    expect(stdout).toBe(`${uidOf(1)}\n`);
  });

  it.skipIf(process.platform === 'win32')(
    'ends at the second signal while nobody reads what a program writes without end',
    async () => {
      const home = newFolder();
      const [[file, ...first], begun] = [PROGRAM, join(home, 'begun')];
      // More than the pipe to the reader and its buffer hold, less than fits with the other pipe and its buffers.
      const flood = `sh -c 'yes | head -c 256000; : > ${begun}; exec yes'`;
      const args = ['webhook', 'listen', '--port', '0', '--secret-file', secretFile(home), '--exec', flood];
      const env = environment({ home });
      const child = spawn(file, [...first, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      let said = '';
      while (!/Listening on \S+:\d+/.test(said)) said += String((await once(child.stderr, 'data'))[0]);
      child.stderr.pause();
      await deliver(/http:\S+:\d+/.exec(said)?.[0] ?? '', bodyOf(1));
      await expect.poll(() => existsSync(begun)).toBe(true);
      child.kill('SIGINT');
      child.kill('SIGTERM');
      // Whichever came first.
      const [code] = await once(child, 'exit');
      expect([130, 143]).toContain(code);
    },
  );

  it.runIf(process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0)(
    'acknowledges nothing on a full disk, and continues once there is space',
    async () => {
      const home = newFolder();
      // A file size limit simulates the full disk; `exec` replaces the shell.
      const program = ['bash', '-c', 'ulimit -S -f 400; exec "$@"', 'bash', ...PROGRAM] as const;
      const listener = await listen(home, [], { program });
      const statuses: number[] = [];
      const body = (number: number): string => `${bodyOf(number).slice(0, -1)},"x":"${'x'.repeat(50_000)}"}`;
      let number = 0;
      while (statuses.at(-1) !== 503 && number < 60) {
        number += 1;
        const { status, headers } = await deliver(listener.origin, body(number));
        statuses.push(status);
        if (status === 503) expect(headers['retry-after']).toBe('30');
      }
      expect(statuses.at(-1)).toBe(503);
      await listener.saw(/couldn't be stored, so paycli answered 503/);
      expect(spawnSync('prlimit', ['--pid', String(listener.pid), '--fsize=unlimited']).status).toBe(0);
      for (const again of [number, number + 1]) {
        expect(await deliver(listener.origin, body(again))).toMatchObject({ status: 200 });
      }
      // Delayed events are printed once there is space.
      await listener.saw(new RegExp(uidOf(number + 1)));
      listener.kill('SIGINT');
      const ended = await listener.ended;
      expect(ended.code).toBe(130);
      const told = ended.stdout
        .split('\n')
        .slice(1)
        .map((line) => line.split('\t')[0]);
      const taken = Array.from({ length: number + 1 }, (_, index) => uidOf(index + 1));
      expect(told.filter((uid) => uid !== '')).toEqual(taken);
    },
  );

  it('escapes control characters of events on a terminal and never prints its secret', async () => {
    const home = newFolder();
    secretFile(home);
    const listener = await listen(home, ['--until', '1', '-o', 'table']);
    const body = JSON.stringify({ uid: 'evt.\u001b]0;x\u0007\u202e', event: 'a\nb\u001b[2J' });
    expect(await deliver(listener.origin, body)).toMatchObject({ status: 200 });
    const { stdout, stderr } = await listener.ended;
    expect(stdout).toContain('evt.\\x1b]0;x');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(stdout + stderr).not.toMatch(/[\u0007\u001b\u202e]/);
  });
});
