import { PayError } from '../../core/error.ts';
import type { ErrorKind } from '../../core/exit.ts';
import type { Finding } from '../../core/finding.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { onePage } from '../one-page.ts';
import { findingView } from './view.ts';

/** The gravest first; what is not here is less than these. */
const GRAVEST: readonly ErrorKind[] = ['ledger', 'auth', 'rejected', 'read_failed', 'not_sent', 'usage'];

const gravestOf = (kinds: readonly ErrorKind[]): ErrorKind =>
  GRAVEST.find((kind) => kinds.includes(kind)) ?? kinds[0] ?? 'internal';

const failureOf = (findings: readonly Finding[]): PayError | undefined => {
  const failed = findings.filter(({ status }) => status === 'fail');
  if (failed.length === 0) return undefined;
  const kind = gravestOf(failed.map((one) => one.kind ?? 'internal'));
  const names = failed.map(({ check }) => check).join(', ');
  return new PayError(kind, `${failed.length} ${failed.length === 1 ? 'check' : 'checks'} failed: ${names}`, {
    hint: failed.map(({ check, advice }) => `${check}: ${advice ?? 'see above'}`).join('\n'),
  });
};

/** Looks at all that a command depends on; what is only odd is told, and what keeps commands from working ends with its code. */
export const run = async ({ offline }: { readonly offline: boolean }, deps: Deps): Promise<Result> => {
  const findings = await deps.checkUp(offline);
  const odd = findings.filter(({ status, advice }) => status === 'warn' && advice !== null);
  if (odd.length > 0) await deps.notice(odd.map(({ check, advice }) => `${check}: ${advice}`));
  const failure = failureOf(findings);
  return {
    kind: 'list',
    pages: onePage(findings),
    view: findingView,
    ...(failure === undefined ? {} : { failure }),
  };
};
