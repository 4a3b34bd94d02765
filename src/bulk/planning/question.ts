import { environmentName } from '../../core/origin.ts';

/** What is asked before the rows of a file are sent to where money may be real. */
export interface JobQuestion {
  /** `Charge`, `Update`. */
  readonly verb: string;
  /** What a row is about: `payment request`, `customer`. */
  readonly one: string;
  readonly rows: number;
  /** How many of them have been begun before. */
  readonly before: number;
  /** What they hold, in few words. */
  readonly what: string;
  /** What all of them come to, where that is known. */
  readonly total?: string | undefined;
}

/** The lines of the question. */
export const questionOf = (
  { verb, one, rows, before, what, total }: JobQuestion,
  { origin, profile }: { readonly origin: string; readonly profile: string | undefined },
): readonly string[] => {
  const where = `${environmentName(origin)}: ${origin}${profile === undefined ? '' : `, profile ${profile}`}`;
  const things = rows === 1 ? one : `${one}s`;
  const sums = total === undefined ? '' : ` for ${total}`;
  const begun = before === 0 ? '' : `; ${before} started before`;
  return [where, `${verb} ${rows} ${things}${sums} (${what}${begun})?`];
};
