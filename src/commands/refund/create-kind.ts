import type { Cells, FileFormat } from '../../bulk/cells.ts';
import type { RowKind } from '../../bulk/kind.ts';
import { missingColumn } from '../../bulk/rows.ts';
import type { Reading } from '../../charge/request.ts';
import { usageError } from '../../core/error.ts';
import { idIn, idProblem } from '../../core/ids.ts';
import type { FlagOf } from '../../core/input.ts';
import { printExact } from '../../core/json.ts';
import { amountIn, buildBody, findColumn, flagIn, listColumns, pickValues, readTexts } from '../fields.ts';
import { CHECK_BY_HAND, madeColumns, openMaker } from '../make.ts';
import type { Run } from '../run.ts';
import { checkDestination, lookAtPaid, refundFailure, refundReading } from './create.ts';
import { REFUND_FIELDS } from './fields-shared.ts';
import type { RefundCreateInput } from './spec.ts';

type RefundOptions = RefundCreateInput['given'];

/** One valid row of the file. */
interface RefundRow {
  readonly activity: string;
  readonly ugwo: string | undefined;
  readonly currency: string | undefined;
  /** Undefined refunds the whole payment. */
  readonly money: { readonly minor: number; readonly currency: string } | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The column of the paid activity. */
const REFUND_KEY = 'activity';

/** The cell of a row that pays back the whole payment. */
const WHOLE_PAYMENT = 'all';
const AMOUNT_COLUMNS = ['amount', 'amount_minor'];

/** Throws a usage error if no column of a CSV file says how much is paid back. A row of NDJSON has its own names. */
const checkRefundColumns = (columns: readonly string[], format: FileFormat, allOfIt = false): void => {
  if (allOfIt || format === 'ndjson' || columns.some((name) => AMOUNT_COLUMNS.includes(name))) return;
  throw missingColumn(columns, { name: 'amount', aliases: [] }, '').with({
    hint: `call the column amount: \`${WHOLE_PAYMENT}\` in it pays back the whole payment, and --all-of-it does so in every row`,
  });
};

/** The amount that a row pays back; undefined for the whole payment, and for a fault. */
const refundMoney = (cells: Cells, currency: string | undefined, allOfIt = false): RefundRow['money'] => {
  if (allOfIt) return undefined;
  if (cells.given.get('amount')?.toString().toLowerCase() === WHOLE_PAYMENT) {
    if (cells.given.has('amount_minor'))
      cells.fault('amount', `"${WHOLE_PAYMENT}" can't be used together with amount_minor`);
    return undefined;
  }
  if (!AMOUNT_COLUMNS.some((name) => cells.given.has(name))) {
    cells.fault('amount', `is missing: write "${WHOLE_PAYMENT}" to pay back the whole payment`);
  }
  return amountIn(cells, currency);
};

const readRefundRow = (cells: Cells, activity: string, given: RefundOptions, validate: boolean): RefundRow => {
  const row = readTexts(REFUND_FIELDS, REFUND_KEY, cells, given);
  const ugwo = row.ugwo && idIn('ugw', row.ugwo);
  const problem = validate && ugwo !== undefined ? idProblem('ugw', ugwo) : undefined;
  if (problem !== undefined) cells.fault('ugwo', problem);
  const currency = row.currency?.toUpperCase();
  const money = refundMoney(cells, currency, given.allOfIt);
  if ((row.provider === undefined) !== (row.account_number === undefined)) {
    cells.fault(
      row.provider === undefined ? 'provider' : 'account_number',
      'is missing: provider and account_number belong together',
    );
  }
  return {
    activity,
    ugwo,
    currency,
    money,
    body: buildBody(REFUND_FIELDS, { ...row, activity, amount: money?.minor }),
  };
};

/**
 * Reads the payment that a row pays back. Throws a usage error if the row's currency
 * differs from the paid currency. Skips the check if the payment can't be read.
 */
const lookBeforeRefund = async (
  item: RefundRow,
  validate: boolean,
  run: Pick<Run, 'client' | 'ledger' | 'target'>,
): Promise<Reading> => {
  const paid = await lookAtPaid(item, run);
  if (validate) checkDestination(paid, { provider: item.body['destination'] });
  const { activity, money } = item;
  const reading = refundReading(money?.minor, paid);
  const currency = reading.asked?.currency;
  if (currency !== undefined && item.currency !== undefined && currency !== item.currency) {
    throw usageError(`${activity} was paid in ${currency}, not in ${item.currency}`);
  }
  return reading;
};

export const refundKind = (given: RefundOptions, run: Run): RowKind<RefundRow> => {
  const { globals } = run;
  const { allOfIt, again = false } = given;
  const flagOf: FlagOf = (column) =>
    allOfIt && AMOUNT_COLUMNS.includes(column) ? '--all-of-it' : flagIn(given)(column);
  const request = ({ body }: RefundRow) => ({ operation: 'refund.create', input: { body } }) as const;
  return {
    command: 'refund create',
    words: {
      verb: 'Pay back',
      one: 'payment',
      done: 'refunded',
      findOut: CHECK_BY_HAND,
      refused:
        'refused rows have an earlier refund; --again refunds them once more, except where one is unknown or open',
    },
    key: {
      name: REFUND_KEY,
      prefix: 'act',
      aliases: ['uid', 'ugwo_activity'],
      missing: 'is missing: the paid activity, act.…',
      wrong: (text, problem) => `"${text}" ${problem}`,
    },
    named: ['ugwo', 'ugw'],
    columns: listColumns(REFUND_FIELDS, REFUND_KEY),
    example: { [REFUND_KEY]: 'act.EXAMPLE', amount: '1250.75', currency: 'NGN', reason: 'EXAMPLE' },
    report: madeColumns('refund'),
    options: printExact(pickValues(REFUND_FIELDS, given)),
    flagOf,
    checkColumns: (columns, format) => checkRefundColumns(columns, format, allOfIt),
    read: (cells, activity) => readRefundRow(cells, activity, given, globals.validate),
    request,
    columnOf: (_item, columns) => findColumn(REFUND_FIELDS, columns, given),
    counts: ({ money, body }) => [
      money ? `in ${money.currency}` : 'in full',
      ...('destination' in body ? ['to a given account'] : []),
    ],
    money: ({ money }) => money,
    asks: true,
    openSender: (job) =>
      openMaker(
        {
          request,
          about: ({ activity }) => activity,
          once: true,
          again,
          failure: refundFailure,
          uidColumn: 'refund',
          look: (item) => lookBeforeRefund(item, globals.validate, { ...run, client: async () => job.client }),
        },
        job,
      ),
  };
};
