import { crc32, inflateRawSync } from 'node:zlib';
import readSheets from 'read-excel-file/universal';
import { cutName, firstFew } from '../core/bounds.ts';
import { PayError, reasonOf, usageError } from '../core/error.ts';

/** Bytes of all parts that are read. A table of 100,000 rows has about 30 MiB. */
const UNPACKED_MAX = 64 * 1024 * 1024;
/** Rows times columns: the cells between the first and the last one cost memory even if the file doesn't have them. */
const CELLS_MAX = 2 ** 24;

const TO_CSV = 'save the sheet as CSV UTF-8';

/** The digits of a number that a spreadsheet keeps. */
const DIGITS = 15;

/** A part of a zip file: its packed bytes, and what it must be unpacked. */
interface Packed {
  readonly path: string;
  readonly isProtected: boolean;
  readonly isStored: boolean;
  readonly bytes: Buffer;
  readonly size: number;
  readonly crc: number;
}

/** The parts that the directory of a zip file lists. Throws for a damaged one. */
const partsIn = (zip: Buffer): readonly Packed[] => {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06'));
  if (end === -1) throw new Error('its end is missing');
  let at = zip.readUInt32LE(end + 16);
  return Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    if (zip.toString('latin1', at, at + 4) !== 'PK\x01\x02') throw new Error('its directory is damaged');
    const name = at + 46;
    const [nameLength, more] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)];
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const part = {
      path: zip.toString('utf8', name, name + nameLength),
      isProtected: (zip.readUInt16LE(at + 8) & 1) === 1,
      isStored: zip.readUInt16LE(at + 10) === 0,
      bytes: zip.subarray(start, start + zip.readUInt32LE(at + 20)),
      size: zip.readUInt32LE(at + 24),
      crc: zip.readUInt32LE(at + 16),
    };
    at = name + nameLength + more;
    return part;
  });
};

/** Unpacks a part. Throws if it is not as long as the directory says, before it needs more memory. */
const unpacked = ({ path, isStored, bytes, size, crc }: Packed): Buffer => {
  const part = isStored ? bytes : inflateRawSync(bytes, { maxOutputLength: Math.max(size, 1) });
  if (part.length !== size || crc32(part) !== crc) throw new Error(`${path} is damaged`);
  return part;
};

/** A zip file of parts that are not packed, which read-excel-file only has to cut. */
const zipOf = (parts: ReadonlyMap<string, Buffer>): Blob => {
  const [files, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [path, part] of parts) {
    const name = Buffer.from(path);
    const about = Buffer.alloc(26);
    about.writeUInt32LE(part.length, 14);
    about.writeUInt32LE(part.length, 18);
    about.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\0\0'), about, place, name);
    files.push(Buffer.from('PK\x03\x04'), about, name, part);
    offset += 4 + about.length + name.length + part.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(parts.size, 4);
  end.writeUInt16LE(parts.size, 6);
  end.writeUInt32LE(offset, 12);
  return new Blob([...files, ...directory, Buffer.from('PK\x05\x06'), end]);
};

const columnNumber = (letters: string): number =>
  [...letters].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);

/** Rows times columns of a sheet, by the addresses of its rows and cells. */
const cellsIn = (xml: string): number => {
  let [rows, columns] = [0, 0];
  for (const [, letters = '', row] of xml.matchAll(/\sr\s*=\s*["']([A-Z]*)(\d+)["']/g)) {
    rows = Math.max(rows, Number(row));
    columns = Math.max(columns, columnNumber(letters));
  }
  return rows * columns;
};

/** A formula that no program has calculated. The text that one gives may be empty. */
const UNCALCULATED =
  /<(?:\w+:)?c\b(?![^>]*\bt=["']str)[^>]*>\s*<(?:\w+:)?f\b[^>]*(?:\/>|>[^<]*<\/(?:\w+:)?f>)\s*(?:<(?:\w+:)?v\s*(?:\/>|><\/(?:\w+:)?v>)\s*)?<\/(?:\w+:)?c>/;

/** Errors and dates in ISO form, as cells of text: read-excel-file empties the first and moves the others to a zone. */
const withTexts = (xml: string): string => xml.replaceAll(/(<(?:\w+:)?c\s[^>]*?\bt=)(["'])[de]\2/g, '$1$2str$2');

/** The list of sheets with the hidden ones last, and the days of 1904 as read-excel-file knows them. */
const shownFirst = (xml: string): string =>
  xml.replace(/\bdate1904=(["'])true\1/, 'date1904="1"').replace(/(?:<(?:\w+:)?sheet\s[^>]*\/>\s*)+/, (sheets) => {
    const { shown = [], hidden = [] } = Object.groupBy(sheets.match(/<[^>]+>/g) ?? [], (sheet) =>
      /\bstate=["'](?:veryH|h)idden/.test(sheet) ? 'hidden' : 'shown',
    );
    return [...shown, ...hidden].join('');
  });

const tooLarge = (name: string): PayError =>
  usageError(`${name} is too large to be read as a workbook`, { hint: TO_CSV });

/** All bytes of a zip file. */
const wholeZip = async (chunks: AsyncIterable<Uint8Array>, name: string): Promise<Buffer> => {
  const all: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > UNPACKED_MAX) throw tooLarge(name);
    all.push(chunk);
  }
  return Buffer.concat(all);
};

/** The parts that make a table. Throws for a file that is no workbook, or one that would need too much memory. */
const tableParts = (zip: Buffer, name: string): ReadonlyMap<string, Buffer> => {
  const packed = partsIn(zip).filter(({ path }) => /\.(?:xml|rels)$/.test(path));
  if (packed.every(({ path }) => path !== 'xl/workbook.xml')) {
    const hint = `save the sheet as .xlsx, or ${TO_CSV}`;
    throw usageError(`${name} is a zip file without a workbook (.xlsx)`, { hint });
  }
  if (packed.some(({ isProtected }) => isProtected)) {
    throw usageError(`${name} has a password`, { hint: `open it, and ${TO_CSV}` });
  }
  if (packed.reduce((sum, { size }) => sum + size, 0) > UNPACKED_MAX) throw tooLarge(name);
  return new Map(
    packed.map((one) => {
      const part = unpacked(one);
      if (one.path === 'xl/workbook.xml') return [one.path, Buffer.from(shownFirst(part.toString()))];
      if (!part.includes('sheetData')) return [one.path, part];
      const xml = part.toString();
      if (cellsIn(xml) > CELLS_MAX) throw tooLarge(name);
      if (UNCALCULATED.test(xml)) throw new Error('a formula has no value');
      return [one.path, Buffer.from(withTexts(xml))];
    }),
  );
};

/** A number as its cell writes it; a fraction has the digits that a spreadsheet shows. */
class NumberCell {
  readonly text: string;
  constructor(written: string) {
    this.text = /^-?\d+$/.test(written) ? written : String(Number(Number(written).toPrecision(DIGITS)));
  }
}

/** A date, with its time if it has one; the days of 1900 are those of a time alone. */
const dateText = (date: Date): string => {
  const [day = '', time = ''] = new Date(Math.round(date.getTime() / 1000) * 1000).toISOString().split(/[T.]/);
  if (day < '1901') return time;
  return time === '00:00:00' ? day : `${day} ${time}`;
};

/** The text of a cell on one line: the number of a line is that of its row. */
const writtenCell = (cell: unknown): string => {
  if (cell instanceof NumberCell) return cell.text;
  return cell instanceof Date ? dateText(cell) : String(cell ?? '').replaceAll(/[\t\r\n]+/g, ' ');
};

const csvCell = (text: string): string => (text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text);

/** True for a number that a spreadsheet rounds. */
const isRounded = (cell: unknown): boolean =>
  cell instanceof NumberCell && (cell.text.includes('e') || /^-?\d{16}/.test(cell.text));

/** The sheet of a workbook as CSV with tabs, one line for each row, and notices about it. */
export const sheetOf = async (chunks: AsyncIterable<Uint8Array>, name: string, wanted: string | undefined) => {
  const zip = await wholeZip(chunks, name);
  const read = async () =>
    readSheets(zipOf(tableParts(zip, name)), { trim: false, parseNumber: (written) => new NumberCell(written) });
  const sheets = await read().catch((thrown: unknown) => {
    if (thrown instanceof PayError) throw thrown;
    const hint = `copy it again; or open it in a spreadsheet program, and ${TO_CSV}`;
    throw usageError(`${name} can't be read as a workbook: ${reasonOf(thrown)}`, { hint });
  });
  const titles = firstFew(
    sheets.map(({ sheet }) => JSON.stringify(cutName(sheet))),
    20,
  );
  const chosen = sheets.find(({ sheet }) => wanted === undefined || sheet.toLowerCase() === wanted.toLowerCase());
  if (chosen === undefined) {
    const hint = 'name one of them with --sheet';
    throw usageError(`${name} has no sheet ${JSON.stringify(wanted)} (found: ${titles})`, { hint });
  }
  // A sheet of charts has no rows.
  const rows = chosen.data ?? [];
  const rounded = rows.flatMap((row, at) => (row.some(isRounded) ? [`${at + 1}`] : []));
  return {
    csv: Buffer.from(rows.map((row) => row.map((cell) => csvCell(writtenCell(cell))).join('\t')).join('\n')),
    notices: [
      ...(sheets.length > 1 ? [`Sheet: ${JSON.stringify(cutName(chosen.sheet))} of ${titles}`] : []),
      ...(rounded.length > 0
        ? [
            `Excel rounds numbers of more than ${DIGITS} digits, and such names are not found: ` +
              `row ${firstFew(rounded, 5)} of the sheet`,
          ]
        : []),
    ],
  };
};
