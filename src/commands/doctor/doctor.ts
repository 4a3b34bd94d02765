import { checkUp } from '../../compose/checkup.ts';
import { counted } from '../../core/bounds.ts';
import { type ErrorKind, PayError } from '../../core/error.ts';
import { aimed } from '../../core/input.ts';
import { onePage } from '../../core/record.ts';
import type { CheckResult, Result, View } from '../../core/result.ts';
import type { Run } from '../run.ts';

export const checkView: View = {
  columns: [
    { path: 'check' },
    { path: 'status', kind: 'state' },
    { path: 'detail', flexible: true, needed: true },
    { path: 'advice', label: 'what to do', flexible: true, machineOnly: true },
    { path: 'kind', machineOnly: true },
  ],
};

/** The most serious kind first. Kinds that are not listed are less serious. */
const GRAVEST: readonly ErrorKind[] = ['ledger', 'auth', 'rejected', 'read_failed', 'not_sent', 'usage'];

const doctorFailure = (findings: readonly CheckResult[]): PayError | undefined => {
  const failed = findings.filter(({ status }) => status === 'fail');
  if (failed.length === 0) return undefined;
  const kinds = failed.map(({ kind }) => kind ?? 'internal');
  const kind = GRAVEST.find((one) => kinds.includes(one)) ?? kinds[0] ?? 'internal';
  const names = failed.map(({ check }) => check).join(', ');
  return new PayError(kind, `${counted(failed.length, 'check')} failed: ${names}`, {
    hint: failed.map(({ check, advice }) => `${check}: ${advice ?? 'see above'}`).join('\n'),
  });
};

/** Checks everything that a command depends on. Prints warnings as notices; a failed check sets the exit code. */
export const doctor = async ({ offline }: { readonly offline: boolean }, run: Run): Promise<Result> => {
  const found = await checkUp(run, offline);
  const findings = found.map((one) => ({ ...one, advice: one.advice && aimed(one.advice, run.globals) }));
  const odd = findings.filter(({ status, advice }) => status === 'warn' && advice !== null);
  if (odd.length > 0) await run.say(odd.map(({ check, advice }) => `${check}: ${advice}`));
  const failure = doctorFailure(findings);
  return {
    kind: 'list',
    pages: onePage(findings),
    view: checkView,
    failure,
  };
};
