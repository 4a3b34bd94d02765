import type { Cells } from '../../bulk/cells.ts';
import type { RowKind } from '../../bulk/kind.ts';
import type { Client } from '../../client/client.ts';
import { printExact } from '../../core/json.ts';
import { amountIn, columnBy, flagIn, textsIn } from '../fields.ts';
import { checkByHand, madeColumns, rowsMade } from '../make.ts';
import { described } from '../record.ts';
import type { Run } from '../run.ts';
import { uniqueIn } from '../unique.ts';
import { BY_REF, bodyOf, fieldOf, type UgwoBody } from './create.ts';
import type { FileOfRequests } from './spec.ts';

/** One valid row of the file. */
interface Item {
  readonly body: UgwoBody;
  readonly minor: number;
  readonly currency: string;
}

const readRow = (cells: Cells, ref: string, { fields }: FileOfRequests, given: UgwoBody): Item | undefined => {
  const row = textsIn(cells, ['currency', 'customer', 'description', 'checkout'], fields);
  const before = cells.faults.length;
  const money = amountIn(cells, row.currency?.toUpperCase());
  if (money === undefined && cells.faults.length === before)
    cells.fault('amount', 'is missing: give amount or amount_minor');
  const metadata = Object.entries(cells.object('metadata') ?? {});
  if (money === undefined) return undefined;
  const { minor, currency } = money;
  return {
    minor,
    currency,
    body: { ...given, ...bodyOf(minor, { ...row, ...(ref === '' ? {} : { ref }), currency, metadata }) },
  };
};

/** Row kind for a file of payment requests. `given` holds the fields of --data, which apply to all rows. */
export const createKind = (file: FileOfRequests, given: UgwoBody, client: Client, run: Run): RowKind<Item> => {
  const request = ({ body }: Item) => ({ operation: 'ugwo.create', input: { body } }) as const;
  const flagOf = flagIn(file.fields);
  return {
    command: 'ugwo create',
    words: { verb: 'Create', one: 'payment request', done: 'created', findOut: checkByHand(run.globals) },
    key: { name: 'ref', aliases: ['reference'] },
    keyOf: ({ body }) => uniqueIn(BY_REF, body) ?? described(body),
    columns: ['amount or amount_minor', 'currency', 'customer', 'description', 'checkout', 'metadata.k'],
    report: madeColumns('uid'),
    options: printExact([file.fields, given]),
    flagOf,
    read: (cells, ref) => readRow(cells, ref, file, given),
    request,
    columnOf: (_item, columns) => columnBy(fieldOf, columns, flagOf),
    counts: ({ currency }) => [currency],
    money: (item) => item,
    sending: rowsMade(
      {
        ...{ request, about: ({ body }) => described(body), unique: BY_REF, uidColumn: 'uid' },
        keepsEqual: !file.bulk.allowRepeats,
      },
      client,
      run,
    ),
  };
};
