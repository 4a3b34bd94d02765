import type { RowServices } from '../../bulk/kind.ts';
import { refuseReport } from '../../bulk/plan.ts';
import { openRowReport, REPORT_PREFIX } from '../../bulk/report.ts';
import { type BankStatement, isCreditColumn, readStatement } from '../../bulk/statement.ts';
import { type LedgerPayment, MATCH_RESULTS, type Match, matchLines } from '../../bulk/statement-match.ts';
import { PAYMENTS } from '../../charge/payment.ts';
import { profileWithoutKey } from '../../compose/client.ts';
import { openRowServices } from '../../compose/run.ts';
import { grouped } from '../../core/bounds.ts';
import { CHARGE } from '../../core/charge.ts';
import { PayError } from '../../core/error.ts';
import { targetFlags } from '../../core/input.ts';
import { NumberText } from '../../core/json.ts';
import { decimalText, formatMoney } from '../../core/money.ts';
import { type ApiPage, madeHere, onePage, PAGE_MAX } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import { atom, dayIn, HOUR_MS, startOfDay, type Zone, zoneName } from '../../core/time.ts';
import type { Scope } from '../../ledger/entry.ts';
import type { ChargeSum, Ledger } from '../../ledger/ledger.ts';
import { countsByPayment } from '../../ledger/report.ts';
import type { Run } from '../run.ts';
import type { MatchInput } from './match-spec.ts';
import { matchView } from './view.ts';

/**
 * Reads the payments, refunds and reversals from the day before the first to the day after the last, and what else was
 * charged on these days.
 */
const readPayments = async (
  ledger: Ledger,
  scope: Scope,
  { first, last }: BankStatement['days'],
  { currency, zone }: { readonly currency: string; readonly zone: Zone },
): Promise<readonly LedgerPayment[]> => {
  const paymentOf = (sum: ChargeSum, kind: LedgerPayment['kind'], at: number, amount = 0n): LedgerPayment => {
    // A bank may write a payment of less than an hour before or after midnight on the other day.
    const [day = '', ...nearby] = [at, at - HOUR_MS, at + HOUR_MS].map((ms) => dayIn(zone, ms));
    return {
      ...{ id: sum.id ?? '', kind, at, day, otherDay: nearby.find((other) => other !== day), amount: Number(amount) },
      ...{ ugwo: sum.ugwo, ref: sum.ref, psp_reference: sum.psp_reference, account_digest: sum.account_digest },
      profile: sum.profile ?? sum.origin,
    };
  };
  const by = ['id', 'ugwo', 'ref', 'psp_reference', 'account_digest', 'profile', 'origin'] as const;
  const period = { since: startOfDay(zone, first, -1), until: startOfDay(zone, last, 2) };
  type Time = 'paid_at' | 'refund' | 'created_at';
  const read = <T>(time: Time, each: (sum: ChargeSum) => readonly T[], among = scope): Promise<readonly T[]> =>
    ledger.sum({ ...among, period, by, unit: 1, time }, () => {
      const all: T[] = [];
      return { take: (sums) => void all.push(...sums.flatMap(each)), end: () => all };
    });
  const counts = countsByPayment(period);
  const payments = await read('paid_at', (sum) =>
    counts(sum).flatMap(({ reported, at, received = sum.amount }) => {
      if (sum.currency !== currency) return [];
      if (reported === 'reversed') return [paymentOf(sum, 'reversal', at, received)];
      return PAYMENTS[reported as keyof typeof PAYMENTS].brings ? [paymentOf(sum, 'payment', at, received)] : [];
    }),
  );
  const paid = new Set<string | undefined>(payments.map(({ id }) => id));
  const refunds = await read('refund', (sum) => (sum.state === 'accepted' ? [sum] : []));
  // A refund is about an activity, whose charge has the names.
  const activities = refunds.flatMap(({ ugwo }) => ugwo ?? []);
  const charges = await ledger.list({ kind: CHARGE, activities, limit: -1 });
  const charged = new Map(charges.map((one) => [one.activity?.uid, one]));
  return [
    ...payments,
    ...refunds.flatMap((sum) => {
      const { about: ugwo, asked, money } = charged.get(sum.ugwo) ?? {};
      if ((sum.currency ?? asked?.currency) !== currency) return [];
      const names = { ugwo, ref: asked?.ref, psp_reference: money?.pspReference };
      return [paymentOf({ ...sum, ...names }, 'refund', sum.at, -(sum.amount ?? BigInt(money?.received ?? 0)))];
    }),
    ...(await read('created_at', (sum) => (paid.has(sum.id) ? [] : [paymentOf(sum, 'other', sum.at)]), {})),
  ];
};

/** Output fields of a line, a payment, or both. */
const fieldsOf = ({ result, by, line, payment, difference }: Match, currency: string) => ({
  ...{ result, by: by ?? null, row: line?.number ?? null, day: line?.day ?? payment?.day },
  ...{ amount: line?.amount ?? null, fee: line?.fee ?? null, currency, difference: difference ?? null },
  ...{ expected: payment?.amount ?? null, kind: payment?.kind ?? null, id: payment?.id ?? null },
  ...{ ugwo: payment?.ugwo ?? null, ref: payment?.ref ?? null, paid_at: atom(payment?.at) },
  ...{ profile: payment?.profile ?? null, text: line?.text ?? null },
});

async function* pagesOf(found: readonly Match[], currency: string): AsyncGenerator<ApiPage> {
  for (let at = 0; at < found.length; at += PAGE_MAX) {
    yield* onePage(found.slice(at, at + PAGE_MAX).map((one) => fieldsOf(one, currency)));
  }
}

/** Counts and sums of each result. */
const sumsOf = (found: readonly Match[], currency: string) =>
  MATCH_RESULTS.map((result) => {
    const own = found.filter((one) => one.result === result);
    const sum = (amountOf: (one: Match) => number | undefined): number =>
      own.reduce((all, one) => all + (amountOf(one) ?? 0), 0);
    const [amount, expected] = [sum(({ line }) => line?.amount), sum(({ payment }) => payment?.amount)];
    return { result, count: own.length, currency, amount, expected, difference: sum((one) => one.difference) };
  });

const counted = (count: number, one: string, more = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : more}`;

const matchSummary = (
  found: readonly Match[],
  sums: ReturnType<typeof sumsOf>,
  { first, last }: BankStatement['days'],
  currency: string,
) => {
  const [agrees = 0, other = 0, inFile = 0, here = 0] = sums.map(({ count }) => count);
  const some = (count: number, text: string): string => (count > 0 ? `, ${text}` : '');
  const others = found.filter(({ result }) => result === 'other_amount');
  const named = others.slice(0, 3).map(({ payment, difference = 0 }) => {
    const off = formatMoney(difference, currency).slice(currency.length + 1);
    return `${payment?.ref ?? payment?.id} ${difference > 0 ? '+' : ''}${off}`;
  });
  const [inAll, hereInAll] = (['amount', 'expected'] as const).map((name) =>
    formatMoney(`${sums.reduce((all, one) => all + one[name], 0)}`, currency),
  );
  return [
    `${counted(agrees + other + inFile, 'line')}: ${counted(agrees, 'agrees', 'agree')}` +
      some(other, `${counted(other, 'has', 'have')} another amount (${named.join(', ')}${some(other - 3, '…')})`) +
      some(inFile, `${counted(inFile, 'is', 'are')} in the file only`),
    `${counted(agrees + other + here, 'payment')} ${first === last ? `of ${first}` : `from ${first} to ${last}`}: ` +
      `${grouped(agrees + other)} in the file${some(here, `${counted(here, 'is', 'are')} not`)}`,
    `${inAll} in the file, ${hereInAll} in the ledger`,
  ];
};

/** Columns that a report adds. Their amounts have decimals, as in the file. */
const ADDED_COLUMNS = 'result by difference amount day kind id ugwo ref'.split(' ').map((name) => REPORT_PREFIX + name);

/** Writes each line as read with its payment, and then the payments without one. A report of a report is equal to it. */
const writeReport = async (
  path: string,
  statement: BankStatement,
  found: readonly Match[],
  { currency }: MatchInput,
  { checkPath }: Pick<RowServices, 'checkPath'>,
  { io, globals }: Run,
): Promise<void> => {
  const isRead = (name: string): boolean => !name.startsWith(REPORT_PREFIX);
  const content = { ...globals, ...statement, columns: statement.columns.filter(isRead), own: ADDED_COLUMNS };
  const report = await openRowReport(path, content, { checkPath, stop: io.signals.stop });
  const money = (amount: number | undefined) =>
    amount === undefined ? undefined : new NumberText(decimalText(String(amount), currency));
  const written = found.map(({ result, by, difference, line, payment }) => {
    const { amount, day, kind, id, ugwo, ref } = payment ?? {};
    const values = [result, by, money(difference), money(amount), day, kind, id, ugwo, ref];
    return report.write(
      Object.fromEntries(Object.entries(line?.fields ?? {}).filter(([column]) => isRead(column))),
      Object.fromEntries(ADDED_COLUMNS.map((column, at) => [column, values[at] ?? null])),
    );
  });
  await Promise.all(written).finally(report.close);
};

const isOff = ({ result }: Match): boolean => result !== 'agrees';

/** The error of a run that found differences. */
const endingOf = (found: readonly Match[], name: string, { globals }: Run): { readonly failure?: PayError } => {
  const count = found.filter(isOff).length;
  if (count === 0) return {};
  const unknown = found.flatMap(({ result, line }) => (result === 'only_in_file' && line ? [line.amount > 0] : []));
  const hints = [];
  if (unknown.includes(true)) {
    const sync = shellLine(['paycli', 'ledger', 'sync', ...targetFlags(globals)]);
    hints.push(`find out who has paid since: \`${sync}\``);
  }
  if (unknown.includes(false)) hints.push('compare money in alone: --amount-column with the column of credits');
  const hint = hints.length === 0 ? {} : { hint: hints.join('\n') };
  return { failure: new PayError('attention', `${counted(count, 'difference')} between ${name} and the ledger`, hint) };
};

/** Compares a statement with the payments of its days. Reads the ledger alone. */
export const matchStatement = async (input: MatchInput, run: Run): Promise<Result> => {
  const { io, globals, say } = run;
  const { file, currency, tolerance, dateOrder, report } = input;
  const zone: Zone = input.utc === true ? 'utc' : 'local';
  const name = file === '-' ? 'standard input' : file;
  const services = await openRowServices(run);
  const columns = {
    ...{ amount: input.amountColumn, debit: input.debitColumn, date: input.dateColumn },
    ...{ text: input.textColumn, reference: input.referenceColumn, fee: input.feeColumn },
  };
  const source = { ...services.source(file), name, spoolFolder: services.folder };
  const statement = await readStatement(source, { columns, currency, zone, dateOrder });
  if (report !== undefined) await refuseReport(report, { input: statement, services });
  await say(statement.notices);
  const { days, lines } = statement;
  const ledger = await run.ledger();
  const { scope } = input.allProfiles === true ? { scope: {} } : await profileWithoutKey(run);
  const all = await readPayments(ledger, scope, days, { currency, zone });
  // A column of signed amounts may have no money out either, and then lacks each refund.
  const isMoneyIn = isCreditColumn(columns.amount) && !columns.debit && lines.every(({ amount }) => amount > 0);
  const payments = isMoneyIn ? all.filter(({ kind }) => kind !== 'refund' && kind !== 'reversal') : all;
  if (payments.length < all.length) await say(`Only money in is compared: ${columns.amount} has no money out.`);
  const found = matchLines(lines, payments, { tolerance, days, digest: ledger.digest });
  if (report !== undefined) await writeReport(report, statement, found, input, services, run);

  const sums = sumsOf(found, currency);
  const ending = endingOf(found, name, run);
  if (globals.format === 'json') {
    const head = { file: name, first_day: days.first, last_day: days.last, time_zone: zoneName(zone, io.clock.now()) };
    const value = { ...head, currency, sums, matches: found.map((one) => fieldsOf(one, currency)) };
    return { kind: 'record', record: madeHere(value), view: matchView, ...ending };
  }
  await say([...matchSummary(found, sums, days, currency), ...(io.stdout.isTerminal && ending.failure ? [''] : [])]);
  const isTable = globals.format === 'table' || (globals.format === undefined && io.stdout.isTerminal);
  const pages = pagesOf(isTable ? found.filter(isOff) : found, currency);
  return { kind: 'list', pages, view: matchView, saysEmpty: true, ...ending };
};
