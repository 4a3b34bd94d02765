import { openInput } from '../../src/bulk/read-file.ts';
import { openRowReport } from '../../src/bulk/report.ts';

/** A process that writes a generated stream to a report and prints its memory growth. */

export interface Walked {
  readonly rows: number;
  /** The peak growth in bytes after the first 10,000 rows. */
  readonly grown: number;
}

const [, , format = 'csv', folder = '', megabytes = '0', cell = '1'] = process.argv;
/** The number of rows in flight. */
const AT_ONCE = 16;
const isCsv = format === 'csv';

const line = (): string => {
  const note = 'é, "so" '.repeat(Number(cell));
  if (!isCsv) return `${JSON.stringify({ ugwo: 'ugw.WXYZ.a1', amount: 5000, note })}\n`;
  return `ugw.WXYZ.a1,5000,"${note.replaceAll('"', '""')}"\r\n`;
};

async function* stream(): AsyncGenerator<Uint8Array> {
  if (isCsv) yield Buffer.from('ugwo,amount,note\r\n');
  const some = Buffer.from(line().repeat(Math.ceil(65_536 / line().length)));
  for (let given = 0; given < Number(megabytes) * 1e6; given += some.length) yield some;
}

const input = await openInput({
  stdin: stream(),
  name: 'standard input',
  format: isCsv ? 'csv' : 'ndjson',
  spoolFolder: folder,
});
const report = await openRowReport(
  `${folder}/report.${format}`,
  { ...input, rawCsv: false, own: ['state'] },
  { stop: new AbortController().signal, checkPath: () => undefined },
);
let [rows, first, most] = [0, 0, 0];
const writes: Promise<void>[] = [];
for await (const { fields } of input.rows()) {
  rows += 1;
  writes.push(report.write(fields, { state: 'accepted' }));
  if (writes.length === AT_ONCE) await Promise.all(writes.splice(0));
  if (rows % 1000 !== 0) continue;
  const rss = process.memoryUsage.rss();
  most = Math.max(most, rss);
  // The memory for the runtime and compiled code is not growth.
  if (rows === 10_000) first = rss;
}
await Promise.all(writes);
await report.close();
await input.close();
const walked: Walked = { rows, grown: most - first };
process.stdout.write(JSON.stringify(walked));
