import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSeen } from '../../src/database/seen.ts';
import { SOURCES, tempFolder } from './support.ts';

const opened = () => {
  const seen = openSeen();
  onTestFinished(seen.close);
  return seen;
};

/** Runs a script about keys in a process of its own; its keys have 33 characters. */
const run = async (script: string, before = ''): Promise<unknown> => {
  const source = `
    import { readdirSync, readlinkSync } from 'node:fs';
    import { openSeen } from '${SOURCES}/database/seen.ts';
    const keyOf = (row) => 'u' + String(row).padStart(32, '0');
    const seen = openSeen();
    ${script}`;
  // Limits the young generation, which would hide the growth.
  const flags = ['--max-semi-space-size=1', '--disable-warning=ExperimentalWarning', '--input-type=module'];
  const args = ['-c', `${before} exec "$@"`, 'sh', process.execPath, ...flags, '-e', source];
  const { stdout } = await promisify(execFile)('sh', args);
  return JSON.parse(stdout);
};

describe('seen keys', () => {
  test('are returned with their first row', () => {
    const seen = opened();
    expect(['a', 'b', 'a', 'a', 'b', 'c'].map((key, index) => seen.firstAt(key, index + 1))).toEqual([
      undefined,
      undefined,
      1,
      1,
      2,
      undefined,
    ]);
  });

  test('may be any text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 3 })), (keys) => {
        const seen = openSeen();
        const firsts = keys.map((key, row) => seen.firstAt(key, row));
        seen.close();
        expect(firsts).toEqual(keys.map((key, row) => (keys.indexOf(key) === row ? undefined : keys.indexOf(key))));
      }),
    );
  });

  test('are separate for each set', () => {
    opened().firstAt('a', 1);
    expect(opened().firstAt('a', 2)).toBeUndefined();
  });

  test.skipIf(process.platform === 'win32')('take little memory in any number', async () => {
    const printed = await run(`
      const most = [0, 0, 0];
      for (let row = 1; row <= 300_000; row += 1) {
        if (seen.firstAt(keyOf(row), row) !== undefined) throw new Error('seen');
        // After the first third, its share of memory is full.
        const third = Math.ceil(row / 100_000) - 1;
        if (row % 5000 === 0) most[third] = Math.max(most[third], process.memoryUsage.rss());
      }
      const firsts = [7, 299_999].map((row) => seen.firstAt(keyOf(row), 0));
      process.stdout.write(JSON.stringify({ grown: most[2] - most[1], firsts }));`);
    expect(printed).toEqual({ grown: expect.toSatisfy((grown: number) => grown < 3e6), firsts: [7, 299_999] });
  });
});

describe('the file of the seen keys', () => {
  test.runIf(existsSync('/proc/self/fd'))(
    'has no name, is in the temporary folder, and disappears when closed',
    async () => {
      const folder = tempFolder();
      const printed = await run(
        `const held = () => readdirSync('/proc/self/fd').flatMap((fd) => {
        try {
          return readlinkSync('/proc/self/fd/' + fd).startsWith('${folder}/') ? [fd] : [];
        } catch {
          return [];
        }
      });
      for (let row = 1; row <= 100_000; row += 1) seen.firstAt(keyOf(row), row);
      const open = held().length;
      const names = readdirSync('${folder}');
      seen.close();
      process.stdout.write(JSON.stringify({ open, names, closed: held() }));`,
        `export SQLITE_TMPDIR='${folder}';`,
      );
      expect(printed).toEqual({ open: 1, names: [], closed: [] });
    },
  );

  test.skipIf(process.platform === 'win32')('is in another folder if the temporary folder is missing', async () => {
    const printed = await run(
      `for (let row = 1; row <= 100_000; row += 1) seen.firstAt(keyOf(row), row);
      process.stdout.write(JSON.stringify(seen.firstAt(keyOf(3), 0)));`,
      `export SQLITE_TMPDIR='${join(tempFolder(), 'nowhere')}';`,
    );
    expect(printed).toBe(3);
  });

  test.skipIf(process.platform === 'win32')('causes an error that asks for space if the disk is full', async () => {
    const printed = await run(
      `try {
        for (let row = 1; row <= 200_000; row += 1) seen.firstAt(keyOf(row), row);
      } catch ({ kind, message, detail }) {
        process.stdout.write(JSON.stringify({ kind, message, hint: detail.hint }));
      }
      seen.close();`,
      'ulimit -f 2048;',
    );
    expect(printed).toEqual({
      kind: 'usage',
      message: "couldn't check for duplicate rows without a temporary file: disk I/O error",
      hint: 'free some space for temporary files, or set TMPDIR to another folder',
    });
  });
});
