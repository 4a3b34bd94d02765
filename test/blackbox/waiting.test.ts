import { describe, expect, it } from 'vitest';
import { paycli } from '../support/program.ts';
import type { Answer } from '../support/service.ts';
import { ACTIVITY, json, page, serve, serveAll, UGWO_ID } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'];
const MOVES = /waiting for 127\.0\.0\.1:\d+ … [12]s/;

/** Delays an answer until `open` is called. */
const held = (answer: Answer) => {
  const gate = Promise.withResolvers<void>();
  const waits: Answer = (...args) => void gate.promise.then(() => answer(...args));
  return { waits, open: () => gate.resolve() };
};

describe('a request of more than a second', () => {
  it('shows a spinner on a terminal, erased afterwards', async () => {
    const { waits, open } = held(json(200, ACTIVITY));
    const terminal = openTerminal(CHARGE, { service: await serve([waits]), columns: 160 });
    await terminal.saw(/waiting for .* 1s/);
    await terminal.saw(/waiting for .* 2s/);
    expect(await terminal.screen()).toMatch(MOVES);
    open();
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(await terminal.screen()).not.toContain('waiting');
    expect(await terminal.screen()).toContain(ACTIVITY.uid);
  });

  it('erases the spinner before an error', async () => {
    const { waits, open } = held(json(404, { type: 'about:blank', title: 'Not found', status: 404 }));
    const terminal = openTerminal(['ugwo', 'get', UGWO_ID], { service: await serveAll([waits]), columns: 160 });
    await terminal.saw(/waiting for .* 1s/);
    open();
    expect(await terminal.ended).toEqual({ code: 3 });
    expect(await terminal.screen()).not.toContain('waiting');
  });

  it('prints one plain line with ACCESSIBLE', async () => {
    const env = { ACCESSIBLE: '1' };
    const { waits, open } = held(page([1], null));
    const terminal = openTerminal(['ugwo', 'list'], { service: await serve([waits]), env, columns: 160 });
    await terminal.saw(/waiting for .* 1s\r?\n/);
    setTimeout(open, 1500);
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(terminal.raw().match(/waiting for/g)).toHaveLength(1);
    expect(terminal.raw()).not.toContain('\u001b[2K');
  });

  it('shows no spinner with --quiet or in a pipe', async () => {
    const slow: Answer = (...args) => void setTimeout(() => page([1], null)(...args), 1300);
    const service = await serve([slow, slow]);
    const terminal = openTerminal(['ugwo', 'list', '-q'], { service });
    const piped = paycli(['ugwo', 'list'], { service });
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(terminal.raw()).not.toContain('waiting');
    expect(await piped).toMatchObject({ code: 0, stderr: '' });
  });
});
