import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { csvRows, failIn, ndjsonRows } from '../../src/bulk/formats.ts';
import { openInput } from '../../src/bulk/read-file.ts';
import { PayError } from '../../src/core/error.ts';
import { printExact } from '../../src/core/json.ts';
import { MIB } from '../support/units.ts';
import { faultOf, keptCopies, madeFolder, opened, read, rowsOf } from './support.ts';

const folder = madeFolder();

const bytes = (...parts: (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

describe('a readable file', () => {
  const AB = { columns: ['a', 'b'], rows: [{ a: '1', b: '2' }] };

  it.each<[string, string, string | Buffer, unknown]>([
    ['plain', 'x.csv', 'a,b\n1,2\n', AB],
    ['no final line end', 'x.csv', 'a,b\n1,2', AB],
    ['CRLF', 'x.csv', 'a,b\r\n1,2\r\n', AB],
    ['CR only', 'x.csv', 'a,b\r1,2\r', AB],
    ['Ctrl-Z at its end', 'x.csv', 'a,b\r\n1,2\r\n\x1a', AB],
    ['Ctrl-Z in place of the final line end', 'x.csv', 'a,b\n1,2\x1a', AB],
    ['Ctrl-Z to the end of a block', 'x.csv', `a,b\n1,2\n${'\x1a'.repeat(120)}`, AB],
    ['a last byte in a chunk of its own', 'x.csv', `a,b\n${'\n'.repeat(16 * 1024 - 6)}1,2`, AB],
    ['Ctrl-Z at the end of a chunk', 'x.csv', `a,b\n1,2\n${'\n'.repeat(16 * 1024 - 9)}\x1a`, AB],
    [
      'mixed line ends',
      'x.csv',
      'a,b\r\n1,2\n3,4\r5,6',
      { ...AB, rows: [...AB.rows, { a: '3', b: '4' }, { a: '5', b: '6' }] },
    ],
    ['a byte order mark', 'x.csv', '\ufeffa,b\n1,2\n', AB],
    ['a byte order mark before a quote', 'x.csv', '\ufeff"a",b\n1,2\n', AB],
    ['semicolons', 'x.csv', 'a;b\n1;2\n', AB],
    ['semicolons, and commas in cells', 'x.csv', 'a;b\n1,5;2,5\n', { ...AB, rows: [{ a: '1,5', b: '2,5' }] }],
    [
      'semicolons, and commas in a quoted name',
      'x.csv',
      '"a,,,";b\n1;2\n',
      { columns: ['a,,,', 'b'], rows: [{ 'a,,,': '1', b: '2' }] },
    ],
    ['tabs', 'x.tsv', 'a\tb\n1\t2\n', AB],
    ['quotes', 'x.csv', 'a,b\n"say ""hi"",\r\nall",""\n', { ...AB, rows: [{ a: 'say "hi",\r\nall', b: '' }] }],
    ['spaces around cells', 'x.csv', 'a, b\n 1 ,2\n', { columns: ['a', ' b'], rows: [{ a: ' 1 ', ' b': '2' }] }],
    ['blank lines', 'x.csv', '\n\na,b\n\n1,2\n\r\n\n', AB],
    ['a line that names the delimiter', 'x.csv', 'sep=;\r\na;b\r\n1;2\r\n', AB],
    [
      'such a line before more rows than a chunk holds',
      'x.csv',
      `sep=;\na;b\n${'1;2\n'.repeat(40_000)}`,
      { columns: ['a', 'b'], rows: Array.from({ length: 40_000 }, () => ({ a: '1', b: '2' })) },
    ],
    ['such a line after a byte order mark', 'x.csv', '\ufeff"SEP=|"\na|b\n1|2\n', AB],
    ['delimiters after the last column', 'x.csv', 'a,b,,\n1,2,,\n', AB],
    ['delimiters after the last cell', 'x.csv', 'a,b\n1,2, ,\u00a0\n', AB],
    ['rows of delimiters and spaces', 'x.csv', ',\na,b\n,\n1,2\n ,\u00a0\n"",""\n', AB],
    ['only a header', 'x.csv', 'a,b\n', { columns: ['a', 'b'], rows: [] }],
    ['one column', 'x.csv', 'a\n1\n', { columns: ['a'], rows: [{ a: '1' }] }],
    [
      'names of object properties',
      'x.csv',
      '__proto__,constructor\n1,2\n',
      { columns: ['__proto__', 'constructor'], rows: [{ ['__proto__']: '1', constructor: '2' }] },
    ],
    ['a byte order mark in the middle', 'x.csv', 'a,b\n\ufeff1,2\n', { ...AB, rows: [{ a: '\ufeff1', b: '2' }] }],
    ['no file extension', 'x', 'a,b\n1,2\n', AB],
    ['NDJSON', 'x.ndjson', '{"a":"1","b":"2"}\n', AB],
    ['NDJSON by its extension', 'x.JSONL', '{"a":"1","b":"2"}', AB],
    ['NDJSON by its first character', 'x', '\ufeff\n {"a":"1","b":"2"}\r\n\r\n', AB],
    [
      'NDJSON with other names later',
      'x.ndjson',
      '{"b":1}\n{"a":[null]}',
      { columns: ['b'], rows: [{ b: 1 }, { a: [null] }] },
    ],
    ['NDJSON of blank lines', 'x.ndjson', '\n\n', { columns: [], rows: [] }],
    [
      'NDJSON with a member named __proto__',
      'x.ndjson',
      '{"__proto__":1}',
      { columns: ['__proto__'], rows: [{ ['__proto__']: 1 }] },
    ],
  ])('%s', async (_, name, content, expected) => {
    expect(await read(folder, name, content)).toEqual(expected);
  });

  it('is read in the given format and with the given delimiter', async () => {
    expect(await read(folder, 'x.csv', '{"a":1}', { format: 'ndjson' })).toEqual({ columns: ['a'], rows: [{ a: 1 }] });
    expect(await read(folder, 'x', '{a|b,c\n1|2', { format: 'csv', delimiter: '|' })).toEqual({
      columns: ['{a', 'b,c'],
      rows: [{ '{a': '1', 'b,c': '2' }],
    });
  });

  it.each([
    ['x.csv', 'a,b\n', {}, { format: 'csv', delimiter: ',', hasBom: false }],
    ['x.csv', '\ufeffa;b\n', {}, { format: 'csv', delimiter: ';', hasBom: true }],
    ['x', 'a;b|c\n', { delimiter: '|' }, { format: 'csv', delimiter: '|', hasBom: false }],
    ['x.csv', '"\ufeffa"\n', {}, { format: 'csv', delimiter: ',', hasBom: false }],
    ['x.ndjson', '{"a":1}', {}, { format: 'ndjson', delimiter: undefined, hasBom: false }],
    ['x', '\ufeff{"a":1}', { delimiter: ';' }, { format: 'ndjson', delimiter: undefined, hasBom: true }],
  ] as const)('has format, delimiter and byte order mark: %s, %j', async (name, content, more, expected) => {
    const input = await opened(folder, name, content, more);
    expect(input).toMatchObject(expected);
    await input.close();
  });

  it('preserves the digits of numbers', async () => {
    const { rows } = await read(folder, 'x.ndjson', '{"a":12345678901234567890,"b":1.10}\n');
    expect(printExact(rows[0])).toBe('{"a":12345678901234567890,"b":1.10}');
  });

  it('has fields without inherited properties', async () => {
    for (const name of ['x.csv', 'x.ndjson']) {
      const input = await opened(folder, name, name === 'x.csv' ? 'a\n1' : '{"a":1}');
      const [row] = await rowsOf(input.rows());
      expect(row?.fields['constructor']).toBeUndefined();
      await input.close();
    }
  });

  it('numbers its rows from 1, ignoring blank lines', async () => {
    for (const [name, content] of [
      ['x.csv', 'a\n\n1\n\n2\n'],
      ['x.csv', 'a,b\n,\n1,\n,\n2,\n'],
      ['x.ndjson', '\n{"a":1}\n\n{"a":2}'],
    ] as const) {
      const input = await opened(folder, name, content);
      expect((await rowsOf(input.rows())).map(({ number }) => number)).toEqual([1, 2]);
      await input.close();
    }
  });

  it.each([
    ['CSV', 'long.csv', (size: number) => `a\n${'x'.repeat(size - 1)}\n`, 1],
    ['CSV, many cells', 'long.csv', (size: number) => `a\n${','.repeat(size - 1)}\n`, undefined],
    ['NDJSON', 'long.ndjson', (size: number) => `{}\n{"a":"${'x'.repeat(size - 8)}"}\n`, 2],
  ])('may have rows of up to one MiB: %s', async (_, name, content, rows) => {
    if (rows !== undefined) expect((await read(folder, name, content(MIB))).rows).toHaveLength(rows);
    for (const size of [MIB + 1, 3 * MIB]) {
      const { message } = await faultOf(read(folder, name, content(size)));
      expect(message).toBe(`${name}: row ${rows ?? 1}: longer than 1048576 bytes`);
    }
  });
});

describe('an endless row', () => {
  async function* endless(given: { size: number }): AsyncGenerator<Uint8Array> {
    const chunk = Buffer.alloc(65_536, ',');
    yield Buffer.from('a\n');
    for (; given.size < 64 * MIB; given.size += chunk.length) yield chunk;
  }

  it.each([
    ['CSV', (bytes: AsyncIterable<Uint8Array>) => csvRows(bytes, ',', ['a'], failIn('x'))],
    ['NDJSON', (bytes: AsyncIterable<Uint8Array>) => ndjsonRows(afterFirst(bytes), failIn('x'))],
  ])('is read only up to the limit: %s', async (_, rows) => {
    const given = { size: 0 };
    const { message } = await faultOf(rowsOf(rows(endless(given))));
    expect(message).toBe('x: row 1: longer than 1048576 bytes');
    expect(given.size).toBeLessThan(2 * MIB);
  });

  async function* afterFirst(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) if (chunk.length > 2) yield chunk;
  }
});

describe('an unreadable file', () => {
  const NOT_UTF8 = 'not UTF-8';
  const NUL = 'a NUL character';

  it.each<[string, string, string | Buffer, number, string | undefined, string]>([
    ['Latin-1 in a cell', 'x.csv', bytes('a,b\n1,2\n3,Jos', [0xe9], '\n'), 2, 'b', NOT_UTF8],
    ['half a UTF-8 sequence', 'x.csv', bytes('a,b\n', [0xc3], ',2\n'), 1, 'a', NOT_UTF8],
    ['half of a surrogate pair', 'x.csv', bytes('a\n', [0xed, 0xa0, 0x80]), 1, 'a', NOT_UTF8],
    ['Latin-1 in the header', 'x.csv', bytes('a,', [0xe9], '\n1,2\n'), 0, '2', NOT_UTF8],
    ['Latin-1 in NDJSON', 'x.ndjson', bytes('{"a":1}\n{"a":"', [0xe9], '"}\n'), 2, undefined, NOT_UTF8],
    ['NUL', 'x.csv', 'a,b\n1,\0\n', 1, 'b', NUL],
    ['NUL in quotes', 'x.csv', 'a,b\n1,"2\0"\n', 1, 'b', NUL],
    ['NUL after a quote', 'x.csv', 'a,b\n1,"2"\0\n', 1, 'b', NUL],
    ['NUL in the header', 'x.csv', 'a,b\0\n', 0, '2', NUL],
    ['NUL in NDJSON', 'x.ndjson', '{"a":1}\0\n', 1, undefined, NUL],
    ['too few cells', 'x.csv', 'a,b\n1,2\n3\n', 2, undefined, '1 cell, but the header has 2'],
    ['too many cells', 'x.csv', 'a,b\n1,2,3\n', 1, undefined, '3 cells, but the header has 2'],
    ['a repeated name', 'x.csv', 'a,b,a\n', 0, 'a', 'duplicate column name'],
    ['an empty name', 'x.csv', 'a,,b\n', 0, undefined, 'column 2 has no name'],
    ['a cell after the last column', 'x.csv', 'a,b,,\n1,2,,3\n', 1, undefined, '4 cells, but the header has 2'],
    ['an unclosed quote', 'x.csv', 'a,b\n1,2\n3,"4\n5,6\n', 2, 'b', 'unclosed quote'],
    ['an unclosed quote in the header', 'x.csv', 'a,"b\n1,2\n', 0, undefined, 'unclosed quote'],
    ['text after a closing quote', 'x.csv', 'a,b\n"1"x,2\n', 1, 'a', 'text after a closing quote'],
    ['a quote inside an unquoted cell', 'x.csv', 'a,b\n5" pipe,2\n', 1, 'a', 'quote inside an unquoted cell'],
    [
      'a quote open for more than a MiB',
      'x.csv',
      `a,b\n1,"${'2,3\n'.repeat(MIB / 2)}`,
      1,
      undefined,
      'longer than 1048576 bytes',
    ],
    ['a list', 'x', '[{"a":1}]', 1, undefined, 'not a JSON object'],
    ['a number', 'x.ndjson', '12345678901234567890', 1, undefined, 'not a JSON object'],
    ['too deep', 'x.ndjson', `{"a":${'['.repeat(99)}${']'.repeat(99)}}`, 1, undefined, 'nested deeper than 64 levels'],
  ])('%s', async (_, name, content, row, column, what) => {
    const error = await faultOf(read(folder, name, content));
    expect(error.kind).toBe('usage');
    expect(error.message).toBe(
      `${name}: ${row === 0 ? 'header' : `row ${row}`}${column === undefined ? '' : `, column "${column}"`}: ${what}`,
    );
    expect(error.detail.hint).toMatch(/.; nothing was sent$/);
  });

  it.each(['{"a":1', '{\n  "a": 1\n}\n', 'a,b'])('is not JSON: %j', async (content) => {
    const { message } = await faultOf(read(folder, 'x.ndjson', content));
    expect(message).toMatch(/^x\.ndjson: row 1: not JSON: /);
  });

  it.each<[string, Buffer | string]>([
    ['x.csv has no rows', ''],
    ['x.csv has no rows', '\ufeff'],
    ['x.csv has no rows', '\r\n\n'],
    ['x.csv is UTF-16', Buffer.from('\ufeffa,b\n', 'utf16le')],
    ['x.csv is a spreadsheet workbook or another zip file', Buffer.from('PK\x03\x04\x14\0')],
    ['x.csv is UTF-16', bytes([0xfe, 0xff, 0, 0x61])],
    [
      'x.csv is a spreadsheet workbook of old Excel (.xls), or one with a password',
      bytes([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]),
    ],
    ['x.csv is compressed (gzip)', gzipSync('a,b\n1,2\n')],
    ['x.csv is a PDF', '%PDF-1.7\n'],
    ['x.csv is OFX, not CSV', 'OFXHEADER:100\nDATA:OFXSGML\n'],
    ['x.csv is OFX, not CSV', '<?xml version="1.0"?>\n<?OFX OFXHEADER="200"?><OFX>'],
    ['x.csv is QIF, not CSV', '!Type:Bank\nD25/11/2026\n'],
    ['x.csv is MT940, not CSV', ':20:STARTUMS\r\n:25:0123456789\r\n'],
    ['x.csv is MT940, not CSV', '{1:F01GTBINGLAXXXX0000000000}{2:I940}{4:\n'],
    [
      'x.csv is CAMT XML, not CSV',
      '<?xml version="1.0"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">',
    ],
    ['x.csv is HTML or XML, not CSV', '\r\n<!DOCTYPE html><html>'],
    ['x.csv is HTML or XML, not CSV', '<html xmlns:x="urn:schemas-microsoft-com:office:excel">'],
    ['x.csv is HTML or XML, not CSV', '\ufeff<?xml version="1.0"?>'],
  ])('%s', async (message, content) => {
    expect((await faultOf(read(folder, 'x.csv', content))).message).toBe(message);
  });

  it.each(['', '"', '\n', '\0', ',,'])("can't have the delimiter %j", async (delimiter) => {
    const error = await faultOf(read(folder, 'x.csv', 'a\n1', { delimiter }));
    expect(error.message).toContain("can't separate the columns of x.csv");
  });

  it('yields the rows before the fault', async () => {
    for (const [name, content] of [
      ['x.csv', 'a\n1\n2\n"3"x\n'],
      ['x.ndjson', '{"a":1}\n{"a":2}\n{'],
    ] as const) {
      const input = await opened(folder, name, content);
      const seen: number[] = [];
      const walk = async () => {
        for await (const { number } of input.rows()) seen.push(number);
      };
      await faultOf(walk());
      expect(seen).toEqual([1, 2]);
      await input.close();
    }
  });

  it('shortens a long column name in the error', async () => {
    const error = await faultOf(read(folder, 'x.csv', `${'n'.repeat(1000)}\n\0\n`));
    expect(error.message.length).toBeLessThan(120);
  });

  it('is missing or a folder', async () => {
    mkdirSync(join(folder, 'inner'));
    const at = (name: string) => openInput({ path: join(folder, name), name, spoolFolder: folder });
    expect((await faultOf(at('nowhere.csv'))).message).toMatch(/^nowhere.csv can't be read: ENOENT/);
    expect((await faultOf(at('inner'))).message).toBe('inner is a folder');
  });
});

describe('reading rows', () => {
  const CONTENT = '\ufeffa,b\n1,2\n3,4\n';
  const SHA = createHash('sha256').update(CONTENT).digest('hex');

  it('yields the same rows each time, concurrently and after an abandoned read', async () => {
    const input = await opened(folder, 'w.csv', CONTENT);
    for await (const _ of input.rows()) break;
    const [first, second] = await Promise.all([rowsOf(input.rows()), rowsOf(input.rows())]);
    expect(first).toEqual(second);
    expect(first).toHaveLength(2);
    await input.close();
  });

  it('has the digest of all bytes', async () => {
    const input = await opened(folder, 'w.csv', CONTENT);
    expect(input.digest).toBe(SHA);
    await input.close();
  });

  it('uses a copy, whatever happens to the file', async () => {
    const path = join(folder, 'd.csv');
    const write = (content: string): void => {
      writeFileSync(path, content);
      utimesSync(path, 1_700_000_000, 1_700_000_000);
    };
    write('a\n1\n');
    const input = await openInput({ path, name: 'd.csv', spoolFolder: folder });
    write('a\n2\n');
    expect((await rowsOf(input.rows())).map(({ fields }) => fields['a'])).toEqual(['1']);
    appendFileSync(path, '3\n');
    expect(await rowsOf(input.rows())).toHaveLength(1);
    expect(input.digest).toBe(createHash('sha256').update('a\n1\n').digest('hex'));
    await input.close();
  });

  it('fails if the file changes during the copy', async () => {
    const path = join(folder, 'c.csv');
    writeFileSync(path, 'a\n1\n');
    const opening = openInput({ path, name: 'c.csv', spoolFolder: folder });
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    opening.then(over, over);
    for (; !isOver; await setImmediate()) appendFileSync(path, 'x\n');
    expect((await faultOf(opening)).message).toBe('c.csv changed while it was being read');
  });

  it('continues with the opened file if another takes its name', async () => {
    const input = await opened(folder, 'r.csv', 'a\n1\n');
    writeFileSync(join(folder, 'other.csv'), 'a\n2\n');
    renameSync(join(folder, 'other.csv'), join(folder, 'r.csv'));
    expect((await rowsOf(input.rows())).map(({ fields }) => fields['a'])).toEqual(['1']);
    await input.close();
  });

  it('recognises the same file', async () => {
    const input = await opened(folder, 'same.csv', 'a\n1\n');
    symlinkSync('same.csv', join(folder, 'link.csv'));
    expect(await input.isAt(join(folder, 'same.csv'))).toBe(true);
    expect(await input.isAt(join(folder, 'link.csv'))).toBe(true);
    expect(await input.isAt(join(folder, 'w.csv'))).toBe(false);
    expect(await input.isAt(join(folder, 'nowhere.csv'))).toBe(false);
    await input.close();
  });
});

it.runIf(process.platform !== 'win32')('a pipe can be read repeatedly like a file', async () => {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const [input] = await Promise.all([
    openInput({ path, name: 'pipe', spoolFolder: folder }),
    writeFile(path, 'a,b\n1,2\n'),
  ]);
  for (let walk = 0; walk < 2; walk += 1) expect(await rowsOf(input.rows())).toHaveLength(1);
  await input.close();
});

describe('standard input', () => {
  const spoolFolder = join(folder, 'spool');
  mkdirSync(spoolFolder);

  async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
    for (const text of texts) yield Buffer.from(text);
  }

  it('can be read repeatedly like a file', async () => {
    const input = await openInput({ stdin: chunks('a,', 'b\n1', ',2\n'), name: 'standard input', spoolFolder });
    for (let walk = 0; walk < 2; walk += 1) expect(await rowsOf(input.rows())).toHaveLength(1);
    expect(input.digest).toBe(createHash('sha256').update('a,b\n1,2\n').digest('hex'));
    await input.close();
  });

  it('is copied to a folder that only its user can read', async () => {
    const made = join(folder, 'made');
    const input = await openInput({ stdin: chunks('a\n1\n'), name: 'standard input', spoolFolder: made });
    expect(statSync(made).mode & 0o777).toBe(0o700);
    await input.close();
  });

  it('is stored in an unnamed file', async () => {
    const input = await openInput({ stdin: chunks('a\n1\n'), name: 'standard input', spoolFolder });
    expect(readdirSync(spoolFolder)).toEqual([]);
    await input.close();
  });

  it.runIf(process.platform === 'linux')('is stored in a private file', async () => {
    const before = process.umask(0);
    const input = await openInput({ stdin: chunks('a\n1\n'), name: 'standard input', spoolFolder });
    process.umask(before);
    expect(keptCopies(spoolFolder).map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual(['600']);
    expect(keptCopies(spoolFolder).map((path) => readFileSync(path, 'utf8'))).toEqual(['a\n1\n']);
    await input.close();
    expect(keptCopies(spoolFolder)).toEqual([]);
  });

  it('is copied up to a limit, since a device may be endless', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a\n');
      // Memory of zeros that nothing reads takes none.
      for (;;) yield Buffer.alloc(1024 * MIB);
    }
    const error = await faultOf(openInput({ stdin: endless(), name: '/dev/zero', spoolFolder }));
    expect(error.message).toBe('/dev/zero has more than 1,073,741,824 bytes');
  });

  it("fails if it can't be stored, and on a signal", async () => {
    const file = join(folder, 'no-folder');
    writeFileSync(file, '');
    const nowhere = join(file, 'nowhere');
    const error = await faultOf(openInput({ stdin: chunks('a'), name: 'standard input', spoolFolder: nowhere }));
    expect(error.message).toContain(`couldn't copy standard input to ${nowhere}: ENOTDIR`);
    const interrupted = new PayError('interrupted', 'stopped');
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a\n');
      throw interrupted;
    }
    await expect(openInput({ stdin: broken(), name: 'standard input', spoolFolder })).rejects.toBe(interrupted);
  });
});
