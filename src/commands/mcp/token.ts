import { timingSafeEqual } from 'node:crypto';
import { PayError } from '../../core/error.ts';
import { commandLine, ownerTarget } from '../../core/input.ts';
import { isGuarded } from '../../core/origin.ts';
import type { Result } from '../../core/result.ts';
import { DAY_MS, utcAtom } from '../../core/time.ts';
import type { LedgerTarget, RequestTerms } from '../../ledger/entry.ts';
import { newEntryId } from '../../ledger/guard.ts';
import type { NewJob } from '../../ledger/job.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { dayOf, isPlan, PLAN, PLAN_VALID_MS, sealedText, type Total } from '../../ledger/policy.ts';
import { operatorOf } from '../../ledger/sender.ts';
import type { Inner, Run } from '../run.ts';

/** The contents of a token: the arguments of the tool, and what a payment request asks for. */
export interface Sealed {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly given: unknown;
  readonly asked: Pick<RequestTerms, 'amount' | 'currency' | 'customer' | 'ref'>;
}

/** Code that only this ledger can compute. It is another one for another profile or service. */
const macOf = (text: string, { digest }: Pick<Ledger, 'digest'>, { profile = '', service }: LedgerTarget): string =>
  digest(JSON.stringify([PLAN, text, profile, service]));

/** A token is copied by a model, so it is short. */
const seal = ({ id, until, given, asked }: Sealed, ledger: Ledger, place: LedgerTarget): string => {
  const contents = [id, until, given, asked.amount, asked.currency, asked.customer, asked.ref];
  const text = Buffer.from(JSON.stringify(contents)).toString('base64url');
  return `${text}.${macOf(text, ledger, place)}`;
};

/**
 * The contents of a token that this ledger has made for this profile and service; undefined for any other text, of which
 * nothing is read.
 */
export const openSeal = (token: string, ledger: Ledger, place: LedgerTarget): Sealed | undefined => {
  const dot = token.lastIndexOf('.');
  const [text, mac] = [token.slice(0, dot), token.slice(dot + 1)];
  const [given, expected] = [Buffer.from(mac), Buffer.from(macOf(text, ledger, place))];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const contents = JSON.parse(Buffer.from(text, 'base64url').toString());
  const [id, until, tool, amount, currency, customer, ref] = contents;
  const asked = { amount, currency, customer: customer ?? undefined, ref: ref ?? undefined };
  return { id, until, given: tool, asked };
};

/** Opens a token before anything in it is used. `isRead` false: the ledger could not be asked, and `stderr` says why. */
export const openedToken = async (
  token: string,
  refused: (message: string) => PayError,
  run: (look: (run: Run) => Promise<Result>) => ReturnType<Inner>,
) => {
  let [sealed, isRead]: [Sealed | undefined, boolean] = [undefined, false];
  const { stderr } = await run(async (run) => {
    sealed = openSeal(token, await run.ledger(), await run.target());
    isRead = true;
    if (sealed === undefined) throw refused('the token is not valid for this profile');
    return { kind: 'text', text: '' };
  });
  return { sealed: sealed as Sealed | undefined, isRead, stderr };
};

/**
 * Throws unless a plan may be carried out now: in time, and at a live service approved by a person. `refused` makes the
 * error, and `tool` is the one that carries it out.
 */
export const checkPlan = async (
  { id, until }: Sealed,
  ledger: Ledger,
  place: LedgerTarget,
  refused: (message: string, hint?: string) => PayError,
  tool: string,
): Promise<void> => {
  if (ledger.moment().at > until) throw refused('the token has expired');
  if (!isGuarded(place.origin) || (await ledger.policies.approval(id))?.approvedBy !== undefined) return;
  const hint = `ask a person to type \`${commandLine(ownerTarget(place), 'approve', id)}\` on a terminal, then call ${tool} again`;
  throw refused('a person has to approve it first', hint);
};

/** Plans of a profile in a day. */
const MOST_PLANS = 200;

/** Throws if the profile has as many plans today as it may have. */
const checkCount = async ({ jobs }: Ledger, { profile }: LedgerTarget, at: number): Promise<void> => {
  const today = dayOf(at);
  let count = 0;
  let before: string | undefined;
  for (;;) {
    const found = await jobs.list({ profile, before, limit: MOST_PLANS });
    const recent = found.filter(({ createdAt }) => createdAt >= today);
    count += recent.filter(({ id }) => isPlan(id)).length;
    if (count >= MOST_PLANS) break;
    if (recent.length < MOST_PLANS) return;
    before = found.at(-1)?.id;
  }
  throw new PayError('refused', `nothing can be planned: there are ${MOST_PLANS} plans today`, {
    hint: 'the next day begins at 00:00 UTC; a person can charge with paycli',
  });
};

/** Records a plan, so that a person can approve it, and returns its token. Deletes those of earlier days. */
export const recordPlan = async (
  { kind, command, text, total }: Pick<NewJob, 'kind' | 'command'> & { readonly text: string; readonly total: Total },
  { given, asked }: Pick<Sealed, 'given' | 'asked'>,
  run: Run,
): Promise<object> => {
  const [ledger, place] = [await run.ledger(), await run.target()];
  const { service, origin, profile } = place;
  const [id, { at }] = [newEntryId(PLAN), ledger.moment()];
  await ledger.jobs.endPlans(at - DAY_MS);
  await checkCount(ledger, place, at);
  const name = sealedText(ledger, id, text);
  await ledger.jobs.open({ id, kind, command, name, service, origin, profile, rows: 1 }, 1);
  const until = at + PLAN_VALID_MS;
  const plan = { token: seal({ id, until, given, asked }, ledger, place), plan: id, expires_at: utcAtom(until) };
  if (!isGuarded(origin)) return plan;
  await ledger.policies.approve({ job: id, total, askedBy: operatorOf(ledger), askedAt: at });
  return { ...plan, approve: `a person types \`${commandLine(ownerTarget(place), 'approve', id)}\` on a terminal` };
};
