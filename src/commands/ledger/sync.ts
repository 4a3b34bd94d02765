import { checkCharges, readFailureOf } from '../../bulk/pace.ts';
import { isUndecided, PAYMENTS, type Payment, paymentsThat } from '../../charge/payment.ts';
import type { Client } from '../../client/client.ts';
import { openRunProgress } from '../../compose/run.ts';
import { memo } from '../../core/async.ts';
import { countText } from '../../core/charge.ts';
import { interrupted, isRejected, PayError, usageError } from '../../core/error.ts';
import { commandLine } from '../../core/input.ts';
import { pageOf } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import { statusWord } from '../../core/status.ts';
import { DAY_MS, HOUR_MS } from '../../core/time.ts';
import { payableUntilOf, readAfterEnd } from '../../ledger/clock.ts';
import { type Charge, type Entry, isCharge, isInScope, type Scope } from '../../ledger/entry.ts';
import type { Ledger, ListFilter } from '../../ledger/ledger.ts';
import type { RequestRead } from '../../ledger/match.ts';
import { reconcile, refreshCharge, walkCharges } from '../../ledger/reconcile.ts';
import { openSums, SYNCED } from '../../ledger/report.ts';
import { snapshotOf } from '../../ledger/snapshot.ts';
import { isDisputed, moneyKnown, paymentIn } from '../../ledger/transitions.ts';
import type { Able } from '../names.ts';
import { changedAmong, type Listed, listedAs } from '../observer.ts';
import { paidTwiceLines } from '../record.ts';
import type { Run } from '../run.ts';
import { entryNamed, findJob, namesJob } from './named.ts';
import { type Leaving, resolvedLines, type StillUnknown, unknownLines } from './still-unknown.ts';
import { paymentSumsView, sumRecord } from './view.ts';

/** A late transfer may still pay an account that expired in this time. */
const LATE_FOR_MS = DAY_MS;
/** An account is open for at most this long. */
const OPEN_FOR_MS = 7 * DAY_MS;
/** The provider may take back, or the shop pay back, what was paid in this time. */
const REVERSIBLE_FOR_MS = 3 * DAY_MS;
/** A charge is read by itself if its last read is older, whatever the list of payment requests shows. */
const READ_WITHIN_MS = 6 * HOUR_MS;

type Filter = Omit<ListFilter, 'limit'>;

/** Entries to check: some by themselves, and the charges that the filters select. */
interface Chosen {
  readonly entries: readonly Entry[];
  readonly filters: readonly Filter[];
  /** Charges that are final, but may still change: read where the service's list shows a change. */
  readonly recent: readonly Filter[];
}

const CHECKABLE: Able<Entry> = {
  one: 'charge',
  can: (entry) => isUndecided(entry.state) || (isCharge(entry) && paymentIn(entry) !== undefined),
};

/** Finds the named charges and jobs, each once. Throws a usage error if one is not there. */
const namedOnes = async (ledger: Ledger, names: readonly string[], run: Run): Promise<Chosen> => {
  const jobs = names.filter(namesJob);
  const found = new Map<string, Entry>();
  for (const name of names.filter((one) => !namesJob(one))) {
    const entry = await entryNamed(name, CHECKABLE, run);
    found.set(entry.id, entry);
  }
  const entries = [...found.values()];
  const settled = entries.find((entry) => !isCharge(entry) && entry.state !== 'unknown');
  if (settled !== undefined) throw usageError(`${settled.id} is not a charge, and not unknown: nothing to check`);
  const filters = await Promise.all([...new Set(jobs)].map(async (id) => ({ job: (await findJob(ledger, id)).id })));
  // Read whatever its payment: a late transfer pays an expired account, and a payment may be reversed or refunded.
  return { entries, filters, recent: [] };
};

/** Finds what is disputed, unknown or open in the profile. Names the unknown entries of other profiles. */
const ownOnes = async (ledger: Ledger, scope: Scope, leaving: Leaving, run: Run): Promise<Chosen> => {
  const [all, isOwn] = [await ledger.unknown(), isInScope(scope)];
  const others = all.filter((entry) => !isOwn(entry)).map((entry) => ({ entry, why: 'elsewhere' }) as const);
  for (const line of unknownLines(others, leaving)) await run.say(`Not checked: ${line}.`);
  const now = run.io.clock.now();
  const disputed = await ledger.list({ ...scope, disputed: true, limit: -1 });
  const late = { ...scope, payments: ['expired'], started: { since: now - OPEN_FOR_MS - LATE_FOR_MS } } as const;
  const paid = { ...scope, payments: paymentsThat('brings'), paidSince: now - REVERSIBLE_FOR_MS };
  return {
    entries: [...disputed, ...all.filter(isOwn)],
    filters: [{ ...scope, payments: ['open'] }],
    recent: [late, paid],
  };
};

/** Moment at which an expired charge ended: that of its account, else of its activity. */
const endedAt = ({ activity, money, createdAt }: Charge): number =>
  payableUntilOf(activity && { ...activity, status: 'requires_action' }) ?? money?.updatedAt ?? createdAt;

/** A charge that is final, but may still change. */
interface Recent {
  readonly id: string;
  readonly about: string;
  readonly isDue: boolean;
  readonly listed: Listed;
}

/** Charges that the filters select and that may still change. */
const recentOnes = async (ledger: Ledger, filters: readonly Filter[]): Promise<readonly Recent[]> => {
  const found: Recent[] = [];
  const { at } = ledger.moment();
  for (const filter of filters) {
    for await (const charge of walkCharges(ledger, filter)) {
      const { id, about } = charge;
      const { payment, readAt = 0 } = moneyKnown(charge) ?? {};
      if (payment === 'expired' && at - endedAt(charge) > LATE_FOR_MS) continue;
      found.push({ id, about, isDue: at - readAt > READ_WITHIN_MS, listed: listedAs(charge) });
    }
  }
  return found;
};

/** Finds those to read by themselves: not read for a while, or changed in the service's list. */
const changedOf = async (recent: readonly Recent[], { client, io }: Run): Promise<readonly Recent[]> => {
  const some = recent.filter(({ isDue }) => !isDue);
  const changed =
    some.length === 0
      ? undefined
      : await changedAmong(some, ({ listed }) => listed, await client('read'), io.signals.stop);
  return recent.filter((one) => one.isDue || changed?.has(one));
};

/**
 * Yields each chosen entry once: a charge that was unknown at first may be open when the filters find it. Those that need
 * no read are only counted. `failed` gets the error of a failed read of the list.
 */
async function* entriesToCheck(
  ledger: Ledger,
  { entries, filters, recent }: Chosen,
  run: Run,
  count: (charge: Charge) => void,
  failed: PayError[],
): AsyncGenerator<Entry> {
  // Found first: those that this run finds paid need no second read.
  const settled = await recentOnes(ledger, recent);
  yield* entries;
  const known = new Set(entries.map(({ id }) => id));
  for (const filter of filters) {
    for await (const charge of walkCharges(ledger, filter)) {
      if (known.has(charge.id)) continue;
      // A code to dial may stay open for ever.
      const wasLeft = readAfterEnd(charge) > OPEN_FOR_MS + LATE_FOR_MS;
      if (wasLeft && filter.job === undefined) count(charge);
      else yield charge;
    }
  }
  try {
    for (const { id } of await changedOf(settled, run)) {
      const charge = await ledger.get(id);
      if (charge !== undefined && !known.has(id)) yield charge;
    }
  } catch (thrown) {
    failed.push(readFailureOf(thrown));
  }
}

/** Reads the payment request of an unknown charge, and resolves the charge if that proves its outcome. */
const settleUnknown = async (
  ledger: Ledger,
  charge: Charge,
  client: Client,
): Promise<Omit<StillUnknown, 'entry'> | undefined> => {
  let failure: PayError | undefined;
  const look = async ({ about }: Charge): Promise<RequestRead> => {
    try {
      const record = await client.call('ugwo.get', { params: { uid: about } });
      return snapshotOf(record.value, record);
    } catch (thrown) {
      if (!(thrown instanceof PayError) || (thrown.kind !== 'read_failed' && !isRejected(thrown))) throw thrown;
      failure = thrown;
      const { status } = thrown.detail;
      return { unavailable: thrown.message, ...(status === undefined ? {} : { status }) };
    }
  };
  const { left } = await reconcile(ledger, charge, look);
  // A read that may succeed later slows the others down.
  if (left?.why === 'unreadable' && failure !== undefined) throw failure;
  return left;
};

const openFound = () => ({
  sums: openSums(SYNCED),
  unknown: [] as Entry[],
  /** Unknown entries with a reason; the others could not be read. */
  left: [] as StillUnknown[],
  /** No longer unknown. */
  resolved: [] as Entry[],
  /** Of payment requests that were paid twice. */
  twice: [] as Entry[],
  disputed: [] as Entry[],
  done: 0,
  elsewhere: 0,
  /** The service does not show them. */
  hidden: 0,
  /** Not created before this run. */
  unmade: 0,
});
type Found = ReturnType<typeof openFound>;

const checkWith = (ledger: Ledger, scope: Scope, found: Found, run: Run) => {
  const [client, isOwn] = [memo(() => run.client('read')), isInScope(scope)];
  const leftOf = async (entry: Entry): Promise<Omit<StillUnknown, 'entry'> | undefined> => {
    if (entry.state === 'sending') return { why: 'sending' };
    if (!isOwn(entry)) return { why: 'elsewhere' };
    return isCharge(entry) ? settleUnknown(ledger, entry, await client()) : { why: 'unseen' };
  };
  return async (entry: Entry): Promise<void> => {
    if (isUndecided(entry.state)) {
      const left = await leftOf(entry);
      if (left !== undefined) found.left.push({ entry, ...left });
    } else if (paymentIn(entry) !== undefined) {
      if (!isOwn(entry)) found.elsewhere += 1;
      else if (!(await refreshCharge(ledger, entry, await client()))) found.hidden += 1;
    }
  };
};

/** Counts an entry as it is after its check. */
const countEnd = (found: Found, before: Entry, now: Entry, payment: Payment | undefined): void => {
  found.done += 1;
  if (now.money?.isPaidTwice === true) found.twice.push(now);
  if (isDisputed(now)) found.disputed.push(now);
  if (isUndecided(before.state) && !isUndecided(now.state)) found.resolved.push(now);
  if (payment !== undefined) found.sums.add(now, payment);
  else if (isUndecided(now.state)) {
    found.unknown.push(now);
    found.sums.add(now, 'unknown');
  } else if (now.state === 'not_created' && isUndecided(before.state)) found.sums.add(now, 'not_created');
  else found.unmade += 1;
};

const chargesCount = (number: number): string => (number === 1 ? '1 charge' : `${number} charges`);

const noticesOf = ({ done, elsewhere: others, hidden, unmade }: Found): string[] => [
  ...(done === 0 ? ['No charge is open or unknown.'] : []),
  ...(others > 0 ? [`${chargesCount(others)} of another service or workspace: not checked.`] : []),
  ...(hidden > 0 ? [`${chargesCount(hidden)} not shown by the service: counted as last seen.`] : []),
  ...(unmade > 0
    ? [`${chargesCount(unmade)} ${unmade === 1 ? "was not made and isn't" : "were not made and aren't"} in this total.`]
    : []),
];

/** Error of a run that left entries unknown: exit 6, with the next step for each reason. */
const unknownError = ({ unknown, left }: Found, failures: readonly PayError[], run: Leaving): PayError => {
  const [only] = unknown.length === 1 ? unknown : [];
  const message =
    only === undefined
      ? `${countText(unknown)} are still unknown`
      : `${only.id} is still ${only.state === 'sending' ? 'being sent' : 'unknown'}`;
  const [failure] = failures;
  const lines = [
    ...unknownLines(
      left.toSorted((a, b) => a.entry.seq - b.entry.seq),
      run,
    ),
    ...(failure === undefined
      ? []
      : [`couldn't check ${chargesCount(failures.length)}: ${failure.message}; run \`${run.command('sync')}\` again`]),
  ];
  return new PayError('unknown', message, {
    hint: lines.join('\n'),
    ...(only === undefined ? {} : { ledgerId: only.id }),
  });
};

/** Error of a run after which charges are disputed: exit 14, with a person's next step for each. */
const stillDisputed = ({ disputed }: Found, { command }: Leaving): PayError | undefined => {
  if (disputed.length === 0) return undefined;
  const lines = disputed.map(({ id, about, money }) => {
    const shown = statusWord(money?.disputed?.payment ?? 'open');
    const resolve = command('resolve', id, '--as', 'paid');
    return `${id} (${about}) was paid, and is now shown as ${shown}, but not that this is newer; check it in the service's dashboard, then run \`${resolve}\`, or \`--as reversed\``;
  });
  const are = disputed.length === 1 ? 'is' : 'are';
  return new PayError('attention', `${chargesCount(disputed.length)} ${are} disputed`, { hint: lines.join('\n') });
};

const endedBy = (failures: readonly PayError[]): PayError | undefined =>
  failures.find(({ kind }) => kind === 'interrupted' || kind === 'auth');

/** The error of what could not be read; undefined if everything was. */
const unreadError = (failures: readonly PayError[]): PayError | undefined => {
  const ended = endedBy(failures);
  if (ended !== undefined) return ended;
  const [failure, ...more] = failures;
  if (failure === undefined || more.length === 0) return failure;
  return new PayError('read_failed', `couldn't check ${chargesCount(failures.length)}: ${failure.message}`, {
    ...failure.detail,
    hint: 'the others are recorded; run the same command again',
  });
};

interface Synced {
  readonly result: Result;
  /** Why not everything was read. */
  readonly unread: PayError | undefined;
}

/** Resolves unknown charges, checks open ones, and sums up the outcomes of all of them. */
export const runSync = async (ids: readonly string[], run: Run): Promise<Synced> => {
  const [ledger, place] = [await run.ledger(), await run.target()];
  const command = (...words: readonly string[]): string => commandLine(run.globals, 'ledger', ...words);
  const leaving: Leaving = { command, now: run.io.clock.now(), place };
  const scope = { service: place.service, workspace: place.workspace };
  const chosen = ids.length > 0 ? await namedOnes(ledger, ids, run) : await ownOnes(ledger, scope, leaving, run);
  const progress = await openRunProgress(run);
  const { stop } = run.io.signals;
  const found = openFound();
  const check = checkWith(ledger, scope, found, run);
  const checked = async (before: Entry): Promise<void> => {
    const now = (await ledger.get(before.id)) ?? before;
    const [earlier, payment] = [paymentIn(before), paymentIn(now)];
    const isNewlyTwice = now.money?.isPaidTwice === true && before.money?.isPaidTwice !== true;
    const isSame = earlier === payment && !isNewlyTwice && !isDisputed(before) && !isDisputed(now);
    // A charge that was final already is counted only after a change, unless it was named.
    const isOld = ids.length === 0 && isSame && earlier !== undefined && PAYMENTS[earlier].final;
    if (!isOld) countEnd(found, before, now, payment);
    progress.reading(found.done);
  };
  const unlisted: PayError[] = [];
  let failures: PayError[] = [];
  try {
    const count = (charge: Charge): void => countEnd(found, charge, charge, paymentIn(charge));
    const rows = entriesToCheck(ledger, chosen, run, count, unlisted);
    const ran = await checkCharges({ ...run.io, stop, rows, check, checked });
    failures = [...ran.failures, ...unlisted];
    // A signal also interrupts a running read.
    if (ran.stopped === 'signal' || failures.some(({ kind }) => kind === 'interrupted')) {
      const saved = found.done === 0 ? undefined : 'the results so far are in the ledger';
      failures.unshift(interrupted(stop.reason, saved));
    }
  } finally {
    await progress.end();
  }
  const twice = paidTwiceLines(found.twice);
  for (const text of [...resolvedLines(found.resolved, leaving), ...noticesOf(found), ...twice]) await run.say(text);
  const unread = unreadError(failures);
  const isUnknown = found.unknown.length > 0 && endedBy(failures) === undefined;
  const failure = isUnknown ? unknownError(found, failures, leaving) : (unread ?? stillDisputed(found, leaving));
  const result: Result = {
    kind: 'list',
    pages: pageOf(found.sums.all().map(sumRecord)),
    view: paymentSumsView,
    saysEmpty: true,
    failure,
  };
  return { result, unread };
};

export const syncLedger = async ({ ids }: { readonly ids: readonly string[] }, run: Run): Promise<Result> =>
  (await runSync(ids, run)).result;
