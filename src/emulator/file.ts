import { PayError, usageError } from '../core/error.ts';
import type { DatabaseFault, DatabaseKind } from '../database/kind.ts';
import { randomKey } from './ids.ts';
import { MIGRATIONS } from './schema.ts';

const ELSEWHERE = 'set PAYCLI_HOME to another folder (the emulator commands take --data FILE, too)';
const START_OVER = `Empty it with \`paycli emulator reset\`, or ${ELSEWHERE}.`;

/** A file that is ours, but damaged or from a newer paycli: only starting over helps, or another file. */
export class BeyondUse extends PayError {
  constructor(path: string, what: string, cause?: unknown) {
    super('usage', `the emulator's data file ${path} ${what}`, { hint: START_OVER, cause });
  }
}

const errorOf = ({ kind, path, what, cause }: DatabaseFault): PayError => {
  if (kind === 'newer' || kind === 'damaged') return new BeyondUse(path, what, cause);
  if (kind === 'foreign')
    return usageError(`${path} is not a data file of the emulator`, { hint: `move it away, or ${ELSEWHERE}` });
  return usageError(`the emulator's data file ${path} ${what}`, { hint: ELSEWHERE, cause });
};

/** The emulator's data file: test data, kept over runs but not worth a sync each. */
export const DATA_FILE: DatabaseKind = {
  // "payl"
  applicationId: 0x7061796c,
  migrations: MIGRATIONS,
  survives: 'process',
  fill: (db) => {
    db.prepare('INSERT INTO setting (name, value) VALUES (?, ?)').run('key', randomKey('sk'));
  },
  error: errorOf,
};
