import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { quickClock } from '../support/program.ts';
import type { Seen, Service } from '../support/service.ts';
import { serveBy } from '../support/service.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { openTerminal } from '../support/terminal.ts';
import { charged, numberIn, ussdFile } from './bulk-support.ts';

const ERASE = '\r\u001b[2K';

interface Gated {
  readonly service: Service;
  /** Answers the current and later requests for a payment request. */
  readonly answer: (number: number) => void;
}

/** Serves payment requests; each answer waits until the test releases it. */
const serveGated = async (): Promise<Gated> => {
  const [held, open] = [new Map<number, () => void>(), new Set<number>()];
  const service = await serveBy((seen: Seen) => (...args) => {
    const number = numberIn(seen);
    const reply = (): void => charged(number)(...args);
    if (open.has(number)) reply();
    else held.set(number, reply);
  });
  const answer = (number: number): void => {
    open.add(number);
    held.get(number)?.();
  };
  return { service, answer };
};

const openBulk = (service: Service, columns: number, numbers: readonly number[]): TerminalSession =>
  openTerminal(['ugwo', 'charge', '--from', ussdFile(...numbers)], { service, columns });

/** The progress lines on the screen. */
const linesOfProgress = async (session: TerminalSession): Promise<string[]> =>
  (await session.screen()).split('\n').filter((line) => /^\d+ of \d+ /.test(line));

describe('the progress of a bulk run on a terminal', () => {
  it('is one line that is overwritten, then erased at the end', async () => {
    const { service, answer } = await serveGated();
    const session = openBulk(service, 100, [1, 2, 3]);
    answer(1);
    await session.saw(/1 of 3 \(33%\)/);
    expect(await linesOfProgress(session)).toEqual([expect.stringMatching(/^1 of 3 \(33%\).*; 1 accepted$/)]);
    answer(2);
    await session.saw(/2 of 3 \(66%\)/);
    expect(await linesOfProgress(session)).toEqual([expect.stringMatching(/^2 of 3 \(66%\).*; 2 accepted$/)]);
    answer(3);
    expect((await session.ended).code).toBe(0);
    expect(await linesOfProgress(session)).toEqual([]);
    expect(await session.screen()).toMatch(/^rows +3\ncharged +3$/m);
  });

  it.each([40, 25, 12])('fits a terminal of %d columns', async (columns) => {
    const { service, answer } = await serveGated();
    const session = openBulk(service, columns, [1, 2, 3]);
    answer(1);
    await session.saw(/\[2K[^\r\n]*1/);
    answer(2);
    answer(3);
    expect((await session.ended).code).toBe(0);
    // A note about a row may come between two erasures, on lines of its own.
    const pieces = session.raw().split(ERASE).slice(1, -1);
    const written = pieces.filter((piece) => !piece.startsWith('note: '));
    const widths = written.map((line) => stripVTControlCharacters(line).length);
    expect(Math.max(...widths)).toBeGreaterThan(0);
    expect(Math.max(...widths)).toBeLessThan(columns);
    expect(written.join('')).not.toContain('\n');
  });

  it('makes room for the message after Ctrl-C', async () => {
    const { service, answer } = await serveGated();
    const session = openBulk(service, 100, [1, 2]);
    answer(1);
    await session.saw(/1 of 2 \(50%\)/);
    session.type('\u0003');
    await session.saw(/leaves them/);
    expect(await session.screen()).toMatch(/^Finishing requests in flight/m);
    answer(2);
    await session.ended;
    expect(await linesOfProgress(session)).toEqual([]);
  });
});

describe('the progress of a bulk run in a pipe', () => {
  // Prints one line per tenth, at least one second apart. Eight rows that take turns for 0.33 s of
  // the program's time take longer on any machine.
  const inPipe = async (...more: readonly string[]) => {
    const service = await serveBy(
      (seen) =>
        (...args) =>
          void setTimeout(() => charged(numberIn(seen))(...args), 33),
    );
    const file = ussdFile(1, 2, 3, 4, 5, 6, 7, 8);
    const args = ['ugwo', 'charge', '--from', file, '--concurrency', '1', '--no-preflight', ...more];
    return inProcess(args, { service, env: quickClock() });
  };

  it('is plain lines without control sequences', async () => {
    const { code, stderr } = await inPipe();
    expect(code).toBe(0);
    expect(stderr).toMatch(/^(?:note: row \d.*\n)?(?:\d of 8 \(\d+%\).*; \d accepted\n)+$/);
  });

  it.each([['-q'], ['--json']])('is not printed with %s', async (flag) => {
    expect(await inPipe(flag)).toMatchObject({ code: 0, stderr: '' });
  });
});
