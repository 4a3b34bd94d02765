import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isUndecided, isUnpaid, sum } from '../../charge/payment.ts';
import { partText, refundWords } from '../../charge/words.ts';
import { foldersOf } from '../../compose/run.ts';
import { realMachine } from '../../config/machine.ts';
import { CHARGE, kindWord, REFUND } from '../../core/charge.ts';
import { canBeName } from '../../core/ids.ts';
import { ownerFlags, targetFlags } from '../../core/input.ts';
import { formatMoney, sumsText } from '../../core/money.ts';
import { shellLine } from '../../core/shell.ts';
import { statusWord } from '../../core/status.ts';
import { formatDuration, formatLocal, MINUTE_MS } from '../../core/time.ts';
import { QUEUE_FILE_NAME } from '../../core/webhook-event.ts';
import { codeOpenFor, payableFor } from '../../ledger/clock.ts';
import { type Entry, isCharge, isInScope, type RequestTerms, type Scope } from '../../ledger/entry.ts';
import { hasFailed } from '../../ledger/guard.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { isPlan, PLAN_VALID_MS } from '../../ledger/policy.ts';
import { operatorOf } from '../../ledger/sender.ts';
import { sharedOf } from '../../ledger/share.ts';
import { isDisputed, moneyKnown, paymentIn } from '../../ledger/transitions.ts';
import type { Run } from '../run.ts';
import { findApproval } from './entries.ts';
import { type CASES, countRows } from './view.ts';

/** Something that waits for a person. Instants are milliseconds since the epoch. */
export interface Case extends Pick<RequestTerms, 'ref' | 'amount' | 'currency'> {
  readonly kind: (typeof CASES)[number];
  readonly profile?: string | undefined;
  readonly ugwo?: string | undefined;
  readonly since: number;
  /** Undefined if nothing can be done. */
  readonly command: string | undefined;
  readonly what: string;
  /** True if it needs a person; the others are only shown. */
  readonly isDue: boolean;
}

const SOON_MS = 5 * MINUTE_MS;

/**
 * The charges of an entry's payment request, and its money. `unseen`: refunds of this ledger that no answer shows yet, of
 * one activity or of all.
 */
const requestOf = async (ledger: Ledger, { about: request, service, money }: Entry) => {
  const all = await ledger.list({ about: request, service, kind: CHARGE, limit: -1 });
  const shown = new Map(all.map((one) => [one.activity?.uid, moneyKnown(one)]));
  const unseen = new Map<string, number>();
  for (const about of new Set([...(money?.surplus ?? []).map(({ activity }) => activity), ...shown.keys()])) {
    if (about === undefined) continue;
    const refunds = await ledger.list({ about, kind: REFUND, states: ['accepted'], limit: -1 });
    // A refund without an amount pays everything back.
    const made = sum(refunds.filter((one) => !hasFailed(one)).map(({ asked }) => asked?.amount ?? Infinity));
    unseen.set(about, Math.max(0, made - (shown.get(about)?.refunded ?? 0)));
  }
  const left = sum([...shown.values()].map((one) => (one?.received ?? 0) - (one?.refunded ?? 0)));
  return { all, unseen, left: left - sum([...unseen.values()]) };
};
type Request = Awaited<ReturnType<typeof requestOf>>;

/** Judges entries, and proposes commands: for the target of the run, or with `allProfiles` for that of each entry. */
export const judgesOf = (ledger: Ledger, run: Run, allProfiles: boolean) => {
  const moment = ledger.moment();
  const at = (ms: number): string => `since ${formatLocal(ms, moment.at)}`;
  const line = (owner: Pick<Entry, 'profile' | 'origin'>, ...words: readonly string[]): string =>
    shellLine(['paycli', ...words, ...(allProfiles ? ownerFlags(owner) : targetFlags(run.globals))]);
  /** Names the payment request by its ref, if that is a plain word: people know it, and a narrow terminal shows it whole. */
  const charging = (entry: Entry, ...more: readonly string[]): string => {
    const { ref = '' } = entry.asked ?? {};
    const isName = /^\w[\w-]*$/.test(ref) && canBeName('ugw', ref);
    return line(entry, 'ugwo', 'charge', isName ? ref : entry.about, ...more);
  };
  const caseOf = (kind: Case['kind'], entry: Entry, more: Partial<Case> & Pick<Case, 'command'>): Case => {
    const { amount, currency, ref } = entry.asked ?? {};
    const what = amount === undefined ? '' : formatMoney(amount, currency ?? '');
    const own = { profile: entry.profile ?? entry.origin, ugwo: isCharge(entry) ? entry.about : undefined };
    return { kind, ...own, ref, amount, currency, since: entry.createdAt, what, isDue: true, ...more };
  };

  const paidTwice = (entry: Entry, { unseen }: Request): Case[] => {
    const { excess = 0, surplus = [], paidAt: since = entry.createdAt } = entry.money ?? {};
    const currency = entry.asked?.currency ?? '';
    const left = excess - sum([...unseen.values()]);
    const parts = surplus.map(({ activity, amount }) => ({ activity, due: amount - (unseen.get(activity) ?? 0) }));
    const text = (amount: number): string => `${formatMoney(amount, currency)} excess`;
    const cases = parts.flatMap(({ activity, due }) => {
      const amount = Math.min(due, left);
      const words = amount > 0 ? refundWords(activity, amount, currency) : undefined;
      const command = words && line(entry, ...words);
      return command === undefined ? [] : [caseOf('paid_twice', entry, { amount, since, command, what: text(amount) })];
    });
    if (cases.length > 0 || left <= 0) return cases;
    const what = `${text(left)}, can't be refunded`;
    return [caseOf('paid_twice', entry, { amount: left, since, command: undefined, what, isDue: false })];
  };

  /** A payment that brought more than was asked, and has not gone back. */
  const overpaid = (entry: Entry, { left }: Request): Case[] => {
    const { amount: asked = Infinity, currency = '' } = entry.asked ?? {};
    const amount = left - asked;
    if (paymentIn(entry) !== 'overpaid' || amount <= 0) return [];
    const words = refundWords(entry.activity?.uid ?? '', amount, currency);
    const what = `${formatMoney(amount, currency)} too much${words === undefined ? ", can't be refunded" : ''}`;
    const [since, command] = [entry.money?.paidAt ?? entry.createdAt, words && line(entry, ...words)];
    return [caseOf('overpaid', entry, { amount, since, command, what, isDue: words !== undefined })];
  };

  /** A refund that is disputed, or that has failed and was not sent again. */
  const returned = async (entry: Entry): Promise<Case[]> => {
    const { refund, about, service, asked: { amount, currency = '' } = {} } = entry;
    const [charge] = await ledger.list({ activities: [about], service, limit: 1 });
    const own = { ugwo: charge?.about, ref: charge?.asked?.ref, since: refund?.at ?? entry.createdAt };
    if (refund?.state === 'refund_disputed') {
      return [caseOf('refund_disputed', entry, { ...own, command: line(entry, 'refund', 'get', entry.id) })];
    }
    const all = await ledger.list({ about, service, kind: REFUND, after: entry.seq, limit: -1 });
    if (all.some(({ state }) => state === 'accepted' || isUndecided(state))) return [];
    const words = amount === undefined ? undefined : refundWords(about, amount, currency);
    return [
      caseOf('refund_failed', entry, { ...own, command: line(entry, ...(words ?? ['refund', 'create', about])) }),
    ];
  };

  /** True if a charge may still be paid, or nobody knows. */
  const isUnderWay = (one: Entry): boolean =>
    isUndecided(one.state) || (paymentIn(one) === 'open' && (payableFor(one, moment) ?? 1) > 0);

  const unpaid = (entry: Entry, { all, left }: Request): Case[] => {
    const { payment, missing, paidAt, reversed, readAt } = moneyKnown(entry) ?? {};
    const { amount: asked, currency = '' } = entry.asked ?? {};
    const isPart = payment === 'underpaid';
    const isOver = left >= (asked ?? Infinity) || missing === 0 || (isPart && left <= 0);
    if (isOver || !isUnpaid(entry.state, payment)) return [];
    if (all.some((one) => one.money?.requestStatus === 'cancelled' || isUnderWay(one))) return [];
    const command = charging(entry, ...(left > 0 ? ['--remaining'] : []));
    if (!isPart) return [caseOf('reversed', entry, { since: reversed?.at ?? readAt ?? entry.createdAt, command })];
    const part = asked === undefined ? {} : { amount: asked - left, what: partText(left, asked, currency) };
    return [caseOf('underpaid', entry, { since: paidAt ?? entry.createdAt, command, ...part })];
  };

  const disputed = (entry: Entry): Case => {
    const { payment = 'open', at: since = entry.createdAt } = entry.money?.disputed ?? {};
    const what = `was paid, then shown as ${statusWord(payment)}`;
    return caseOf('disputed', entry, { since, command: line(entry, 'ledger', 'sync', entry.id), what });
  };

  /** The case of a charge whose money is disputed, or came twice, too much, in part or not at all. */
  const judged = async (charge: Entry): Promise<Case[]> => {
    const request = await requestOf(ledger, charge);
    const unclear = request.all.filter(isDisputed);
    if (unclear.length > 0) return unclear.map(disputed);
    const twice = request.all.find(({ money }) => money?.isPaidTwice);
    return twice === undefined ? [...overpaid(charge, request), ...unpaid(charge, request)] : paidTwice(twice, request);
  };

  const unknown = (entry: Entry): Case => {
    // `ledger sync` settles charges alone.
    const [words, kind] = isCharge(entry) ? [['sync'], ''] : [['show', entry.id], `${kindWord(entry.kind)} `];
    return caseOf('unknown', entry, { command: line(entry, 'ledger', ...words), what: kind + at(entry.createdAt) });
  };

  /** The cases of an open charge: its message was not shared, or its account expires soon. */
  const opened = (entry: Entry): Case[] => {
    if (!isCharge(entry)) return [];
    const left = payableFor(entry, moment) ?? Infinity;
    if (Math.min(left, codeOpenFor(entry, moment) ?? left) <= 0) return [];
    const medium = ['--medium', entry.medium, ...(entry.provider === undefined ? [] : ['--provider', entry.provider])];
    const command = charging(entry, ...medium, '--reuse', '--share');
    const { why } = sharedOf(entry, ledger);
    const soon = (): Case =>
      caseOf('expires_soon', entry, { command, what: `in ${formatDuration(left)}`, isDue: false });
    return [
      ...(why === undefined ? [] : [caseOf('not_shared', entry, { command, what: why })]),
      ...(left > SOON_MS ? [] : [soon()]),
    ];
  };

  /** The next command for an entry in any state. */
  const stepFor = async (entry: Entry): Promise<string> => {
    const show = line(entry, 'ledger', 'show', entry.id);
    if (isUndecided(entry.state)) return unknown(entry).command ?? show;
    if (paymentIn(entry) === 'open') return line(entry, 'ledger', 'sync', entry.id);
    const [found] = isCharge(entry) ? await judged(entry) : [];
    return found?.command ?? show;
  };
  return { moment, at, line, judged, returned, unknown, opened, stepFor };
};

/** Finds the cases of a scope, the gravest first. */
export const findCases = async (scope: Scope, since: number, allProfiles: boolean, run: Run): Promise<Case[]> => {
  const ledger = await run.ledger();
  const { moment, at, line, judged, returned, unknown, opened } = judgesOf(ledger, run, allProfiles);

  const cases: Case[] = [];
  const seen = new Set<string>();
  const started = { since };
  for (const filter of [
    { disputed: true },
    { paidTwice: true },
    { payments: ['overpaid'], started },
    { payments: ['underpaid'], started },
    { payments: ['reversed'], started },
  ] as const) {
    for (const charge of await ledger.list({ ...scope, ...filter, limit: -1 })) {
      const name = `${charge.service} ${charge.about}`;
      if (!seen.has(name)) cases.push(...(await judged(charge)));
      seen.add(name);
    }
  }
  for (const filter of [{ payments: ['refund_disputed'] }, { payments: ['refund_failed'], started }] as const) {
    for (const refund of await ledger.list({ ...scope, ...filter, limit: -1 })) cases.push(...(await returned(refund)));
  }
  cases.push(...(await ledger.unknown()).filter(isInScope(scope)).map(unknown));

  for (const { job: id, askedAt, askedBy, total } of await ledger.policies.waiting(since)) {
    const job = await ledger.jobs.get(id);
    const isEnded = isPlan(id) && moment.at > askedAt + PLAN_VALID_MS;
    if (job === undefined || isEnded || !isInScope(scope)({ ...job, workspace: undefined })) continue;
    if ((await findApproval(ledger, job, await countRows(ledger, job))) === undefined) continue;
    const [[currency, amount] = [], ...others] = total.amounts;
    const sum = others.length > 0 || amount === undefined ? {} : { amount: Number(amount), currency };
    const own = { profile: job.profile ?? job.origin, ref: isPlan(id) ? 'plan' : job.name, since: askedAt };
    const what = `${sumsText(total.amounts) ?? `${total.rows} rows`}, by ${askedBy}`;
    const isDue = isPlan(id) || askedBy !== operatorOf(ledger);
    cases.push({ kind: 'approval', ...own, ...sum, command: line(job, 'approve', id), what, isDue });
  }

  const { data } = await foldersOf(run);
  if (existsSync(join(data, QUEUE_FILE_NAME))) {
    const queue = (await import('../../webhook/queue.ts')).openQueue(data, realMachine.uid);
    const { count, first } = queue.waiting();
    queue.close();
    // A listener forwards an event at once.
    if (first !== undefined && (first.attempts > 0 || moment.at - first.receivedAt >= MINUTE_MS)) {
      const command = shellLine(['paycli', 'webhook', 'events', 'list', '--state', 'waiting']);
      const what = `${count} wait ${at(first.receivedAt)}`;
      cases.push({ kind: 'webhooks', since: first.receivedAt, command, what, isDue: true });
    }
  }
  // An account is usually open for a quarter of an hour: older ones don't expire soon.
  const open = await ledger.list({ ...scope, payments: ['open'], limit: 1000 });
  const found = open.flatMap(opened);
  return [...cases, ...found.filter(({ isDue }) => isDue), ...found.filter(({ isDue }) => !isDue)];
};
