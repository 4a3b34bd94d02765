import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import { checkColumns, checkColumnsAhead, checkRecordColumns, tableColumns } from '../../src/output/columns.ts';
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

  it('takes columns of the view, their first segments, and whatever is in a record', () => {
    const names = ['amount', 'onye', 'onye.uid', 'onye.email', 'list.0.x', 'uid'];
    expect(checkColumns(names, ugwoView, records)).toEqual([
      { path: 'amount', kind: 'money', currency: 'currency' },
      { path: 'onye' },
      { path: 'onye.uid', machineOnly: true },
      { path: 'onye.email' },
      { path: 'list.0.x' },
      { path: 'uid' },
    ]);
  });

  it.each(['onye.name', 'amount.x', 'list.1', 'toString', '__proto__', ''])('refuses %j', (name) => {
    const error = thrownBy(() => checkColumns([name], ugwoView, records));
    expect(error.kind).toBe('usage');
    expect(error.message).toBe(`no column ${JSON.stringify(name)}`);
  });

  it('lists the known ones, and the one that was probably meant', () => {
    const error = thrownBy(() => checkColumns(['uid', 'amuont'], ugwoView, records));
    expect(error.detail.hint).toBe(
      'did you mean amount?\nknown columns: uid, status, amount, currency, ref, description, onye.uid, created_at, onye, ' +
        'onye.email, list',
    );
  });
});

describe('checkColumnsAhead', () => {
  it('looks at the first segment only', () => {
    expect(checkColumnsAhead(['onye.anything', 'ref'], ugwoView)).toHaveLength(2);
    expect(thrownBy(() => checkColumnsAhead(['meta'], ugwoView)).kind).toBe('usage');
  });

  it('refuses nothing where the view knows nothing', () => {
    expect(checkColumnsAhead(['meta'], { columns: [] })).toEqual([{ path: 'meta' }]);
  });

  it('is what a record passes too, so that no answer to a write is lost; and what the record holds', () => {
    const record = recordOf({ uid: 'u', meta: { a: 1 } });
    expect(checkRecordColumns(['onye.anything', 'meta.a', 'amount'], ugwoView, record)).toHaveLength(3);
    expect(thrownBy(() => checkRecordColumns(['meta.b'], ugwoView, record)).kind).toBe('usage');
  });
});

describe('tableColumns', () => {
  it('leaves out what the first records say nothing about, unless it always stands', () => {
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
