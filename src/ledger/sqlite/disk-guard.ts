import { PayError, reasonOf } from '../../core/error.ts';
import { isBusy } from '../../database/sqlite-error.ts';
import type { EmergencyLine } from '../backend.ts';
import type { Sender } from '../entry.ts';
import { type EmergencyFile, emergencyText, openEmergencyFile } from './emergency-file.ts';

const LOCKED = 'keep the line shown here; the next run that can use the ledger saves it';
const BROKEN = 'keep the line shown here, and do not run the command again until the disk is fixed';

/** What a process holds on to when its ledger fails it (charge-protocol, step 5 and Durability). */
export const diskGuard = (path: string, self: Sender, isLocked: (thrown: unknown) => boolean = isBusy) => {
  let broken: PayError | undefined;
  let file: EmergencyFile | undefined;
  let lines = 1;
  /** The first failure of the disk ends sending for the life of the process; a lock says nothing against the disk. */
  const failed = (error: PayError): void => {
    if (error.kind === 'ledger' && !isLocked(error)) broken = error;
  };
  return {
    /** Before anything is begun: the emergency file is there. Throws what the disk has failed with once. */
    ready: (): void => {
      if (broken !== undefined) throw broken;
      file ??= openEmergencyFile(path, self, lines);
    },
    /** So many outcomes may have to be written at once. Asked for before anything is begun. */
    reserve: (atOnce: number): void => {
      lines = atOnce;
    },
    failed,
    /** The line goes to the emergency file; whoever gets the error prints it too. */
    unrecorded: (line: EmergencyLine, thrown: unknown): PayError => {
      const answer = emergencyText(line);
      const what = `couldn't save the result of ${line.ledger_id} in the ledger: ${reasonOf(thrown)}`;
      failed(new PayError('ledger', what, { cause: thrown }));
      try {
        file?.write(answer);
      } catch {
        // The line on stderr is then the last trace.
      }
      const hint = isLocked(thrown) ? LOCKED : BROKEN;
      return new PayError('unrecorded', what, { answer, ledgerId: line.ledger_id, hint, cause: thrown });
    },
    close: (): void => file?.close(),
  };
};
