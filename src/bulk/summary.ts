import type { BulkInput } from '../cli/bulk-options.ts';
import { counted, firstFew } from '../core/bounds.ts';
import { ROW_STATES, type RowState } from '../core/charge.ts';
import { type ErrorKind, EXIT_CODES, interrupted, PayError, signalWord } from '../core/error.ts';
import { exactNumber } from '../core/money.ts';
import { madeExactly } from '../core/record.ts';
import type { Result, View } from '../core/result.ts';
import type { Total } from '../ledger/policy.ts';
import type { FailedRows } from './counters.ts';
import type { Aftermath, RowKind } from './kind.ts';
import { totalText } from './plan.ts';
import { columnName, gravest, isSignalCode } from './row-end.ts';
import type { RowsWalked } from './walk.ts';

export interface JobEnd extends RowsWalked {
  /** null for --dry-run. */
  readonly id: string | null;
  readonly name: string;
  readonly rows: number;
  /** Rows that were left out as invalid. */
  readonly bad: number;
  /** The rows that would be sent, if --dry-run has judged them. */
  readonly planned?: Total | undefined;
  /** The rows in the file, if --dry-run has checked it alone. */
  readonly inFile?: string;
}

/** The parts of a summary besides the row counts. */
export interface Summing extends Pick<RowKind<never>, 'command' | 'words'> {
  readonly bulk: Pick<BulkInput, 'report'>;
  /** The first signal of the user. */
  readonly stop: AbortSignal;
  /** The later outcomes of the rows, if the run waited for them. */
  readonly followed?: Aftermath | undefined;
}

type Counts = Readonly<Record<RowState | 'not_started', number>>;

const summaryCounts = ({ counts, rows, bad, done }: JobEnd): Counts => {
  const all = Object.fromEntries(ROW_STATES.map((state) => [state, counts[state] ?? 0])) as Record<RowState, number>;
  return { ...all, invalid: all.invalid + bad, not_started: rows - bad - done - all.sending };
};

/** `To charge: 2 payment requests for NGN 5,000.00. Nothing was sent.` */
const plannedText = (planned: Total | undefined, { verb, one }: Summing['words']): string =>
  planned === undefined || planned.rows === 0
    ? 'Nothing was sent.'
    : `To ${verb.toLowerCase()}: ${totalText(planned, one)}. Nothing was sent.`;

const jobRecord = (end: JobEnd, { command, bulk, followed }: Summing) => {
  const { id, name, rows, skipped, planned } = end;
  const amounts = [...(planned?.amounts ?? [])].map(([currency, sum]) => ({ currency, amount: exactNumber(sum) }));
  return {
    job: id,
    command,
    file: name,
    rows,
    ...summaryCounts(end),
    skipped,
    ...(planned && { planned: { rows: planned.rows, amounts, unknown_amounts: planned.unknown } }),
    report: bulk.report ?? null,
    ...followed?.fields,
  };
};

/** The reason why the run ended early. A signal may have stopped the last rows after they were started. */
const stopReason = (end: JobEnd, { not_started, sending }: Counts, stop: AbortSignal): PayError | undefined => {
  const { stopped, codes } = end;
  if (stopped !== 'signal' && stopped !== undefined) return stopped;
  const areLeft = (stopped === 'signal' && not_started + sending > 0) || [...codes].some(isSignalCode);
  return areLeft ? interrupted(stop.reason) : undefined;
};

const KINDS_BY_CODE = Object.entries(EXIT_CODES) as [ErrorKind, number][];
/** The order of the states in the summary: success first, then the rest, the gravest first. */
const STATE_ORDER: readonly (keyof Counts)[] = [
  'accepted',
  'unknown',
  'rejected',
  'failed',
  'not_sent',
  'not_created',
  'refused',
  'sending',
  'invalid',
  'expired',
  'not_started',
];

const countsText = (
  counts: Counts,
  { rows, planned }: Pick<JobEnd, 'rows' | 'planned'>,
  { done, verb }: Summing['words'],
): string => {
  const words: Partial<Record<keyof Counts, string>> = {
    not_created: 'not made',
    sending: 'still being sent',
    accepted: done,
  };
  const [toSend, others] = [planned?.rows ?? 0, { ...counts, not_started: counts.not_started - (planned?.rows ?? 0) }];
  const shown = STATE_ORDER.filter((state) => others[state] > 0);
  const texts = [
    ...(toSend === 0 ? [] : [`${toSend} to ${verb.toLowerCase()}`]),
    ...shown.map((state) => `${others[state]} ${words[state] ?? state.replaceAll('_', ' ')}`),
  ];
  return `${counted(rows, 'row')}: ${texts.join(', ')}`;
};

/** The line that says why rows are left; none if that is clear. */
const stopLines = (stopped: PayError | undefined, { not_started }: Counts, stop: AbortSignal): string[] => {
  if (stopped === undefined) return [];
  if (stopped.kind === 'interrupted') return [`stopped early by ${signalWord(stop.reason)}`];
  if (stopped.kind === 'unknown' && not_started === 0) return [];
  return [`stopped early: ${stopped.message}`];
};

const failedRowsText = ({ count, rows, error, reason }: FailedRows): string => {
  if (count === 1) return `row ${rows[0]}: ${error}`;
  const named =
    count > rows.length ? firstFew(rows, rows.length, count) : `${rows.slice(0, -1).join(', ')} and ${rows.at(-1)}`;
  return `${count} × ${reason}: rows ${named}`;
};

const failedRowsLines = ({ failedRows, unlisted }: JobEnd, report: string | undefined): string[] => {
  const shown = failedRows.map(failedRowsText);
  if (unlisted === 0) return shown;
  const where = report === undefined ? 'add --report FILE to list all of them' : `all of them are in ${report}`;
  return [...shown, `and ${unlisted} more: ${where}`];
};

const GO_ON = 'run the same command again to continue with the rows that were not sent';
export const CHARGE_EXPIRED = 'add --retry-failed to the same command to charge the expired rows again';

const hintsOf = (
  { unknown, rejected, refused, failed, expired, not_sent, not_created, not_started, sending }: Counts,
  { codes, again, unresolved, hints: ofRows, planned }: JobEnd,
  words: Summing['words'],
  stopped: PayError | undefined,
): string[] => {
  const areLeft = not_started + sending + not_sent > 0 || [...codes].some(isSignalCode);
  const hints: readonly (readonly [isTrue: boolean, hint: string | undefined])[] = [
    [unknown > 0 || unresolved, words.findOut],
    [
      planned === undefined && areLeft,
      stopped?.kind === 'unknown' ? `${GO_ON}; --continue-on-unknown never stops at unknown rows` : GO_ON,
    ],
    [
      planned === undefined && rejected + failed + not_created > 0,
      'fix the cause, then add --retry-failed to the same command to retry rows that were rejected, failed or not made',
    ],
    [planned === undefined && expired > 0, CHARGE_EXPIRED],
    [again && stopped?.kind !== 'refused', words.refused],
    [
      refused > 0 && !again && !unresolved && stopped === undefined,
      'to see what to do about a refused row, run its command alone, with --dry-run',
    ],
  ];
  return [...hints.flatMap(([isTrue, hint]) => (isTrue && hint !== undefined ? [hint] : [])), ...ofRows];
};

/** The answers that the user must keep, as one JSON text. */
const answersOf = (unrecorded: readonly PayError[]): string | undefined => {
  const answers = unrecorded.flatMap(({ detail }) => detail.answer ?? []);
  return answers.length > 1 ? `[${answers.join()}]` : answers[0];
};

/** The error of a job, with the gravest exit code of its rows and of its stop; undefined if all is well. */
const jobFailure = (end: JobEnd, { words, bulk, stop, followed }: Summing): PayError | undefined => {
  const { unrecorded } = end;
  const counts = summaryCounts(end);
  const stopped = stopReason(end, counts, stop);
  const run = [...(stopped === undefined ? [] : [stopped]), ...unrecorded].map(
    ({ detail, kind }) => detail.exitCode ?? EXIT_CODES[kind],
  );
  const code = gravest([...end.codes, ...run, ...(followed?.codes ?? [])]);
  if (code === 0) return undefined;
  const lines = [
    ...(followed === undefined || followed.text === '' ? [] : [followed.text]),
    ...stopLines(stopped, counts, stop),
    ...failedRowsLines(end, bulk.report),
  ];
  // Where every row is done, the line that counts them doesn't say what is wrong.
  const separator = counts.accepted === end.rows ? '; ' : '\n';
  const message = [countsText(counts, end, words), lines.join('\n')].filter((text) => text !== '').join(separator);
  const answer = answersOf(unrecorded);
  // The hint of an unknown row repeats the hint for all of them.
  const hint = stopped?.kind === 'unknown' ? undefined : stopped?.detail.hint;
  const hints = [
    ...hintsOf(counts, end, words, stopped),
    ...(hint === undefined ? [] : [hint]),
    ...(followed?.hint?.split('\n') ?? []),
  ];
  return new PayError(KINDS_BY_CODE.find(([, number]) => number === code)?.[0] ?? 'interrupted', message, {
    exitCode: code,
    nameOf: columnName,
    ...(end.id === null ? {} : { ledgerId: end.id }),
    ...(hints.length === 0 ? {} : { hint: [...new Set(hints)].join('\n') }),
    ...(answer === undefined ? {} : { answer }),
    ...(stopped?.detail.retryAt === undefined ? {} : { retryAt: stopped.detail.retryAt }),
  });
};

export const jobResult = (end: JobEnd, summing: Summing, view: View): Result => {
  const failure = jobFailure(end, summing);
  const inFile = end.inFile === undefined ? '' : `In the file: ${end.inFile}. `;
  return {
    kind: 'record',
    record: madeExactly(jobRecord(end, summing)),
    view,
    // If the summary can't be printed, a run that changed something must not end as if it had not.
    ...(failure === undefined && end.done > end.skipped ? { wrote: true } : {}),
    notice: end.id === null ? `${inFile}${plannedText(end.planned, summing.words)}` : (summing.followed?.notice ?? []),
    failure,
  };
};
