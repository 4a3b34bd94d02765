import type { RowDeps } from '../../bulk/kind.ts';
import { sendAnew, tooOld } from '../../charge/age.ts';
import { charge } from '../../charge/charge.ts';
import { mediumNamed } from '../../charge/mediums.ts';
import { isStepUnreadable, missingPart, PAYMENTS, paymentShown } from '../../charge/payment.ts';
import { openByOther } from '../../charge/refused.ts';
import type { Client } from '../../client/client.ts';
import { openRowServices } from '../../compose/run.ts';
import type { Resource as Activity } from '../../contract/proof.ts';
import { about, statusOf } from '../../core/charge.ts';
import { PayError, usageError } from '../../core/error.ts';
import { canAsk, namingFlags } from '../../core/input.ts';
import type { ApiRecord } from '../../core/record.ts';
import type { PassOn, Result, View } from '../../core/result.ts';
import { isSameRef } from '../../core/text.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Refused } from '../../ledger/ledger.ts';
import type { Snapshot } from '../../ledger/snapshot.ts';
import { openFollowing } from '../activity/follow-shared.ts';
import { chargeFailed, notWaitedFor, stepUnreadable, type WaitOptions, waitedOf } from '../activity/followed-shared.ts';
import { activityView } from '../activity/view.ts';
import { checkShare, previewCall, refuseRenamed } from '../record.ts';
import type { PlannedCharge, Run } from '../run.ts';
import { elsewhereText, showPlan } from './charge-plan.ts';
import { openReuse } from './charge-reuse.ts';
import {
  chargeData,
  clockNote,
  describedCharge,
  flagOf,
  guardedBy,
  guessFor,
  type Looked,
  lookBeforeCharge,
  refusedCharge,
  viewOf,
} from './charge-send.ts';
import type { ChargeSharing } from './charge-share.ts';
import type { ChargeInput, OneCharge } from './charge-spec.ts';
import { chargesView } from './view.ts';

/** The activity of the run: created or reused. */
interface Made {
  readonly record: ApiRecord<Activity>;
  /** Ledger id of the charge; undefined if another client made it. */
  readonly id?: string | undefined;
  readonly view: View;
  readonly wrote?: true;
  /** The missing sum that the customer has to pay, if it is the rest alone. */
  readonly missing?: number | undefined;
  /** Error if the ledger could not record the charge. */
  readonly unrecorded?: PayError;
}

/** Asks or warns once about an earlier charge of the payment request at another origin: one service may have two names. */
const askElsewhere = ({ ask, say, io }: Run) => {
  const asked = new Set<string>();
  return async (earlier: Entry): Promise<void> => {
    if (asked.has(earlier.id)) return;
    asked.add(earlier.id);
    const said = elsewhereText(earlier);
    if (canAsk(io, { input: true })) await ask([`${said} Charge it here, too?`], 'go ahead');
    else await say(said);
  };
};

/**
 * Asks before a charge beside one by another medium that the customer can still pay; --yes doesn't answer. Resolves to
 * that one's activity if a person wants both, and to undefined if nobody can be asked.
 */
const askBeside = async (refused: Refused, { ask, io, globals }: Run): Promise<string | undefined> => {
  const { why, activity, intent } = refused;
  if (why !== 'other_medium' || activity === undefined || !canAsk(io, globals)) return undefined;
  const [open = '', ...details] = openByOther(refused);
  const question = `Charge it by ${intent.medium}, too? The customer may pay both.`;
  await ask([`${intent.about}: ${open}`, ...details, question], 'only a person');
  return activity.uid;
};

/** Throws if a payment request asks for anything else than when its charge was planned. */
const refuseChanged = (ugwo: string, { asked }: PlannedCharge, shown: Snapshot | undefined): void => {
  const isSame = (['amount', 'currency', 'customer'] as const).every((name) => asked[name] === shown?.asked[name]);
  if (isSame && isSameRef(asked.ref, shown?.asked.ref)) return;
  throw new PayError('refused', `${ugwo} was not charged: it has changed since the charge was planned`, {
    hint: 'plan it again',
  });
};

/**
 * Charges, unless an earlier charge blocks it. Then resolves to that charge's activity with --reuse, or throws the
 * guard's refusal.
 */
const makeCharge = async (
  input: OneCharge,
  client: Client,
  run: Run,
  sharing: ChargeSharing | undefined,
): Promise<Made> => {
  const { io } = run;
  const ledger = await run.ledger();
  const rowDeps: RowDeps = { client, ledger, place: await run.target(), io };
  const { ugwo, name, earlier, plan } = input;
  const beside: string[] = [];
  const onElsewhere = askElsewhere(run);
  return sendAnew(async (tries): Promise<Made> => {
    const data = (now: number) => chargeData(input, now);
    let looked: Looked | undefined;
    const reuse = earlier === 'reuse' ? openReuse(data(io.clock.now()), () => looked, rowDeps, run) : undefined;
    const charged = await charge(
      {
        ugwo,
        data,
        ...guardedBy(earlier),
        evidence: sharing?.evidence(),
        beside,
        tries,
        onElsewhere,
        ...(plan && { row: { job: plan.id, number: 1, retry: false } }),
        look: async () => {
          const since = ledger.moment();
          looked = input.look ? await lookBeforeCharge(ugwo, client, run, run.say) : undefined;
          sharing?.refuseLacking(ugwo, looked?.record.value);
          if (input.passOn.share) await sharing?.readNames(looked?.record.value, client);
          refuseRenamed('ugw', { uid: ugwo, name }, looked?.shown.asked.ref);
          if (plan !== undefined) refuseChanged(ugwo, plan, looked?.shown);
          return looked === undefined ? {} : { since, shown: looked.shown, askedAt: looked.shown.askedAt };
        },
        onRefused: async (refused) => {
          const open = await askBeside(refused, run);
          if (open === undefined) return reuse?.onRefused(refused);
          beside.push(open);
          // The person may have taken long to answer.
          throw tooOld();
        },
        onSend: async ({ shown }) => {
          const note = clockNote(input, shown, io.clock.now());
          if (note !== undefined) await run.say(note);
          if (shown && io.stderr.isTerminal && !run.state.hasShown)
            await run.say(`Charging ${describedCharge(ugwo, shown)}`);
        },
      },
      rowDeps,
    );
    const shown = { view: viewOf(looked?.shown), missing: missingPart(looked?.shown.facts) };
    if (charged.kind === 'refused') {
      const record = reuse?.reused();
      if (record === undefined) throw refusedCharge(charged, data(io.clock.now()), rowDeps);
      return { record, id: charged.by?.id, ...shown };
    }
    const { id, record, odd, unrecorded } = charged;
    for (const what of odd) await run.say(`note: ${what}`);
    return { ...shown, record: record as Made['record'], id, wrote: true, ...(unrecorded && { unrecorded }) };
  }, io);
};

const chargeEnd = ({ record: { value }, id }: Made, medium: string): { notice?: string; failure?: PayError } => {
  const status = statusOf(value);
  if (PAYMENTS[paymentShown(value)].frees) {
    const failure = chargeFailed(value, medium);
    return { failure: id === undefined ? failure : failure.with({ ledgerId: id }) };
  }
  if (status !== 'processing') return {};
  const next =
    mediumNamed(medium)?.step === 'approve' ? 'usually has to approve it on the phone' : 'has nothing more to do';
  return { notice: `The provider has the charge; the customer ${next}.` };
};

/** Error of a created charge that the customer can't be given as it is; undefined if there is none. */
const troubleOf = ({ record, id, unrecorded }: Made): PayError | undefined => {
  if (unrecorded !== undefined) return unrecorded.with(about(record.value));
  if (!isStepUnreadable(record.value)) return undefined;
  const unreadable = stepUnreadable(record);
  return id === undefined ? unreadable : unreadable.with({ ledgerId: id });
};

/**
 * Result that shares the message, and then waits up to `limit` milliseconds for the payment. Does not wait if a signal
 * arrived before.
 */
const waiting = (
  shown: Pick<Made, 'record' | 'view' | 'wrote'> & { readonly passOn: PassOn },
  input: OneCharge,
  limit: number,
  share: () => Promise<PayError | undefined>,
  client: Client,
  run: Run,
): Result => {
  const { record, wrote } = shown;
  const params = { ugwoUid: input.ugwo, activityUid: record.value.uid };
  const options: WaitOptions = { ugwoUid: input.ugwo, limit, place: run.globals, made: wrote === true };
  const { stop } = run.io.signals;
  const stopped = () =>
    wrote === true && stop.aborted && paymentShown(record.value) === 'open'
      ? notWaitedFor(record.value, String(stop.reason), options)
      : undefined;
  return {
    kind: 'wait',
    ...shown,
    wait: async (tell) => {
      const failure = (await share()) ?? stopped();
      if (failure !== undefined) return { record, failure };
      const { end } = openFollowing({ params, known: record, limit }, { client, io: run.io, observe: run.observe });
      return waitedOf(await end(tell), options, { client, observe: run.observe });
    },
  };
};

/** Charges a payment request (docs/service.md, Activities) under the ledger protocol: one activity, sent once. */
const chargeOne = async (input: OneCharge, run: Run): Promise<Result> => {
  const data = chargeData(input, run.io.clock.now());
  const call = { params: { ugwoUid: input.ugwo }, body: { type: 'charge', data } };
  try {
    checkShare(input.passOn, run.globals);
    const sharing = await openSharing(input, run);
    const impossible = sharing?.impossible(data['medium']);
    if (impossible !== undefined) throw usageError(`--share-template: ${impossible}`);
    if (run.globals.asCurl || (run.globals.dryRun && !input.look)) return await previewCall('ugwo.charge', call, run);
    if (run.globals.dryRun) return await showPlan(input, run, sharing);
    const client = await run.client('write');
    // A request that fails the local check leaves no entry in the ledger.
    client.check('ugwo.charge', call);
    const made = await makeCharge(input, client, run, sharing);
    const { record, view, wrote, id, missing } = made;
    const { wait } = input;
    const passOn = sharing?.printing(input.passOn) ?? input.passOn;
    const shown = { record, view, passOn, ...(wrote && { wrote }) };
    const trouble = troubleOf(made);
    if (trouble !== undefined) return { kind: 'record', ...shown, failure: trouble };
    const share = async () => sharing?.one(record.value, { id, isNew: wrote === true, rest: missing }, client);
    if (wait !== undefined) return waiting(shown, input, wait, share, client, run);
    const end = chargeEnd(made, String(data['medium']));
    return { kind: 'record', ...shown, ...end, ...(sharing && { after: share }) };
  } catch (thrown) {
    throw namingFlags(thrown, flagOf(input), guessFor(data));
  }
};

/** Undefined without a program, a template and a zone for the message. */
const openSharing = async (input: ChargeInput, run: Run): Promise<ChargeSharing | undefined> =>
  (input.shareWith ?? input.passOn.shareTemplate ?? input.passOn.shareZone) === undefined
    ? undefined
    : (await import('./charge-share.ts')).openChargeSharing(input, run);

export const chargedView = ({ kind }: ChargeInput): View => (kind === 'one' ? activityView : chargesView);

export const chargeRequests = async (input: ChargeInput, run: Run): Promise<Result> => {
  if (input.kind === 'one') return chargeOne(input, run);
  const sharing = await openSharing(input, run);
  const [{ chargeKind }, { runFile }] = [await import('./charge-kind.ts'), await import('../../bulk/run-file.ts')];
  return runFile(input.bulk, chargeKind(input, run, sharing), chargesView, run, await openRowServices(run));
};
