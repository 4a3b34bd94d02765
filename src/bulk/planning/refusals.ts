import type { BulkInput } from '../../cli/bulk-options.ts';
import { usageError } from '../../core/error.ts';
import type { RowKind } from '../kind.ts';
import type { Input } from '../reading/input.ts';
import { jobOfReport } from '../reporting/report.ts';
import type { JobWorld } from '../world.ts';
import type { Plan } from './plan.ts';

/** A header without rows is more often a broken export than nothing to do. */
export const refuseEmpty = ({ rows }: Plan, name: string): void => {
  if (rows > 0) return;
  throw usageError(`${name} has no rows; nothing was sent`, {
    hint: 'a CSV file needs a header and then one line per row',
  });
};

/** Any row that is not right ends the run before anything is sent, with the first of what is wrong. */
export const refuseBad = (
  { bad, faults, rows }: Plan,
  { bulk, name }: { readonly bulk: BulkInput; readonly name: string },
): void => {
  if (bad.count === 0 || (bulk.skipInvalid && bad.count < rows)) return;
  const more = bulk.report === undefined ? '--report FILE lists all of them' : `all of them are in ${bulk.report}`;
  throw usageError(`${name}: ${bad.count} of ${rows} ${rows === 1 ? 'row' : 'rows'} can't be sent; nothing was sent`, {
    violations: faults.map(({ row, column, what }) => ({
      propertyPath: '',
      title: what,
      row,
      ...(column === undefined ? {} : { column }),
    })),
    hint: `${bulk.skipInvalid ? 'fix the file: no row is valid' : 'fix the file, or skip these rows with --skip-invalid'}; ${more}`,
  });
};

/** A check that looks at nothing would say that all is well. */
export const refuseCheck = ({ check }: BulkInput, kind: Pick<RowKind<never>, 'command' | 'check'>): void => {
  if (!check || kind.check !== undefined) return;
  throw usageError(`--check: ${kind.command} has nothing to look at beforehand`, {
    hint: 'leave it out; --dry-run checks the file alone',
  });
};

export const refuseOther = (id: string, { resume, from }: BulkInput): void => {
  if (resume === undefined || resume === id) return;
  throw usageError(`--resume ${resume}: ${from} with these options is a different job, ${id}`, {
    hint: `the file, an option or the service has changed: compare with \`paycli ledger show ${resume}\`, or leave out --resume to start a new job`,
  });
};

/** A report must replace nothing that is read, written or kept besides. */
export const refuseReport = async (input: Input, { report }: BulkInput, { ownFileAt }: JobWorld): Promise<void> => {
  if (report === undefined) return;
  const what = (await input.isAt(report)) ? 'the input file' : ownFileAt(report);
  if (what === undefined) return;
  throw usageError(`--report: ${report} is ${what}`, { hint: 'choose another file; nothing was sent' });
};

/** Another job's report may be the only place where a customer's account number is, and any other file is somebody's work. */
export const refuseOtherReport = async (
  report: string | undefined,
  input: Pick<Input, 'format' | 'delimiter'>,
  job: string | undefined,
  { checkPath }: Pick<JobWorld, 'checkPath'>,
): Promise<void> => {
  if (report === undefined) return;
  checkPath(report);
  const other = await jobOfReport(report, input);
  // A full disk may have cut it off.
  if (other !== undefined && (job ?? '').startsWith(other)) return;
  const what = other === undefined ? 'is there already, and is no report' : `is the report of another job, ${other}`;
  throw usageError(`--report: ${report} ${what}`, {
    hint: 'name a new file, or move this one away; a changed file or option is another job. Nothing was sent',
  });
};
