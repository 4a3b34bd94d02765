/** Written into the file's header, so that no other program's database is ever taken for an emulator's: "payl". */
export const APPLICATION_ID = 0x7061796c;

/** Kept in `user_version`; a file with a greater one was made by a newer paycli. */
export const SCHEMA_VERSION = 1;

/**
 * Records are kept as the JSON that is answered. Beside it stand only what is searched and joined: `seq` is the order
 * of creation, which lists walk backwards, and is never given twice.
 */
export const SCHEMA = `
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

  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;
