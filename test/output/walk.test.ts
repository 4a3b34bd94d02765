import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import type { ApiPage } from '../../src/core/record.ts';
import type { Format, Result } from '../../src/core/result.ts';
import { render } from '../../src/output/render.ts';
import { options, pagesOf, pipe, recordOf, served, terminal, ugwoView } from './support.ts';

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => recordOf({ n: from + index }));

const THREE = pagesOf(numbered(1, 3), numbered(4, 6), numbered(7, 9));
const FORMATS: readonly Format[] = ['table', 'tsv', 'json', 'ndjson', 'csv'];

type List = Extract<Result, { kind: 'list' }>;
const list = (pages: AsyncIterable<ApiPage>, more: Partial<List> = {}): List => ({
  kind: 'list',
  pages,
  view: { columns: [{ path: 'n' }] },
  goOn: (cursor) => `paycli ugwo list --cursor ${cursor}`,
  ...more,
});

/** Counts requested pages, and records whether the list was stopped. */
const watched = (pages: readonly ApiPage[]) => {
  const seen = { asked: 0, returned: false };
  const iterable: AsyncIterable<ApiPage> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const value = pages[seen.asked++];
        return value === undefined ? { done: true, value: undefined } : { done: false, value };
      },
      return: async () => {
        seen.returned = true;
        return { done: true, value: undefined };
      },
    }),
  };
  return { seen, iterable };
};

describe('streaming a list', () => {
  it.each(FORMATS)('%s: requests a page only after the reader has taken the previous one', async (format) => {
    const io = pipe();
    const { seen, iterable } = watched(THREE);
    const askedAtWrite: number[] = [];
    let release = (): void => undefined;
    io.stdout.taken = () => {
      askedAtWrite.push(seen.asked);
      return new Promise((resolve) => {
        release = resolve;
      });
    };
    const done = render(list(iterable), io, options({ format }));
    for (let asked = 1; asked <= 3; asked += 1) {
      await expect.poll(() => io.stdout.writes.length).toBe(asked);
      // Without back pressure, the next page would be requested in this tick.
      await new Promise((resolve) => setImmediate(resolve));
      expect([seen.asked, io.stdout.writes.length]).toEqual([asked, asked]);
      release();
    }
    io.stdout.taken = () => undefined;
    release();
    await done;
    expect(askedAtWrite.slice(0, 3)).toEqual([1, 2, 3]);
  });

  it.each(FORMATS)('%s: a closed pipe ends the walk silently', async (format) => {
    const io = pipe();
    const { seen, iterable } = watched(THREE);
    io.stdout.taken = () => {
      io.stdout.closed = true;
    };
    await render(list(iterable), io, options({ format }));
    expect(seen).toEqual({ asked: 1, returned: true });
    expect(io.stdout.writes).toHaveLength(1);
    expect(io.stderr.text).toBe('');
  });

  it('requests nothing if the pipe is closed before the first page', async () => {
    const io = pipe();
    io.stdout.closed = true;
    const { seen, iterable } = watched(THREE);
    await render(list(iterable), io, options());
    expect(seen).toEqual({ asked: 0, returned: true });
  });

  it('stops the list if writing fails, with the reason', async () => {
    const io = pipe();
    const { seen, iterable } = watched(THREE);
    io.stdout.taken = () => Promise.reject(new Error('no space left'));
    await expect(render(list(iterable), io, options())).rejects.toThrow('no space left');
    expect(seen).toEqual({ asked: 1, returned: true });
    expect(io.stdout.writes).toHaveLength(1);
  });
});

describe('a walk that fails', () => {
  const fault = new PayError('read_failed', 'the service did not answer');

  it.each(FORMATS)('%s: prints nothing if the first page fails', async (format) => {
    const io = pipe();
    await expect(render(list(served([], fault)), io, options({ format }))).rejects.toBe(fault);
    expect(io.stdout.writes).toEqual([]);
    expect(io.stderr.text).toBe('');
  });

  it('json: prints a complete document with the next cursor', async () => {
    const io = pipe();
    await expect(render(list(served(THREE.slice(0, 2), fault)), io, options())).rejects.toBe(fault);
    expect(JSON.parse(io.stdout.text)).toEqual({
      data: [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }, { n: 5 }, { n: 6 }],
      next_cursor: 'cursor-2',
    });
    expect(io.stderr.text).toBe('');
  });

  it.each(['tsv', 'ndjson', 'csv', 'table'] as const)(
    '%s: keeps the printed rows and throws the error',
    async (format) => {
      const io = pipe();
      await expect(render(list(served(THREE.slice(0, 1), fault)), io, options({ format }))).rejects.toBe(fault);
      expect(io.stdout.text).toContain('3');
      expect(io.stderr.text).toBe('');
    },
  );

  it('table: shows the received rows', async () => {
    const io = pipe();
    await expect(render(list(served(THREE.slice(0, 1), fault)), io, options({ format: 'table' }))).rejects.toBe(fault);
    expect(io.stdout.text.split('\n').at(-2)).toBe('3');
  });
});

it('a closed pager gets no further messages', async () => {
  const io = terminal(30);
  const pages = (async function* () {
    yield {
      records: [recordOf({ a: 'x'.repeat(12), b: 'y'.repeat(12), c: 1, d: 'z'.repeat(12) })],
      cursor: undefined,
      nextCursor: 'c',
    };
    io.stdout.closed = true;
    yield { records: [], cursor: 'c', nextCursor: null };
  })();
  const view = { columns: ['a', 'b', 'c', 'd'].map((path) => ({ path, flexible: true })) };
  await render({ kind: 'list', pages, view }, io, options({ format: 'table' }));
  expect(io.stdout.text).toMatch(/^a +b +c\n/);
  expect(io.stderr.text).toBe('');
});

describe('max', () => {
  const upTo = async (max: number, more: Partial<List> = {}, quiet = false) => {
    const io = pipe();
    const { seen, iterable } = watched(THREE);
    await render(list(iterable, { max, ...more }), io, options({ quiet }));
    const { data, next_cursor } = JSON.parse(io.stdout.text) as { data: unknown[]; next_cursor: unknown };
    return { count: data.length, next: next_cursor, said: io.stderr.text, ...seen };
  };

  it('inside a page: the next command repeats that page', async () => {
    expect(await upTo(5)).toEqual({
      count: 5,
      next: 'cursor-1',
      said: 'Stopped at 5 records, more remain. Next: paycli ugwo list --cursor cursor-1 (repeats 2 already shown)\n',
      asked: 2,
      returned: true,
    });
  });

  it('at the end of a page: the next command starts with the next', async () => {
    expect(await upTo(3)).toEqual({
      count: 3,
      next: 'cursor-1',
      said: 'Stopped at 3 records, more remain. Next: paycli ugwo list --cursor cursor-1\n',
      asked: 1,
      returned: true,
    });
  });

  it('never cuts the first page, which has no cursor', async () => {
    expect(await upTo(1)).toMatchObject({ count: 3, next: 'cursor-1' });
  });

  it('causes no message if nothing remains', async () => {
    expect(await upTo(9)).toMatchObject({ count: 9, next: null, said: '', asked: 3 });
    expect(await upTo(50)).toMatchObject({ count: 9, next: null, said: '' });
  });

  it('is silent with quiet, and prints no command without goOn', async () => {
    expect(await upTo(5, {}, true)).toMatchObject({ next: 'cursor-1', said: '' });
    const without = list(served(THREE), { max: 5 });
    const { goOn: _, ...bare } = without;
    const io = pipe();
    await render(bare, io, options());
    expect(io.stderr.text).toBe('Stopped at 5 records, more remain.\n');
  });
});

describe('the message at the end of a list', () => {
  it('names the command for the next page, escaped', async () => {
    const io = pipe();
    const page = { records: numbered(1, 1), cursor: undefined, nextCursor: 'c\u001b[2J' };
    await render(list(served([page])), io, options({ format: 'tsv' }));
    expect(io.stderr.text).toBe('More: paycli ugwo list --cursor c\\x1b[2J\n');
  });

  it('is missing with quiet or after the last page', async () => {
    const io = pipe();
    await render(list(served(THREE.slice(0, 1))), io, options({ quiet: true }));
    await render(list(served(THREE)), io, options());
    expect(io.stderr.text).toBe('');
  });

  it('says that nothing was found', async () => {
    const io = pipe();
    await render({ kind: 'list', pages: served(pagesOf([])), view: ugwoView }, io, options({ format: 'table' }));
    expect([io.stdout.text, io.stderr.text]).toEqual(['', 'Nothing found.\n']);
    for (const [format, text] of [
      ['tsv', 'Nothing found.\n'],
      ['csv', 'Nothing found.\n'],
      ['ndjson', ''],
      ['json', ''],
    ] as const) {
      const other = pipe();
      await render({ kind: 'list', pages: served(pagesOf([])), view: ugwoView }, other, options({ format }));
      expect(other.stderr.text).toBe(text);
    }
  });
});
