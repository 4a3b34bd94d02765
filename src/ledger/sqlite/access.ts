import { checkPrivate } from '../../database/access.ts';
import { thisMachine } from '../machine.ts';
import { ledgerError } from './file.ts';
import { highestPath } from './highest.ts';

/**
 * Refuses a ledger that others could read or change, and what SQLite and we keep beside it: it holds who was charged, and its
 * truth is what keeps a customer from paying twice.
 */
export const checkAccess = (path: string, uid = thisMachine.uid): void =>
  checkPrivate(
    { name: 'the ledger', path, beside: [[highestPath(path), "the ledger's count"]], error: ledgerError },
    uid,
  );
