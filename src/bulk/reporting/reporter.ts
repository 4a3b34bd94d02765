import { PayError } from '../../core/error.ts';
import type { Input } from '../reading/input.ts';
import type { InputRow } from '../reading/row.ts';
import { type ColumnFault, invalidEnd, type RowEnd } from '../row-end.ts';
import { JOB_COLUMN, type OpenOptions, openReport, type Report } from './report.ts';

export interface ReporterOptions extends OpenOptions {
  readonly path: string | undefined;
  /** What the command has to say of a row besides its number, its state and its error. */
  readonly columns: readonly string[];
  /** Takes secrets out of what is said of a row; the cells of the input stay as they are. */
  readonly clean: (text: string) => string;
  /** Leaves what a spreadsheet would run or change as it is. */
  readonly rawCsv: boolean;
  /** A report in CSV begins with a byte order mark. */
  readonly bom: boolean;
}

/** The report of a job, where one is wanted. */
export const openReporter = (input: Input, { path, columns, clean, rawCsv, bom, ...options }: ReporterOptions) => {
  let opening: Promise<Report> | undefined;
  let job = '';
  const failed = new AbortController();
  const opened = (): Promise<Report> | undefined => {
    if (path === undefined) return undefined;
    opening ??= openReport(
      path,
      { ...input, own: ['row', 'state', ...columns, 'error', JOB_COLUMN], rawCsv, bom },
      options,
    );
    return opening;
  };
  const write = async (row: InputRow, { state, fields, error }: RowEnd): Promise<void> => {
    const said = Object.entries({ ...fields, row: row.number, state, error, [JOB_COLUMN]: job }).map(
      ([name, value]) => [name, typeof value === 'string' ? clean(value) : value],
    );
    await (await opened())?.write(row.fields, Object.fromEntries(said));
  };
  return {
    /** Makes the file; a row that is not right makes it before, and belongs to no job. */
    open: async (id: string): Promise<void> => {
      job = id;
      await opened();
    },
    /** A row that is left out; undefined where no report is wanted. */
    bad:
      path === undefined
        ? undefined
        : (row: InputRow, faults: readonly ColumnFault[]): Promise<void> => write(row, invalidEnd(faults)),
    /** A row that has an end. Never rejects. */
    settled: async (row: InputRow, end: RowEnd): Promise<void> => {
      if (failed.signal.aborted) return;
      await write(row, end).catch((thrown: unknown) => {
        failed.abort(thrown instanceof PayError ? thrown : new PayError('read_failed', String(thrown)));
      });
    },
    /** Aborted, with a PayError, once a line could not be written. */
    failed: failed.signal,
    close: async (): Promise<void> => (await opening)?.close(),
  };
};
export type Reporter = ReturnType<typeof openReporter>;
