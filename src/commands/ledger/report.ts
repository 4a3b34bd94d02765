import { REFUND_STATES } from '../../charge/refund.ts';
import { scopeOf } from '../../compose/client.ts';
import { canDraw, speaksUtf8 } from '../../core/io.ts';
import { NumberText, valueAt } from '../../core/json.ts';
import { type ApiRecord, instantOf, madeExactly, pageOf } from '../../core/record.ts';
import { amountColumn, type Column, columnsNamed, type Result, type View } from '../../core/result.ts';
import { atomIn, dayIn, formatLocalFull, MINUTE_MS, startOfDay, type Zone, zoneName } from '../../core/time.ts';
import type { ChargeSum, Period, SumColumn } from '../../ledger/ledger.ts';
import { countsByCharge, countsByPayment, openLedgerReport, type ReportLine } from '../../ledger/report.ts';
import { checkPeriod } from '../list.ts';
import type { Run } from '../run.ts';
import type { Group, ReportInput } from './keeping-spec.ts';

/** The days of every time zone begin with a quarter hour. */
const QUARTER_HOUR_MS = 15 * MINUTE_MS;

/** Groups of a report. With all profiles, each profile is separate, since their money is not one sum. */
const groupNames = ({ by, allProfiles }: ReportInput): Group[] => [
  ...new Set([...(allProfiles ? (['profile'] as const) : []), ...(by === undefined ? [] : [by])]),
];

const groupOf = (sum: ChargeSum, by: Group, { zone, allProfiles }: ReportInput): string | undefined => {
  if (by === 'day') return dayIn(zone, sum.at);
  return sum[by] ?? (by === 'profile' && allProfiles ? sum.origin : undefined);
};

const periodOf = ({ since, until, today, zone }: ReportInput, now: number): Period => ({
  since: today ? startOfDay(zone, dayIn(zone, now)) : since && instantOf(since, now),
  until: until && instantOf(until, now),
});

/** Output fields of a period: its limits and its time zone. */
const periodRecord = ({ since, until }: Period, zone: Zone, now: number) => ({
  since: since === undefined ? null : atomIn(zone, since),
  until: atomIn(zone, until ?? now),
  zone: zoneName(zone, now),
});

/** Output fields of a sum. */
export const sumFields = ({
  currency,
  count,
  amount,
  withoutAmount,
  received,
  withoutReceived,
  charges,
}: ReportLine) => ({
  currency: currency ?? null,
  count,
  amount: amount === undefined ? null : new NumberText(String(amount)),
  without_amount: withoutAmount,
  received: received === undefined ? null : new NumberText(String(received)),
  without_received: withoutReceived,
  charges,
});

const reportRecord = (line: ReportLine, names: readonly Group[], period: object): ApiRecord => {
  const groups = Object.fromEntries(names.map((name, at) => [name, line.groups[at] ?? null]));
  return madeExactly({ ...groups, reported: line.reported, ...sumFields(line), ...period });
};

/** Width of the longest bar beside a sum: sums of millions leave 80 columns this much. */
const LONGEST_BAR = 10;

/** A bar for the sum of each day beside the largest of its currency. A pipe and a screen reader get none. */
const barColumns = (lines: readonly ReportLine[], { stdout, env }: Run['io']): Column[] => {
  if (!canDraw(stdout, env)) return [];
  const block = speaksUtf8(env) ? '█' : '#';
  const largest = new Map<string, number>();
  for (const { currency = '', amount = 0 } of lines) {
    largest.set(currency, Math.max(largest.get(currency) ?? 1, Number(amount)));
  }
  const lengthOf = (record: unknown): number =>
    Math.ceil(
      (LONGEST_BAR * Number(valueAt(record, 'amount'))) / (largest.get(String(valueAt(record, 'currency'))) ?? 1),
    );
  return [{ path: 'bar', peopleOnly: true, shown: (record) => block.repeat(lengthOf(record)) }];
};

const isOfRefunds = (record: unknown): boolean => REFUND_STATES.some((state) => valueAt(record, 'reported') === state);

const viewBy = (names: readonly Group[], bars: readonly Column[]): View => ({
  columns: [
    ...names.map((path): Column => ({ path, needed: true })),
    { path: 'reported', kind: 'state', needed: true },
    { path: 'currency', machineOnly: true },
    { path: 'count', kind: 'count', needed: true },
    amountColumn,
    { path: 'without_amount', kind: 'count', label: 'amount not known' },
    ...columnsNamed('since until zone', { machineOnly: true }),
    { path: 'received', kind: 'money', needed: true },
    ...bars,
    {
      path: 'without_received',
      kind: 'count',
      label: 'received not known',
      // A refund brings nothing, so nothing is missing.
      shown: (record) => (isOfRefunds(record) ? undefined : valueAt(record, 'without_received')),
    },
    { path: 'charges', kind: 'count' },
  ],
});

/** Describes the period for people. */
const periodText = ({ since, until }: Period, { zone, byPaymentTime }: ReportInput, now: number): string => {
  const at = (ms: number): string =>
    zone === 'utc' ? atomIn(zone, ms).slice(0, 16).replace('T', ' ') : formatLocalFull(ms);
  const from = since === undefined ? '' : ` from ${at(since)}`;
  return `${byPaymentTime ? 'Payments' : 'Charges'}${from} up to ${at(until ?? now)} (${zoneName(zone, now)}), as last recorded.`;
};

/** Reports the charges of a period and their payments. */
export const reportLedger = async (input: ReportInput, run: Run): Promise<Result> => {
  await checkPeriod(input, run);
  const ledger = await run.ledger();
  const scope = input.allProfiles ? {} : await scopeOf(run);
  const names = groupNames(input);
  const moment = ledger.moment();
  const { zone } = input;
  const period = periodOf(input, moment.at);
  const groupsOf = (sum: ChargeSum) => names.map((name) => groupOf(sum, name, input));
  const [time, countsOf] = input.byPaymentTime
    ? (['paid_at', countsByPayment(period)] as const)
    : (['created_at', countsByCharge] as const);
  // Without a profile the origin stands for it.
  const by = names.flatMap((name): SumColumn[] =>
    name === 'profile' ? [name, 'origin'] : name === 'day' ? [] : [name],
  );
  const query = { ...scope, time, period, by, unit: names.includes('day') ? QUARTER_HOUR_MS : 0 };
  const charges = await ledger.sum(query, openLedgerReport(countsOf, groupsOf));
  const refundsOf = (reported: 'paid_back' | 'refund_open') =>
    ledger.sum(
      { ...query, time: reported },
      openLedgerReport((sum) => [{ ...sum, reported }], groupsOf),
    );
  const lines = [
    ...charges.filter(({ reported }) => reported !== 'too_much'),
    ...(await refundsOf('paid_back')),
    ...(await refundsOf('refund_open')),
    ...charges.filter(({ reported }) => reported === 'too_much'),
  ];
  await run.say(periodText(period, input, moment.at));
  const when = periodRecord(period, zone, moment.at);
  const view = viewBy(names, names.includes('day') ? barColumns(lines, run.io) : []);
  return { kind: 'list', pages: pageOf(lines.map((line) => reportRecord(line, names, when))), view };
};
