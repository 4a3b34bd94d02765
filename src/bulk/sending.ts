import type { Confirm } from '../cli/confirm.ts';
import type { JobQuestion } from '../core/job.ts';
import { questionOf } from '../core/job.ts';
import { isGuarded } from '../core/origin.ts';
import type { JobKind } from '../ledger/job.ts';
import type { Ledger, Place } from '../ledger/ledger.ts';
import type { LedgerRoom } from '../ledger/room.ts';
import type { Sending } from './job.ts';

/** A command that sends the rows of a file. */
export interface SendingOf<T> {
  readonly kind: JobKind;
  readonly command: string;
  /** The options that shape the requests, as a text. */
  readonly options: string;
  readonly worker: Sending<T>['worker'];
  /** What is known of the rows once they are checked. */
  readonly question: () => Omit<JobQuestion, 'rows' | 'before'>;
  readonly ledger: Ledger;
  readonly protocol: Pick<LedgerRoom, 'rowsBegun'>;
  readonly place: Place;
  readonly confirm: Confirm;
  /** How many rows are in flight at most. */
  readonly atOnce: number;
}

/** How the rows of a file are sent to a place, and noted in its ledger; asked about first where money may be real. */
export const sendingOf = <T>(of: SendingOf<T>): Sending<T> => {
  const { kind, command, ledger, place } = of;
  const { service, workspace, origin, profile } = place;
  return {
    shape: [command, service, workspace ?? '', of.options],
    worker: of.worker,
    confirm: async ({ id, rows }) => {
      if (!isGuarded(origin)) return;
      const before = await of.protocol.rowsBegun(ledger, id);
      await of.confirm(questionOf({ ...of.question(), rows, before }, place), 'refuse');
    },
    open: ({ id, rows, name }) =>
      ledger.jobs.open({ id, kind, command, name, service, origin, profile, rows }, of.atOnce),
  };
};
