import { PAGE_DEFAULT, PAGE_MAX } from '../../../src/core/record.ts';
import { recordsBetween } from './records.ts';

const cursorOf = (before: number): string => Buffer.from(`after ${before}`).toString('base64url');
const placeOf = (cursor: string): number =>
  Number(/^after (\d+)$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1] ?? Number.NaN);

/** One page of a list of `total` records (docs/service.md, Lists); undefined for what no page answers. */
export const pageOf = (url: string, total: number): Buffer | undefined => {
  const { pathname, searchParams } = new URL(url, 'http://list');
  const limit = Number(searchParams.get('limit') ?? PAGE_DEFAULT);
  const before = placeOf(searchParams.get('cursor') ?? cursorOf(0));
  const known =
    pathname === '/v1/ugwo' && Number.isInteger(limit) && limit >= 1 && limit <= PAGE_MAX && before <= total;
  if (!known) return undefined;
  const count = Math.min(limit, total - before);
  const next = before + count < total ? JSON.stringify(cursorOf(before + count)) : 'null';
  return Buffer.concat([
    Buffer.from('{"data":['),
    recordsBetween(before, count),
    Buffer.from(`],"next_cursor":${next}}`),
  ]);
};
