/** Sums of charges, made by the database in parts, so that no statement takes long. */
import type { Payment } from '../charge/payment.ts';
import { CHARGE, type ChargeState, REFUND } from '../core/charge.ts';
import { handleSignals } from '../core/error.ts';
import { optionalText, sqlNumber, sqlText } from '../database/connect.ts';
import type { Money } from './entry.ts';
import type { ChargeSum, Reducer, SumQuery } from './ledger.ts';
import type { Row } from './rows.ts';
import { conditionsOf, countingOf, type ReadStatement, type Statement, type TablePrefix, whereOf } from './sql.ts';

/**
 * Number of rows in a part. Sums of a thousand fit SQLite's integers. PostgreSQL would compile a statement about more
 * than ten thousand, which takes longer than running it.
 */
const ROWS_SUMMED = { '': 1000, 'paycli.': 10_000 } as const;

/** Entries that are not found by a time, but by a condition of an index, in the order of `seq`. */
const BESIDE_TIME = {
  open: "payment = 'open'",
  reversed: "payment = 'reversed'",
  refund: `kind = '${REFUND}' AND kind <> '${CHARGE}'`,
  refund_open: "payment = 'refund_open'",
} as const;

/** Entries in a half-open range of a time or, with one of these conditions, of `seq`. */
type Part = readonly [along: SumQuery['time'] | keyof typeof BESIDE_TIME, first: number, end: number];

const isBySeq = (along: Part[0]): along is keyof typeof BESIDE_TIME => along in BESIDE_TIME;
const columnOf = (along: Part[0]): string => (isBySeq(along) ? 'seq' : along === 'paid_back' ? 'paid_at' : along);
/** Times of refunds. */
const OF_REFUNDS: readonly Part[0][] = ['refund', 'paid_back', 'refund_open'];

const inPart = ([along, ...limits]: Part): Statement => [
  `${isBySeq(along) ? `${BESIDE_TIME[along]} AND ` : ''}${columnOf(along)} >= ? AND ${columnOf(along)} < ?`,
  ...limits,
];

/**
 * The excess of a charge. The last charge of a request that was paid twice has that of all: by payment time, the one that
 * was paid last. There, a reversed one has none.
 */
const overpaidSql = (table: string, along: Part[0], ofSameRequest: (other: string) => string): string => {
  const isAfter =
    along === 'paid_at'
      ? "newer.payment <> 'reversed' AND (newer.paid_at, newer.seq) > (charge.paid_at, charge.seq)"
      : 'newer.seq > charge.seq';
  const isLastPaid = `NOT EXISTS (SELECT 1 FROM ${table} AS newer
    WHERE ${ofSameRequest('newer')} AND ${isAfter} AND newer.paid_twice IS NOT NULL)`;
  return `CASE WHEN paid_twice IS NOT NULL THEN CASE WHEN ${isLastPaid} THEN paid_twice END
    WHEN payment IN ('overpaid', 'partially_refunded') AND received - refunded > amount THEN received - refunded - amount END`;
};

/** Query for the sums of a part of a whole. */
const sumStatement = (prefix: TablePrefix, query: SumQuery, whole: Part, part: Part): Statement => {
  const { time: _time, period, by, unit, ...scope } = query;
  const [along] = part;
  const isRefund = OF_REFUNDS.includes(along);
  const started = along === 'refund' || along === 'refund_open' ? period : undefined;
  // Each refund counts, and each reversal, whose charges come whenever they were paid.
  const countsEach = isRefund || along === 'reversed' || by.includes('id');
  const conditions = conditionsOf({ ...scope, started, ...(isRefund ? {} : { kind: CHARGE }) });
  // COALESCE hides the column from the choice of an index: there are more refunds than those that are open or of a day.
  if (isRefund) conditions.push([along === 'refund' ? countingOf(REFUND) : `COALESCE(kind, '') = '${REFUND}'`]);
  if (along === 'paid_at') conditions.push(["payment <> 'reversed'"]);
  const time = isBySeq(along) ? 'created_at' : columnOf(along);
  const cut = unit === 0 ? '0' : `${time} - ${time} % ${unit}`;
  const table = `${prefix}charge`;
  const ofSameRequest = (other: string): string => `${other}.ugwo = charge.ugwo AND ${other}.service = charge.service`;
  // COALESCE hides the column from the choice of an index: few charges have the same subject.
  const isNewer = `${ofSameRequest('newer')} AND newer.seq > charge.seq AND COALESCE(newer.payment, '') = charge.payment`;
  const [newer, ...newerValues] = whereOf([[isNewer], ...conditions, ...(isBySeq(along) ? [] : [inPart(whole)])]);
  const [where, ...values] = whereOf([...conditions, inPart(part)]);
  // A charge that alone brought what was asked counts by itself: a search for each would take ten times as long.
  const isWhole = "payment = 'paid' AND received IS NOT DISTINCT FROM amount AND paid_twice IS NULL";
  const isLast = countsEach
    ? '1'
    : `CASE WHEN ${isWhole} THEN 1 WHEN EXISTS (SELECT 1 FROM ${table} AS newer ${newer}) THEN 0 ELSE 1 END`;
  // Parts that were paid are no longer open.
  const parts = `(SELECT sum(part.received) FROM ${table} AS part
    WHERE ${ofSameRequest('part')} AND COALESCE(part.payment, '') IN ('underpaid', 'partially_refunded')
      AND part.received < part.amount)`;
  const asked = along === 'open' ? `amount - COALESCE(${parts}, 0)` : 'amount';
  const excess = countsEach ? 'CAST(NULL AS bigint)' : overpaidSql(table, along, ofSameRequest);
  const columns = [
    'state',
    'payment',
    'currency',
    `${cut} AS cut`,
    `${along === 'reversed' ? 'money' : 'NULL'} AS money`,
    ...by,
  ];
  // A sum of one charge needs no group, which would be sorted.
  const isOfOne = by.includes('id');
  const count = (value: string): string =>
    isOfOne ? `CASE WHEN ${value} IS NULL THEN 0 ELSE 1 END` : `count(${value})`;
  const sum = (value: string): string => (isOfOne ? value : `sum(${value})`);
  const groups = isOfOne ? '' : `GROUP BY ${columns.map((_column, place) => place + 1).join()}`;
  // Without MATERIALIZED, SQLite would search for a newer charge at each use of the result.
  return [
    `WITH summed AS MATERIALIZED (SELECT ${columns.join()}, amount, received,
        ${isLast} AS is_last, ${asked} AS asked, ${excess} AS excess FROM ${table} ${where})
      SELECT ${['state', 'payment', 'currency', 'cut', 'money', ...by].join()}, ${count('1')}, ${sum('is_last')},
        ${sum('CASE WHEN amount IS NULL THEN 0 ELSE is_last END')}, CAST(${sum('asked * is_last')} AS text),
        ${count('received')}, CAST(${sum('received')} AS text), ${count('excess')}, CAST(${sum('excess')} AS text)
      FROM summed ${groups}`,
    ...(countsEach ? [] : newerValues),
    ...values,
  ];
};

const sumFrom = (by: SumQuery['by'], [state, payment, currency, at, money, ...rest]: Row): ChargeSum => {
  const values = rest.slice(0, by.length);
  const [charges, requests, amounts, amount, receiveds, received, over, excess] = rest.slice(by.length);
  const integer = (sum: Row[number] | undefined): bigint | undefined =>
    typeof sum === 'string' ? BigInt(sum) : undefined;
  return {
    ...Object.fromEntries(by.map((name, place) => [name, optionalText(values[place])])),
    state: sqlText(state) as ChargeState,
    payment: optionalText(payment) as Payment | undefined,
    currency: optionalText(currency),
    at: sqlNumber(at),
    money: typeof money === 'string' ? (JSON.parse(money) as Money) : undefined,
    count: sqlNumber(requests),
    charges: sqlNumber(charges),
    amount: integer(amount),
    withoutAmount: sqlNumber(requests) - sqlNumber(amounts),
    received: integer(received),
    withoutReceived: sqlNumber(charges) - sqlNumber(receiveds),
    excess: { count: sqlNumber(over), amount: integer(excess) },
  };
};

/** Passes sums to a reducer. The caller's transaction keeps them of one moment. The first signal ends it. */
export const sumsWith = async <T>(
  ask: ReadStatement,
  prefix: TablePrefix,
  query: SumQuery,
  reducer: Reducer<T, ChargeSum>,
  stop: AbortSignal,
): Promise<T> => {
  const [earliest, latest] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const { time, period } = query;
  const { since = earliest, until = latest } = isBySeq(time) ? {} : period;
  const wholes: Part[] = [[time, since, until]];
  // A reversed charge counts at two times: of its payment, and of its reversal.
  if (time === 'paid_at') wholes.push(['reversed', earliest, latest]);
  for (const whole of wholes) {
    const [along, start, last] = whole;
    for (let first = start; first < last; ) {
      const [range, ...limits] = inPart([along, first + 1, last]);
      // The index alone answers this.
      const nextPart = `SELECT ${columnOf(along)} FROM ${prefix}charge WHERE ${range} ORDER BY ${columnOf(along)} LIMIT 1 OFFSET ${ROWS_SUMMED[prefix]}`;
      const [next] = await ask(nextPart, ...limits);
      const end = next === undefined ? last : sqlNumber(next[0]);
      const sums = await ask(...sumStatement(prefix, query, whole, [along, first, end]));
      reducer.take(sums.map((row) => sumFrom(query.by, row)));
      first = end;
      await handleSignals(stop);
    }
  }
  return reducer.end();
};
