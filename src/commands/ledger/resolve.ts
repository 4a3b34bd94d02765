import { CHARGE, kindWord, REFUND } from '../../core/charge.ts';
import { type PayError, usageError } from '../../core/error.ts';
import { askText, canAsk } from '../../core/input.ts';
import type { Result } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import { formatLocal, utcAtom } from '../../core/time.ts';
import { type Entry, evidenceOf, type Resolution } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { operatorOf } from '../../ledger/sender.ts';
import { isDisputed, isRefundUnsettled, mayCorrect, wasResolved } from '../../ledger/transitions.ts';
import { entryRecord, entryView } from '../../records/entry.ts';
import type { Able } from '../names.ts';
import type { Run } from '../run.ts';
import { entryNamed } from './named.ts';
import type { ResolveInput } from './spec.ts';

const SETTLED: Readonly<Record<string, string>> = {
  sending: 'is still being sent: wait until that process ends',
  accepted: 'is already accepted',
  rejected: 'was rejected by the service',
  not_sent: 'was never sent',
  not_created: 'is already recorded as not created',
};

/** A `paycli ledger` command about an entry, for a hint. */
const lineFor = ({ id }: Entry, verb: string, ...words: readonly string[]): string =>
  shellLine(['paycli', 'ledger', verb, id, ...words]);

const notDisputed = (entry: Entry): PayError =>
  usageError(`${entry.id} is not disputed`, {
    hint: `--as paid and --as reversed are for disputed charges; see \`${lineFor(entry, 'show')}\``,
  });

/** Next step for an entry that a person found made, and whose money was seen since then. */
const movedHint = (entry: Entry): string => {
  const { kind } = entry;
  const resolve = (as: string): string => lineFor(entry, 'resolve', '--as', as);
  const [there, back] = kind === REFUND ? ['paid-back', 'failed'] : ['paid', 'reversed'];
  if (isDisputed(entry) || isRefundUnsettled(entry))
    return `say where the money is: \`${resolve(there)}\`, or \`${resolve(back)}\``;
  return kind === REFUND
    ? `see \`${lineFor(entry, 'show')}\``
    : `read it again: \`${lineFor(entry, 'sync')}\`; once an answer disputes the money, \`${resolve(back)}\` says that it went back`;
};

const notUnknown = (entry: Entry): PayError => {
  const { id, kind, state, activity } = entry;
  const named = activity === undefined ? '' : ` (${activity.uid})`;
  if (state === 'accepted' && wasResolved(entry)) {
    const seen = kind === REFUND ? 'its money went back' : 'the service has shown its money';
    return usageError(`${id} was created: ${seen}${named}`, { hint: movedHint(entry) });
  }
  return usageError(`${id} ${SETTLED[state] ?? `is ${state}`}${named}`, {
    hint: `only an unknown charge can be resolved; see \`${lineFor(entry, 'show')}\``,
  });
};

const checkOwner = async (ledger: Ledger, charge: Entry, activity: string | undefined): Promise<void> => {
  if (activity === undefined || activity === charge.activity?.uid || !(await ledger.owned([activity])).has(activity))
    return;
  throw usageError(`--activity ${activity} belongs to another charge in the ledger`, {
    hint: 'find it: `paycli ledger list --all-profiles --state accepted`',
  });
};

const reasonFor = async ({ reason }: ResolveInput, { io, globals }: Run): Promise<string> => {
  if (reason !== undefined) return reason.trim();
  if (canAsk(io, globals)) return askText(io.stdin, 'How do you know? ');
  throw usageError('a reason is required; nothing was changed', {
    hint: 'say how you know with --reason; it is kept with the charge',
  });
};

/** Describes the entry that the question is about. */
const introOf = ({ id, kind, about, medium, provider, phone, createdAt, evidence }: Entry, now: number): string => {
  const sent = `sent ${formatLocal(createdAt, now)}`;
  if (kind !== CHARGE) return `${id}: ${kindWord(kind)} for ${about}, ${sent}`;
  const whom = [provider, phone].filter((one) => one !== undefined).join(', ');
  const looks = evidence.filter((one) => one.kind === 'look').length;
  const looked = looks === 0 ? 'never checked' : `checked ${looks === 1 ? 'once' : `${looks} times`}`;
  return `${id}: ${about} by ${medium}${whom === '' ? '' : ` (${whom})`}, ${sent}, ${looked}`;
};

/** Consequences of each answer, for charges and other entries. */
const CONSEQUENCES = {
  charge: {
    created: (about: string) => `${about} then counts as charged.`,
    'not-created': (about: string) =>
      `${about} can then be charged again. If it was created after all, the customer may pay twice.`,
    paid: (about: string) => `${about} then stays paid.`,
    reversed: (about: string) =>
      `${about} can then be charged again. If the money is there after all, the customer may pay twice.`,
  },
  other: {
    created: () => 'It is then no longer unknown.',
    'not-created': (about: string, what: string) =>
      `Another ${what} for ${about} can then be sent. If it was created after all, there will be two.`,
  },
} as const;

type Unknown = ResolveInput & { readonly as: keyof (typeof CONSEQUENCES)['charge'] };

const resolveQuestion = ({ as, activity }: Unknown, { id, about, kind }: Entry): string => {
  const named = activity === undefined ? '' : ` (${activity})`;
  const then =
    kind === CHARGE || as === 'paid' || as === 'reversed'
      ? CONSEQUENCES.charge[as](about)
      : CONSEQUENCES.other[as](about, kindWord(kind));
  return `Record ${id} as ${as.replace('-', ' ')}${named}? ${then}`;
};

/** State of an entry after a person's word. */
const stateSaid = (as: Unknown['as']): Resolution['state'] => (as === 'created' ? 'accepted' : 'not_created');

const resolutionOf = (
  { as, activity }: Unknown,
  said: { readonly by: string; readonly reason: string; readonly at: number },
): Resolution => ({
  state: stateSaid(as),
  ...(activity !== undefined && { activity: { uid: activity, status: '', nextAction: null, createdAt: undefined } }),
  evidence: {
    kind: 'resolved',
    at: utcAtom(said.at),
    as: as.replace('-', '_'),
    by: said.by,
    reason: said.reason,
    ...(activity === undefined ? {} : { activity }),
  },
});

const ENDS = { 'paid-back': 'paid_back', failed: 'refund_failed' } as const;

/** Records how an open or disputed refund ended, by a person's word. */
const resolveRefund = async (
  refund: Entry,
  input: ResolveInput & { readonly as: keyof typeof ENDS },
  run: Run,
): Promise<Result> => {
  const ledger = await run.ledger();
  const { id, about } = refund;
  const notOpen = usageError(`${id} is no refund that is open or disputed`, {
    hint: 'see: `paycli refund list`',
  });
  if (!isRefundUnsettled(refund)) throw notOpen;
  await run.say(introOf(refund, run.io.clock.now()));
  const reason = await reasonFor(input, run);
  const then = input.as === 'failed' ? `${about} can then be refunded again.` : 'Its money then counts as paid back.';
  await run.ask([`Record ${id} as ${input.as.replace('-', ' ')}? ${then}`], 'refuse');
  const said = { as: input.as, by: operatorOf(ledger), reason };
  const state = ENDS[input.as];
  if (!(await ledger.settleRefund(id, state, evidenceOf('settled', run.io.clock.now(), said)))) throw notOpen;
  const now = (await ledger.get(id)) ?? refund;
  return { kind: 'record', record: entryRecord(now), view: entryView(now) };
};

const UNKNOWN: Able<Entry> = { one: 'unknown charge', can: ({ state }) => state === 'unknown' };
const DISPUTED: Able<Entry> = { one: 'disputed charge', can: isDisputed };
const UNSETTLED_REFUND: Able<Entry> = { one: 'unsettled refund', can: isRefundUnsettled };

const RESOLVES: Readonly<Record<ResolveInput['as'], Able<Entry>>> = {
  created: UNKNOWN,
  'not-created': UNKNOWN,
  paid: DISPUTED,
  reversed: DISPUTED,
  'paid-back': UNSETTLED_REFUND,
  failed: UNSETTLED_REFUND,
};

/** Records a person's decision about an unknown entry or a disputed charge, with who, when and why. */
export const resolveEntry = async ({ as, ...given }: ResolveInput, run: Run): Promise<Result> => {
  const charge = await entryNamed(given.id, RESOLVES[as], run);
  if (as === 'paid-back' || as === 'failed') return resolveRefund(charge, { as, ...given }, run);
  const input = { as, ...given };
  const ledger = await run.ledger();
  const word = as === 'paid' || as === 'reversed' ? as : undefined;
  if (word !== undefined && charge.money?.disputed === undefined) throw notDisputed(charge);
  if (word === undefined && charge.state !== 'unknown' && !mayCorrect(charge, stateSaid(as), input.activity))
    throw notUnknown(charge);
  if (input.activity !== undefined && charge.kind !== CHARGE) throw usageError(`--activity: ${charge.id} is no charge`);
  await run.say(introOf(charge, run.io.clock.now()));
  await checkOwner(ledger, charge, input.activity);
  const reason = await reasonFor(input, run);
  await run.ask([resolveQuestion(input, charge)], 'refuse');
  const said = { by: operatorOf(ledger), reason, at: run.io.clock.now() };
  const { by, at } = said;
  const done = await (word === undefined
    ? ledger.resolve(charge.id, resolutionOf(input, said))
    : ledger.settle(charge.id, word, { kind: 'settled', at: utcAtom(at), as: word, by, reason }));
  const now = (await ledger.get(charge.id)) ?? charge;
  if (!done && word !== undefined) throw notDisputed(now);
  if (!done) {
    await checkOwner(ledger, charge, input.activity);
    throw notUnknown(now);
  }
  return { kind: 'record', record: entryRecord(now), view: entryView(now) };
};
