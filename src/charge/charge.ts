import { EXIT_CODES, PayError } from '../core/error.ts';
import { definedIn } from '../core/json.ts';
import { type Entry, evidenceOf, type Intent, type StoredOutcome } from '../ledger/entry.ts';
import type { Judged, Ledger, PlannedRows, Refused } from '../ledger/ledger.ts';
import { operatorOf } from '../ledger/sender.ts';
import { openAge, tooOld } from './age.ts';
import { type Failed, type Outcome, thrownAs } from './outcome.ts';
import type { ChargeRequest, ChargeRun, MakeRequest, Sent } from './request.ts';
import { rulesFor } from './rules.ts';
import { findOutStep } from './words.ts';

const failedOutcome = ({ certain, error }: Failed, row: ChargeRequest['row'], at: number): StoredOutcome => {
  const { status, exitCode, answer } = error.detail;
  const evidence = evidenceOf('answer', at, {
    message: row?.worded?.(error) ?? error.message,
    ...definedIn<unknown>({ status, answer }),
  });
  return { state: certain, exitCode: exitCode ?? EXIT_CODES[error.kind], evidence };
};

/**
 * Stores the outcome. Returns the ledger's error instead of throwing it, and the other charge that the activity already
 * belongs to, if any.
 */
const recordOutcome = async (
  ledger: Ledger,
  id: string,
  outcome: StoredOutcome,
): Promise<{ readonly owner?: Entry; readonly unrecorded?: PayError }> => {
  try {
    const owner = await ledger.record(id, outcome);
    return owner === undefined ? {} : { owner };
  } catch (thrown) {
    if (thrown instanceof PayError) return { unrecorded: thrown };
    throw thrown;
  }
};

/**
 * Charges, or sends another request that must not be made twice (docs/protocol.md, Order). The intent is on
 * the disk before it is sent, and the outcome before this returns or throws. Throws the error of a request that was not
 * accepted, with the ledger id added. Resolves to the refusal if the guard refuses. A dry run only asks the guard.
 */
export async function charge(
  request: ChargeRequest | MakeRequest,
  run: ChargeRun & { readonly planned: PlannedRows },
): Promise<Judged>;
export async function charge(request: ChargeRequest | MakeRequest, run: ChargeRun): Promise<Sent | Refused>;
export async function charge(request: ChargeRequest | MakeRequest, run: ChargeRun): Promise<Sent | Judged> {
  const { client, ledger } = run;
  const { again, row, tries = 0 } = request;
  const { now } = run.io.clock;
  let reading = (await request.look?.()) ?? {};
  for (;;) {
    if (run.planned === undefined) await client.pace?.turn?.();
    const isOverdue = openAge(reading, tries, run);
    if (run.planned === undefined && isOverdue()) throw tooOld();
    const { effect, ...rules } = rulesFor(request, reading, run);
    const intent: Intent = {
      ...run.place,
      ...rules.intent,
      operator: operatorOf(ledger),
      kind: effect.kind,
      bound: client.longestWrite,
      job: row?.job,
      row: row?.number,
    };
    const how = { ...rules.how, again, retry: row?.retry === true };
    const started = await (run.planned === undefined
      ? ledger.begin(intent, how)
      : ledger.judge(intent, how, run.planned));
    if (started.kind === 'clear') return started;
    if (started.kind === 'refused') {
      const shown = await request.onRefused?.(started);
      if (shown === undefined) return started;
      reading = { ...reading, shown };
      continue;
    }
    const { id, elsewhere } = started;
    const send = async (): Promise<Outcome> => {
      if (elsewhere !== undefined) await request.onElsewhere?.(elsewhere);
      // A person may have taken long to answer.
      if (elsewhere !== undefined && isOverdue()) throw tooOld();
      await request.onSend?.(reading);
      return rules.send(isOverdue);
    };
    const outcome = await send().catch((thrown: unknown) => thrownAs(thrown, effect));
    const stored = outcome.certain === 'accepted' ? rules.accepted(outcome.record) : failedOutcome(outcome, row, now());
    const { owner, unrecorded } = await recordOutcome(ledger, id, stored);
    if (outcome.certain === 'accepted') {
      const shared = owner === undefined ? [] : [`the answer names the activity of ${owner.id}, made earlier`];
      const odd = [...(stored.odd ?? []), ...shared];
      return { kind: 'accepted', id, record: outcome.record, reading, odd, ...(unrecorded && { unrecorded }) };
    }
    const { error } = outcome;
    const answer = unrecorded?.detail.answer;
    throw error.with({
      ledgerId: id,
      ...(error.kind === 'unknown' && { hint: `${effect.hint}; ${findOutStep(id, effect.kind)}` }),
      // A ledger that can't be written ends the sending.
      ...(unrecorded && { resendAfter: undefined }),
      ...(answer === undefined ? {} : { answer, unrecorded: true }),
    });
  }
}
