import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLineFile, openRowReport as openUntil, type ReportFileOptions } from '../../src/bulk/report.ts';
import { usageError } from '../../src/core/error.ts';
import { type More, madeFolder, opened, read } from './support.ts';

type Content = Parameters<typeof openUntil>[1];

const folder = madeFolder();

const openReport = (path: string, content: Content, check: ReportFileOptions['checkPath'] = () => undefined) =>
  openUntil(path, content, { stop: new AbortController().signal, checkPath: check });

/** The CSV content of an input, or its description. */
const about = (own: readonly string[], more: Partial<Content> = {}): Content => ({
  columns: [],
  format: 'csv',
  delimiter: ',',
  hasBom: false,
  rawCsv: false,
  ...more,
  own,
});

/** The report with these columns added to each row of an input. */
const reported = async (
  [inputName, content]: readonly [name: string, content: string | Uint8Array],
  reportName: string,
  added: Readonly<Record<string, unknown>>,
  more: More = {},
  rawCsv = false,
): Promise<string> => {
  const input = await opened(folder, inputName, content, more);
  const path = join(folder, reportName);
  const report = await openReport(path, { ...input, own: Object.keys(added), rawCsv });
  for await (const { fields } of input.rows()) await report.write(fields, added);
  await report.close();
  await input.close();
  return readFileSync(path, 'utf8');
};

const STATE = { state: 'accepted' };

describe('a CSV report for CSV input', () => {
  it('has the unchanged input cells, then the added ones', async () => {
    const content = 'phone,a.b\n0803,"x, ""y""\nz"\n+234,\n';
    expect(await reported(['i.csv', content], 'r.csv', { state: 'failed', why: 'a, b' })).toBe(
      'phone,a.b,state,why\r\n0803,"x, ""y""\nz",failed,"a, b"\r\n+234,,failed,"a, b"\r\n',
    );
  });

  it('escapes formulas in added cells, but not in input cells or the header', async () => {
    const content = '=x\n=1\n+234\n-5\n@a\n"\t=1"\n"\r=1"\n';
    expect(await reported(['i.csv', content], 'r.csv', { state: '=1' })).toBe(
      "=x,state\r\n=1,'=1\r\n+234,'=1\r\n-5,'=1\r\n@a,'=1\r\n\t=1,'=1\r\n\\r=1,'=1\r\n",
    );
  });

  it('preserves digits in added cells for spreadsheets, and changes no input cell', async () => {
    const content = 'phone\n0803\n"=""0803"""\n';
    const added = { account_number: '0736251840', long: '1234567890123456', short: '7', n: 7 };
    expect(await reported(['i.csv', content], 'r.csv', added)).toBe(
      'phone,account_number,long,short,n\r\n' +
        '0803,"=""0736251840""","=""1234567890123456""",7,7\r\n' +
        '"=""0803""","=""0736251840""","=""1234567890123456""",7,7\r\n',
    );
  });

  it('escapes control characters in added cells, input cells and names', async () => {
    const content = 'a\u001b]0;x\u0007,note\n1,"\u001b[2J\u009b31m\u202e\u007f\rx\r\ny\tz"\n';
    const why = '\u001b[2J\u0085\u2066\n';
    expect(await reported(['i.csv', content], 'r.csv', { why })).toBe(
      'a\\x1b]0;x\\x07,note,why\r\n1,"\\x1b[2J\\x9b31m\\u202e\\x7f\\rx\r\ny\tz","\\x1b[2J\\x85\\u2066\n"\r\n',
    );
    const json = '{"a\u009b":"\u202e","o":{"\u2028":1}}\n';
    expect(await reported(['i.ndjson', json], 'r.csv', { why })).toBe(
      'a\\x9b,o,why\r\n\\u202e,"{""\\u2028"":1}","\\x1b[2J\\x85\\u2066\n"\r\n',
    );
  });

  it('keeps escaped names distinct', async () => {
    expect(await reported(['i.csv', 'a\u001b,a\\x1b\n1,2\n'], 'r.csv', STATE)).toBe(
      'a\\x1b,a\\x1b_2,state\r\n1,2,accepted\r\n',
    );
  });

  it('numbers an added column that a reader would take for one of the input', async () => {
    expect(await reported(['i.csv', 'S-ta te\n1\n'], 'r.csv', STATE)).toBe('S-ta te,state_2\r\n1,accepted\r\n');
  });

  it('is unescaped with rawCsv', async () => {
    const added = { account_number: '0736251840', why: '=1' };
    expect(await reported(['i.csv', 'a\n1\n'], 'r.csv', added, {}, true)).toBe(
      'a,account_number,why\r\n1,0736251840,=1\r\n',
    );
    expect(await reported(['i.ndjson', '{"=x":"=1"}\n'], 'r.csv', added, {}, true)).toBe(
      '=x,account_number,why\r\n=1,0736251840,=1\r\n',
    );
  });

  it.each([
    ['a semicolon', 'a;b\n1,5;2\n', {}, 'a;b;state\r\n1,5;2;accepted\r\n'],
    ['a tab', 'a\tb\n1\t2\n', {}, 'a\tb\tstate\r\n1\t2\taccepted\r\n'],
    ['a given delimiter', 'a,b|c\n1|2\n', { delimiter: '|' }, 'a,b|c|state\r\n1|2|accepted\r\n'],
    ['a byte order mark', '\ufeffa,b\n1,2\n', {}, '\ufeffa,b,state\r\n1,2,accepted\r\n'],
  ])('preserves %s', async (_, content, more, expected) => {
    expect(await reported(['i.csv', content], 'r.tsv', STATE, more)).toBe(expected);
  });

  it('can be used as input repeatedly', async () => {
    let content: string | Uint8Array = '\ufeffugwo;state_2;note\nugw.1;;=1\n';
    for (let time = 1; time <= 4; time += 1) content = await reported(['i.csv', content], 'r.csv', STATE);
    expect(await read(folder, 'again.csv', content)).toEqual({
      columns: ['ugwo', 'state_2', 'note', 'state', 'state_3', 'state_4', 'state_5'],
      rows: [
        {
          ugwo: 'ugw.1',
          state_2: '',
          note: '=1',
          state: 'accepted',
          state_3: 'accepted',
          state_4: 'accepted',
          state_5: 'accepted',
        },
      ],
    });
  });

  it('round-trips any names and cells', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r\n', ' ', "'", '=', '\ufeff', '😀', '\t'),
      maxLength: 5,
    });
    const table = fc
      .uniqueArray(
        cell.filter((name) => name !== ''),
        { minLength: 1, maxLength: 4 },
      )
      .chain((columns) =>
        fc.tuple(
          fc.constant(columns),
          fc.array(fc.array(cell, { minLength: columns.length, maxLength: columns.length })),
        ),
      );
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom(',', ';', '\t', '|', '='),
        fc.boolean(),
        async (made, delimiter, mark) => {
          const [columns, rows] = made;
          const path = join(folder, 'any.csv');
          const report = await openReport(path, about(['state'], { columns, delimiter, hasBom: mark }));
          for (const row of rows) {
            await report.write(Object.fromEntries(columns.map((name, index) => [name, row[index]])), { state: 'x' });
          }
          await report.close();
          const back = await read(folder, 'back.csv', readFileSync(path), { delimiter });
          expect(back.columns).toEqual([...columns, columns.includes('state') ? 'state_2' : 'state']);
          expect(back.rows.map((row) => columns.map((name) => row[name]))).toEqual(rows);
        },
      ),
    );
  });
});

describe('a CSV report for NDJSON input', () => {
  it('has the columns of the first row, escaped formulas, and values as JSON', async () => {
    const content = '\ufeff{"=x":"=1","n":1.10,"o":{"x":[1.10,null]},"b":true,"m":-5}\n{"n":null,"more":1}\n';
    expect(await reported(['i.ndjson', content], 'r.csv', STATE)).toBe(
      `'=x,n,o,b,m,state\r\n'=1,1.10,"{""x"":[1.10,null]}",true,-5,accepted\r\n,,,,,accepted\r\n`,
    );
  });

  it('can be used as input with any names', async () => {
    const content = `{"":"1","=a":"2","'=a":"3","state":"4"}\n`;
    expect(await read(folder, 'again.csv', await reported(['i.ndjson', content], 'r.csv', STATE))).toEqual({
      columns: ['_2', "'=a", "''=a", 'state', 'state_2'],
      rows: [{ _2: '1', "'=a": '2', "''=a": '3', state: '4', state_2: 'accepted' }],
    });
  });
});

describe('an NDJSON report', () => {
  it("has each row's own fields, then the added ones without undefined", async () => {
    const content = '{"state":"=1","n":1.10}\n{"__proto__":[null],"n":12345678901234567890}\n';
    expect(await reported(['i.ndjson', content], 'r.ndjson', { ...STATE, why: undefined, at: null })).toBe(
      '{"state":"=1","n":1.10,"state_2":"accepted","at":null}\n' +
        '{"__proto__":[null],"n":12345678901234567890,"state_2":"accepted","at":null}\n',
    );
  });

  it('loses no field if a later row has an added name', async () => {
    const content = '{"n":1}\n{"state":"a","why_2":"b"}\n{"state":"a","state_2":"b"}\n{"n":2}\n';
    const report = await reported(['i.ndjson', content], 'r.ndjson', { ...STATE, why: 'x' });
    expect(report.trim().split('\n')).toEqual([
      '{"n":1,"state":"accepted","why":"x"}',
      '{"state":"a","why_2":"b","state_2":"accepted","why":"x"}',
      '{"state":"a","state_2":"b","state_3":"accepted","why":"x"}',
      '{"n":2,"state":"accepted","why":"x"}',
    ]);
  });

  it('escapes control characters without changing values', async () => {
    const value = { 'a\u009b': '\u001b[2J\u0085\u202e\u2028\u007f', n: 1 };
    const report = await reported(['i.ndjson', `${JSON.stringify(value)}\n`], 'r.ndjson', { why: '\u009b\u2066' });
    expect(report).toMatch(/^[ -~]*\n$/);
    expect(JSON.parse(report)).toEqual({ ...value, why: '\u009b\u2066' });
  });

  it('has CSV cells as strings', async () => {
    expect(await reported(['i.csv', '\ufeffa;state\n=1;\n'], 'r.jsonl', { state: 1 })).toBe(
      '{"a":"=1","state":"","state_2":1}\n',
    );
  });
});

describe('the format of a report', () => {
  it.each([
    ['r.csv', 'ndjson', 'state\r\n'],
    ['r.ndjson', 'csv', ''],
    ['report.txt', 'csv', 'state\r\n'],
    ['report.txt', 'ndjson', ''],
  ] as const)('named %s for %s input', async (name, format, expected) => {
    const path = join(folder, name);
    await (await openReport(path, about(['state'], { format }))).close();
    expect(readFileSync(path, 'utf8')).toBe(expected);
  });
});

describe('the report file', () => {
  it('contains a row at once, in call order', async () => {
    const path = join(folder, 'live.csv');
    const report = await openReport(path, about(['n']));
    expect(readFileSync(path, 'utf8')).toBe('n\r\n');
    await report.write({}, { n: 0 });
    expect(readFileSync(path, 'utf8')).toBe('n\r\n0\r\n');
    await Promise.all(Array.from({ length: 100 }, (_, n) => report.write({}, { n: n + 1 })));
    await report.close();
    expect(readFileSync(path, 'utf8').trim().split('\r\n')).toEqual([
      'n',
      ...Array.from({ length: 101 }, (_, n) => `${n}`),
    ]);
  });

  it('has complete lines, however long and however many at once', async () => {
    const path = join(folder, 'whole.csv');
    const report = await openReport(path, about(['n']));
    const lines = ['a', 'b', 'c', 'd'].flatMap((name) => [name.repeat(2_000_000), name]);
    await Promise.all(lines.map((n) => report.write({}, { n })));
    await report.close();
    expect(readFileSync(path, 'utf8') === ['n', ...lines, ''].join('\r\n')).toBe(true);
  });

  it('is complete before it is closed', async () => {
    const path = join(folder, 'end.csv');
    const report = await openReport(path, about(['n']));
    const writes = Promise.all(Array.from({ length: 50 }, (_, n) => report.write({}, { n })));
    await report.close();
    await writes;
    expect(readFileSync(path, 'utf8').trim().split('\r\n')).toHaveLength(51);
  });

  it.skipIf(process.platform === 'win32')('is replaced and private', async () => {
    const path = join(folder, 'old.csv');
    writeFileSync(path, 'much that was there before\n'.repeat(9));
    chmodSync(path, 0o644);
    await (await openReport(path, about(['n']))).close();
    expect(readFileSync(path, 'utf8')).toBe('n\r\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const before = process.umask(0);
    await (await openReport(join(folder, 'new.csv'), about(['n']))).close();
    process.umask(before);
    expect(statSync(join(folder, 'new.csv')).mode & 0o777).toBe(0o600);
  });

  // Windows keeps a file that is open in its place.
  it.skipIf(process.platform === 'win32')(
    'of another run is not replaced; this run writes an unnamed file',
    async () => {
      const path = join(folder, 'both.csv');
      const first = await openReport(path, about(['n']));
      await first.write({}, { n: 1 });
      const second = await openReport(path, about(['n']));
      await first.write({}, { n: 2 });
      await second.write({}, { n: 3 });
      await Promise.all([first.close(), second.close()]);
      expect(readFileSync(path, 'utf8')).toBe('n\r\n3\r\n');
    },
  );

  it.skipIf(process.platform === 'win32')('is complete if several runs create it at once', async () => {
    const path = join(folder, 'crowd.csv');
    const reports = await Promise.all(Array.from({ length: 8 }, () => openReport(path, about(['n']))));
    await Promise.all(reports.map((report, n) => report.write({}, { n })));
    await Promise.all(reports.map((report) => report.close()));
    expect(readFileSync(path, 'utf8')).toMatch(/^n\r\n\d\r\n$/);
  });

  it('is rejected if the existing file is read-only', async () => {
    const path = join(folder, 'kept.csv');
    writeFileSync(path, 'kept\n', { mode: 0o444 });
    if (process.geteuid?.() === 0) {
      // Root may write to any file.
      chmodSync(folder, 0o711);
      process.seteuid?.(12_345);
      onTestFinished(() => process.seteuid?.(0));
    }
    await expect(openReport(path, about(['n']))).rejects.toMatchObject({ kind: 'usage' });
    expect(readFileSync(path, 'utf8')).toBe('kept\n');
  });

  it("is rejected before sending if it can't be created", async () => {
    await expect(openReport(join(folder, 'no', 'r.csv'), about(['n']))).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining("can't write the report"),
    });
    expect(existsSync(join(folder, 'no'))).toBe(false);
  });

  it.runIf(existsSync('/dev/full'))('reports a full disk and accepts no more lines', async () => {
    await expect(openReport('/dev/full', about(['n']))).rejects.toMatchObject({ kind: 'usage' });
    const report = await openReport('/dev/full', about(['n'], { format: 'ndjson' }));
    const failed = { kind: 'read_failed', message: expect.stringContaining('ENOSPC') };
    await expect(report.write({}, { n: 1 })).rejects.toMatchObject(failed);
    await expect(report.write({}, { n: 1 })).rejects.toMatchObject(failed);
    await report.close();
  });
});

it.runIf(process.platform !== 'win32')('a report changes no file that was replaced after its check', async () => {
  const [file, link] = [join(folder, 'victim'), join(folder, 'turned')];
  writeFileSync(file, 'as it was', { mode: 0o644 });
  symlinkSync(file, link);
  const looked: (number | undefined)[] = [];
  const opening = openReport(link, about(['n']), (_path, opened) => {
    looked.push(opened?.ino);
    if (opened !== undefined) throw usageError('was replaced');
  });
  await expect(opening).rejects.toMatchObject({ kind: 'usage', message: 'was replaced' });
  expect(looked).toEqual([undefined, statSync(file).ino]);
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['as it was', 0o644]);
});

it.runIf(process.platform !== 'win32')('a report waits for the reader of a pipe until a signal', async () => {
  const path = join(folder, 'unread');
  execFileSync('mkfifo', [path]);
  const stop = new AbortController();
  const opening = openUntil(path, about(['n']), { stop: stop.signal, checkPath: () => undefined });
  stop.abort('SIGINT');
  await expect(opening).rejects.toMatchObject({ kind: 'interrupted' });
});

it.runIf(process.platform !== 'win32')('a report may be a pipe, and fails once the reader is gone', async () => {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = spawn('head', ['-n', '2', path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [report, all] = await Promise.all([
    openReport(path, about(['n'])).then(async (opened) => {
      await opened.write({}, { n: 1 });
      return opened;
    }),
    text(reader.stdout),
  ]);
  expect(all).toBe('n\r\n1\r\n');
  await expect(report.write({}, { n: 2 })).rejects.toMatchObject({
    kind: 'read_failed',
    message: expect.stringContaining('EPIPE'),
  });
  await report.close();
});

it('lines of one tick, or during a write, are written together; each resolves on its own', async () => {
  const written: string[] = [];
  const begun = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const lines = openLineFile({
    appendFile: async (text) => {
      written.push(`${text}`);
      begun.resolve();
      await done.promise;
    },
    close: async () => void written.push('closed'),
  });
  const ended: string[] = [];
  const append = async (line: string): Promise<void> => {
    await lines.append(line);
    ended.push(line);
  };
  const laterInTurn = async (): Promise<void> => {
    for (let step = 0; step < 100; step += 1) await undefined;
    await append('b');
  };
  const first = [append('a'), laterInTurn()];
  await begun.promise;
  const during = ['c', 'd'].map(append);
  const closed = lines.close();
  await new Promise(setImmediate);
  expect([written, ended]).toEqual([['ab'], []]);
  done.resolve();
  await Promise.all(first);
  expect(ended).toEqual(['a', 'b']);
  await Promise.all([...during, closed]);
  expect(written).toEqual(['ab', 'cd', 'closed']);
});

it('no line is written after a failed one, which may be incomplete', async () => {
  const written: string[] = [];
  const lines = openLineFile({
    appendFile: async (text) => {
      if (written.push(`${text}`) === 1) throw new Error('ENOSPC');
    },
    close: async () => undefined,
  });
  for (const line of ['a', 'b', 'c']) await expect(lines.append(line)).rejects.toThrow('ENOSPC');
  await lines.close();
  expect(written).toEqual(['a']);
});
