import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test, vi } from 'vitest';
import { openStore } from '../../src/emulator/store.ts';
import { tempFile } from './support.ts';

afterEach(() => vi.restoreAllMocks());

/** The prepared statements of a store. */
const statementsOf = (file: string): string[] => {
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  openStore(file).close();
  return [...new Set(prepare.mock.calls.map(([sql]) => sql))].filter((sql) => !sql.startsWith('PRAGMA'));
};

/** Statements that read every row (seeding), a single row, or a small table. */
const WHOLE = [
  /SELECT uid FROM onye .*ORDER BY seq$/,
  /ORDER BY seq DESC LIMIT 1$/,
  /^SELECT EXISTS/,
  /FROM fault /,
  /^SELECT .* FROM webhook ORDER BY seq$/,
  /FROM sqlite_/,
];

test('every statement of a request uses an index', () => {
  const file = tempFile();
  const statements = statementsOf(file).filter((sql) => !WHOLE.some((whole) => whole.test(sql)));
  expect(statements.length).toBeGreaterThan(20);
  const db = new DatabaseSync(file);
  const scans = statements.flatMap((sql) => {
    const holes = Array.from(sql.matchAll(/\?/g), () => null);
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...holes);
    return steps.map(({ detail }) => String(detail)).filter((detail) => /^SCAN (?!CONSTANT)|TEMP B-TREE/.test(detail));
  });
  db.close();
  expect(scans).toEqual([]);
});
