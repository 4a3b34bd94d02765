import { PayError } from '../../core/error.ts';
import type { ColumnFault, Settled } from '../../core/row-end.ts';
import type { Input, InputRow } from '../reading/input.ts';
import type { OpenOptions, Report } from './report.ts';
import { openReport } from './report.ts';

/** The report of a job, where one is wanted. */
export interface Reporter {
  /** Makes the file; a row that is not right makes it before. */
  open(): Promise<void>;
  /** A row that is left out. */
  bad(row: InputRow, faults: readonly ColumnFault[]): Promise<void>;
  /** A row that has an end. Never rejects. */
  settled(row: InputRow, settled: Settled): Promise<void>;
  /** Aborted, with a PayError, once a line could not be written. */
  readonly failed: AbortSignal;
  close(): Promise<void>;
}

const faultText = ({ column, what }: ColumnFault): string => (column === undefined ? what : `${column}: ${what}`);

/** All that is wrong with a row, in one line. */
export const faultsText = (faults: readonly ColumnFault[]): string => faults.map(faultText).join('; ');

const own = (row: InputRow, { state, fields, error }: Settled): Record<string, unknown> => ({
  ...fields,
  row: row.number,
  state,
  error,
});

export interface ReporterOptions extends OpenOptions {
  readonly path: string | undefined;
  /** What the command has to say of a row besides its number, its state and its error. */
  readonly columns: readonly string[];
  /** Takes secrets out of what is said of a row; the cells of the input stay as they are. */
  readonly clean: (text: string) => string;
  /** Leaves what a spreadsheet would run or change as it is. */
  readonly rawCsv: boolean;
}

export const openReporter = (input: Input, { path, columns, clean, rawCsv, ...options }: ReporterOptions): Reporter => {
  let opening: Promise<Report> | undefined;
  const failed = new AbortController();
  const opened = (): Promise<Report> | undefined => {
    if (path === undefined) return undefined;
    opening ??= openReport(path, { ...input, own: ['row', 'state', ...columns, 'error'], rawCsv }, options);
    return opening;
  };
  const write = async (row: InputRow, settled: Settled): Promise<void> => {
    const said = Object.entries(own(row, settled)).map(([name, value]) => [
      name,
      typeof value === 'string' ? clean(value) : value,
    ]);
    await (await opened())?.write(row.fields, Object.fromEntries(said));
  };
  return {
    open: async () => {
      await opened();
    },
    bad: (row, faults) => write(row, { state: 'invalid', fields: {}, error: faultsText(faults) }),
    settled: async (row, settled) => {
      if (failed.signal.aborted) return;
      await write(row, settled).catch((thrown: unknown) => {
        failed.abort(thrown instanceof PayError ? thrown : new PayError('read_failed', String(thrown)));
      });
    },
    failed: failed.signal,
    close: async () => (await opening)?.close(),
  };
};
