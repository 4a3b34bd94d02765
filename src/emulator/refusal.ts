import { STATUS_CODES } from 'node:http';
import type { Judge } from '../contract/common.ts';
import { type ProblemAnswer, problemAnswer } from '../contract/problem.ts';
import type { Violation } from '../core/error.ts';
import { printExact } from '../core/json.ts';

/** Thrown to answer with an error document instead of what was asked for (interface.md section 7). */
export class Refusal extends Error {
  readonly problem: ProblemAnswer;
  readonly headers: Readonly<Record<string, string>>;

  constructor(problem: ProblemAnswer, headers: Readonly<Record<string, string>> = {}) {
    super(problem.title);
    this.problem = problem;
    this.headers = headers;
  }
}

/** What Node calls otherwise than the standard does today. */
const titleOf = (status: number): string =>
  status === 413 ? 'Content Too Large' : (STATUS_CODES[status] ?? 'Unknown Error');

/** A 402 of the service: what a workspace has paid for the service itself is used up (public material). */
export const UNFUNDED = 'workspace.error.balance_too_low';

/**
 * The error document of a status; `detail` says what was wrong with this very request, `field` which of its fields. Each of the
 * service's clients finds its own shape in it: RFC 7807, or `message` and `errors` (public material).
 */
export const refusal = (
  status: number,
  detail: string,
  { field, headers }: { readonly field?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Refusal => {
  const errors = field === undefined ? [] : [{ field, message: detail }];
  const problem = { type: 'about:blank', title: titleOf(status), status, detail, message: detail, errors };
  return new Refusal(problem, headers);
};

/** A validation failure: status 422 and one violation for each broken rule (interface.md section 7). */
export const invalid = (violations: readonly Violation[]): Refusal =>
  new Refusal({
    type: 'about:blank',
    title: 'Validation Failed',
    status: 422,
    detail: violations.map(({ propertyPath, title }) => `${propertyPath}: ${title}`).join('\n'),
    violations: violations.map(({ propertyPath, title }) => ({ propertyPath, title })),
    message: 'validation_failed',
    errors: violations.map(({ propertyPath, title }) => ({ field: propertyPath, message: title })),
  });

/** The same for a rule that the service has a code of its own for. */
export const invalidBy = (code: string, field: string): Refusal => {
  const { problem } = invalid([{ propertyPath: field, title: code }]);
  const violations = [{ propertyPath: field, title: code, code }];
  return new Refusal({ ...problem, violations, detail: code, message: code });
};

/** What was asked for; a 404 where it is not there. */
export const present = <T>(found: T | undefined, code: string): T => {
  if (found === undefined) throw refusal(404, code);
  return found;
};

/** The answer as JSON text; a 500 in its place when it breaks the contract, so that nobody learns a wrong shape here. */
export const checked = (schema: Judge, answer: unknown): string => {
  const text = printExact(answer);
  const { error } = schema.safeParse(JSON.parse(text));
  if (error === undefined) return text;
  const faults = error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
  throw refusal(500, `the emulator's answer breaks the contract: ${faults.join('; ')}`);
};

/** An error document as JSON text, itself checked. */
export const checkedProblem = (problem: ProblemAnswer): string => checked(problemAnswer(), problem);
