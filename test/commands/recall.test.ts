import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { SeenBefore } from '../../src/commands/deps.ts';
import { recalled, remembering } from '../../src/commands/list.ts';
import { madeHere } from '../../src/core/record.ts';

const UID = 'ugw.AbCd.1';

/** Pages of a hundred records each. */
async function* pages(count: number) {
  for (let page = 0; page < count; page += 1) {
    const records = Array.from({ length: 100 }, (_, index) => {
      const number = page * 100 + index;
      return madeHere({ uid: `ugw.AbCd.${number}`, ref: `r-${number}` });
    });
    yield { records, cursor: undefined, nextCursor: null };
  }
}

const walk = async (count: number, filter: { readonly ref?: string; readonly statuses?: readonly string[] }) => {
  const noted: unknown[][] = [];
  const seen: SeenBefore = { note: (_list, traces) => void noted.push([...traces]), find: () => [] };
  for await (const _ of remembering(pages(count), 'ugwo.list', filter, seen));
  return noted;
};

describe('what is remembered of a search', () => {
  it('is the first thousand records and the one that it was for, written down once', async () => {
    const [noted = [], ...others] = await walk(15, { ref: 'r-1234' });
    expect(others).toEqual([]);
    expect(noted).toHaveLength(1001);
    expect(noted.at(-1)).toEqual({ field: 'ref', text: 'r-1234', uid: 'ugw.AbCd.1234' });
    expect((await walk(15, { statuses: ['x'] }))[0]).toHaveLength(1000);
  });

  it.each([
    ['two that had it', { ref: 'a' }, [UID, 'ugw.AbCd.2']],
    ['another filter beside it', { ref: 'a', statuses: ['x'] }, [UID]],
    ['a field that several may share', { email: 'a@b.c' }, [UID]],
  ])('is not asked with %s', async (_what, filter, uids) => {
    const client = { look: () => Promise.reject(new Error('asked')) } as unknown as Client;
    const seen: SeenBefore = { note: () => undefined, find: () => uids };
    const io = { clock: { now: () => 0 } } as Parameters<typeof recalled>[4]['io'];
    expect(await recalled('ugwo.list', filter, seen, client, { io })).toBeUndefined();
  });
});
