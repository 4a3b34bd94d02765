/**
 * Records are kept as the JSON that is answered. Beside it stand only what is searched and joined: `seq` is the order
 * of creation, which lists walk backwards, and is never given twice.
 */
const FIRST = `
  CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE onye (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL
  ) STRICT;

  CREATE TABLE ugwo (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    onye TEXT REFERENCES onye (uid),
    record TEXT NOT NULL
  ) STRICT;

  CREATE TABLE activity (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    ugwo TEXT NOT NULL REFERENCES ugwo (uid),
    record TEXT NOT NULL
  ) STRICT;

  CREATE INDEX activity_of_ugwo ON activity (ugwo, seq);
`;

/**
 * When an open activity ends by itself, in milliseconds since the epoch, and as what. Accounts that were given before this
 * was kept expire as they say.
 */
const SECOND = `
  ALTER TABLE activity ADD COLUMN due INTEGER;
  ALTER TABLE activity ADD COLUMN ending TEXT;

  UPDATE activity
  SET due = 1000 * unixepoch(record ->> '$.next_action.headers.expires_at'), ending = 'expired'
  WHERE CASE WHEN json_valid(record) THEN
    record ->> '$.status' = 'requires_action'
    AND unixepoch(record ->> '$.next_action.headers.expires_at') IS NOT NULL
  END;

  CREATE INDEX activity_due ON activity (due) WHERE due IS NOT NULL;
`;

/** What was paid of a payment request, and what an activity says of the one that it is on. */
const THIRD = `
  UPDATE ugwo
  SET record = json_set(record, '$.total_amount_paid', record ->> '$.amount' * max(
    record ->> '$.status' IN ('ugwo_successful', 'partially_refunded', 'refunded'),
    (SELECT count(*) FROM activity
      WHERE activity.ugwo = ugwo.uid AND CASE WHEN json_valid(record) THEN record ->> '$.status' = 'successful' END)
  ))
  WHERE json_valid(record);

  UPDATE activity
  SET record = json_set(record, '$.ugwo_uid', ugwo, '$.amount',
    (SELECT record ->> '$.amount' FROM ugwo WHERE ugwo.uid = activity.ugwo AND json_valid(record)))
  WHERE json_valid(record);
`;

/** What brings a data file from one version to the next. Never changed, only added to. */
export const MIGRATIONS: readonly string[] = [FIRST, SECOND, THIRD];
