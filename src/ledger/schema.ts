/**
 * One row a charge. Instants are milliseconds since the epoch, `next_action`, `told` and `evidence` are JSON. At most one charge of
 * a payment request is open: that index, and no check in the program, keeps two processes from sending at once.
 */
const FIRST = `
  CREATE TABLE charge (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('sending', 'accepted', 'rejected', 'not_sent', 'unknown', 'not_created')),
    service TEXT NOT NULL,
    origin TEXT NOT NULL,
    workspace TEXT,
    profile TEXT,
    ugwo TEXT NOT NULL,
    medium TEXT NOT NULL,
    provider TEXT,
    phone TEXT,
    digest TEXT NOT NULL,
    job TEXT,
    row INTEGER,
    deadline INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    begun_uptime INTEGER NOT NULL,
    took INTEGER,
    settled_at INTEGER,
    exit_code INTEGER,
    activity TEXT,
    status TEXT,
    next_action TEXT,
    activity_created_at TEXT,
    told TEXT,
    evidence TEXT NOT NULL DEFAULT '[]',
    pid INTEGER NOT NULL,
    boot TEXT NOT NULL,
    started TEXT NOT NULL,
    CHECK ((state = 'sending') = (settled_at IS NULL))
  ) STRICT;

  CREATE UNIQUE INDEX charge_open ON charge (service, ugwo) WHERE state IN ('sending', 'unknown');
  CREATE INDEX charge_of_ugwo ON charge (ugwo, seq);
  CREATE INDEX charge_activity ON charge (activity) WHERE activity IS NOT NULL;
  CREATE INDEX charge_state ON charge (state, seq);
`;

/** What brings a ledger from one version to the next. Never changed, only added to. */
export const MIGRATIONS: readonly string[] = [FIRST];
