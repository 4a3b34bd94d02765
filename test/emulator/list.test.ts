import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from '../../src/emulator/ids.ts';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { type Emulator, startEmulator, violationsOf } from './support.ts';

const uids = (json: { data: { uid: string }[] }): string[] => json.data.map(({ uid }) => uid);

const get = ({ send }: Emulator, query: Record<string, string | number>) => {
  const texts = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return send('GET', `/v1/ugwo?${texts.join('&')}`);
};

/** Follows next_cursor to the end; `between` runs before each page but the first. */
const walk = async (emulator: Emulator, limit: number, between = async () => {}): Promise<string[]> => {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    if (cursor !== null) await between();
    const { json } = await get(emulator, cursor === null ? { limit } : { limit, cursor });
    seen.push(...uids(json));
    cursor = json.next_cursor;
  } while (cursor !== null);
  return seen;
};

const add = ({ file, clock }: Emulator, ugwo: number) => emulatorRoom.seed({ file, clock, customers: 0, ugwo });

describe('4.3 list payment requests', () => {
  test('returns a list page (2.6) of payment requests (2.2), newest first', async () => {
    const emulator = await startEmulator({ customers: 3, ugwo: 8 });
    const { status, json } = await get(emulator, {});
    const instants = json.data.map((ugwo: { created_at: string }) => Date.parse(ugwo.created_at));
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['data', 'next_cursor']);
    expect(json.next_cursor).toBeNull();
    expect(instants).toEqual(instants.toSorted((a: number, b: number) => b - a));
    expect(new Set(instants).size).toBe(8);
    for (const ugwo of json.data) {
      expect(ugwo).toEqual({
        uid: expect.stringMatching(/^ugw\.Lcal\.[A-Za-z0-9]{24}$/),
        amount: expect.any(Number),
        total_amount_paid: 0,
        currency: expect.stringMatching(/^[A-Z]{3}$/),
        status: expect.any(String),
        ref: expect.any(String),
        description: expect.any(String),
        metadata: expect.any(Object),
        onye: ugwo.onye === null ? null : expect.objectContaining({ uid: expect.stringMatching(/^ony\./) }),
        checkout: ugwo.checkout === null ? null : expect.objectContaining({ uid: expect.stringMatching(/^chk\./) }),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
        lastest_ugwo_activity: null,
      });
    }
  });

  test('returns one page without records for an empty list', async () => {
    const { json } = await get(await startEmulator(), {});
    expect(json).toEqual({ data: [], next_cursor: null });
  });

  test('rule 1: there are no page numbers; page and offset change nothing', async () => {
    const emulator = await startEmulator({ ugwo: 15 });
    const { json } = await get(emulator, {});
    expect(uids((await get(emulator, { page: 2, offset: 10 })).json)).toEqual(uids(json));
  });

  test('rule 2: passing next_cursor until it is null walks through every record once', async () => {
    const emulator = await startEmulator({ ugwo: 35 });
    const all = uids((await get(emulator, { limit: 100 })).json);
    expect(all).toHaveLength(35);
    expect(await walk(emulator, 10)).toEqual(all);
  });

  test.each([1, 5, 10, 20])(
    'rule 2: no empty last page when the last page is exactly full (limit %i)',
    async (limit) => {
      const emulator = await startEmulator({ ugwo: 20 });
      let pages = 1;
      const seen = await walk(emulator, limit, async () => {
        pages += 1;
      });
      expect(seen).toHaveLength(20);
      expect(pages).toBe(20 / limit);
    },
  );

  test('rule 3: a position that no page has returned is rejected, and pages return no earlier position', async () => {
    const emulator = await startEmulator({ ugwo: 9 });
    const { json } = await get(emulator, { limit: 3 });
    const forged = Buffer.from(json.next_cursor, 'base64url');
    forged.writeUIntBE(forged.readUIntBE(0, 6) + 2, 0, 6);
    expect(violationsOf(await get(emulator, { cursor: forged.toString('base64url') }))).toEqual(['cursor']);
    const second = (await get(emulator, { limit: 3, cursor: json.next_cursor })).json;
    expect(Object.keys(second)).toEqual(['data', 'next_cursor']);
  });

  test('rule 4: a cursor works with another limit', async () => {
    const emulator = await startEmulator({ ugwo: 12 });
    const all = uids((await get(emulator, { limit: 100 })).json);
    const { next_cursor: cursor } = (await get(emulator, { limit: 3 })).json;
    expect(uids((await get(emulator, { limit: 7, cursor })).json)).toEqual(all.slice(3, 10));
  });

  test('the same cursor gives the same page again', async () => {
    const emulator = await startEmulator({ ugwo: 12 });
    const { next_cursor: cursor } = (await get(emulator, {})).json;
    const first = await get(emulator, { cursor });
    expect((await get(emulator, { cursor })).text).toBe(first.text);
    expect(first.json.data).toHaveLength(2);
  });
});

describe('4.3 cursors while records are added', () => {
  test('does not show records added during a walk, and neither repeats nor skips others', async () => {
    const emulator = await startEmulator({ ugwo: 25 });
    const before = uids((await get(emulator, { limit: 100 })).json);
    expect(await walk(emulator, 4, async () => void (await add(emulator, 3)))).toEqual(before);
  });

  test('property: each initial record is shown exactly once, whatever is added between pages', async () => {
    const emulator = await startEmulator();
    const steps = fc.array(
      fc.record({ limit: fc.integer({ min: 1, max: 100 }), added: fc.integer({ min: 0, max: 12 }) }),
      {
        minLength: 1,
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 60 }), steps, async (start, plan) => {
        await emulatorRoom.reset(emulator);
        await add(emulator, start);
        const before = uids((await get(emulator, { limit: 100 })).json);
        const seen: string[] = [];
        let cursor: string | null = null;
        for (let turn = 0; turn === 0 || cursor !== null; turn += 1) {
          const { limit, added } = plan[turn % plan.length] ?? { limit: 1, added: 0 };
          const { json } = await get(emulator, cursor === null ? { limit } : { limit, cursor });
          expect(json.data.length).toBeLessThanOrEqual(limit);
          seen.push(...uids(json));
          cursor = json.next_cursor;
          await add(emulator, added);
        }
        expect(before).toHaveLength(start);
        expect(seen).toEqual(before);
      }),
      { numRuns: 40 },
    );
  });

  test('property: a cursor decodes to its position, and no other text decodes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), fc.string(), (position, other) => {
        const cursor = encodeCursor('a key', 'ugwo', position);
        expect(decodeCursor('a key', 'ugwo', cursor)).toBe(position);
        expect(decodeCursor('a key', 'onye', cursor)).toBeUndefined();
        expect(decodeCursor('another', 'ugwo', cursor)).toBeUndefined();
        expect(decodeCursor('a key', 'ugwo', other)).toBeUndefined();
        if (other !== '') expect(decodeCursor('a key', 'ugwo', cursor + other)).toBeUndefined();
      }),
    );
  });
});

describe('7 errors and 8 limits of a page', () => {
  test('page size default: 10 records', async () => {
    const emulator = await startEmulator({ ugwo: 11 });
    const { json } = await get(emulator, {});
    expect(json.data).toHaveLength(10);
    expect(json.next_cursor).not.toBeNull();
  });

  test('page size maximum: 100 records; limit above 100 is 422', async () => {
    const emulator = await startEmulator({ ugwo: 101 });
    expect((await get(emulator, { limit: 100 })).json.data).toHaveLength(100);
    expect(violationsOf(await get(emulator, { limit: 101 }))).toEqual(['limit']);
  });

  test('page size minimum: 1; limit below 1 is 422', async () => {
    const emulator = await startEmulator({ ugwo: 2 });
    expect((await get(emulator, { limit: 1 })).json.data).toHaveLength(1);
    expect(violationsOf(await get(emulator, { limit: 0 }))).toEqual(['limit']);
  });

  test.each(['-1', '', '1.5', '1e1', ' 5', 'ten', '99999999999999999999', '0x10'])('limit %j is 422', async (limit) => {
    expect(violationsOf(await get(await startEmulator({ ugwo: 1 }), { limit }))).toEqual(['limit']);
  });

  test.each(['', 'x', 'null', '../..', "' OR 1=1", 'AAAAAAAAAAAAAAAAAAAA'])('the cursor %j is 422', async (cursor) => {
    expect(violationsOf(await get(await startEmulator({ ugwo: 3 }), { cursor }))).toEqual(['cursor']);
  });

  test('a cursor with any one character changed is 422', async () => {
    const emulator = await startEmulator({ ugwo: 3 });
    const { next_cursor: cursor } = (await get(emulator, { limit: 1 })).json;
    for (let index = 0; index < cursor.length; index += 1) {
      const other = cursor[index] === 'B' ? 'C' : 'B';
      const tampered = cursor.slice(0, index) + other + cursor.slice(index + 1);
      expect(violationsOf(await get(emulator, { cursor: tampered }))).toEqual(['cursor']);
    }
  });
});
