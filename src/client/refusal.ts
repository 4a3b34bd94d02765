import type { Problem } from '../contract/problem.ts';
import { grouped } from '../core/bounds.ts';
import { PayError } from '../core/error.ts';
import { type Exchange, requestOf } from './exchange.ts';

const HINTS: Readonly<Record<number, string>> = {
  401: 'the key was rotated, mistyped or belongs to the other environment: log in again with `paycli login`, or fix PAYCLI_SECRET_KEY if it is set',
  402: "the workspace's balance is too low",
  403: 'this key has no permission for that: use another key, or ask the owner of the workspace',
  404: 'check the identifier, and that your profile is for the same workspace',
  405: 'the service has no such operation: check the address, --base-url or the profile',
  409: 'its current status does not allow this',
};

/** The service's no (interface.md section 7): exit 4 where the key is at fault, else 3. */
export const refusal = (exchange: Exchange, status: number, problem: Problem | undefined): PayError => {
  const violations = problem?.violations ?? [];
  // With violations the detail only says them again, in one long line.
  const words = [problem?.title, violations.length > 0 ? '' : problem?.detail].filter(
    (text) => text !== undefined && text !== '',
  );
  const said = words.length === 0 ? '' : `: ${words.join(': ')}`;
  const { more } = problem ?? {};
  const all = violations.length + (more ?? 0);
  const shown = more === undefined ? '' : ` (showing ${violations.length} of ${grouped(all)} violations)`;
  // What is wrong with a field is not its status.
  const hint = status === 409 && violations.length > 0 ? undefined : HINTS[status];
  return new PayError(
    status === 401 || status === 403 ? 'auth' : 'rejected',
    `the service answered ${status}${said}${shown}`,
    {
      status,
      request: requestOf(exchange),
      violations,
      ...(problem === undefined || problem.title === '' ? {} : { title: problem.title }),
      ...(hint === undefined ? {} : { hint }),
    },
  );
};
