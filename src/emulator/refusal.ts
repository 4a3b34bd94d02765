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

const TITLES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  500: 'Internal Server Error',
} as const;

/** The error document of a status; `detail` says what was wrong with this very request. */
export const refusal = (
  status: keyof typeof TITLES,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Refusal => new Refusal({ type: 'about:blank', title: TITLES[status], status, detail }, headers);

/** A validation failure: status 422 and one violation for each broken rule (interface.md section 7). */
export const invalid = (violations: readonly Violation[]): Refusal =>
  new Refusal({
    type: 'about:blank',
    title: 'Validation Failed',
    status: 422,
    detail: violations.map(({ propertyPath, title }) => `${propertyPath}: ${title}`).join('\n'),
    violations: violations.map(({ propertyPath, title }) => ({ propertyPath, title })),
  });

/** The part of a schema that judges an answer. */
interface Judge {
  safeParse(value: unknown): {
    readonly success: boolean;
    readonly error?: {
      readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
    };
  };
}

/** The answer as JSON text; a 500 in its place when it breaks the contract, so that nobody learns a wrong shape here. */
export const checked = (schema: Judge, answer: unknown): string => {
  const text = printExact(answer);
  const { error } = schema.safeParse(JSON.parse(text));
  if (error === undefined) return text;
  const faults = error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
  throw refusal(500, `the emulator's answer breaks the contract: ${faults.join('; ')}`);
};

/** An error document as JSON text, itself checked. */
export const checkedProblem = (problem: ProblemAnswer): string => checked(problemAnswer, problem);
