import fc from 'fast-check';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openSession, type Session } from '../../../src/ledger/postgres/session.ts';
import { insertMissing, listLiteral, literal } from '../../../src/ledger/postgres/statements.ts';
import { parseAddress } from '../../../src/ledger/postgres/url.ts';
import { sharedCluster } from '../../support/postgres.ts';
import { ANY_CHARACTER } from '../../support/text.ts';

const LIMIT_MS = 20_000;

const connect = async (): Promise<Session> => {
  const url = (await sharedCluster()).url('postgres');
  const session = await openSession({ address: parseAddress(url), password: async () => undefined });
  onTestFinished(session.close);
  return session;
};

/** Any text, with frequent characters that are special in SQL. */
const text = fc.oneof(
  fc.string({ unit: ANY_CHARACTER }),
  fc.string({
    unit: fc.constantFrom("'", '"', '\\', '$', ';', '-', '\n', '\r', 'E', 'x', '\u0000', '\ud800', '😀', '0'),
  }),
);
const asKept = (one: string): string => one.replaceAll('\0', '\uFFFD').toWellFormed();

describe.skipIf(process.platform === 'win32')('a value in a statement', () => {
  beforeAll(sharedCluster);

  it.each(['on', 'off'])('comes back unchanged with standard_conforming_strings = %s', async (standard) => {
    const session = await connect();
    await session.run(`SET standard_conforming_strings = ${standard}`, LIMIT_MS);
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 8 }), fc.maxSafeInteger(), async (texts, number) => {
        const values = [...texts, number, null, true].map((value) => literal(value));
        const { answers } = await session.run(`SELECT ${values.join()}; SELECT 'x' IN ${listLiteral(texts)}`, LIMIT_MS);
        // An additional answer would mean that the text left its quotes.
        expect(answers).toHaveLength(2);
        const [row] = answers[0]?.rows ?? [];
        expect(row?.slice(0, texts.length)).toEqual(texts.map(asKept));
        expect(row?.slice(texts.length).map(String)).toEqual([String(number), 'null', 'true']);
        expect(answers[1]?.rows[0]?.[0]).toBe(texts.includes('x'));
      }),
      { numRuns: 150 },
    );
  });

  it('comes back unchanged from a table that lacked it, once', async () => {
    const session = await connect();
    await session.run(
      'CREATE TEMPORARY TABLE kept (seq bigint GENERATED ALWAYS AS IDENTITY, n bigint PRIMARY KEY, "row" text)',
      LIMIT_MS,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text), { minLength: 1, maxLength: 8 }), async (texts) => {
        const insert = insertMissing(
          'kept',
          'n, "row"',
          texts.map((one, at) => [at, one]),
        );
        const { answers } = await session.run(
          `TRUNCATE kept; ${insert}; ${insert}; SELECT "row" FROM kept ORDER BY seq; SELECT n FROM kept ORDER BY seq`,
          LIMIT_MS,
        );
        const [, first, second, rows, numbers] = answers.map(({ rows }) => rows.flat());
        expect([first?.length, second]).toEqual([texts.length, []]);
        expect(rows).toEqual(texts.map((one) => one && asKept(one)));
        expect(numbers).toEqual([...texts.keys()]);
      }),
      { numRuns: 50 },
    );
  });
});

describe('literal and list', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, new Uint8Array(1)])('reject %s', (value) => {
    expect(() => literal(value)).toThrow();
  });

  it('write NULL for no value, and an empty list for no values', () => {
    expect([literal(null), literal(undefined), listLiteral([])]).toEqual(['NULL', 'NULL', '(NULL)']);
  });
});
