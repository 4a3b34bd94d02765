import { NEXT_STEP } from '../../charge/words.ts';
import { profilesOf } from '../../compose/run.ts';
import { REFUND } from '../../core/charge.ts';
import { LOCAL_PROFILE } from '../../core/data-files.ts';
import { usageError } from '../../core/error.ts';
import { exactNumber } from '../../core/money.ts';
import { type ApiPage, type ApiRecord, madeHere } from '../../core/record.ts';
import type { Result, View } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import { utcAtom } from '../../core/time.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  type Allowance,
  type Amounts,
  dayOf,
  isCounted,
  type KeptPolicy,
  OTHER_PROFILES,
  type Policy,
  type Total,
} from '../../ledger/policy.ts';
import { operatorOf } from '../../ledger/sender.ts';
import type { Run } from '../run.ts';
import type { PolicyInput, PolicyOwner } from './spec.ts';

/** Use of a policy today, as far as it is counted. */
interface Today {
  readonly spent?: Total | undefined;
  readonly refunded?: Total | undefined;
}

const sumIn = (spent: Total | undefined, currency: string) => {
  const today = spent?.amounts.get(currency);
  return today === undefined ? null : exactNumber(today);
};

const policyRecordOf = ({ profile, policy = {}, by, at }: KeptPolicy, { spent, refunded }: Today = {}): ApiRecord => {
  const { maxCharges, maxAmount = {}, mediums, approveAbove = {}, maxRefunds, maxRefundAmount = {} } = policy;
  const currencies = [...new Set([maxAmount, approveAbove, maxRefundAmount].flatMap(Object.keys))].sort();
  return madeHere({
    profile,
    max_charges: maxCharges ?? null,
    charges_today: spent?.rows ?? null,
    mediums: mediums ?? null,
    amounts: currencies.map((currency) => ({
      currency,
      max_amount: maxAmount[currency] ?? null,
      amount_today: sumIn(spent, currency),
      approve_above: approveAbove[currency] ?? null,
      max_refund_amount: maxRefundAmount[currency] ?? null,
      refund_amount_today: sumIn(refunded, currency),
    })),
    unknown_amounts_today: spent?.unknown ?? null,
    set_by: by,
    set_at: utcAtom(at),
    max_refunds: maxRefunds ?? null,
    refunds_today: refunded?.rows ?? null,
    unknown_refund_amounts_today: refunded?.unknown ?? null,
  });
};

const AMOUNTS_LIST: View['lists'] = [
  {
    path: 'amounts',
    heading: 'Amounts',
    columns: [
      { path: 'currency' },
      { path: 'max_amount', kind: 'money', label: 'a day' },
      { path: 'amount_today', kind: 'money', label: 'today' },
      { path: 'approve_above', kind: 'money', label: 'approve above' },
      { path: 'max_refund_amount', kind: 'money', label: 'refunds a day' },
      { path: 'refund_amount_today', kind: 'money', label: 'refunds today' },
    ],
  },
];

export const policyView: View = {
  columns: [
    { path: 'profile' },
    { path: 'max_charges', kind: 'count', always: true, label: 'charges a day' },
    { path: 'charges_today', kind: 'count', always: true, label: 'charges today' },
    { path: 'mediums' },
    { path: 'amounts', machineOnly: true },
    { path: 'unknown_amounts_today', kind: 'count', label: 'unknown amounts today' },
    { path: 'set_by', label: 'set by' },
    { path: 'set_at', kind: 'time', label: 'set' },
    { path: 'max_refunds', kind: 'count', label: 'refunds a day' },
    { path: 'refunds_today', kind: 'count', label: 'refunds today' },
    { path: 'unknown_refund_amounts_today', kind: 'count', label: 'unknown refund amounts today' },
  ],
  lists: AMOUNTS_LIST,
};

/** Name under which a policy is stored. The profile need not exist on this machine. */
const policyName = async ({ profile, others }: PolicyOwner, run: Run): Promise<string> => {
  if (others) return OTHER_PROFILES;
  if (profile === LOCAL_PROFILE || (profile === undefined && run.globals.local)) return LOCAL_PROFILE;
  const room = await profilesOf(run);
  const { name } = room.chosen({ profile: profile ?? run.globals.profile, baseUrl: undefined });
  return name ?? room.show(undefined).name;
};

/** The policy in force for a profile, and its charges and refunds of today. Refunds are counted if it limits them. */
const today = async ({ policies, moment }: Ledger, name: string): Promise<(Allowance & Today) | undefined> => {
  const of = { profile: name, since: dayOf(moment().at) };
  const allowance = await policies.allowance(of);
  if (allowance === undefined || !isCounted(allowance.kept.policy, REFUND)) return allowance;
  return { ...allowance, refunded: (await policies.allowance({ ...of, kind: REFUND }))?.spent };
};

async function* policyPage(kept: readonly Allowance['kept'][], run: Run): AsyncIterable<ApiPage> {
  const ledger = await run.ledger();
  const records = [];
  for (const one of kept) {
    // The policy for all others counts each profile separately, so there is no total.
    records.push(policyRecordOf(one, one.profile === OTHER_PROFILES ? undefined : await today(ledger, one.profile)));
  }
  yield { records, cursor: undefined, nextCursor: null };
}

export const listPolicies = async (_input: unknown, run: Run): Promise<Result> => {
  const kept = await (await run.ledger()).policies.list();
  return { kind: 'list', pages: policyPage(kept, run), view: policyView };
};

/** Shows the policy in force for a profile, and its charges and refunds of today. */
export const showPolicy = async (input: PolicyOwner, run: Run): Promise<Result> => {
  const name = await policyName(input, run);
  const allowance = await today(await run.ledger(), name);
  if (allowance === undefined) {
    const owner = input.others ? ['--others'] : [input.profile ?? []].flat();
    throw usageError(`no policy holds for ${input.others ? 'other profiles' : `profile ${name}`}`, {
      hint: `nothing is limited; set one with \`${shellLine(['paycli', 'policy', 'set', ...owner])}\` and a limit, such as --max-charges 100; see all with \`paycli policy list\``,
    });
  }
  return {
    kind: 'record',
    record: policyRecordOf(allowance.kept, input.others ? undefined : allowance),
    view: policyView,
  };
};

const withAmounts = (before: Amounts | undefined, given: PolicyInput['maxAmount']): Amounts | undefined =>
  given.length === 0
    ? before
    : { ...before, ...Object.fromEntries(given.map(({ currency, minor }) => [currency, minor])) };

/** Merges the given limits into the existing policy. */
const changedPolicy = (before: Policy, given: PolicyInput): Policy => ({
  maxCharges: given.maxCharges ?? before.maxCharges,
  maxAmount: withAmounts(before.maxAmount, given.maxAmount),
  mediums: given.medium.length === 0 ? before.mediums : given.medium,
  approveAbove: withAmounts(before.approveAbove, given.approveAbove),
  maxRefunds: given.maxRefunds ?? before.maxRefunds,
  maxRefundAmount: withAmounts(before.maxRefundAmount, given.maxRefundAmount),
});

export const setPolicy = async (input: PolicyInput, run: Run): Promise<Result> => {
  const [name, ledger] = [await policyName(input, run), await run.ledger()];
  if (input.approveAbove.length > 0 && ledger.account === undefined) {
    throw usageError("--approve-above: a ledger file can't tell who approves", { hint: NEXT_STEP.share });
  }
  const by = operatorOf(ledger);
  const kept = await ledger.policies.set(name, (before = {}) => {
    return { policy: changedPolicy(before, input), by, at: ledger.moment().at };
  });
  return { kind: 'record', record: policyRecordOf(kept), view: policyView };
};

const ownerText = ({ others }: PolicyOwner, name: string): string =>
  others ? 'for all other profiles' : `of profile ${name}`;

/** Asks, and removes a profile's policy. The ledger records who did it. */
export const removePolicy = async (input: PolicyOwner, run: Run): Promise<Result> => {
  const [name, ledger] = [await policyName(input, run), await run.ledger()];
  const removed = (await ledger.policies.list()).find(({ profile }) => profile === name);
  if (removed === undefined) {
    throw usageError(`there is no policy ${ownerText(input, name)}`, {
      hint: 'see all policies with `paycli policy list`',
    });
  }
  await run.ask([`Remove the policy ${ownerText(input, name)}? Its limits end at once.`], 'refuse');
  const by = operatorOf(ledger);
  await ledger.policies.set(name, () => ({ policy: undefined, by, at: ledger.moment().at }));
  const notice = `The policy ${ownerText(input, name)} was removed.`;
  return { kind: 'record', record: policyRecordOf(removed), view: policyView, notice };
};
