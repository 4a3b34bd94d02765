import type { Purpose } from '../backend.ts';
import type { Entry } from '../entry.ts';
import type { Statement } from '../sql/statement.ts';
import type { Answer } from './session.ts';
import { inlined } from './sql.ts';

/** What a step writes, once it has seen what there is. */
export interface Written<T> {
  readonly result: T;
  /** Statements; none where nothing is to be written. */
  readonly writes: readonly string[];
  /** A question that says afterwards whether they were committed, and a statement that writes the same again. */
  readonly proof?: { readonly ask: string; readonly again: string };
}

/** One change of the ledger: it looks, decides, and writes, alone among all who share what it is about. */
export interface Step<T> {
  readonly purpose: Purpose;
  /** What it is about: no two steps with one of these in common go on at once, here or anywhere. */
  readonly keys: readonly string[];
  /** It may be about anything, so nothing else shares its transaction. */
  readonly alone: boolean;
  readonly looks: readonly string[];
  /** Pure; asked again where the transaction has to be repeated. */
  readonly decide: (found: readonly Answer[]) => Written<T>;
  /** Once it is decided: what of it this machine keeps a copy of when it is committed, and before anybody hears of it. */
  readonly toKeep?: () => readonly Entry[];
}

/** A step of any kind, for those who only pass it on. */
// biome-ignore lint/suspicious/noExplicitAny: the result goes back to whoever brought the step.
export type AnyStep = Step<any>;

/** A step that looks at nothing; what it writes is asked for when the server's clock is known. */
export const writeStep = (about: string, statement: () => Statement): Step<void> => ({
  purpose: 'note',
  keys: [about],
  alone: false,
  looks: [],
  decide: () => ({ result: undefined, writes: [inlined(statement())] }),
});
