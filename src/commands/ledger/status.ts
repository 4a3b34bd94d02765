import type { InputOf } from '../../cli/define.ts';
import { profileWithoutKey } from '../../compose/client.ts';
import { foldersOf, profilesOf } from '../../compose/run.ts';
import { ledgerSetting } from '../../config/ledger.ts';
import { attempt } from '../../core/async.ts';
import { PayError, usageError } from '../../core/error.ts';
import { commandLine, ownerTarget, type TargetOptions } from '../../core/input.ts';
import { speaksUtf8 } from '../../core/io.ts';
import { sumsText } from '../../core/money.ts';
import { instantOf, madeExactly, pageOf } from '../../core/record.ts';
import { isJsonFormat, type Result } from '../../core/result.ts';
import { statusWord } from '../../core/status.ts';
import { atom, DAY_MS, dayIn, SECOND_MS, startOfDay, zoneName } from '../../core/time.ts';
import { CASES } from '../../ledger/cases.ts';
import type { ChargeSum, Period, SumColumn } from '../../ledger/ledger.ts';
import { type Counted, countsByPayment, openLedgerReport, type ReportLine } from '../../ledger/report.ts';
import type { Run } from '../run.ts';
import { findCases, type ShownCase } from './cases.ts';
import { sumFields } from './report.ts';
import type { statusInput } from './status-spec.ts';
import { caseView, rowOf } from './view.ts';

const SUMS = ['received', 'refunded', 'open', 'refund_open'] as const;
type Sums = Readonly<Record<(typeof SUMS)[number], readonly ReportLine[]>>;

const linesOf = (lines: readonly ReportLine[], profile: string | undefined): ReportLine[] =>
  lines.filter(({ groups }) => groups[0] === profile);

/** `shop · today (Africa/Lagos)   received NGN 5,000.00   refunded nothing   open NGN 900.00 (1)` */
const headLines = (sums: Sums, profile: string | undefined, zone: string, { stderr, env }: Run['io']): string[] => {
  const text = (name: (typeof SUMS)[number]): string => {
    const own = linesOf(sums[name], profile);
    const isReceived = name === 'received';
    const known = own.map((line) => [line.currency ?? '', isReceived ? line.received : line.amount] as const);
    const money = sumsText(new Map(known.flatMap(([currency, sum]) => (sum === undefined ? [] : [[currency, sum]]))));
    const unknown = own.reduce((all, line) => all + (isReceived ? line.withoutReceived : line.withoutAmount), 0);
    const amounts = [money, unknown > 0 && `${unknown} of unknown amount`].filter(Boolean).join(' and ');
    const count = own.reduce((all, line) => all + line.count, 0);
    return `${statusWord(name)} ${amounts || 'nothing'}${name.endsWith('open') && count > 0 ? ` (${count})` : ''}`;
  };
  const owner = profile === undefined ? '' : `${profile}${speaksUtf8(env) ? ' · ' : ', '}`;
  const isEmpty = SUMS.every((name) => linesOf(sums[name], profile).length === 0);
  const shown = SUMS.filter((name) => name !== 'refund_open' || linesOf(sums[name], profile).length > 0);
  const known = isEmpty ? ['nothing received, refunded or open'] : shown.map(text);
  const parts = [`${owner}today (${zone})`, ...known];
  const line = parts.join('   ');
  return stderr.isTerminal && line.length > stderr.columns ? parts : [line];
};

/** The figures in the text format of Prometheus. `hasFailed`: of the sync, if there was one. */
const metricsText = (
  lines: readonly ReportLine[],
  profiles: readonly (string | undefined)[],
  casesOf: (profile: string | undefined) => readonly ShownCase[],
  now: number,
  hasFailed: boolean | undefined,
): string => {
  const quoted = (text: string): string => `"${text.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
  const metric = (name: string, help: string, values: readonly (readonly [object, unknown])[]): string => {
    const rows = values.map(([labels, value]) => {
      const pairs = Object.entries(labels).map(([label, text = '']) => `${label}=${quoted(String(text))}`);
      return `\n${name}{${pairs.join()}} ${value}`;
    });
    return `# HELP ${name} ${help}\n# TYPE ${name} gauge${rows.join('')}`;
  };
  const each = (value: (line: ReportLine) => unknown) =>
    lines.map(
      (line) => [{ profile: line.groups[0], currency: line.currency, payment: line.reported }, value(line)] as const,
    );
  const of = (profile: string | undefined, kind: string) =>
    casesOf(profile).filter((one) => one.isDue && one.kind === kind);
  const counts = profiles.flatMap((profile) =>
    CASES.map((kind) => [{ profile, kind }, of(profile, kind).length] as const),
  );
  const ages = profiles.map((profile) => {
    const oldest = Math.min(now, ...of(profile, 'unknown').map(({ since }) => since));
    return [{ profile }, Math.floor((now - oldest) / SECOND_MS)] as const;
  });
  const ofSync = (value: number) => profiles.map((profile) => [{ profile }, value] as const);
  const syncs = [
    metric(
      'paycli_last_sync_timestamp_seconds',
      'Time of this sync, unless it failed.',
      hasFailed ? [] : ofSync(Math.floor(now / SECOND_MS)),
    ),
    metric('paycli_sync_failed', '1 if this sync could not read the service, else 0.', ofSync(Number(hasFailed))),
  ];
  return [
    metric(
      'paycli_received_minor',
      'Received today, in the minor unit.',
      each((line) => line.received ?? 0),
    ),
    metric(
      'paycli_charges',
      'Charges paid or reversed today, and open ones.',
      each((line) => line.charges),
    ),
    metric('paycli_cases', 'Cases that need a person.', counts),
    metric('paycli_oldest_unknown_seconds', 'Age of the oldest unknown outcome, else 0.', ages),
    ...(hasFailed === undefined ? [] : syncs),
  ].join('\n');
};

const caseFields = (one: ShownCase) => rowOf(caseView, { ...one, since: atom(one.since) });

/** Asks the service. Returns why it could not be read; charges that stay unknown are cases. */
const syncFirst = async (run: Run): Promise<PayError | undefined> => {
  const { runSync } = await import('./sync.ts');
  try {
    return (await runSync([], run)).unread;
  } catch (thrown) {
    if (!(thrown instanceof PayError) || ['ledger', 'interrupted', 'usage'].includes(thrown.kind)) throw thrown;
    return thrown;
  }
};

/** Names the profiles whose charges are in another ledger. */
const nameOthers = async (run: Run): Promise<void> => {
  const [folders, { list }] = [await foldersOf(run), await profilesOf(run)];
  const urlFor = async (target: TargetOptions) => (await ledgerSetting(target, run.io, folders))?.url;
  const own = await urlFor(run.globals);
  for (const { name } of attempt(list) ?? []) {
    const target = ownerTarget({ profile: name });
    if ((await urlFor(target)) !== own) await run.say(`${name} uses another ledger: ${commandLine(target, 'status')}`);
  }
};

/** Shows what needs a person now, and the sums of today. Reads the ledger alone. */
export const showStatus = async (
  { since, sync, allProfiles }: InputOf<typeof statusInput>,
  run: Run,
): Promise<Result> => {
  const { globals, io } = run;
  if (sync && allProfiles) throw usageError("--sync and --all-profiles can't be used together");
  const failed = sync ? await syncFirst(run) : undefined;
  const ledger = await run.ledger();
  const { profile, scope } = allProfiles ? { profile: undefined, scope: {} } : await profileWithoutKey(run);
  const now = ledger.moment().at;
  const [day, zone] = [dayIn('local', now), zoneName('local', now)];
  const period = { since: startOfDay('local', day) };

  const groupsOf = (sum: ChargeSum) => [allProfiles ? (sum.profile ?? sum.origin) : profile];
  const query = { ...scope, by: (allProfiles ? ['profile', 'origin'] : []) as SumColumn[], unit: 0 };
  const as = (reported: Counted['reported']) => (sum: ChargeSum) => [{ ...sum, reported }];
  // A reversal takes its money off the total, but is no payment to count.
  const andTotal = (sum: Counted): Counted[] => {
    const isBack = sum.reported === 'reversed';
    const back = isBack && {
      count: 0,
      charges: 0,
      amount: sum.amount && 0n,
      withoutAmount: 0,
      withoutReceived: -sum.withoutReceived,
    };
    return [sum, { ...sum, reported: 'charged', ...back }];
  };
  const isPayment = ({ reported }: Counted): boolean => reported !== 'too_much';
  const counts = (sum: ChargeSum) => countsByPayment(period)(sum).filter(isPayment).flatMap(andTotal);
  const paid = await ledger.sum({ ...query, time: 'paid_at', period }, openLedgerReport(counts, groupsOf));
  const open = await ledger.sum({ ...query, time: 'open', period: {} }, openLedgerReport(as('open'), groupsOf));
  const ofRefunds = (time: 'paid_back' | 'refund_open', among: Period) =>
    ledger.sum({ ...query, time, period: among }, openLedgerReport(as(time), groupsOf));
  const refunded = await ofRefunds('paid_back', period);
  const received = paid.filter(({ reported }) => reported === 'charged');
  const sums: Sums = { received, refunded, open, refund_open: await ofRefunds('refund_open', {}) };

  const cases = await findCases(scope, instantOf(since ?? { ago: 30 * DAY_MS }, now), allProfiles, run);
  const casesOf = (name: string | undefined) => cases.filter((one) => !allProfiles || one.profile === name);
  const found = [
    ...[...paid, ...refunded, ...open, ...sums.refund_open].map(({ groups }) => groups[0]),
    ...cases.map((one) => one.profile),
  ];
  const profiles = allProfiles && found.length > 0 ? [...new Set(found)].sort() : [profile];
  const due = cases.filter(({ isDue }) => isDue).length;
  const others = due === cases.length ? '' : '; the others are only shown';
  const failure = failed ?? (due === 0 ? undefined : new PayError('attention', `cases that need you: ${due}${others}`));
  if (globals.prometheus) {
    const lines = [...paid.filter(({ reported }) => reported !== 'charged'), ...open];
    const text = metricsText(lines, profiles, casesOf, now, sync ? failed !== undefined : undefined);
    // A file of metrics replaces the last one only after exit code 0.
    return { kind: 'text', text, failure: failed?.kind === 'interrupted' ? failed : undefined };
  }
  if (isJsonFormat(globals.format)) {
    const records = profiles.map((name) => {
      const own = Object.fromEntries(SUMS.map((sum) => [sum, linesOf(sums[sum], name).map(sumFields)]));
      const head = { profile: name ?? null, day, time_zone: zone };
      return madeExactly({ ...head, ...own, cases: casesOf(name).map(caseFields) });
    });
    const [record] = allProfiles ? [] : records;
    return record === undefined
      ? { kind: 'list', pages: pageOf(records), view: caseView, failure }
      : { kind: 'record', record, view: caseView, failure };
  }
  const gap = cases.length > 0 && io.stdout.isTerminal ? [''] : [];
  if (allProfiles) await nameOthers(run);
  await run.say([...profiles.flatMap((name) => headLines(sums, name, zone, io)), ...gap]);
  const rows = cases.map((one) => madeExactly({ ...caseFields(one), what: one.what }));
  return { kind: 'list', pages: pageOf(rows), view: caseView, saysEmpty: true, failure };
};
