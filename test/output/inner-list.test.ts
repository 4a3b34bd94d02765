import { describe, expect, it } from 'vitest';
import type { ApiRecord } from '../../src/core/record.ts';
import type { OutputOptions, View } from '../../src/core/result.ts';
import { render } from '../../src/output/render.ts';
import { widthOf } from '../../src/output/text.ts';
import { CREATED_LOCALLY as AT, CREATED, options, pipe, received, recordOf, terminal } from './support.ts';

const view: View = {
  columns: [{ path: 'uid' }],
  lists: [
    {
      path: 'activities',
      heading: 'Activities',
      columns: [
        { path: 'uid' },
        { path: 'status', kind: 'state' },
        { path: 'created_at', kind: 'time', label: 'created' },
      ],
    },
  ],
};

const activity = (name: string, status: unknown): object => ({ uid: `act.WXYZ.${name}`, status, created_at: CREATED });
const RECORD = recordOf({ uid: 'ugw.A.b', activities: [activity('a1', 'failed'), activity('b2', ['paid', 'Paid'])] });

const shown = async (width: number, record: ApiRecord, more: Partial<OutputOptions> = {}): Promise<string[]> => {
  const io = terminal(width);
  await render({ kind: 'record', record, view }, io, options({ format: 'table', ...more }));
  return io.stdout.text.split('\n');
};

describe('a list inside a record', () => {
  it('is a table under its card', async () => {
    expect(await shown(80, RECORD)).toEqual([
      'uid  ugw.A.b',
      '',
      'Activities',
      'uid          status  created_at',
      '─────────────────────────────────────',
      `act.WXYZ.a1  failed  ${AT}`,
      `act.WXYZ.b2  paid    ${AT}`,
      '',
    ]);
  });

  it('is stacked with every column if no table fits', async () => {
    const lines = await shown(36, RECORD);
    expect(lines).toEqual([
      'uid  ugw.A.b',
      '',
      'Activities',
      'uid      act.WXYZ.a1',
      'status   failed',
      `created  ${AT}`,
      '',
      'uid      act.WXYZ.b2',
      'status   paid',
      `created  ${AT}`,
      '',
    ]);
  });

  it('has every column, or is no table', async () => {
    const columns = ['uid', 'status', 'psp', 'created_at'].map((path) => ({ path }));
    const io = terminal(50);
    const wide = { ...view, lists: [{ path: 'activities', heading: 'Activities', columns }] };
    const record = recordOf({ activities: [{ ...activity('a1', 'failed'), psp: 'psp.WXYZ.0123456789' }] });
    await render({ kind: 'record', record, view: wide }, io, options({ format: 'table' }));
    expect(io.stdout.text).toContain(`created_at  ${CREATED}`);
  });

  it('omits columns that are empty in every row', async () => {
    const columns = ['at', 'why', 'message', 'by', 'reason'].map((path) => ({ path, flexible: path !== 'at' }));
    const io = terminal(50);
    const message = 'made: rfd.WXYZ.0123456789abcdef01234567';
    const record = recordOf({
      evidence: [
        { at: 'now', message },
        { at: 'then', by: 'ada' },
      ],
    });
    const lists = [{ path: 'evidence', heading: 'Evidence', columns }];
    await render({ kind: 'record', record, view: { columns: [], lists } }, io, options({ format: 'table' }));
    expect(io.stdout.text).toMatch(/^at +message +by$/m);
    expect(io.stdout.text).toContain(message);
  });

  it.each([20, 24, 33, 43, 44, 60, 200])('fits a terminal of %i columns', async (width) => {
    const lines = await shown(width, RECORD);
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(width);
  });

  it('is announced if empty, and not mentioned if missing', async () => {
    expect(await shown(80, recordOf({ uid: 'ugw.A.b', activities: [] }))).toEqual([
      'uid  ugw.A.b',
      '',
      'no activities',
      '',
    ]);
    expect(await shown(80, recordOf({ uid: 'ugw.A.b' }))).toEqual(['uid  ugw.A.b', '']);
    expect(await shown(80, recordOf({ uid: 'ugw.A.b', activities: null }))).toEqual(['uid  ugw.A.b', '']);
  });

  it('preserves digits and escapes control characters', async () => {
    const record = received('{"uid":"ugw.A.b","activities":[{"uid":12345678901234567890,"status":"a\\u001b[2J"}]}');
    const text = (await shown(80, record)).join('\n');
    expect(text).toContain('12345678901234567890');
    expect(text).toContain('a\\x1b[2J');
  });

  it('is omitted if --columns selects others', async () => {
    expect(await shown(80, RECORD, { columns: ['uid'] })).toEqual(['uid  ugw.A.b', '']);
  });

  it.each([
    ['csv', 'uid\r\nugw.A.b\r\n'],
    ['json', `${RECORD.text}\n`],
  ] as const)('does not affect %s', async (format, text) => {
    const io = pipe();
    await render({ kind: 'record', record: RECORD, view }, io, options({ format }));
    expect(io.stdout.text).toBe(text);
  });
});
