import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { confirmer } from '../../src/cli/confirm.ts';
import { previewResult } from '../../src/cli/preview.ts';
import { readNextAction } from '../../src/core/charge.ts';
import { PayError } from '../../src/core/error.ts';
import { FORMATS, type Result, type View } from '../../src/core/result.ts';
import { errorBlock, errorLine } from '../../src/output/error.ts';
import { render } from '../../src/output/render.ts';
import { openStatusLine } from '../../src/output/status-line.ts';
import { stylesFor } from '../../src/output/style.ts';
import { notice } from '../../src/output/text.ts';
import { openCountdown } from '../../src/output/wait.ts';
import { ANY_CHARACTER } from '../support/text.ts';
import { type FakeIo, options, received, served, terminal, ugwoView } from './support.ts';

/** Wider than a terminal, with all characters that our encodings escape; its end is shown. */
const KEY = `sk.Kw9a.${['b7/Fq', 'c"8+x', "d'9=y", 'e\\0.z'].join('Rs1').repeat(4)}TAIL`;
/** The length of a key fragment that must not be printed. */
const PIECE = 10;

/** Characters that no terminal output may contain. */
const STEERS = /(?!\r?\n|\t)[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

const squeezed = (text: string): string => text.replaceAll(/[\s"'\\]/g, '');
const WINDOWS = Array.from({ length: KEY.length - PIECE + 1 }, (_, at) => squeezed(KEY.slice(at, at + PIECE)));
const unicode = (text: string): string =>
  text.replaceAll(/\\u([\da-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
const percent = (text: string): string =>
  text.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const shows = (text: string): void => {
  expect(text).not.toMatch(STEERS);
  for (const read of [text, unicode(text), percent(text)]) {
    const dense = squeezed(read);
    expect(WINDOWS.filter((window) => window.length >= 8 && dense.includes(window))).toEqual([]);
  }
};

const ioWith = (columns: number): FakeIo => {
  const io = terminal(columns);
  io.redactor.add(KEY);
  return io;
};
const said = ({ stdout, stderr }: FakeIo): string => stdout.text + stderr.text;

/** Text with control characters, escapes and the key. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constant(KEY),
      fc.constantFrom('\u001b[2J', '\u001b]0;x\u0007', '\u009b31m', '\r', '\n', '\t', '\u202e', '\u2028', '\ud800'),
      fc.constantFrom('\u200b', '\u200d', '\ufeff', '\u00ad', '\u{e0041}', '"', "'", '\\', ',', '`', ': ', ' '),
      fc.string({ unit: ANY_CHARACTER, maxLength: 5 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));

/** The same JSON with some characters, and each slash, as escapes. */
const writtenOddly = (json: string, every: number): string =>
  json.replaceAll(/"(?:[^"\\]|\\.)*"/gsu, (string) =>
    string.replaceAll(/\\u[\da-f]{4}|\\.|[/A-Za-z]/gsu, (char, at: number) => {
      if (char === '/') return '\\/';
      return char.length > 1 || at % every > 0 ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
    }),
  );

const record = fc
  .record({
    uid: hostile,
    status: hostile,
    amount: fc.oneof(fc.nat(), hostile),
    currency: fc.oneof(hostile, fc.tuple(hostile, hostile)),
    ref: hostile,
    description: hostile,
    created_at: hostile,
    other: hostile,
    next_action: fc.record({
      type: hostile,
      instruction: hostile,
      headers: fc.record({ account_number: hostile, bank_name: hostile, account_name: hostile, more: hostile }),
    }),
    activities: fc.array(fc.record({ uid: hostile, status: hostile }), { maxLength: 2 }),
  })
  .chain((value) =>
    fc.integer({ min: 1, max: 5 }).map((every) => received(writtenOddly(JSON.stringify(value), every))),
  );

const view: View = {
  ...ugwoView,
  nextAction: readNextAction,
  lists: [{ path: 'activities', heading: 'Activities', columns: [{ path: 'uid' }, { path: 'status', kind: 'state' }] }],
};

const widths = fc.constantFrom(20, 40, 80, 200);

describe('any text of the service', () => {
  it.each(FORMATS)('as %s contains no control character and no part of the key', async (format) => {
    await fc.assert(
      fc.asyncProperty(record, hostile, widths, async (one, cursor, columns) => {
        const page = { records: [one, one], cursor: 'c', nextCursor: cursor };
        const goOn = (next: string): string => `paycli ugwo list --cursor ${next}`;
        const results: Result[] = [
          { kind: 'record', record: one, view },
          { kind: 'list', pages: served([page]), view, goOn, max: 2 },
          { kind: 'wait', record: undefined, view, wait: async () => ({ record: one }) },
        ];
        for (const result of results) {
          const io = ioWith(columns);
          await render(result, io, options({ format }));
          shows(said(io));
        }
      }),
      // Each run prints three results.
      { numRuns: 40 },
    );
  });

  it('in an error, a notice or a progress line contains neither', async () => {
    const styles = await stylesFor(false);
    await fc.assert(
      fc.asyncProperty(hostile, record, widths, async (text, { text: answer }, columns) => {
        const io = ioWith(columns);
        const violations = [{ propertyPath: text, title: text, suggestion: text }];
        const request = { method: 'GET', path: `/ugwo/${encodeURIComponent(text.toWellFormed())}` };
        const detail = { hint: text, title: text, status: 422, violations, request, answer, ledgerId: text };
        const error = new PayError('rejected', text, { ...detail, cause: new Error(text) });
        shows(await errorBlock(error, { color: false, io }));
        shows(await errorBlock(error, { color: false, stack: true, io }));
        shows([...errorLine(error, 3, io)].join(''));
        shows(notice([text, `${text}. Go on: paycli ${text}`], io));
        const line = openStatusLine(io, styles, false);
        await line.show(text);
        const countdown = openCountdown(io, styles, false);
        countdown.tell({ status: text, until: 0, failing: false });
        // Skips the progress line's own control sequences.
        shows(io.stderr.text.replaceAll('\r\u001b[2K', ''));
      }),
    );
  });

  it('in a printed request contains neither', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, fc.boolean(), fc.constantFrom(...FORMATS), async (text, curl, format) => {
        const io = ioWith(80);
        const url = `https://x.test/ugwo?cursor=${encodeURIComponent(text.toWellFormed())}`;
        const request = { method: 'POST', url, body: { [text]: text } };
        await render(previewResult(request, { io, globals: { asCurl: curl } }), io, options({ format }));
        shows(said(io));
      }),
    );
  });

  it('in a prompt is a single line', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        const asked: string[] = [];
        const stdin = { isTerminal: true, line: async (prompt: string) => void asked.push(prompt) };
        const lines = [`x.test: https://x.test, profile ${text}`, `Charge 2 requests for ${text} 1.00 (${text} 2)?`];
        const io = { stdin, stderr: { isTerminal: true } };
        const confirm = confirmer(io as never, { yes: false, input: true });
        await expect(confirm(lines, 'refuse')).rejects.toThrow('cancelled');
        expect(asked[0]?.split('\n')).toHaveLength(2);
        expect(asked[0]).not.toMatch(STEERS);
      }),
    );
  });
});
