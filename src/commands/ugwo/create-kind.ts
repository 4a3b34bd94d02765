import type { Cells } from '../../bulk/cells.ts';
import type { RowKind } from '../../bulk/kind.ts';
import { printExact } from '../../core/json.ts';
import { amountIn, buildBody, findColumn, flagIn, listColumns, pickValues, readTexts } from '../fields.ts';
import { CHECK_BY_HAND, madeColumns, openMaker } from '../make.ts';
import { requestWords } from '../record.ts';
import { uniqueIn } from '../unique.ts';
import { BY_REF, type UgwoBody } from './create.ts';
import { REQUEST_FIELDS } from './create-shared.ts';
import type { UgwoCreateInput } from './spec.ts';

type RequestOptions = UgwoCreateInput['given'];

const REF_COLUMN = 'ref';

/** One valid row of the file. */
interface RequestRow {
  readonly body: UgwoBody;
  readonly minor: number;
  readonly currency: string;
}

const readRequestRow = (cells: Cells, ref: string, given: RequestOptions, data: UgwoBody): RequestRow | undefined => {
  const row = readTexts(REQUEST_FIELDS, REF_COLUMN, cells, given);
  const before = cells.faults.length;
  const money = amountIn(cells, row.currency?.toUpperCase());
  if (money === undefined && cells.faults.length === before)
    cells.fault('amount', 'is missing: give amount or amount_minor');
  const metadata = Object.entries(cells.object('metadata') ?? {});
  if (money === undefined) return undefined;
  const own = { ref: ref || undefined, metadata, amount: money.minor, currency: money.currency };
  return { ...money, body: { ...data, ...buildBody(REQUEST_FIELDS, { ...row, ...own }) } };
};

/** Row kind for a file of payment requests. `data` holds the fields of --data, which apply to all rows. */
export const requestsKind = (given: RequestOptions, data: UgwoBody): RowKind<RequestRow> => {
  const request = ({ body }: RequestRow) => ({ operation: 'ugwo.create', input: { body } }) as const;
  return {
    command: 'ugwo create',
    words: { verb: 'Create', one: 'payment request', done: 'created', findOut: CHECK_BY_HAND },
    key: { name: REF_COLUMN, aliases: ['reference'] },
    keyOf: ({ body }) => uniqueIn(BY_REF, body) ?? requestWords(body),
    columns: listColumns(REQUEST_FIELDS, REF_COLUMN),
    example: { [REF_COLUMN]: 'EXAMPLE', amount: '1250.75', currency: 'NGN', customer: 'EXAMPLE@example.com' },
    report: madeColumns('uid'),
    options: printExact([pickValues(REQUEST_FIELDS, given), data]),
    flagOf: flagIn(given),
    read: (cells, ref) => readRequestRow(cells, ref, given, data),
    request,
    columnOf: (_item, columns) => findColumn(REQUEST_FIELDS, columns, given, data),
    counts: ({ currency }) => [`in ${currency}`],
    money: (item) => item,
    openSender: (job) =>
      openMaker(
        {
          request,
          about: ({ body }) => requestWords(body),
          unique: BY_REF,
          uidColumn: 'uid',
          keepsEqual: given.allowRepeats !== true,
        },
        job,
      ),
  };
};
