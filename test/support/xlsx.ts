/** Workbooks (.xlsx) for tests, as small as a spreadsheet program can read. */
import { crc32, deflateRawSync } from 'node:zlib';

/** What a part of a zip file says about itself, where that is not true. */
export interface Lie {
  readonly size?: number;
  readonly crc?: number;
  readonly flags?: number;
}

/** A zip file with these parts. */
export const zipOf = (parts: Readonly<Record<string, string | Buffer>>, lie: Lie = {}): Buffer => {
  const [files, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [path, content] of Object.entries(parts)) {
    const [name, bytes] = [Buffer.from(path), Buffer.from(content)];
    const packed = deflateRawSync(bytes);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(lie.flags ?? 0, 2);
    about.writeUInt16LE(8, 4);
    about.writeUInt32LE(lie.crc ?? crc32(bytes), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(lie.size ?? bytes.length, 18);
    about.writeUInt16LE(name.length, 22);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), about, name, packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0'), about, place, name);
    files.push(file);
    offset += file.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, ...directory, end]);
};

/** The value of a cell: text, number, date (`style` 1), an element of its own, or none. */
export type XlsxCell = string | number | { readonly xml: string } | { readonly date: number } | null;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const cellXml = (cell: XlsxCell, address: string): string => {
  if (cell === null) return '';
  if (typeof cell === 'number') return `<c r="${address}"><v>${cell}</v></c>`;
  if (typeof cell === 'string')
    return `<c r="${address}" t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`;
  if ('date' in cell) return `<c r="${address}" s="1"><v>${cell.date}</v></c>`;
  return cell.xml.replace('<c', `<c r="${address}"`);
};

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export const sheetXml = (rows: readonly (readonly XlsxCell[])[]): string => {
  const written = rows.map((cells, row) => {
    const within = cells.map((cell, column) => cellXml(cell, `${String.fromCharCode(65 + column)}${row + 1}`)).join('');
    return within === '' ? '' : `<row r="${row + 1}">${within}</row>`;
  });
  return `${HEAD}<worksheet ${MAIN}><sheetData>${written.join('')}</sheetData></worksheet>`;
};

/** The parts of a workbook with these sheets, as XML or as rows. */
export const xlsxParts = (sheets: Readonly<Record<string, string | readonly (readonly XlsxCell[])[]>>) => {
  const all = Object.entries(sheets).map(([name, content], at) => ({ name, content, id: at + 1 }));
  const listed = all.map(({ name, id }) => `<sheet name="${escaped(name)}" sheetId="${id}" r:id="rId${id}"/>`);
  const targets = all.map(
    ({ id }) => `<Relationship Id="rId${id}" Type="${TYPES}/worksheet" Target="worksheets/sheet${id}.xml"/>`,
  );
  const formats =
    '<numFmt numFmtId="164" formatCode="dd/mm/yyyy\\ hh:mm"/><numFmt numFmtId="165" formatCode="[Red]#,##0.00"/>';
  return {
    'xl/workbook.xml': `${HEAD}<workbook ${MAIN} xmlns:r="${TYPES}"><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.join('')}</Relationships>`,
    'xl/styles.xml': `${HEAD}<styleSheet ${MAIN}><numFmts count="2">${formats}</numFmts><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    ...Object.fromEntries(
      all.map(({ id, content }) => [
        `xl/worksheets/sheet${id}.xml`,
        typeof content === 'string' ? content : sheetXml(content),
      ]),
    ),
  };
};

/** A workbook with these sheets. */
export const xlsx = (...sheets: Parameters<typeof xlsxParts>): Buffer => zipOf(xlsxParts(...sheets));

/** The number of a day such as `2026-11-25`, as a spreadsheet counts it. */
export const serial = (day: string): number => Date.parse(day) / 86_400_000 + 25_569;
