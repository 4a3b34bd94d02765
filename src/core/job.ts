import { environmentName } from './origin.ts';
import type { RowState } from './row.ts';
import { ROW_STATES } from './row.ts';

/** The columns of a job's summary, in their order. What matters at night comes first on a card. */
export const SUMMARY_COLUMNS: readonly {
  readonly path: string;
  readonly label?: string;
  readonly kind?: 'count';
  readonly always?: boolean;
}[] = [
  { path: 'job' },
  { path: 'command' },
  { path: 'file' },
  { path: 'rows', kind: 'count', always: true },
  ...ROW_STATES.map((state: RowState) => ({ path: state, kind: 'count' as const, label: state.replaceAll('_', ' ') })),
  { path: 'not_started', kind: 'count', label: 'not started' },
  { path: 'skipped', kind: 'count', label: 'done before' },
  { path: 'report' },
];

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
  readonly total?: string;
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
