import { LOCK_FILE_NAME, QUEUE_FILE_NAME, WATCH_FILE_START } from './webhook-event.ts';

/** The ledger's file in the folder for data. */
export const LEDGER_FILE_NAME = 'ledger.sqlite';
/** Stores the number of charges beside the ledger, under a name that a copy of `ledger.sqlite*` leaves out. */
export const HIGHEST_FILE_NAME = 'highest-charge';

/** The emulator's data in the folder for data: used by `--local`, and by `emulator` unless another file is given. */
export const LOCAL_DATA_FILE = 'emulator.sqlite';

/** The reserved profile: the same as `--local`. */
export const LOCAL_PROFILE = 'local';

/** Number of records that a new data file is filled with. */
export const FIRST_RECORDS = { customers: 25, ugwo: 120 } as const;

/** Seeded records: their identifiers are the same on every machine, so that a line of help can be copied. */
export const SEEDED = {
  onye: 'ony.Lcal.KM95wboeepUEQlRxTTvqlK7H',
  ugwo: 'ugw.Lcal.p8Wdunr9tr1bMLFMnJArp5Qt',
  checkout: 'chk.Lcal.RoLEa6HJ8V5gD4sTolYQ7mVT',
  /** The payment request whose charges lose their answers. */
  losing: 'ugw.Lcal.ooyvPSy0Q4PmAh5sDC725Y8y',
  paid: { ugwo: 'ugw.Lcal.jSjnPykArw2vSDlN97UMEZ4k', activity: 'act.Lcal.HX4qrPvtNdRm2oKSudke0xnC' },
  processing: { ugwo: 'ugw.Lcal.ZP9S3Yh3ll6gZfRG0i3qZJIk', activity: 'act.Lcal.oOQCF4VliwmNl9Sr6ziqH0R8' },
} as const;

/** Message after a data file was filled; undefined if it already had records. */
export const firstUse = (
  made: { readonly customers: number; readonly ugwo: number },
  file: string,
): string | undefined =>
  made.ugwo === 0
    ? undefined
    : `First use: created ${made.customers} customers and ${made.ugwo} payment requests in ${file}`;

/** Style of the emulator's answers. */
export const DIALECTS = ['documented', 'live'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** Ends that the emulator can give an activity: an open one, and with `reversed` a paid one. */
export const ENDINGS = ['successful', 'failed', 'expired', 'reversed'] as const;
export type ActivityEnding = (typeof ENDINGS)[number];

/** State of an emulator event at one webhook. `dropped`: a fault rule prevents its delivery. */
export const DELIVERY_STATES = ['waiting', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * Start of the names of the files that store this machine's unfinished requests to a shared ledger; one file per
 * database.
 */
export const SHADOW_FILE_START = 'shared-';

/** The file that processes lock while they start a charge. */
export const LEDGERS_LOCK_NAME = 'ledgers.lock';

/** The file whose time is that of the last reminder about unknown charges. */
export const REMINDER_FILE_NAME = 'reminded';

/**
 * Start of the names of the files in the folder for data, and a description of each; SQLite's companion files have
 * longer names.
 */
export const DATA_FILES: readonly (readonly [start: string, what: string])[] = [
  [LEDGER_FILE_NAME, 'the ledger'],
  [HIGHEST_FILE_NAME, 'the ledger'],
  [SHADOW_FILE_START, "this machine's record of the shared ledger"],
  [LEDGERS_LOCK_NAME, 'the lock of the ledgers'],
  [LOCAL_DATA_FILE, "the emulator's data"],
  [QUEUE_FILE_NAME, 'the queue of webhook events'],
  [LOCK_FILE_NAME, 'the queue of webhook events'],
  [WATCH_FILE_START, 'the events of watch --exec'],
];
