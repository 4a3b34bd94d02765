import {
  DAYS_OLDER,
  DAYS_YOUNGER,
  type LedgerPayment,
  LineNames,
  MATCH_RESULTS,
  type Match,
  matchLines,
} from '../../bulk/agree.ts';
import { readLayout, saveLayout } from '../../bulk/layout-file.ts';
import { refuseReport } from '../../bulk/plan.ts';
import { openRowReport, REPORT_PREFIX } from '../../bulk/report.ts';
import { type BankStatement, readStatement, type StatementLine } from '../../bulk/statement.ts';
import { writtenAmount } from '../../bulk/statement-cells.ts';
import { isCreditColumn, type NamedColumns, textOfCell } from '../../bulk/statement-columns.ts';
import { PAYMENTS } from '../../charge/payment.ts';
import { profileWithoutKey } from '../../compose/client.ts';
import { openRowServices } from '../../compose/run.ts';
import { cutName, firstFew, grouped } from '../../core/bounds.ts';
import { CHARGE } from '../../core/charge.ts';
import { PayError } from '../../core/error.ts';
import { NumberText } from '../../core/json.ts';
import { decimalText, formatMoney } from '../../core/money.ts';
import { type ApiPage, madeHere, onePage, PAGE_MAX } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import { fromSpreadsheet, withoutFormula } from '../../core/text.ts';
import { atom, dayIn, HOUR_MS, startOfDay, type Zone, zoneName } from '../../core/time.ts';
import type { Scope } from '../../ledger/entry.ts';
import type { ChargeSum, Ledger, SumQuery } from '../../ledger/ledger.ts';
import { countsByPayment } from '../../ledger/report.ts';
import type { Run } from '../run.ts';

import type { MatchInput } from './match-spec.ts';
import { matchView, rowOf } from './view.ts';

/**
 * Reads the payments, refunds and reversals of the days of a statement; and of those on which a named payment may be,
 * payments that its lines may name, and what else was charged then.
 */
const readPayments = async (
  ledger: Ledger,
  scope: Scope,
  { first, last }: BankStatement['days'],
  { currency, zone, names }: { readonly currency: string; readonly zone: Zone; readonly names: LineNames },
): Promise<readonly LedgerPayment[]> => {
  const paymentOf = (sum: ChargeSum, kind: LedgerPayment['kind'], at: number, amount = 0n): LedgerPayment => {
    // A bank may write a payment of less than an hour before or after midnight on the other day.
    const [day = '', ...nearby] = [at, at - HOUR_MS, at + HOUR_MS].map((ms) => dayIn(zone, ms));
    return {
      id: sum.id ?? '',
      kind,
      at,
      day,
      otherDay: nearby.find((other) => other !== day),
      amount: Number(amount),
      ugwo: sum.ugwo,
      ref: sum.ref,
      psp_reference: sum.psp_reference,
      account_digest: sum.account_digest,
      profile: sum.profile ?? sum.origin,
    };
  };
  const period = { since: startOfDay(zone, first, -DAYS_OLDER), until: startOfDay(zone, last, DAYS_YOUNGER + 1) };
  const by: SumQuery['by'] = ['id', 'ugwo', 'ref', 'psp_reference', 'account_digest', 'profile', 'origin'];
  const read = <T>(time: SumQuery['time'], each: (sum: ChargeSum) => readonly T[], among = scope) =>
    ledger.sum({ ...among, period, by, unit: 1, time }, () => {
      const all: T[] = [];
      return { take: (sums) => void all.push(...sums.flatMap(each)), end: () => all };
    });
  const counts = countsByPayment(period);
  const from = (startOfDay(zone, first) ?? 0) - HOUR_MS;
  const end = (startOfDay(zone, last, 1) ?? 0) + HOUR_MS;
  const isNeeded = (sum: ChargeSum): boolean =>
    sum.currency === currency && (sum.payment === 'reversed' || (sum.at >= from && sum.at < end) || names.mayName(sum));
  const payments = await read('paid_at', (sum) =>
    (isNeeded(sum) ? counts(sum) : []).flatMap(({ reported, at, received = sum.amount }) => {
      if (reported === 'reversed') return [paymentOf(sum, 'reversal', at, received)];
      return PAYMENTS[reported as keyof typeof PAYMENTS].brings ? [paymentOf(sum, 'payment', at, received)] : [];
    }),
  );
  const paid = new Set<string | undefined>(payments.map(({ id }) => id));
  const refunds = await read('refund', (sum) => (sum.state === 'accepted' ? [sum] : []));
  // A refund is about an activity, whose charge has the names.
  const charges = await ledger.list({ kind: CHARGE, activities: refunds.flatMap(({ ugwo }) => ugwo ?? []), limit: -1 });
  const charged = new Map(charges.map((one) => [one.activity?.uid, one]));
  return [
    ...payments,
    ...refunds.flatMap((sum) => {
      const { about: ugwo, asked, money } = charged.get(sum.ugwo) ?? {};
      if ((sum.currency ?? asked?.currency) !== currency) return [];
      const names = {
        ugwo,
        ref: asked?.ref,
        psp_reference: money?.pspReference,
        account_digest: money?.accountDigest,
      };
      return [paymentOf({ ...sum, ...names }, 'refund', sum.at, -(sum.amount ?? BigInt(money?.received ?? 0)))];
    }),
    ...(await read(
      'created_at',
      (sum) => (names.mayName(sum) && !paid.has(sum.id) ? [paymentOf(sum, 'other', sum.at)] : []),
      {},
    )),
  ];
};

/** Output fields of a line, a payment, or both. */
const fieldsOf = ({ line, payment, ...match }: Match, currency: string) => {
  const amounts = { amount: line?.amount, expected: payment?.amount, currency };
  return rowOf(matchView, {
    ...payment,
    ...line,
    ...match,
    ...amounts,
    row: line?.number,
    line: line?.line,
    paid_at: atom(payment?.at),
  });
};

function* batchesOf(found: readonly Match[]): Generator<readonly Match[]> {
  for (let at = 0; at < found.length; at += PAGE_MAX) yield found.slice(at, at + PAGE_MAX);
}

async function* pagesOf(found: readonly Match[], currency: string): AsyncGenerator<ApiPage> {
  for (const part of batchesOf(found)) yield* onePage(part.map((one) => fieldsOf(one, currency)));
}

/** Counts and sums of each result. Money in and out are also summed apart. */
const sumsOf = (found: readonly Match[], currency: string) =>
  MATCH_RESULTS.map((result) => {
    const own = found.filter((one) => one.result === result);
    const sum = (
      amountOf: (one: Match) => number | undefined,
      isCounted = (_amount: number): boolean => true,
    ): number =>
      own.map((one) => amountOf(one) ?? 0).reduce((all, amount) => all + (isCounted(amount) ? amount : 0), 0);
    const ofLine = ({ line }: Match): number | undefined => line?.amount;
    const ofPayment = ({ payment }: Match): number | undefined => payment?.amount;
    const [isIn, isOut] = [(amount: number): boolean => amount > 0, (amount: number): boolean => amount < 0];
    return {
      result,
      count: own.length,
      currency,
      amount: sum(ofLine),
      amount_in: sum(ofLine, isIn),
      amount_out: sum(ofLine, isOut),
      expected: sum(ofPayment),
      expected_in: sum(ofPayment, isIn),
      expected_out: sum(ofPayment, isOut),
      difference: sum((one) => one.difference),
    };
  });
type Sums = ReturnType<typeof sumsOf>;

const groupedCount = (count: number, one: string, more = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : more}`;

const matchSummary = (found: readonly Match[], sums: Sums, currency: string, days: BankStatement['days']) => {
  const [agrees = 0, likely = 0, other = 0, two = 0, inFile = 0, here = 0] = sums.map(({ count }) => count);
  const some = (count: number, text: string): string => (count > 0 ? `, ${text}` : '');
  const named = found.flatMap(({ result, payment, difference = 0 }) => {
    const off = formatMoney(difference, currency).slice(currency.length + 1);
    return result === 'other_amount' ? `${payment?.ref ?? payment?.id} ${difference > 0 ? '+' : ''}${off}` : [];
  });
  const kinds = (['payment', 'refund', 'reversal'] as const).flatMap((kind, at) => {
    const count = found.filter(({ payment }) => payment?.kind === kind).length;
    return at === 0 || count > 0 ? groupedCount(count, kind) : [];
  });
  const later = found.flatMap(({ days_later = 0 }) => (days_later > 0 ? days_later : []));
  type Amount = 'amount_in' | 'amount_out' | 'expected_in' | 'expected_out';
  const total = (amount: Amount): number => sums.reduce((all, one) => all + one[amount], 0);
  const both = (moneyIn: number, moneyOut: number): string =>
    moneyOut === 0
      ? formatMoney(moneyIn, currency)
      : `${formatMoney(moneyIn, currency)} in and ${formatMoney(-moneyOut, currency)} out`;
  return [
    `${groupedCount(agrees + likely + other + two + inFile, 'line')}: ${groupedCount(agrees, 'agrees', 'agree')}` +
      some(likely, `${groupedCount(likely, 'is', 'are')} likely, by amount and day alone`) +
      some(other, `${groupedCount(other, 'has', 'have')} another amount (${firstFew(named, 3)})`) +
      some(two, `${groupedCount(two, 'names', 'name')} two payment requests`) +
      some(inFile, `${groupedCount(inFile, 'is', 'are')} in the file only`),
    ...(later.length === 0
      ? []
      : [
          `${groupedCount(later.length, 'line was', 'lines were')} posted up to ${groupedCount(Math.max(...later), 'day')} after the payment`,
        ]),
    `${kinds.join(', ')} ${days.first === days.last ? `of ${days.first}` : `from ${days.first} to ${days.last}`}: ` +
      `${grouped(agrees + likely + other)} in the file${some(here, `${groupedCount(here, 'is', 'are')} not`)}`,
    `${both(total('amount_in'), total('amount_out'))} in the file, ` +
      `${both(total('expected_in'), total('expected_out'))} in the ledger`,
  ];
};

/** Columns that a report adds. Their amounts have decimals, as in the file. */
const ADDED_COLUMNS = 'result by difference amount day kind id ugwo ref named'
  .split(' ')
  .map((name) => REPORT_PREFIX + name);

/** True for a column of the file itself: without the added ones, a report of a report is equal to it. */
const isRead = (name: string): boolean => !name.startsWith(REPORT_PREFIX);

/** The line as read, if there is one, and the added columns. */
const reportRow = ({ result, by, difference, line, payment, named }: Match, currency: string) => {
  const { amount, day, kind, id, ugwo, ref } = payment ?? {};
  const money = (minor?: number) => (minor === undefined ? null : new NumberText(decimalText(`${minor}`, currency)));
  const values = [result, by, money(difference), money(amount), day, kind, id, ugwo, ref, named];
  const read = Object.entries(line?.fields ?? {}).filter(([column]) => isRead(column));
  const added = ADDED_COLUMNS.map((column, at) => [column, values[at] ?? null] as const);
  return [Object.fromEntries(read), Object.fromEntries(added)] as const;
};

/** True if a match ends the command with 14. */
const isOff =
  ({ acceptLikely }: MatchInput) =>
  ({ result }: Match): boolean =>
    result !== 'agrees' && !(acceptLikely && result === 'likely');

/** Options that would explain all differences of named payments: a column of fees, or the minor unit. */
const remediesOf = (found: readonly Match[], { columns }: BankStatement, currency: string): readonly string[] => {
  const differing = found.filter(({ result }) => result === 'other_amount');
  if (differing.length === 0) return [];
  // Lines that agree have no fee. Half of what was asked differs by its own amount, and a balance may be anything.
  const paired = found.filter(({ result }) => result === 'agrees' || result === 'other_amount');
  const fee = columns.find(
    (column) =>
      isRead(column) &&
      !/balance/i.test(column) &&
      paired.every(({ line, difference = 0 }) => {
        const cell = Math.abs(writtenAmount(textOfCell(line?.fields[column]), currency)?.minor ?? Number.NaN);
        return !line?.fee && cell === -difference && cell < Math.abs(line?.amount ?? 0);
      }),
  );
  return [
    ...(fee === undefined ? [] : [`the differences are those of a column: add ${shellLine(['--fee-column', fee])}`]),
    ...(differing.every(({ line, payment }) => line?.amount === 100 * (payment?.amount ?? 0))
      ? ['each amount is 100 times that of the ledger: add --minor if the file counts the minor unit']
      : []),
  ];
};

/** The error of a run that found differences. */
const endingOf = (
  found: readonly Match[],
  name: string,
  remedies: readonly string[],
  input: MatchInput,
): { readonly failure?: PayError } => {
  const off = found.filter(isOff(input));
  if (off.length === 0) return {};
  const isUnknown = (sign: number): boolean => off.some((one) => !one.payment && (one.line?.amount ?? 0) * sign > 0);
  const hints = [
    ...remedies,
    ...(off.some(({ result }) => result === 'likely') ? ['look at the likely lines, then add --accept-likely'] : []),
    ...(isUnknown(1) ? ['find out who has paid since: `paycli ledger sync`'] : []),
    ...(isUnknown(-1) ? ['compare money in alone: --amount-column with the column of credits'] : []),
  ];
  const message = `${groupedCount(off.length, 'difference')} between ${name} and the ledger`;
  return { failure: new PayError('attention', message, hints.length > 0 ? { hint: hints.join('\n') } : {}) };
};

/** A cell of a statement without a formula: payers write the narrations. An amount, and what is guarded, stays as it is. */
const withoutPayersFormula = (cell: string): string =>
  writtenAmount(cell, 'NGN') !== undefined || fromSpreadsheet(cell) !== cell ? cell : withoutFormula(cell);

/** The columns that options name. */
const columnOptions = (input: MatchInput): NamedColumns => {
  const one = (name: string | undefined) => (name === undefined ? undefined : [name]);
  return {
    date: one(input.dateColumn),
    amount: one(input.amountColumn),
    debit: one(input.debitColumn),
    side: one(input.sideColumn),
    status: one(input.statusColumn),
    text: one(input.textColumn),
    reference: one(input.referenceColumn),
    fee: one(input.feeColumn),
    ignored: input.ignoreColumns,
  };
};

/** The lines that only a label marks as no transaction. */
const labelNotice = (lines: readonly StatementLine[], found: readonly Match[]): readonly string[] => {
  const matched = new Set(found.map(({ line }) => line));
  const left = lines.filter((line) => !matched.has(line));
  if (left.length === 0) return [];
  const labels = left.map(({ label = '', number }) => `${cutName(label)} (row ${number})`);
  return [`No transactions, by their label: ${firstFew(labels, 5)}`];
};

/** Writes each line with its payment. */
const writeReport = async (
  report: string,
  found: readonly Match[],
  statement: BankStatement,
  services: Awaited<ReturnType<typeof openRowServices>>,
  { globals, io }: Run,
  currency: string,
): Promise<void> => {
  const columns = statement.columns.filter(isRead);
  const content = { ...globals, ...statement, columns, own: ADDED_COLUMNS, guard: withoutPayersFormula };
  const { write, close } = await openRowReport(report, content, { ...services, stop: io.signals.stop });
  try {
    for (const part of batchesOf(found)) await Promise.all(part.map((one) => write(...reportRow(one, currency))));
  } finally {
    await close();
  }
};

/** Compares a statement with the payments of its days. Reads the ledger alone. */
export const matchStatement = async (input: MatchInput, run: Run): Promise<Result> => {
  const { io, globals, say } = run;
  const { file, currency, report, amountColumn } = input;
  const zone: Zone = input.utc ? 'utc' : 'local';
  const name = file === '-' ? 'standard input' : file;
  const services = await openRowServices(run);
  const layout = input.layout === undefined ? undefined : await readLayout(input.layout);
  const source = { ...services.source(file), name, sheet: input.sheet, spoolFolder: services.folder };
  const statement = await readStatement(source, { ...input, columns: columnOptions(input), layout, zone });
  if (report !== undefined) await refuseReport(report, { input: statement, services });
  if (input.saveLayout !== undefined) await saveLayout(input.saveLayout, statement.layout);
  const { days, lines } = statement;
  const ledger = await run.ledger();
  const { scope } = input.allProfiles ? { scope: {} } : await profileWithoutKey(run);
  const names = new LineNames(lines, ledger.digest);
  const all = await readPayments(ledger, scope, days, { currency, zone, names });
  // A column of signed amounts may have no money out either, and then lacks each refund.
  const isMoneyIn = isCreditColumn(amountColumn) && !input.debitColumn && lines.every(({ amount }) => amount > 0);
  const payments = isMoneyIn ? all.filter(({ kind }) => kind !== 'refund' && kind !== 'reversal') : all;
  const moneyIn = `Only money in is compared: ${amountColumn} has no money out.`;
  const found = matchLines(lines, payments, { ...input, days, names, digest: ledger.digest });
  const notices = [
    ...statement.notices,
    ...(payments.length < all.length ? [moneyIn] : []),
    ...labelNotice(lines, found),
  ];
  await say(notices);
  if (report !== undefined) await writeReport(report, found, statement, services, run, currency);

  const sums = sumsOf(found, currency);
  const ending = endingOf(found, name, remediesOf(found, statement, currency), input);
  if (globals.format === 'json') {
    const head = { file: name, first_day: days.first, last_day: days.last, time_zone: zoneName(zone, io.clock.now()) };
    const value = { ...head, currency, sums, matches: found.map((one) => fieldsOf(one, currency)), notices };
    return { kind: 'record', record: madeHere(value), view: matchView, ...ending };
  }
  await say([...matchSummary(found, sums, currency, days), ...(io.stdout.isTerminal && ending.failure ? [''] : [])]);
  const isTable = globals.format === 'table' || (globals.format === undefined && io.stdout.isTerminal);
  const pages = pagesOf(isTable ? found.filter(({ result }) => result !== 'agrees') : found, currency);
  return { kind: 'list', pages, view: matchView, saysEmpty: true, ...ending };
};
