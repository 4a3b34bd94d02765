import type { DatabaseSync } from 'node:sqlite';
import { transact } from '../database/transact.ts';
import { evidenceOf, withEvidence } from './evidence.ts';
import type { Charge, Moment, Sender } from './ledger.ts';
import { chargeOf, senderOf } from './rows.ts';
import type { Statements } from './statements.ts';

type Row = ReturnType<Statements['sending']>[number];

/** How charges are found whose process died while it was sending: nobody knows any more what became of them. */
export const sweeper = (
  db: DatabaseSync,
  sql: Statements,
  moment: () => Moment,
  isGone: (sender: Sender, overdue: boolean) => boolean,
) => {
  const isLost = (row: Row): boolean => {
    const { state, deadline } = chargeOf(row);
    return state === 'sending' && isGone(senderOf(row), moment().at > deadline);
  };

  /** A row of the table; one whose process has gone becomes unknown here. */
  const unknownIfGone = (row: Row): Charge => {
    const charge = chargeOf(row);
    if (!isLost(row)) return charge;
    const now = moment();
    const why = 'its process ended before it could save the result';
    const gone = evidenceOf('process_gone', now.at, { pid: senderOf(row).pid, why });
    sql.change(charge.id, { ...charge, state: 'unknown', moment: now, evidence: withEvidence(charge.evidence, gone) });
    return sql.find(charge.id) ?? charge;
  };

  /** Does so with all rows. */
  const sweep = (): void => {
    if (!sql.sending().some(isLost)) return;
    transact(db, () => {
      for (const row of sql.sending()) unknownIfGone(row);
    });
  };

  return { unknownIfGone, sweep };
};
