import type { Asked } from '../../support/postgres/kinds.ts';

/** A ledger row's new state, with its commit time in milliseconds since the epoch. */
export interface Change {
  readonly id: string;
  /** The payment request. */
  readonly about: string;
  readonly state: string;
  readonly at: number;
}

/** A charge received by the service, with the same machine's time (`Date.now()`). */
export interface Post {
  readonly about: string;
  readonly at: number;
}

/** The time in which a row was open: from its commit to that of its outcome. */
interface Interval {
  readonly id: string;
  readonly about: string;
  readonly from: number;
  readonly to: number;
  /** Its state since then; `unknown` and `sending` are open, without an end. */
  readonly end: string;
}

const isOpen = (state: string): boolean => state === 'sending' || state === 'unknown';

const grouped = <T>(items: readonly T[], nameOf: (item: T) => string): readonly (readonly T[])[] => [
  ...Map.groupBy(items, nameOf).values(),
];

const intervalsOfRow = (changes: readonly Change[]): Interval[] => {
  const intervals: Interval[] = [];
  let open: Interval | undefined;
  for (const { id, about, state, at } of changes) {
    if (isOpen(state)) open = { id, about, from: open?.from ?? at, to: Infinity, end: state };
    else {
      if (open !== undefined) intervals.push({ ...open, to: at, end: state });
      open = undefined;
    }
  }
  return open === undefined ? intervals : [...intervals, open];
};

/** When each row was open. The changes of a row are in order; a row that is reopened has two intervals. */
const intervalsOf = (changes: readonly Change[]): Interval[] =>
  grouped(changes, ({ id }) => id).flatMap(intervalsOfRow);

/** `Date.now()` is the beginning of its millisecond. */
const isIn = ({ from, to }: Interval, { at }: Post): boolean => from <= at + 1 && at <= to;

const told = ({ id, from, to, end }: Interval): string => `${id} (${end}, ${from} to ${to})`;

const faultsBetween = (intervals: readonly Interval[]): string[] =>
  intervals.flatMap((later, index) =>
    intervals.slice(0, index).flatMap((earlier) => {
      if (later.from < earlier.to) return [`${told(later)} overlaps ${told(earlier)}`];
      return earlier.end === 'accepted' && later.id !== earlier.id
        ? [`${told(later)} was begun after ${told(earlier)}`]
        : [];
    }),
  );

/** The possible numbers of received charges of a row in each state. */
const ALLOWED: Readonly<Record<string, readonly number[]>> = { accepted: [1], not_sent: [0], not_created: [0] };

const faultsOfRow = (intervals: readonly Interval[], posts: readonly Post[]): string[] => {
  const last = intervals.at(-1) as Interval;
  const count = posts.filter((post) => intervals.some((interval) => isIn(interval, post))).length;
  return (ALLOWED[last.end] ?? [0, 1]).includes(count) ? [] : [`${count} came to the service of ${told(last)}`];
};

const faultsAbout = (intervals: readonly Interval[], posts: readonly Post[]): string[] => [
  ...faultsBetween([...intervals].sort((a, b) => a.from - b.from)),
  ...posts
    .filter((post) => !intervals.some((interval) => isIn(interval, post)))
    .map(({ at }) => `what came at ${at} lies in none of ${intervals.map(told).join(', ') || 'no rows'}`),
  ...grouped(intervals, ({ id }) => id).flatMap((own) => faultsOfRow(own, posts)),
];

/**
 * The faults of a history; none if each received charge lies in the interval of one row and no other charge does, no
 * two rows of a payment request were open at once, none was begun after an accepted one, and every row agrees with
 * what was received. For payment requests that are charged without `--again` and do not fail.
 */
export const faultsIn = (changes: readonly Change[], posts: readonly Post[]): string[] => {
  const intervals = Map.groupBy(intervalsOf(changes), ({ about }) => about);
  const came = Map.groupBy(posts, ({ about }) => about);
  const abouts = new Set([...intervals.keys(), ...came.keys()]);
  return [...abouts].flatMap((about) =>
    faultsAbout(intervals.get(about) ?? [], came.get(about) ?? []).map((fault) => `${about}: ${fault}`),
  );
};

/** Server settings that watching requires. */
export const WATCHED_SETTINGS = { track_commit_timestamp: true };

/** Each change of a state is recorded in its own transaction, so that only committed changes are recorded. */
const WATCH = `
  CREATE SCHEMA watched;
  CREATE TABLE watched.change (n bigint GENERATED ALWAYS AS IDENTITY, id text, about text, state text);
  CREATE FUNCTION watched.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      IF TG_OP = 'INSERT' OR OLD.state <> NEW.state THEN
        INSERT INTO watched.change (id, about, state) VALUES (NEW.id, NEW.ugwo, NEW.state);
      END IF;
      RETURN NULL;
    END $$;
  CREATE TRIGGER watched AFTER INSERT OR UPDATE ON paycli.charge FOR EACH ROW EXECUTE FUNCTION watched.note()`;

const CHANGES = `SELECT id, about, state, (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000)::float8 AS at
  FROM watched.change ORDER BY n`;

/** Watches a ledger from now on, on a server with `WATCHED_SETTINGS`; `changes` returns the committed changes. */
export const watchLedger = async (
  { sql }: Pick<Asked, 'sql'>,
  database: string,
): Promise<{ readonly changes: () => Promise<Change[]> }> => {
  await sql(WATCH, [], database);
  return { changes: () => sql<{ id: string; about: string; state: string; at: number }>(CHANGES, [], database) };
};
