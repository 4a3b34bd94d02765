import { randomInt } from 'node:crypto';
import { isTakenUp, rowStateOf } from '../core/row.ts';
import { formatDateAtom } from '../core/time.ts';
import { openDatabase } from '../database/open.ts';
import { checkAccess } from './access.ts';
import { elapsed } from './clock.ts';
import type { Context, LedgerOptions } from './context.ts';
import { contextOf } from './context.ts';
import { withEvidence } from './evidence.ts';
import { asLedgerError, LEDGER_FILE } from './file.ts';
import { guard } from './guard.ts';
import { jobsOver } from './jobs.ts';
import type { Begun, Charge, Evidence, Intent, KeptActivity, Ledger, Moment, Outcome, Resolution } from './ledger.ts';
import { isNews, latest, lateWord, wasResolved } from './news.ts';
import { patiently } from './patience.ts';
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
  { sql, settledIfGone }: Context,
  { job, row = 0 }: Intent,
  retry: boolean,
): Charge | undefined => {
  const last = job === undefined ? undefined : sql.ofRow(job, row);
  if (last === undefined) return undefined;
  const by = settledIfGone(last);
  const state = rowStateOf(by.state, by.activity?.status);
  return isTakenUp({ state, exitCode: by.exitCode }, retry) ? undefined : by;
};

const begin =
  (context: Context): Ledger['begin'] =>
  (intent: Intent, how) => {
    const { sql, self, open, moment, settledIfGone, attempt } = context;
    return attempt((): Begun => {
      const since = moment();
      const by = chargedBefore(context, intent, how.retry === true);
      if (by !== undefined) return { kind: 'refused', why: 'done', by, moment: since };
      const standing = sql.standing(intent.service, intent.ugwo).map(settledIfGone);
      const refusal = guard(standing, intent.medium, how, since);
      if (refusal !== undefined) return { kind: 'refused', ...refusal, moment: since };
      const id = newId();
      sql.insert(id, intent, self, since);
      open.set(id, intent);
      return { kind: 'begun', id };
    });
  };

/** Whether another charge of the payment request is open, beside which this one can't be open again. */
const isTaken = ({ sql }: Context, { id, service, ugwo }: Charge): boolean =>
  sql.standing(service, ugwo).some((row) => row['id'] !== id && row['state'] !== 'accepted');

const noteOutcome = (context: Context, charge: Charge, outcome: Outcome): void => {
  const { sql, moment } = context;
  const now = moment();
  const word = lateWord(charge, outcome, formatDateAtom({ ms: now.at, offset: 0 }));
  const evidence = withEvidence(charge.evidence, word);
  const reopens = outcome.state === 'unknown' && charge.state === 'not_created';
  if (!isNews(charge, outcome) || (reopens && isTaken(context, charge))) {
    sql.keepEvidence(charge.id, evidence);
    return;
  }
  const activity = outcome.activity && latest(charge.activity, outcome.activity);
  const took = elapsed(charge.begun, now.mark) ?? now.at - charge.createdAt;
  sql.change(charge.id, { ...outcome, activity, moment: now, took, evidence });
};

const settle =
  (context: Context, leave: AbortSignal): Ledger['settle'] =>
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
      await write(() => {
        const charge = sql.find(id);
        if (charge === undefined) throw new Error(`there is no charge ${id}`);
        noteOutcome(context, charge, outcome);
      }, leave);
    } catch (thrown) {
      throw context.unrecorded({ ledger_id: id, ugwo, medium, settled_at: moment().at, ...outcome }, thrown);
    }
  };

/** An unknown charge can be resolved; what a person has said of one, a person can correct. */
const mayResolve = (charge: Charge, { kind }: Evidence): boolean =>
  charge.state === 'unknown' || (kind === 'resolved' && wasResolved(charge));

const resolve =
  ({ sql, moment, kept, seen, settledIfGone, write }: Context): Ledger['resolve'] =>
  (id: string, { state, activity, evidence }: Resolution) =>
    write(() => {
      const row = sql.get(id);
      const charge = row === undefined ? undefined : settledIfGone(row);
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
  return activity.nextAction === null && now.nextAction !== null;
};

const observe =
  ({ sql, moment, kept, glance }: Context): Ledger['observe'] =>
  (activities) =>
    glance(() => {
      for (const activity of activities) {
        for (const charge of sql.owners(activity.uid).map(chargeOf)) {
          const now = latest(charge.activity, kept(activity, charge.phone));
          if (isWorthNoting(charge, now, moment())) sql.stand(charge.id, now, moment());
        }
      }
    });

const ledgerOver = (context: Context, leave: AbortSignal): Ledger => {
  const { sql, seen, moment, read, write } = context;
  return {
    moment,
    begin: begin(context),
    settle: settle(context, leave),
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

/**
 * Opens the ledger, made at the first use. Throws a `ledger` error when it can't be used: newer than this program, damaged,
 * not ours, open to others, locked for too long.
 */
export const openLedger = async (options: LedgerOptions): Promise<Ledger> => {
  const { path, now, isGone, patience, kind = LEDGER_FILE } = options;
  checkAccess(path);
  const open = (): Ledger =>
    openDatabase(path, kind, (db) => {
      recover(db, path, ({ sender, touchedAt }) => isGone(sender, now() - touchedAt > LONGEST_RUN_MS));
      return ledgerOver(contextOf(db, options), patience.leave);
    });
  try {
    return await patiently(open, patience, patience.stop);
  } catch (thrown) {
    throw asLedgerError(thrown, path);
  }
};
