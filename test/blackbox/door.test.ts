import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/canary.ts';
import { newFolder, paycli } from '../support/program.ts';
import { ACTIVITY, json, serve, serveBy, UGWO_ID, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { charged, chargeFrom, csvOf, fileOf, reportPath, serveCharges, ugwoOf } from './bulk-support.ts';

/** Contains every character that JSON, CSV, a shell or a URL escapes, and is wider than the terminal. */
const KEY = `sk.Door.${`Ab/9"x'+y=`.repeat(8)}zTAIL`;
const MARK = '[secret …TAIL]';
const dense = (text: string): string => text.replaceAll(/[\s"'\\]/g, '');
/** True if the text contains a secret part of the key. */
const told = (text: string): boolean => dense(text).includes(dense(KEY).slice(4, 24));

const get = ['activity', 'get', UGWO_ID, ACTIVITY.uid];
const serving = (more: Record<string, unknown>) => serve([json(200, { ...ACTIVITY, ...more })]);
const withKey = (service: { readonly origin: string }) => ({ service, env: { PAYCLI_SECRET_KEY: KEY } });

describe('a key that the service echoes', () => {
  it('is redacted on a card, where it spans two lines', async () => {
    const terminal = openTerminal(get, {
      ...withKey(await serving({ psp_external_id: KEY, other: KEY })),
      columns: 60,
    });
    await terminal.ended;
    expect(await terminal.screen()).toContain(MARK);
    expect(told(await terminal.screen())).toBe(false);
  });

  it('is redacted in a table that truncates it', async () => {
    const service = await serve([json(200, { data: [{ ...ugwo(1), ref: KEY, description: KEY }], next_cursor: null })]);
    const terminal = openTerminal(['ugwo', 'list'], { ...withKey(service), columns: 100 });
    await terminal.ended;
    expect(await terminal.screen()).toContain('[secret');
    expect(dense(await terminal.screen())).not.toContain('Ab/9');
  });

  it.each(['json', 'ndjson', 'tsv', 'csv', 'table'])('is redacted as %s, however it is escaped', async (format) => {
    const escaped = JSON.stringify(KEY).replaceAll('/', '\\/').replaceAll('A', '\\u0041').replaceAll('b', '\\u0062');
    const body = JSON.stringify({ ...ACTIVITY, psp_external_id: '@' }).replace(
      '"@"',
      `${escaped},"n":1.50,${escaped}:"\\u0041\\/"`,
    );
    const service = await serve([
      (_seen, response) => response.setHeader('content-type', 'application/json').end(body),
    ]);
    const { stdout, code } = await paycli([...get, '-o', format], withKey(service));
    expect([code, told(stdout), stdout.includes(MARK)]).toEqual([0, false, true]);
    if (format === 'json') expect(stdout).toContain(`"psp_external_id":"${MARK}","n":1.50,"${MARK}":"\\u0041\\/"`);
    expect(JSON.stringify(JSON.parse(format === 'json' ? stdout : '{}'))).not.toContain('sk.Door');
  });

  it('is redacted if percent-encoded: in --debug, in an error, in a printed request', async () => {
    const service = await serveBy(() => json(500, {}));
    const list = ['ugwo', 'list', '--cursor', KEY];
    const said: string[] = [];
    for (const more of [['--debug', '--timeout', '5s'], ['--as-curl'], ['--dry-run', '-o', 'tsv']]) {
      const { stdout, stderr } = await paycli([...list, ...more], withKey(service));
      said.push(stdout + stderr);
    }
    for (const text of said) {
      expect(text).toContain(MARK);
      expect(told(decodeURIComponent(text.replace('= %s', '')))).toBe(false);
    }
  });

  it('is redacted if percent-encoded, even if it only resembles a key', async () => {
    const service = await serve([json(400, {})]);
    const typed = 'sk.Othr.ab/cd+ef/gh12';
    const { stderr } = await paycli(['ugwo', 'list', '--cursor', typed, '--debug'], { service });
    expect(stderr).toContain('cursor=[secret …gh12]');
    expect(stderr).not.toContain('ef%2Fgh');
  });
});

describe('a prompt', () => {
  it('shows no key and no control characters in a path', async () => {
    const data = join(newFolder(), `a\u001b[2J\u001b]0;x\u0007\nb\u202e${CANARY}.sqlite`);
    const terminal = openTerminal(['emulator', 'reset', '--data', data], {
      columns: 80,
      env: { PAYCLI_SECRET_KEY: CANARY },
    });
    await terminal.saw(/\[y\/N\] /);
    expect(terminal.raw()).toContain('\\x1b[2J\\x1b]0;x\\x07\\nb\\u202e[secret …');
    expect(dense(terminal.raw())).not.toContain(CANARY.slice(0, 20));
    terminal.type('n\r');
    expect(await terminal.ended).toEqual({ code: 130 });
  });

  it('reads an edited line, and does not echo hidden input', async () => {
    const shown = openTerminal(['login', '--no-verify'], { home: newFolder(), columns: 80 });
    await shown.saw(/part of it: /);
    shown.type('sandbux\u007f\u007fox\u001b[D\u001b[C\r');
    await shown.saw(/not shown\): /);
    shown.type(`${KEY}\r`);
    expect(await shown.ended).toEqual({ code: 0 });
    expect(await shown.screen()).toMatch(
      /^Which environment is the key for\?\n {2}1 {2}live\n {2}2 {2}sandbox\nNumber, name or part of it: sandbox\nSecret key for \S+ \(not shown\): \n/,
    );
    expect(told(await shown.screen())).toBe(false);
  });
});

describe('text to copy', () => {
  it('shows zero-width characters in account numbers, dial strings and ids, but keeps them in names', async () => {
    const account = {
      account_number: '0736\u200b25\u00ad18\u{e0033}40',
      bank_name: 'Wema',
      account_name: 'می\u200cخواهم',
    };
    const service = await serving({
      psp_external_id: 'psp\ufeff1',
      next_action: { type: 'display_bank', instruction: 'Pay 0736\u2060251840.', headers: account },
    });
    const terminal = openTerminal(get, { service });
    await terminal.ended;
    const screen = await terminal.screen();
    for (const word of ['0736\\u200b25\\xad18\\u{e0033}40', 'psp\\ufeff1', '0736\\u2060251840']) {
      expect(screen).toContain(word);
    }
    expect(terminal.raw()).toContain('می\u200cخواهم');
  });
});

describe('a report', () => {
  it.each(['csv', 'ndjson'])('as %s contains no control characters from the service or the file', async (format) => {
    const bad = '\u001b[2J\u009b31m\u202e\u2028\u007f';
    const service = await serveCharges({ 1: charged(1, { next_action: { type: 'x', instruction: bad } }) });
    const file = fileOf(csvOf(`ugwo,medium,note${bad}`, `${ugwoOf(1)},bank_transfer,${bad}`));
    const report = reportPath().replace(/csv$/, format);
    await chargeFrom(file, { service, home: newFolder() }, '--report', report);
    const text = readFileSync(report, 'utf8');
    expect(text).toContain(ugwoOf(1));
    expect(text).toMatch(/^(?:[ -~]|\r?\n)*$/);
  });
});
