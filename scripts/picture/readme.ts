import { SEEDED } from '../../src/core/data-files.ts';
import { COLUMNS, screenOf } from './screen.ts';
import { svgOf } from './svg.ts';

export const PICTURE = 'docs/terminal.svg';

const TYPED = [
  'paycli ugwo list --local --limit 3 --columns uid,ref,amount,status',
  `paycli ugwo charge ${SEEDED.ugwo} --medium bank_transfer --local`,
];

/** The picture of the README: the built program on a terminal, cell by cell. */
export const pictureNow = async (program?: readonly string[]): Promise<string> =>
  svgOf(
    'A list of payment requests and a charge by bank transfer, on a terminal',
    await screenOf(TYPED, program),
    COLUMNS,
  );

/** Values that are new in each run: identifiers, accounts, times. */
const NEW = /\b(?:act\.Lcal\.|EMU-)\w+|(?<=--cursor )\S+|\b\d{10}\b|(?:\d{4}-\d\d-\d\d )?\d\d:\d\d|in \d+ min/g;

/** The picture with those values replaced. A time of another day has another length. */
export const settled = (svg: string): string =>
  svg.replaceAll(/ textLength="\d+"/g, '').replaceAll(/(?<=>)[^<]+(?=<\/text>)/g, (text) => text.replaceAll(NEW, '*'));
