import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { onTerminal } from '../support/on-terminal.ts';
import { newFolder } from '../support/program.ts';
import { ACTIVITY, json, page, problem, serve, UGWO_ID } from '../support/service.ts';
import { programs } from '../support/shell.ts';
import { openTerminal, type TerminalSession } from '../support/terminal.ts';
import { bodyOf, deliver, secretFile } from '../support/webhooks.ts';

/** A pager that notes its environment. */
const notingPager = (body: string) => {
  const folder = newFolder('pager');
  const file = join(folder, 'pager');
  writeFileSync(file, `#!/bin/sh\nenv > '${folder}/env'\n${body}\n`);
  chmodSync(file, 0o755);
  return { folder, file };
};
/** A pager that marks its output. */
const fakePager = (body = 'cat') => notingPager(`echo "pager $*"\n${body}`);
/** A pager that shows nothing, since a run in the tests' process has no terminal for it, and keeps what it gets. */
const keepingPager = () => notingPager('cat > "$(dirname "$0")/given"');

const TERMINAL = { NO_COLOR: '1' };

describe.runIf(process.platform !== 'win32')('the pager', () => {
  const paged = async (env: Readonly<Record<string, string>>, ...more: readonly string[]): Promise<string> => {
    const service = await serve([page([1], null)]);
    const terminal = openTerminal(['ugwo', 'list', '--columns', 'ref', ...more], {
      service,
      env: { ...TERMINAL, ...env },
    });
    expect(await terminal.ended).toEqual({ code: 0 });
    const screen = await terminal.screen();
    expect(screen).toMatch(/^ref$/m);
    return /^pager(.*)$/m.exec(screen)?.[1]?.trim() ?? 'none';
  };

  it('is PAYCLI_PAGER or PAGER', async () => {
    const { file } = fakePager();
    expect(await paged({ PAGER: `${file} a` })).toBe('a');
    expect(await paged({ PAGER: `${file} a`, PAYCLI_PAGER: `${file} b` })).toBe('b');
  });

  it('is disabled by `cat`, an empty value, --no-pager or a dumb terminal', async () => {
    const { folder, file } = keepingPager();
    const PATH = [programs({ cat: `exec ${file}` }), process.env['PATH']].join(delimiter);
    for (const [env, ...more] of [
      [{ PAGER: file, PAYCLI_PAGER: '' }],
      [{ PAGER: file, PAYCLI_PAGER: 'cat' }],
      [{ PAGER: 'cat', PATH }],
      [{ PAGER: file, PAYCLI_PAGER: file }, '--no-pager'],
      [{ PAGER: file, TERM: 'dumb' }],
      [{}],
    ] as const) {
      const argv = ['ugwo', 'list', '--columns', 'ref', ...more];
      const service = await serve([page([1], null)]);
      const { code, raw } = await onTerminal(argv, { service, env: { ...TERMINAL, ...env } });
      expect([code, raw]).toEqual([0, expect.stringMatching(/^ref *\n(?:─+\n)?order-1 *\n/)]);
    }
    expect(readdirSync(folder)).toEqual(['pager']);
  });

  // Each is stopped after its first output, which a pager would precede.
  it('is not started for commands that run until stopped', async () => {
    const env = { PAGER: fakePager().file };
    const stop = async (terminal: TerminalSession, printed: RegExp): Promise<void> => {
      await terminal.saw(printed);
      terminal.type('\u0003');
      await terminal.ended;
      expect(terminal.raw()).not.toMatch(/^pager/m);
    };
    const secret = secretFile(newFolder('secret'));
    const listening = openTerminal(['webhook', 'listen', '--port', '0', '--secret-file', secret], { env });
    await listening.saw(/Listening on http\S+\. Stop/);
    await deliver(/Listening on (http:\S+)\. Stop/.exec(listening.raw())?.[1] ?? '', bodyOf(1));
    await stop(listening, /evt\.AbCd\./);
    await stop(openTerminal(['emulator', 'start'], { env }), /\/console\//);
    await stop(openTerminal(['watch', '--local'], { env }), /Ctrl-C stops watching/);
  });

  it('shows a list on a terminal, and gets neither a shell nor the key', async () => {
    const service = await serve([page([1, 2], 'c2')]);
    const { folder, file } = fakePager();
    const env = { ...TERMINAL, PAYCLI_PAGER: `${file} -a '$(x) y'` };
    const terminal = openTerminal(['ugwo', 'list'], { service, env });
    expect(await terminal.ended).toEqual({ code: 0 });
    // Messages appear after the pager has ended.
    expect(await terminal.screen()).toMatch(/^pager -a \$\(x\) y\nref [\s\S]*order-1[\s\S]*order-2[\s\S]*\nMore:/);
    const seen = readFileSync(join(folder, 'env'), 'utf8');
    expect(seen).toContain('LESS=FRX');
    expect(seen).not.toMatch(/sk\.|PAYCLI_SECRET_KEY/);
  });

  it.each([
    ['-S', '-R -S'],
    ['S', '-R S'],
    ['', '-R '],
    ['-Pprompt', '-R -Pprompt'],
  ])('shows colour with LESS=%j, too', async (LESS, wanted) => {
    const { folder, file } = keepingPager();
    const service = await serve([page([1], null)]);
    const { code } = await onTerminal(['ugwo', 'list'], { service, env: { ...TERMINAL, PAGER: file, LESS } });
    expect([code, readFileSync(join(folder, 'given'), 'utf8')]).toEqual([0, expect.stringContaining('order-1')]);
    expect(readFileSync(join(folder, 'env'), 'utf8')).toContain(`\nLESS=${wanted}\n`);
  });

  it('has the terminal to itself: messages appear after it has ended', async () => {
    const { file } = fakePager('cat; echo left');
    const env = { ...TERMINAL, PAYCLI_PAGER: file };
    const terminal = openTerminal(['ugwo', 'list', '--local', '--status', 'paid', '--max', '1'], { env });
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(await terminal.screen()).toMatch(/\nleft\n[\s\S]*Looked through \d+ payment requests/);
  });

  it('may end early without an error', async () => {
    const { file } = fakePager('head -n 1; exit 3');
    const env = { ...TERMINAL, PAYCLI_PAGER: file };
    const terminal = openTerminal(['ugwo', 'list', '--all', '--local', '-q'], { env });
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(await terminal.screen()).toMatch(/^pager\s*\nref/);
  });

  it('preserves the exit code of the command', async () => {
    const service = await serve([page([1], 'c2'), problem(404, 'No')]);
    const { file } = fakePager();
    const terminal = openTerminal(['ugwo', 'list', '--all'], { service, env: { ...TERMINAL, PAYCLI_PAGER: file } });
    expect(await terminal.ended).toEqual({ code: 3 });
    expect(await terminal.screen()).toMatch(/order-1[\s\S]*error: /);
  });

  it('is not started for a pipe or a charge', async () => {
    const service = await serve([page([1], null), json(200, ACTIVITY)]);
    const { folder, file } = keepingPager();
    const env = { ...TERMINAL, PAYCLI_PAGER: file };
    expect((await inProcess(['ugwo', 'list'], { service, env })).stdout).toContain('order-1');
    const charge = await onTerminal(['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'], { service, env });
    expect([charge.code, charge.raw]).toEqual([0, expect.stringContaining(ACTIVITY.uid)]);
    expect(readdirSync(folder)).toEqual(['pager']);
  });

  it('that does not exist causes a note, and the output is printed directly', async () => {
    const env = { ...TERMINAL, PAYCLI_PAGER: 'no-such-pager' };
    const service = await serve([page([1], null)]);
    const { code, raw } = await onTerminal(['ugwo', 'list'], { service, env });
    expect(code).toBe(0);
    expect(raw).toMatch(/PAYCLI_PAGER names no-such-pager, which was not found[\s\S]*ref/);
  });

  it('is never a program of the working folder', async () => {
    const cwd = programs({ less: 'echo planted' });
    const env = { ...TERMINAL, PAYCLI_PAGER: 'less', PATH: ['.', '', cwd].join(delimiter) };
    const service = await serve([page([1], null)]);
    const terminal = openTerminal(['ugwo', 'list'], { service, cwd, env });
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(await terminal.screen()).not.toContain('planted');
    expect(await terminal.screen()).toContain('which was not found');
  });

  it('finds no interpreter in the working folder', async () => {
    const cwd = newFolder('cwd');
    const bin = join(cwd, 'node_modules', '.bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'reader'), '#!/bin/sh\necho planted\n', { mode: 0o755 });
    const [file, PATH] = [
      join(newFolder('pager'), 'pager'),
      ['node_modules/.bin', bin, programs({ reader: 'echo trusted; cat "$1" > /dev/null; cat' }), process.env['PATH']],
    ];
    writeFileSync(file, '#!/usr/bin/env reader\n', { mode: 0o755 });
    const env = { ...TERMINAL, PAYCLI_PAGER: file, PATH: PATH.join(delimiter) };
    const terminal = openTerminal(['ugwo', 'list'], { service: await serve([page([1], null)]), cwd, env });
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(await terminal.screen()).toMatch(/^trusted\s[\s\S]*order-1/);
  });

  it('gets no control characters', async () => {
    const hostile = `{"data":[{"uid":"${UGWO_ID}","ref":"a\\u001b[2Jb"}],"next_cursor":null}`;
    const service = await serve([json(200, hostile)]);
    const { folder, file } = keepingPager();
    const { code } = await onTerminal(['ugwo', 'list'], { service, env: { ...TERMINAL, PAYCLI_PAGER: file } });
    const given = readFileSync(join(folder, 'given'), 'utf8');
    expect([code, given]).toEqual([0, expect.stringContaining(UGWO_ID)]);
    expect(given).not.toContain('\u001b');
  });
});
