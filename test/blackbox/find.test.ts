import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { paycli } from '../support/program.ts';
import type { Answer } from '../support/service.ts';
import { json, serveBy, ugwo } from '../support/service.ts';

interface Some {
  readonly status?: string;
  readonly created_at?: string;
}

const pageOf = (records: readonly (readonly [number: number, some?: Some])[], next: string | null): Answer =>
  json(200, { data: records.map(([number, some = {}]) => ({ ...ugwo(number), ...some })), next_cursor: next });

/** A list whose pages are found by their query; the walk may ask for one page more than it needs. */
const serveList = (pages: Readonly<Record<string, Answer>>) =>
  serveBy(({ url }) => pages[url.replace('/v1/ugwo?', '')]);

const refs = (stdout: string): string[] => stdout.split('\n').filter((line) => line !== '');
const list = ['ugwo', 'list', '-o', 'tsv', '--columns', 'ref'];
const paid = { status: 'ugwo_successful' };

describe('finding payment requests', () => {
  it('walks the largest pages to the end, shows what matches, and says how far it looked', async () => {
    const service = await serveList({
      'limit=100': pageOf([[1], [2, paid]], 'a'),
      'limit=100&cursor=a': pageOf([[3]], 'b'),
      'limit=100&cursor=b': pageOf([[4, { ...paid, created_at: '2026-11-01T10:00:00+00:00' }]], null),
    });
    const ended = await paycli([...list, '--status', 'ugwo_successful'], { service, env: { TZ: 'UTC' } });
    expect(ended).toMatchObject({ code: 0, stdout: 'order-2\norder-4\n' });
    expect(ended.stderr).toBe('Looked through 4 payment requests, back to 2026-11-01 10:00.\n');
  });

  it('stops at the one request that has the reference', async () => {
    const service = await serveList({
      'limit=100': pageOf([[1], [2]], 'a'),
      'limit=100&cursor=a': pageOf([[8], [9]], 'b'),
      'limit=100&cursor=b': pageOf([], null),
    });
    const ended = await inProcess([...list, '--ref', 'order-2'], { service });
    expect(refs(ended.stdout)).toEqual(['order-2']);
    expect(ended.stderr).toContain('Looked through 2 payment requests');
  });

  it('stops where all that follows is older than --since', async () => {
    const old = { created_at: '2026-11-01T10:00:00+00:00' };
    const service = await serveList({
      'limit=100': pageOf([[1], [2, old]], 'a'),
      'limit=100&cursor=a': pageOf([[8], [9]], 'b'),
      'limit=100&cursor=b': pageOf([], null),
    });
    const ended = await inProcess([...list, '--since', '2026-11-15', '--all'], { service });
    expect(refs(ended.stdout)).toEqual(['order-1']);
    expect(ended.stderr).toContain('Looked through 2 payment requests');
  });

  it('shows ten, and the command that goes on behind them, none shown twice and none left out', async () => {
    const twelve = Array.from({ length: 12 }, (_, index) => [index + 1] as const);
    const service = await serveList({
      'limit=100': pageOf(twelve, 'far'),
      'limit=100&cursor=far': pageOf([[20]], null),
      'limit=10': pageOf(twelve.slice(0, 10), 'behind-ten'),
    });
    const ended = await inProcess([...list, '--status', 'requires_ugwo'], { service });
    expect(refs(ended.stdout)).toHaveLength(10);
    expect(ended.stderr).toContain('--status requires_ugwo --limit 100 --cursor behind-ten');
  });

  it('never shows more than --max', async () => {
    const service = await serveList({
      'limit=100': pageOf([[1], [2], [3]], 'far'),
      'limit=100&cursor=far': pageOf([[4]], null),
      'limit=2': pageOf([[1], [2]], 'behind-two'),
    });
    const cut = await inProcess(['ugwo', 'list', '--json', '--max', '2', '--status', 'requires_ugwo'], { service });
    expect(JSON.parse(cut.stdout)).toEqual({ data: [ugwo(1), ugwo(2)], next_cursor: 'behind-two' });
  });

  it.each([
    [['--amount', '5000'], '--amount: "5000" could mean NGN 5,000.00 or NGN 50.00', 'write --amount 5,000.00 or'],
    [['--amount', '5,000.00', '--amount-minor', '5'], "--amount and --amount-minor can't be used together", ''],
    [['--since', 'yesterday'], '--since: "yesterday" is not a time such as', ''],
    [['--status', 'a,,b'], '--status: "a,,b" is not a list such as', ''],
    [['--since', '2026-11-24', '--until', '2026-11-20'], '--until is before --since', 'swap the two times'],
    [['--since', '2d', '--until', '7d'], '--until is before --since', ''],
    [['--since', '2d', '--until', '2020-01-01', '--dry-run'], '--until is before --since', ''],
  ])('%j is refused before anything is asked', async (options, message, hint) => {
    const ended = await inProcess(['ugwo', 'list', ...options], {});
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(message);
    expect(ended.stderr).toContain(hint);
  });
});

describe('finding customers', () => {
  it('refuses a period that ends before it begins', async () => {
    const ended = await inProcess(['onye', 'list', '--since', '2026-11-24', '--until', '2026-11-20']);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--until is before --since') });
  });

  it('goes on behind one that has the reference, which another may have, too', async () => {
    const customer = (number: number, ref: string) => ({
      uid: `ony.AbCd.${number}`,
      email: `${number}@example.com`,
      ref,
    });
    const pages: Readonly<Record<string, Answer>> = {
      '/v1/onye?limit=100': json(200, { data: [customer(1, 'shop'), customer(2, 'other')], next_cursor: 'a' }),
      '/v1/onye?limit=100&cursor=a': json(200, { data: [customer(3, 'shop')], next_cursor: null }),
    };
    const service = await serveBy(({ url }) => pages[url]);
    const ended = await inProcess(['onye', 'list', '--ref', 'shop', '-o', 'tsv', '--columns', 'uid'], { service });
    expect(refs(ended.stdout)).toEqual(['ony.AbCd.1', 'ony.AbCd.3']);
  });
});
