import { describe, expect, it } from 'vitest';
import { pageOf } from '../../scripts/bench/service/page.ts';
import { uidOf } from '../../scripts/bench/service/records.ts';
import { ugwo } from '../../src/contract/ugwo.ts';

interface Page {
  readonly data: readonly { readonly uid: string }[];
  readonly next_cursor: string | null;
}

const page = (url: string, total: number): Page => JSON.parse(String(pageOf(url, total)));

const walk = (limit: number, total: number): Page[] => {
  const pages = [page(`/v1/ugwo?limit=${limit}`, total)];
  for (let cursor = pages[0]?.next_cursor; typeof cursor === 'string'; cursor = pages.at(-1)?.next_cursor) {
    pages.push(page(`/v1/ugwo?limit=${limit}&cursor=${cursor}`, total));
  }
  return pages;
};

describe('the list for benchmarks', () => {
  it.each([
    [1, 3, 3],
    [7, 250, 36],
    [100, 250, 3],
    [100, 200, 2],
    [10, 0, 1],
  ])('has each record once, by pages of %d of %d', (limit, total, pages) => {
    const walked = walk(limit, total);
    expect(walked).toHaveLength(pages);
    const uids = walked.flatMap(({ data }) => data.map(({ uid }) => uid));
    expect(uids).toEqual(Array.from({ length: total }, (_, index) => uidOf(index + 1)));
  });

  it('has valid records, the same for every limit', () => {
    const records = walk(100, 250).flatMap(({ data }) => data);
    expect(records.filter((record) => !ugwo().safeParse(record).success)).toEqual([]);
    expect(walk(7, 250).flatMap(({ data }) => data)).toEqual(records);
  });

  it('has ten records by default', () => {
    expect(page('/v1/ugwo', 30).data).toHaveLength(10);
  });

  it.each(['/v1/ugwo?limit=101', '/v1/ugwo?limit=0', '/v1/ugwo?cursor=other', '/v1/onye'])(
    'does not answer %s',
    (url) => {
      expect(pageOf(url, 100)).toBeUndefined();
    },
  );
});
