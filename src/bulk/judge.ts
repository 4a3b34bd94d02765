import type { BulkInput } from '../cli/bulk-options.ts';
import type { Entry } from '../ledger/entry.ts';
import { NO_TOTAL, type Total } from '../ledger/policy.ts';
import type { InputRow } from './cells.ts';
import { type BitSet, openCounters } from './counters.ts';
import type { Protected, RowAttempt, RowDeps, RowServices } from './kind.ts';
import { type RowSignals, runRows } from './pace.ts';
import type { RowsFile } from './read-file.ts';
import { endOf, invalidEnd, type RowEnd } from './row-end.ts';
import type { RowReader } from './rows.ts';
import { keyQueue, type RowSender, type SendingJob, type WorkedOff } from './send.ts';
import { tellingOnce } from './send-row.ts';

/** A file whose rows are judged and not sent. */
interface Judging<T>
  extends Pick<RowServices, 'clock' | 'random' | 'stop' | 'notice'>,
    Pick<BulkInput, 'concurrency' | 'rate' | 'allowRepeats'>,
    SendingJob,
    Pick<Protected<T>, 'kept'> {
  readonly judge: NonNullable<Protected<T>['judge']>;
  readonly input: Pick<RowsFile, 'rows'>;
  readonly reader: Pick<RowReader<T>, 'read' | 'named'>;
  readonly sender: Pick<RowSender<T>, 'earlier' | 'takesUp'>;
  readonly rowDeps: RowDeps;
  readonly rows: number;
  /** Rows to leave out. */
  readonly excluded: BitSet;
  readonly onSettled: (row: InputRow, end: RowEnd) => Promise<void>;
  readonly tell: (done: number) => void;
}

/**
 * Judges the rows of a file as the run would start them (--dry-run), at the same pace. Only rows that would not be sent
 * get a result; the others are added to the plan.
 */
export const judgeRows = async <T>(job: Judging<T>): Promise<WorkedOff & { readonly planned: Total }> => {
  const { judge, kept, input, reader, sender, rowDeps, rows, excluded, retry } = job;
  const { tally, settle } = openCounters({ rows, excluded, onSettled: job.onSettled, tell: () => undefined });
  const plan = { total: NO_TOTAL, made: job.allowRepeats ? new Map<string, Entry>() : undefined };
  const inTurn = keyQueue();
  const tellOnce = tellingOnce(job.notice);
  let done = 0;

  async function* toJudge(): AsyncGenerator<InputRow> {
    for await (const row of input.rows()) {
      if (excluded.has(row.number)) continue;
      const end = (await sender.earlier(row.number, row.number)).get(row.number);
      if (end === undefined || end.state === 'sending' || sender.takesUp(end)) yield row;
      else await settle(row, end, false);
    }
  }
  /** Returns undefined for a row that would be sent. */
  const judged = async (item: T, attempt: Omit<RowAttempt, 'judged' | 'tries'>): Promise<RowEnd | undefined> => {
    try {
      const entry = await judge(item, attempt, rowDeps, plan);
      return entry && { ...kept(entry, rowDeps), kept: 'elsewhere' };
    } catch (thrown) {
      return endOf(reader.named(thrown, item));
    }
  };
  const work = async (row: InputRow, signals: RowSignals): Promise<Partial<RowEnd>> => {
    const asked = reader.read(row);
    if ('faults' in asked) return invalidEnd(asked.faults);
    const attempt = { row: { job: job.job, number: row.number, retry }, signals, tellOnce };
    return (await inTurn(asked.key, () => judged(asked.item, attempt))) ?? {};
  };
  const onSettled = async (row: InputRow, { state, ...end }: Partial<RowEnd>): Promise<void> => {
    done += 1;
    job.tell(done);
    if (state !== undefined && end.untouched !== true) await settle(row, { ...end, state }, true);
  };
  const { stopped } = await runRows({ ...job, rows: toJudge(), work, onSettled });
  return { ...tally(), planned: plan.total, ...(stopped === undefined ? {} : { stopped }) };
};
