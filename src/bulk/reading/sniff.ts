import { InputError } from './fault.ts';
import { type Format, formatOfName } from './format.ts';

/** Told apart by the header; of as many of each, the first. */
const DELIMITERS = [',', ';', '\t'];

const isUtf16 = (head: Buffer): boolean => ['fffe', 'feff'].includes(head.subarray(0, 2).toString('hex'));

const isWorkbook = (head: Buffer): boolean => head.subarray(0, 4).toString('hex') === '504b0304';

/** Throws where the first bytes say that no row can be read. */
export const checkHead = (head: Buffer, name: string): void => {
  if (head.length === 0) throw new InputError(`${name} is empty`, 'expected one charge or one customer per row');
  if (isUtf16(head)) throw new InputError(`${name} is UTF-16`, 'save it as UTF-8');
  if (isWorkbook(head))
    throw new InputError(`${name} is a spreadsheet workbook or another zip file`, 'save the sheet as CSV UTF-8');
};

/** By the name's ending, else by what the file begins with. A list is no NDJSON either, but that is where it is told so. */
export const formatOf = (name: string, head: Buffer): Format => {
  const first = head.toString('latin1').trimStart().charAt(0);
  return formatOfName(name) ?? (first === '{' || first === '[' ? 'ndjson' : 'csv');
};

/** The first line that is not blank, without what is in quotes. */
const barePartOfHeader = (head: Buffer): string =>
  head
    .toString('latin1')
    .replaceAll(/"[^"]*"?/g, '"')
    .split(/[\r\n]/)
    .find((line) => line !== '') ?? '';

/** The one of comma, semicolon and tab that the header has most of. */
export const delimiterOf = (head: Buffer): string => {
  const header = barePartOfHeader(head);
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
};

/** The line in which a spreadsheet names the separator, above the header: `sep=;`. */
export const separatorLine = (head: Buffer): { readonly length: number; readonly delimiter: string } | undefined => {
  const [line, delimiter] = /^"?sep=([ -!#-~\t])"?(?:\r\n|\n|\r|$)/i.exec(head.toString('latin1')) ?? [];
  return line === undefined || delimiter === undefined ? undefined : { length: line.length, delimiter };
};

/** What a delimiter may not be: it would end a row or a quote, or is more than one character. */
export const checkDelimiter = (delimiter: string, name: string): void => {
  if ([...delimiter].length === 1 && !/["\r\n\0]/.test(delimiter)) return;
  throw new InputError(
    `${JSON.stringify(delimiter)} can't separate the columns of ${name}`,
    'use one character, such as ;',
  );
};
