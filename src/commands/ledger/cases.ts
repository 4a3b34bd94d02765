import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isUndecided } from '../../charge/payment.ts';
import { foldersOf } from '../../compose/run.ts';
import { realMachine } from '../../config/machine.ts';
import { CHARGE, REFUND } from '../../core/charge.ts';
import { commandLine, ownerTarget } from '../../core/input.ts';
import { shellLine } from '../../core/shell.ts';
import { QUEUE_FILE_NAME } from '../../core/webhook-event.ts';
import { CASE_RULES, CASES, type Case, judgeCases, type RequestSeen, requestSeen } from '../../ledger/cases.ts';
import { type Entry, isCharge, isInScope, type Scope } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { operatorOf } from '../../ledger/sender.ts';
import { sharedOf } from '../../ledger/share.ts';
import { paymentIn } from '../../ledger/transitions.ts';
import type { Run } from '../run.ts';
import { findApproval } from './entries.ts';
import { countRows } from './view.ts';

const readRequest = async (ledger: Ledger, charge: Entry): Promise<RequestSeen> => {
  const { about, service, money } = charge;
  const all = await ledger.list({ about, service, kind: CHARGE, limit: -1 });
  const paying = [...(money?.surplus ?? []).map((one) => one.activity), ...all.map((one) => one.activity?.uid)];
  const refunds: Entry[] = [];
  for (const activity of new Set(paying)) {
    if (activity === undefined) continue;
    refunds.push(...(await ledger.list({ about: activity, kind: REFUND, states: ['accepted'], limit: -1 })));
  }
  return requestSeen(charge, all, refunds);
};

/** Cases of the entries in a scope. Most rules leave out those that started before `since`. */
const entryCases = async (ledger: Ledger, scope: Scope, since: number): Promise<Case[]> => {
  const now = ledger.moment();
  const cases: Case[] = [];
  const seen = new Set<string>();
  for (const { filter } of Object.values(CASE_RULES.request)) {
    for (const charge of await ledger.list({ ...scope, ...filter(since), limit: -1 })) {
      const name = `${charge.service} ${charge.about}`;
      if (!seen.has(name)) cases.push(...judgeCases('request', await readRequest(ledger, charge), now));
      seen.add(name);
    }
  }
  for (const { filter } of Object.values(CASE_RULES.refund)) {
    for (const refund of await ledger.list({ ...scope, ...filter(since), limit: -1 })) {
      const { about, service, seq } = refund;
      const [charge] = await ledger.list({ activities: [about], service, limit: 1 });
      const later = await ledger.list({ about, service, kind: REFUND, after: seq, limit: -1 });
      cases.push(...judgeCases('refund', { refund, charge, later }, now));
    }
  }
  const unknown = (await ledger.unknown()).filter(isInScope(scope));
  // An account is usually open for a quarter of an hour: older ones don't expire soon.
  const open = (await ledger.list({ ...scope, payments: ['open'], limit: 1000 })).filter(isCharge);
  const messages = open.map((charge) => ({ charge, ...sharedOf(charge, ledger) }));
  return [
    ...cases,
    ...unknown.flatMap((entry) => judgeCases('outcome', entry, now)),
    ...messages.flatMap((facts) => [...judgeCases('message', facts, now), ...judgeCases('account', facts, now)]),
  ];
};

const approvalCases = async (ledger: Ledger, scope: Scope, since: number): Promise<Case[]> => {
  const cases: Case[] = [];
  for (const approval of await ledger.policies.waiting(since)) {
    const job = await ledger.jobs.get(approval.job);
    if (job === undefined || !isInScope(scope)({ ...job, workspace: undefined })) continue;
    const found = judgeCases('approval', { approval, job, operator: operatorOf(ledger) }, ledger.moment());
    const isWaiting = found.length > 0 && (await findApproval(ledger, job, await countRows(ledger, job))) !== undefined;
    if (isWaiting) cases.push(...found);
  }
  return cases;
};

const webhookCases = async (ledger: Ledger, run: Run): Promise<Case[]> => {
  const { data } = await foldersOf(run);
  if (!existsSync(join(data, QUEUE_FILE_NAME))) return [];
  const queue = (await import('../../webhook/queue.ts')).openQueue(data, realMachine.uid);
  const waiting = queue.waiting();
  queue.close();
  return judgeCases('queue', waiting, ledger.moment());
};

/** The line of a command: for the target of the run, or with `allProfiles` for that of the owner. */
const caseLine = (words: readonly string[], owner: Case['owner'], allProfiles: boolean, { globals }: Run): string => {
  if (owner === undefined) return shellLine(['paycli', ...words]);
  return commandLine(allProfiles ? ownerTarget(owner) : globals, ...words);
};

/** Finds the cases of a scope, the gravest first, with the profile of each and the line of its command. */
export const findCases = async (scope: Scope, since: number, allProfiles: boolean, run: Run) => {
  const ledger = await run.ledger();
  const cases = [
    ...(await entryCases(ledger, scope, since)),
    ...(await approvalCases(ledger, scope, since)),
    ...(await webhookCases(ledger, run)),
  ];
  return cases
    .sort((a, b) => CASES.indexOf(a.kind) - CASES.indexOf(b.kind))
    .map(({ owner, words, ...one }) => ({
      ...one,
      profile: owner?.profile ?? owner?.origin,
      command: words && caseLine(words, owner, allProfiles, run),
    }));
};

export type ShownCase = Awaited<ReturnType<typeof findCases>>[number];

/** The line of the next command for an entry in any state. */
export const nextCommand = async (entry: Entry, allProfiles: boolean, run: Run): Promise<string> => {
  const ledger = await run.ledger();
  const [now, isOpen] = [ledger.moment(), paymentIn(entry) === 'open'];
  const isKnown = isCharge(entry) && !isUndecided(entry.state) && !isOpen;
  const [found] = isKnown
    ? judgeCases('request', await readRequest(ledger, entry), now)
    : judgeCases('outcome', entry, now);
  return caseLine(found?.words ?? ['ledger', isOpen ? 'sync' : 'show', entry.id], entry, allProfiles, run);
};
