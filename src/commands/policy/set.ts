import type { Result } from '../../core/result.ts';
import type { Amounts, Policy } from '../../ledger/policy.ts';
import type { Deps } from '../deps.ts';
import type { SetInput } from './spec.ts';
import { policyRecordOf, policyView } from './view.ts';
import { ownPolicy, whoseName } from './whose.ts';

const withAmounts = (before: Amounts | undefined, given: SetInput['maxAmount']): Amounts | undefined =>
  given === undefined
    ? before
    : { ...before, ...Object.fromEntries(given.map(({ currency, minor }) => [currency, minor])) };

/** The limits that are given, beside those that are not. */
const changed = (before: Policy, { maxCharges, maxAmount, mediums, approveAbove }: SetInput): Policy => ({
  maxCharges: maxCharges ?? before.maxCharges,
  maxAmount: withAmounts(before.maxAmount, maxAmount),
  mediums: mediums ?? before.mediums,
  approveAbove: withAmounts(before.approveAbove, approveAbove),
});

/** Limits what a profile may charge. */
export const run = async (input: SetInput, deps: Deps): Promise<Result> => {
  const [name, ledger] = [await whoseName(input, deps), await deps.ledger()];
  const policy = changed((await ownPolicy(ledger, name))?.policy ?? {}, input);
  const kept = { profile: name, policy, by: await deps.operator(), at: ledger.moment().at };
  await ledger.policies.set(kept);
  return { kind: 'record', record: policyRecordOf(kept, undefined), view: policyView };
};
