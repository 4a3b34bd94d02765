import { HIGHEST_FILE_NAME, LEDGER_FILE_NAME } from './charge.ts';
import { LOCK_FILE_NAME, QUEUE_FILE_NAME } from './event.ts';
import { LOCAL_DATA_FILE } from './local.ts';

/** What was seen of earlier searches. */
export const SEEN_FILE_NAME = 'seen.sqlite';
/** How the names of the files begin that keep what this machine has begun in a shared ledger, one a database. */
export const SHADOW_FILE_START = 'shared-';

/** How the names of the files in the folder for data begin, and what each is: the name of what lies beside one is longer. */
export const DATA_FILES: readonly (readonly [start: string, what: string])[] = [
  [LEDGER_FILE_NAME, 'the ledger'],
  [HIGHEST_FILE_NAME, 'the ledger'],
  [SHADOW_FILE_START, "this machine's record of the shared ledger"],
  [LOCAL_DATA_FILE, "the emulator's data"],
  [QUEUE_FILE_NAME, 'the queue of webhook events'],
  [LOCK_FILE_NAME, 'the queue of webhook events'],
  [SEEN_FILE_NAME, 'what earlier searches have seen'],
];
