import { HIGHEST_FILE_NAME, LEDGER_FILE_NAME } from './charge.ts';
import { LOCK_FILE_NAME, QUEUE_FILE_NAME } from './webhook-event.ts';

/** The emulator's data in the folder for data: what `--local` uses, and `emulator` unless it is told otherwise. */
export const LOCAL_DATA_FILE = 'emulator.sqlite';

/** The reserved profile: `--local` by another name. */
export const LOCAL_PROFILE = 'local';

/** How many records a new data file is filled with. */
export const FIRST_RECORDS = { customers: 25, ugwo: 120 } as const;

/** Some of them: their identifiers are the same on every machine, so that a line of help can be copied. */
export const SEEDED = {
  onye: 'ony.Lcal.KM95wboeepUEQlRxTTvqlK7H',
  ugwo: 'ugw.Lcal.p8Wdunr9tr1bMLFMnJArp5Qt',
  checkout: 'chk.Lcal.RoLEa6HJ8V5gD4sTolYQ7mVT',
  /** Where the answer of a charge is lost. */
  losing: 'ugw.Lcal.ooyvPSy0Q4PmAh5sDC725Y8y',
  paid: { ugwo: 'ugw.Lcal.jSjnPykArw2vSDlN97UMEZ4k', activity: 'act.Lcal.HX4qrPvtNdRm2oKSudke0xnC' },
  processing: { ugwo: 'ugw.Lcal.ZP9S3Yh3ll6gZfRG0i3qZJIk', activity: 'act.Lcal.oOQCF4VliwmNl9Sr6ziqH0R8' },
} as const;

/** What is said when a data file was filled; undefined when it had been before. */
export const firstUse = (
  made: { readonly customers: number; readonly ugwo: number },
  file: string,
): string | undefined =>
  made.ugwo === 0
    ? undefined
    : `First use: created ${made.customers} customers and ${made.ugwo} payment requests in ${file}`;

/** How the emulator writes its answers. */
export const DIALECTS = ['documented', 'live'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** What an activity of the emulator can be made to end as: an open one, and with `taken_back` a paid one. */
export const ENDINGS = ['successful', 'failed', 'expired', 'taken_back'] as const;
export type ActivityEnding = (typeof ENDINGS)[number];

/** How an event of the emulator stands at one webhook. `dropped`: a rule for faults lets it never arrive. */
export const DELIVERY_STATES = ['waiting', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

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
