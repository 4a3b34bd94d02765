import { countText } from '../../core/effect.ts';
import { PayError } from '../../core/error.ts';
import type { Decision, Purpose, Query } from '../backend.ts';
import type { Entry } from '../entry.ts';
import { type Allowance, type AllowanceOf, isCounted } from '../policy.ts';
import { allowanceKey, allowanceLooks, allowanceOf } from './policies.ts';
import type { Answer } from './session.ts';
import {
  entriesOf,
  findStatement,
  insertStatement,
  touchStatement,
  updateStatement,
  writtenStatement,
} from './statements.ts';
import type { Step } from './step.ts';

/** What a query is about, as far as that can be said of it beforehand. */
const keysOf = ({ standing, job, rows, activities, id }: Query): readonly string[] | undefined => {
  if (standing !== undefined) return [`about ${standing}`];
  if (job !== undefined && rows !== undefined && rows[0] === rows[1]) return [`row ${job} ${rows[0]}`];
  if (activities !== undefined) return activities.map((uid) => `activity ${uid}`);
  return id === undefined ? undefined : [`id ${id}`];
};

const NOT_RECONCILED = "SELECT count(*) FROM paycli.charge WHERE put_back AND state = 'unknown'";

/** Intents that the database had lost, and that are still unknown. */
const refuseLost = (count: number): void => {
  if (count === 0) return;
  const lost = countText(Array.from({ length: count }, () => ({ kind: 'charge' })));
  throw new PayError('ledger', `the ledger's database had lost ${lost}, which may have been made`, {
    hint: 'nothing is charged until you know: `paycli ledger reconcile`',
  });
};

/** A policy that counts was found, and nobody else was kept from spending meanwhile: it has to be asked for alone. */
export class Uncounted extends Error {
  override readonly name = 'Uncounted';
}

/** An allowance that a change asks for. */
export interface Asked {
  readonly of: AllowanceOf;
  /** Whether it is asked for alone: no other spends of it meanwhile. */
  readonly alone: boolean;
}

/** A rule of the ledger as a step. */
export const changeStep = <T>(
  purpose: Purpose,
  about: readonly Query[],
  decide: (found: readonly (readonly Entry[])[], allowance?: Allowance) => Decision<readonly Entry[], T>,
  spending: Asked | undefined,
): Step<T> => {
  const keys = about.map(keysOf);
  const asked = about.filter(({ activities }) => activities?.length !== 0);
  let begun: readonly Entry[] = [];
  return {
    purpose,
    keys: [...keys.flatMap((some) => some ?? []), ...(spending?.alone === true ? [allowanceKey(spending.of)] : [])],
    alone: keys.includes(undefined),
    looks: [
      ...asked.map((query) => findStatement(query, true)),
      ...(spending === undefined ? [] : allowanceLooks(spending.of)),
      ...(purpose === 'intent' ? [NOT_RECONCILED] : []),
    ],
    decide: (answers: readonly Answer[]) => {
      if (purpose === 'intent') refuseLost(Number(answers.at(-1)?.rows[0]?.[0]));
      let at = 0;
      const found = about.map((query) => (asked.includes(query) ? entriesOf(answers[at++] as Answer) : []));
      const allowance = spending && allowanceOf(answers.slice(at));
      if (allowance !== undefined && isCounted(allowance.kept.policy) && spending?.alone === false)
        throw new Uncounted();
      const { result, write = [] } = decide(found, allowance);
      begun = write.filter(({ seq }) => seq === 0);
      return {
        result,
        writes: write.map((entry) =>
          entry.seq === 0 ? insertStatement(entry) : updateStatement(entry, purpose === 'prune'),
        ),
        ...(write.length === 0 ? {} : { proof: { ask: writtenStatement(write), again: touchStatement(write) } }),
      };
    },
    toKeep: () => begun,
  };
};
