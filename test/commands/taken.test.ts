import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { BY_EMAIL } from '../../src/commands/onye/create.ts';
import { openFind } from '../../src/commands/unique.ts';
import { PayError } from '../../src/core/error.ts';
import { madeHere } from '../../src/core/record.ts';

const record = (number: number) => madeHere({ uid: `ony.AbCd.${number}`, email: `N${number}@example.com` });

/** A list of three pages whose second one fails `faults` times. */
const listing = (faults = 0) => {
  const asked: string[] = [];
  let left = faults;
  const client = {
    async *pages(_list: string, _input: unknown, { from }: { readonly from?: string }) {
      for (let page = Number(from ?? 0); page < 3; page += 1) {
        asked.push(`page ${page}`);
        if (page === 1 && left-- > 0) throw new PayError('read_failed', 'cut');
        yield {
          records: [record(page * 2), record(page * 2 + 1)],
          cursor: undefined,
          nextCursor: page === 2 ? null : String(page + 1),
        };
      }
    },
    call: async (operation: string, { params }: { readonly params: { readonly uid: string } }) => {
      asked.push(`${operation} ${params.uid}`);
      return record(Number(params.uid.split('.')[2]));
    },
  } as unknown as Client;
  return { asked, find: openFind(BY_EMAIL, client) };
};

describe('findTaken', () => {
  it('walks the list once for several values in any order', async () => {
    const { asked, find } = listing();
    const found = await Promise.all(
      ['n3@example.com', ' N0@EXAMPLE.com', 'n5@example.com', 'n9@example.com'].map(find),
    );
    expect(found.slice(0, 3).map((one) => one?.value)).toEqual([3, 0, 5].map((number) => record(number).value));
    expect(found[3]).toBeUndefined();
    expect(asked).toEqual([
      ...['page 0', 'page 1', 'onye.get ony.AbCd.3'],
      ...['onye.get ony.AbCd.0', 'page 2', 'onye.get ony.AbCd.5'],
    ]);
  });

  it('continues after a failed read', async () => {
    const { asked, find } = listing(1);
    await expect(find('n3@example.com')).rejects.toThrow('cut');
    expect((await find('n3@example.com'))?.value).toMatchObject({ email: 'N3@example.com' });
    expect(asked).toEqual(['page 0', 'page 1', 'page 1', 'onye.get ony.AbCd.3']);
  });
});

it('the command that changes the other customer has its uid quoted', () => {
  const { hint } = BY_EMAIL.conflict('n0@example.com', madeHere({ uid: "a; touch 'x' $(y)" }));
  expect(hint).toContain(`\`paycli onye update 'a; touch '\\''x'\\'' $(y)' …\``);
});
