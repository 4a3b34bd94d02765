import { NumberText, printExact } from '../../core/json.ts';
import { LOCAL_PROFILE } from '../../core/local.ts';
import type { Received } from '../../core/received.ts';
import { checkPeriod, instantOf } from '../../core/record-filter.ts';
import type { Column, Result, View } from '../../core/result.ts';
import { formatLocalFull } from '../../core/time.ts';
import type { Zone } from '../../core/zone.ts';
import { atomIn, dayIn, nameOf, startOf } from '../../core/zone.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { ReportLine } from '../../ledger/report.ts';
import type { Period } from '../../ledger/walk.ts';
import type { Deps } from '../deps.ts';
import { pageOf } from '../one-page.ts';
import type { Group, ReportInput } from './report-spec.ts';

/** What a charge has in common with others. */
const groupsBy = (by: Group | undefined, zone: Zone): ((charge: Entry) => string | undefined) => {
  if (by === undefined) return () => undefined;
  return by === 'day' ? ({ createdAt }) => dayIn(zone, createdAt) : (charge) => charge[by];
};

/** Of the profile that was named; else of all, but what was only practised is nobody's money. */
const meantBy = ({ local, profile }: Deps['globals']): ((charge: Entry) => boolean) => {
  if (local) return (charge) => charge.profile === LOCAL_PROFILE;
  return (charge) => charge.profile !== LOCAL_PROFILE && (profile === undefined || charge.profile === profile);
};

const periodOf = ({ since, until, today, zone }: ReportInput, now: number): Period => ({
  since: today ? startOf(zone, dayIn(zone, now)) : since && instantOf(since, now),
  until: until && instantOf(until, now),
});

/** A period that says itself when it was, and by whose days. */
const said = ({ since, until }: Period, zone: Zone, now: number) => ({
  since: since === undefined ? null : atomIn(zone, since),
  until: atomIn(zone, until ?? now),
  zone: nameOf(zone, now),
});

const recordOf = (line: ReportLine, by: Group | undefined, period: object): Received => {
  const { group, reported, currency, count, amount, withoutAmount } = line;
  const value = {
    ...(by === undefined ? {} : { [by]: group ?? null }),
    reported,
    currency: currency ?? null,
    count,
    amount: amount === undefined ? null : new NumberText(String(amount)),
    without_amount: withoutAmount,
    ...period,
  };
  return { value, text: printExact(value) };
};

const viewBy = (by: Group | undefined): View => {
  const of: readonly Column[] = by === undefined ? [] : [{ path: by, needed: true }];
  return {
    columns: [
      ...of,
      { path: 'reported', kind: 'state', needed: true },
      { path: 'currency', machineOnly: true },
      { path: 'count', kind: 'count', needed: true },
      { path: 'amount', kind: 'money', currency: 'currency', needed: true },
      { path: 'without_amount', kind: 'count', label: 'amount not known' },
      { path: 'since', machineOnly: true },
      { path: 'until', machineOnly: true },
      { path: 'zone', machineOnly: true },
    ],
  };
};

/** When it was, for people. */
const periodText = ({ since, until }: Period, zone: Zone, now: number): string => {
  const at = (ms: number): string =>
    zone === 'utc' ? atomIn(zone, ms).slice(0, 16).replace('T', ' ') : formatLocalFull(ms);
  const from = since === undefined ? '' : ` from ${at(since)}`;
  return `Charges${from} up to ${at(until ?? now)} (${nameOf(zone, now)}), as last recorded.`;
};

/** What was charged in a time, and what has become of it. */
export const run = async (input: ReportInput, deps: Deps): Promise<Result> => {
  checkPeriod(input, deps.io.clock.now());
  const [ledger, { openReport }] = [await deps.ledger(), await deps.protocol()];
  const moment = ledger.moment();
  const { by, zone } = input;
  const period = periodOf(input, moment.at);
  const lines = await ledger.walk(period, openReport(groupsBy(by, zone), meantBy(deps.globals), moment));
  await deps.notice(periodText(period, zone, moment.at));
  const when = said(period, zone, moment.at);
  return { kind: 'list', pages: pageOf(lines.map((line) => recordOf(line, by, when))), view: viewBy(by) };
};
