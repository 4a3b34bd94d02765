import { randomInt } from 'node:crypto';
import { PayError } from '../core/error.ts';
import { isTakenUp, rowStateOf } from '../core/row.ts';
import { formatDateAtom } from '../core/time.ts';
import { openDatabase } from '../database/open.ts';
import { checkAccess } from './access.ts';
import { elapsed } from './clock.ts';
import type { Context, LedgerOptions } from './context.ts';
import { contextOf } from './context.ts';
import { evidenceOf, withEvidence } from './evidence.ts';
import { asLedgerError, LEDGER_FILE } from './file.ts';
import { asShown, elsewhereOf, guard, wasSeenExpired } from './guard.ts';
import { highestPath } from './highest.ts';
import { jobsOver } from './jobs.ts';
import type {
  Asked,
  Begun,
  Charge,
  Evidence,
  Intent,
  KeptActivity,
  Ledger,
  Moment,
  Obstacle,
  Outcome,
  Resolution,
} from './ledger.ts';
import { isNews, latest, lateWord, wasResolved } from './news.ts';
import { patiently } from './patience.ts';
import { isEmulator } from './place.ts';
import { cleaned } from './private.ts';
import { recover } from './recover.ts';
import { chargeOf } from './rows.ts';

/** A process that can't be seen from here and has written nothing for so long has ended. */
const LONGEST_RUN_MS = 24 * 3_600_000;

const ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 12;

/** A name that can be read out over the phone: no letters that look alike. There are 32 of them. */
const newId = (): string =>
  `chg-${Array.from({ length: ID_LENGTH }, () => ID_ALPHABET.charAt(randomInt(ID_ALPHABET.length))).join('')}`;

/** What the row of a job was charged with before, where that keeps it from being charged again. */
const chargedBefore = (
  { sql, unknownIfGone }: Context,
  { job, row = 0 }: Intent,
  retry: boolean,
): Charge | undefined => {
  const last = job === undefined ? undefined : sql.ofRow(job, row);
  if (last === undefined) return undefined;
  const by = unknownIfGone(last);
  const state = rowStateOf(by.state, by.activity?.status);
  return isTakenUp({ state, exitCode: by.exitCode }, retry) ? undefined : by;
};

const begin =
  (context: Context): Ledger['begin'] =>
  async (intent: Intent, how) => {
    const { sql, self, open, moment, unknownIfGone, attempt, highest } = context;
    let seq = 0;
    const begun = await attempt((): Begun => {
      const since = moment();
      const { service, ugwo, medium } = intent;
      const refused = (obstacle: Obstacle): Begun => ({ kind: 'refused', ugwo, moment: since, ...obstacle });
      const by = chargedBefore(context, intent, how.retry === true);
      if (by !== undefined) return refused({ why: 'done', by, activity: by.activity });
      const all = sql.standing(ugwo);
      const here = all.filter((row) => row['service'] === service).map(unknownIfGone);
      const obstacle = guard(here, medium, how, since);
      if (obstacle !== undefined) return refused(obstacle);
      const id = newId();
      seq = sql.insert(id, intent, self, since);
      open.set(id, intent);
      const others = isEmulator(service) ? [] : all.filter((row) => row['service'] !== service).map(chargeOf);
      return { kind: 'begun', id, elsewhere: elsewhereOf(others, medium, since) };
    });
    if (begun.kind === 'begun') highest.keep(seq);
    return begun;
  };

/** Whether another charge of the payment request is open, beside which this one can't be open again. */
const isTaken = ({ sql }: Context, { id, service, ugwo }: Charge): boolean =>
  sql.standing(ugwo).some((row) => row['service'] === service && row['id'] !== id && row['state'] !== 'accepted');

const noteOutcome = (context: Context, charge: Charge, outcome: Outcome): void => {
  const { sql, moment } = context;
  const now = moment();
  const word = lateWord(charge, outcome, formatDateAtom({ ms: now.at, offset: 0 }));
  const odd = outcome.odd ?? [];
  const marks = odd.length === 0 ? undefined : evidenceOf('odd', now.at, { message: odd.join('; ') });
  const evidence = withEvidence(withEvidence(charge.evidence, word), marks);
  const reopens = outcome.state === 'unknown' && charge.state === 'not_created';
  if (!isNews(charge, outcome) || (reopens && isTaken(context, charge))) {
    sql.keepEvidence(charge.id, evidence);
    return;
  }
  const activity = outcome.activity && latest(charge.activity, outcome.activity);
  const took = elapsed(charge.begun, now.mark) ?? now.at - charge.createdAt;
  sql.change(charge.id, { ...outcome, activity, moment: now, took, evidence });
};

const record =
  (context: Context, leave: AbortSignal): Ledger['record'] =>
  async (id, given) => {
    const { sql, open, moment, kept, seen, write } = context;
    const { ugwo = '', medium = '', phone } = open.get(id) ?? {};
    const outcome: Outcome = {
      ...given,
      ...(given.activity === undefined ? {} : { activity: kept(given.activity, phone) }),
      ...(given.evidence === undefined ? {} : { evidence: seen(given.evidence) }),
    };
    open.delete(id);
    try {
      return await write(() => {
        const charge = sql.find(id);
        if (charge === undefined) throw new Error(`there is no charge ${id}`);
        const { activity } = outcome;
        const owner =
          activity &&
          sql
            .owners(activity.uid)
            .map(chargeOf)
            .find((other) => other.id !== id);
        const odd = owner === undefined ? [] : [`${activity?.uid} is the activity of ${owner.id}, too`];
        noteOutcome(context, charge, { ...outcome, odd: [...(outcome.odd ?? []), ...odd] });
        return owner;
      }, leave);
    } catch (thrown) {
      throw context.unrecorded({ ledger_id: id, ugwo, medium, recorded_at: moment().at, ...outcome }, thrown);
    }
  };

/** An unknown charge can be resolved; what a person has said of one, a person can correct. */
const mayResolve = (charge: Charge, { kind }: Evidence): boolean =>
  charge.state === 'unknown' || (kind === 'resolved' && wasResolved(charge));

const resolve =
  ({ sql, moment, kept, seen, unknownIfGone, write }: Context): Ledger['resolve'] =>
  (id: string, { state, activity, evidence }: Resolution) =>
    write(() => {
      const row = sql.get(id);
      const charge = row === undefined ? undefined : unknownIfGone(row);
      if (charge === undefined || !mayResolve(charge, evidence)) return false;
      if (activity !== undefined && sql.owners(activity.uid).some((owner) => owner['id'] !== id)) return false;
      sql.change(id, {
        state,
        moment: moment(),
        took: charge.took,
        exitCode: charge.exitCode,
        activity: activity && kept(activity, charge.phone),
        evidence: withEvidence(charge.evidence, seen(evidence)),
      });
      return true;
    });

/** So long what the service told last is good enough, in milliseconds: a wait need not write at each of its looks. */
const FRESH_MS = 60_000;

/** The service tells its time to the second. */
const SAME_MS = 2000;

/** Whether what the service's clock shows was to be expected. */
const isFresh = ({ told }: Charge, { servedAt }: KeptActivity, { mark }: Moment): boolean => {
  const age = told === undefined ? undefined : elapsed(told.mark, mark);
  if (told === undefined || age === undefined || age >= FRESH_MS) return false;
  return servedAt === undefined || Math.abs(servedAt - told.service - age) < SAME_MS;
};

const isWorthNoting = (charge: Charge, now: KeptActivity, moment: Moment): boolean => {
  const { activity } = charge;
  if (!isFresh(charge, now, moment) || activity?.status !== now.status) return true;
  if (activity.nextAction === null && now.nextAction !== null) return true;
  if (activity.createdAt === undefined && now.createdAt !== undefined) return true;
  // That nothing came of it before its account expired.
  return !wasSeenExpired(charge) && wasSeenExpired(asShown(charge, now, moment));
};

/** Whether more is known by now of what the payment request asks for. */
const addsTo = ({ asked = {} }: Charge, shown: Asked): boolean =>
  (['amount', 'currency', 'ref', 'customer'] as const).some(
    (name) => asked[name] === undefined && shown[name] !== undefined,
  );

const observe =
  ({ sql, moment, kept, clean, glance, write }: Context): Ledger['observe'] =>
  (activities, asked = {}, wait = false) => {
    const note = (): void => {
      for (const activity of activities) {
        for (const charge of sql.owners(activity.uid).map(chargeOf)) {
          const now = latest(charge.activity, kept(activity, charge.phone));
          if (isWorthNoting(charge, now, moment())) sql.stand(charge.id, now, moment());
          if (addsTo(charge, asked)) sql.ask(charge.id, cleaned(asked, clean));
        }
      }
    };
    return wait ? write(note) : glance(note);
  };

const ledgerOver = (context: Context, leave: AbortSignal): Ledger => {
  const { sql, seen, moment, read, write, digest } = context;
  return {
    moment,
    begin: begin(context),
    record: record(context, leave),
    digest,
    resolve: resolve(context),
    jobs: jobsOver(context, leave),
    observe: observe(context),
    unknown: () => read(() => sql.list({ states: ['unknown'], oldestFirst: true, limit: -1 })),
    get: (id) => read(() => sql.find(id)),
    list: (filter) => read(() => sql.list(filter)),
    owned: (activities) => read(() => new Set(sql.owned(activities))),
    note: (id, evidence) =>
      write(() => {
        const charge = sql.find(id);
        if (charge !== undefined) sql.keepEvidence(id, withEvidence(charge.evidence, seen(evidence)));
      }),
    close: async () => context.close(),
  };
};

/** A ledger that has had more charges than it knows of is an old copy: what it has forgotten would be charged again. */
const refuseOldCopy = ({ sql, highest }: Context, path: string): void => {
  // Asked for first: another process may begin a charge meanwhile.
  const [had, knows] = [highest.kept(), sql.highest()];
  if (had <= knows) return;
  const message = `the ledger ${path} is an old copy: it knows ${knows} of ${had} charges`;
  throw new PayError('ledger', message, {
    hint:
      'restore the newer file. If it is lost, first check the newest payment requests at the service, since charges made ' +
      `meanwhile are missing here; then remove ${highestPath(path)}`,
  });
};

/**
 * Opens the ledger, made at the first use. Throws a `ledger` error when it can't be used: newer than this program, damaged,
 * not ours, open to others, locked for too long.
 */
export const openLedger = async (options: LedgerOptions): Promise<Ledger> => {
  const { path, now, isGone, patience, kind = LEDGER_FILE } = options;
  checkAccess(path);
  const open = (): Ledger =>
    openDatabase(path, kind, (db) => {
      // Its folder may have been missing, and made by somebody else meanwhile.
      checkAccess(path);
      recover(db, path, ({ sender, touchedAt }) => isGone(sender, now() - touchedAt > LONGEST_RUN_MS));
      const context = contextOf(db, options);
      refuseOldCopy(context, path);
      return ledgerOver(context, patience.leave);
    });
  try {
    return await patiently(open, patience, patience.stop);
  } catch (thrown) {
    throw asLedgerError(thrown, path);
  }
};
