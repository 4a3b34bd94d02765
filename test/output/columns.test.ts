import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import { checkColumnsAhead, checkRecordColumns, readColumns, tableColumns } from '../../src/output/columns.ts';
import { render } from '../../src/output/render.ts';
import { options, pagesOf, pipe, recordOf, served, ugwo, ugwoView } from './support.ts';

const thrownBy = (act: () => unknown): PayError => {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof PayError) return thrown;
  }
  throw new Error('no PayError was thrown');
};

describe('checkColumns', () => {
  const records = [ugwo('a1', { onye: null }), ugwo('b2', { onye: { email: 'a@b.c' }, list: [{ x: 1 }] })];

  it('accepts columns of the view, their first segments, and fields of a record', () => {
    const names = ['amount', 'onye', 'onye.uid', 'onye.email', 'list.0.x', 'uid'];
    expect(readColumns(names, ugwoView, records)).toEqual([
      { path: 'amount', kind: 'money' },
      { path: 'onye' },
      { path: 'onye.uid', machineOnly: true },
      { path: 'onye.email' },
      { path: 'list.0.x' },
      { path: 'uid' },
    ]);
  });

  it.each(['onye.name', 'amount.x', 'list.1', 'toString', '__proto__', ''])('rejects %j', (name) => {
    const error = thrownBy(() => readColumns([name], ugwoView, records));
    expect(error.kind).toBe('usage');
    expect(error.message).toBe(`no column ${JSON.stringify(name)}`);
  });

  it('lists the known columns and suggests one', () => {
    const error = thrownBy(() => readColumns(['uid', 'amuont'], ugwoView, records));
    expect(error.detail.hint).toBe(
      'did you mean amount?\nknown columns: uid, status, amount, currency, ref, description, onye.uid, created_at, onye, ' +
        'onye.email, list',
    );
  });
});

describe('checkColumnsAhead', () => {
  it('checks only the first segment', () => {
    expect(checkColumnsAhead(['onye.anything', 'ref'], ugwoView)).toHaveLength(2);
    expect(thrownBy(() => checkColumnsAhead(['meta'], ugwoView)).kind).toBe('usage');
  });

  it('accepts any column if the view has none', () => {
    expect(checkColumnsAhead(['meta'], { columns: [] })).toEqual([{ path: 'meta' }]);
  });

  it('accepts no more than checkRecordColumns, which also accepts fields of the record', () => {
    const record = recordOf({ uid: 'u', meta: { a: 1 } });
    expect(checkRecordColumns(['onye.anything', 'meta.a', 'amount'], ugwoView, record)).toHaveLength(3);
    expect(thrownBy(() => checkRecordColumns(['meta.b'], ugwoView, record)).kind).toBe('usage');
  });
});

describe('tableColumns', () => {
  it('omits columns that are empty in the first records, unless they are `always`', () => {
    const view = { columns: [{ path: 'id' }, { path: 'activity', always: true }, { path: 'status' }] };
    expect(tableColumns(view, [recordOf({ id: 'a', activity: null, status: null })])).toEqual(view.columns.slice(0, 2));
  });
});

it.each(['table', 'tsv', 'csv'] as const)('an unknown column prints nothing: %s', async (format) => {
  const io = pipe();
  const asked = options({ format, columns: ['nonsense'] });
  const pages = served(pagesOf([], [ugwo('a1')]));
  await expect(render({ kind: 'list', pages, view: ugwoView }, io, asked)).rejects.toMatchObject({ kind: 'usage' });
  await expect(render({ kind: 'record', record: ugwo('a1'), view: ugwoView }, io, asked)).rejects.toMatchObject({
    kind: 'usage',
  });
  expect(io.stdout.text).toBe('');
});
