import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder, paycli } from '../support/program.ts';
import { ACTIVITY, json, page, problem, serve, UGWO_ID } from '../support/service.ts';
import { programs } from '../support/shell.ts';
import { openTerminal, type TerminalSession } from '../support/terminal.ts';
import { bodyOf, deliver, secretFile } from '../support/webhooks.ts';

/** A pager that marks its output. */
const fakePager = (body = 'cat') => {
  const folder = newFolder('pager');
  const file = join(folder, 'pager');
  writeFileSync(file, `#!/bin/sh\nenv > '${folder}/env'\necho "pager $*"\n${body}\n`);
  chmodSync(file, 0o755);
  return { folder, file };
};

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

  it('is PAYCLI_PAGER or PAGER; `cat`, an empty value, --no-pager or a dumb terminal disable it', async () => {
    const { file } = fakePager();
    expect(await paged({ PAGER: `${file} a` })).toBe('a');
    expect(await paged({ PAGER: `${file} a`, PAYCLI_PAGER: `${file} b` })).toBe('b');
    expect(await paged({ PAGER: file, PAYCLI_PAGER: '' })).toBe('none');
    expect(await paged({ PAGER: file, PAYCLI_PAGER: 'cat' })).toBe('none');
    const PATH = [programs({ cat: 'echo pager started' }), process.env['PATH']].join(delimiter);
    expect(await paged({ PAGER: 'cat', PATH })).toBe('none');
    expect(await paged({ PAGER: file, PAYCLI_PAGER: file }, '--no-pager')).toBe('none');
    expect(await paged({ PAGER: file, TERM: 'dumb' })).toBe('none');
    expect(await paged({})).toBe('none');
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
    const { folder, file } = fakePager();
    await paged({ PAGER: file, LESS });
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
    const { file } = fakePager();
    const env = { ...TERMINAL, PAYCLI_PAGER: file };
    expect((await paycli(['ugwo', 'list'], { service, env })).stdout).not.toContain('pager');
    const charge = openTerminal(['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'], { service, env });
    expect(await charge.ended).toEqual({ code: 0 });
    expect(await charge.screen()).not.toMatch(/^pager/m);
  });

  it('that does not exist causes a note, and the output is printed directly', async () => {
    const env = { ...TERMINAL, PAYCLI_PAGER: 'no-such-pager' };
    const service = await serve([page([1], null)]);
    const terminal = openTerminal(['ugwo', 'list'], { service, env });
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(await terminal.screen()).toMatch(/PAYCLI_PAGER names no-such-pager, which was not found[\s\S]*ref/);
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
    const { folder, file } = fakePager(`tee "$(dirname "$0")/given"`);
    const terminal = openTerminal(['ugwo', 'list'], { service, env: { ...TERMINAL, PAYCLI_PAGER: file } });
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(readFileSync(join(folder, 'given'), 'utf8')).not.toContain('\u001b');
  });
});
