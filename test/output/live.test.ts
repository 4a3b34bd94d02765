import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import type { ApiRecord } from '../../src/core/record.ts';
import type { View } from '../../src/core/result.ts';
import { type LiveResult, showBoard } from '../../src/output/live.ts';
import { pagesOf, recordOf, served, surface, terminal } from './support.ts';

const VIEW: View = {
  columns: [],
  table: [{ path: 'uid' }, { path: 'status', kind: 'state' }, { path: 'ref', flexible: true }, { path: 'medium' }],
};

const SMALL = recordOf({ uid: 'ugw.WXYZ.a1', status: 'paid', ref: 'a', medium: 'ussd' });
const LARGE = recordOf({
  uid: 'ugw.WXYZ.b2',
  status: 'partially_refunded',
  ref: 'order-of-a-long-name',
  medium: 'wallet_phone',
});
const EMPTY = recordOf({ uid: 'ugw.WXYZ.c3', status: 'paid', ref: null, medium: null });

/** The headings of a board with these records, one after another, at these widths. */
const headingsOf = async (...steps: readonly (readonly [width: number, record: ApiRecord])[]): Promise<string[]> => {
  const io = terminal(120);
  let at = -1;
  const step = () => steps[Math.min(Math.max(at, 0), steps.length - 1)] as (typeof steps)[number];
  const result: LiveResult = {
    kind: 'live',
    pages: (async function* () {
      for await (const page of served(pagesOf(...steps.map(() => [])))) {
        at += 1;
        yield page;
      }
    })(),
    view: VIEW,
    board: () => ({ view: VIEW, records: [step()[1]], below: [`step ${at}`] }),
    ended: () => ({}),
  };
  await showBoard(result, io, () => surface(step()[0]));
  const lines = io.stdout.writes.flatMap((text) => stripVTControlCharacters(text).split(/[\r\n]+/));
  return lines.filter((line) => line.startsWith('uid')).map((line) => line.trim().replaceAll(/ +/g, ' '));
};

it.each([
  ['longer values', LARGE],
  ['empty values', EMPTY],
])('a board keeps its columns for %s', async (_what, next) => {
  const headings = await headingsOf([50, SMALL], [50, next]);
  expect(headings.length).toBeGreaterThan(1);
  expect(new Set(headings)).toEqual(new Set(['uid status ref medium']));
});

it('a board chooses its columns anew after a resize', async () => {
  const headings = await headingsOf([50, LARGE], [100, LARGE]);
  expect(headings[0]).toBe('uid status ref');
  expect(headings.at(-1)).toBe('uid status ref medium');
});
