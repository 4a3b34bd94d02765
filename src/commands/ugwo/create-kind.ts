import type { Cells } from '../../bulk/cells.ts';
import type { RowKind } from '../../bulk/kind.ts';
import type { Client } from '../../client/client.ts';
import { printExact } from '../../core/json.ts';
import type { Deps } from '../deps.ts';
import { AMOUNT_COLUMNS, columnBy, moneyIn, refuseTwice, wordOf } from '../fields.ts';
import { findOutByHand, madeColumns, rowsMade } from '../make.ts';
import { described } from '../record.ts';
import { uniqueIn } from '../unique.ts';
import { BY_REF, bodyOf, columnOf, type UgwoBody } from './create.ts';
import type { FileOfRequests } from './spec.ts';

/** One valid row of the file. */
interface Item {
  readonly body: UgwoBody;
  readonly minor: number;
  readonly currency: string;
}

const METADATA = 'metadata';
const TEXTS = ['customer', 'description', 'checkout'] as const;

const readRow = (
  cells: Cells,
  ref: string,
  { words, given }: FileOfRequests & { readonly given: UgwoBody },
): Item | undefined => {
  const currency = wordOf(cells, 'currency', words)?.toUpperCase();
  const before = cells.faults.length;
  const money = moneyIn(cells, currency);
  if (money === undefined && cells.faults.length === before)
    cells.fault('amount', 'is missing: give amount or amount_minor');
  const [customer, description, checkout] = TEXTS.map((name) => wordOf(cells, name, words));
  const metadata = Object.entries(cells.object(METADATA) ?? {});
  if (money === undefined) return undefined;
  const row = {
    currency: money.currency,
    customer,
    description,
    checkout,
    metadata,
    ref: ref === '' ? undefined : ref,
  };
  return { ...money, body: { ...given, ...bodyOf(money.minor, row) } };
};

/** Row kind for a file of payment requests. `given` holds the fields of --data, which apply to all rows. */
export const createKind = (
  file: FileOfRequests & { readonly given: UgwoBody },
  client: Client,
  deps: Deps,
): RowKind<Item> => {
  const request = ({ body }: Item) => ({ operation: 'ugwo.create', input: { body } }) as const;
  return {
    command: 'ugwo create',
    words: { verb: 'Create', one: 'payment request', done: 'created', findOut: findOutByHand(deps.globals) },
    key: { name: 'ref', aliases: ['reference'] },
    keyOf: ({ body }) => uniqueIn(BY_REF, body) ?? described(body),
    columns: [...AMOUNT_COLUMNS, ...TEXTS, METADATA, `${METADATA}.`],
    allColumns: 'ref, amount or amount_minor, currency, customer, description, checkout, metadata.k',
    report: madeColumns('uid'),
    options: printExact([file.words, file.given]),
    checkColumns: (columns) => refuseTwice(file.words, columns),
    read: (cells, ref) => readRow(cells, ref, file),
    request,
    columnOf: (_item, columns) => (path) => {
      const whole = columns.find((name) => name === path || name === `${path}:`);
      if (whole?.startsWith(`${METADATA}.`)) return whole;
      return columnOf(path) === undefined ? (whole ?? path) : columnBy(columnOf, columns)(path);
    },
    counts: ({ currency }) => [currency],
    money: (item) => item,
    sending: rowsMade(
      { request, about: ({ body }) => described(body), unique: BY_REF, uidColumn: 'uid' },
      client,
      deps,
    ),
  };
};
