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

/** What brings a data file from one version to the next. Never changed, only added to. */
export const MIGRATIONS: readonly string[] = [FIRST, SECOND];
