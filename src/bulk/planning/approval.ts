import { PayError } from '../../core/error.ts';
import { sumsText } from '../../core/money.ts';
import type { Total } from '../../ledger/approval.ts';
import type { Allowance } from '../../ledger/policy.ts';
import type { RowKind } from '../kind.ts';
import type { Doors, FileDeps } from '../world.ts';

/** A policy under which a file may need another person's approval. */
export type FilePolicy = Allowance['kept'];

/** The policy that a file is under; undefined where no file needs an approval. */
export const filePolicy = async (
  { checked }: Pick<RowKind<never>, 'checked'>,
  { ledger, place, protocol }: Doors,
): Promise<FilePolicy | undefined> => {
  if (checked === undefined) return undefined;
  const { profile } = place;
  const allowance = await ledger.policies.allowance({ profile, since: protocol.dayOf(ledger.moment().at) });
  return allowance?.kept.policy.approveAbove === undefined ? undefined : allowance.kept;
};

/** What a file comes to: `3 payment requests for NGN 5,000.00, 1 of them without a known amount`. */
const totalText = ({ rows, amounts, unknown }: Total, one: string): string => {
  const sums = sumsText(amounts);
  const untold = unknown === 0 ? '' : `, ${unknown} of them without a known amount`;
  return `${rows} ${rows === 1 ? one : `${one}s`}${sums === undefined ? '' : ` for ${sums}`}${untold}`;
};

/** A file that is about to be sent under a policy. */
interface Checked {
  readonly id: string;
  readonly name: string;
  readonly policy: FilePolicy;
  /** Notes the job, so that others can see what they approve. */
  readonly begin: () => Promise<void>;
  readonly operator: FileDeps['operator'];
}

/**
 * Throws unless a file that was checked may be sent: where it comes to more than its policy leaves to one person, what was
 * charged of it before included, another one must have approved that much. Notes who asks for the approval. Each row is held
 * to the same when it is sent.
 */
export const refuseUnapproved = async (
  { id, name, policy, begin, operator }: Checked,
  { checked, hold, words }: Pick<RowKind<never>, 'checked' | 'hold' | 'words'>,
  { ledger, protocol }: Doors,
): Promise<void> => {
  const left = checked?.();
  if (left === undefined) return;
  const { policies } = ledger;
  const charged = await ledger.jobs.charged(id);
  const [me, approval] = [await operator(), await policies.approval(id)];
  const isFree = (total: Total): boolean => !protocol.needsApproval(policy.policy, total);
  const worthFor = (total: Total) => (isFree(total) ? 'holds' : protocol.worthOf(approval, total, me));
  let spent = charged;
  hold?.((asked) => {
    const next = protocol.withRow(spent, asked);
    if (worthFor(next) !== 'holds') return false;
    spent = next;
    return true;
  });
  const total = protocol.sumOf(left, charged);
  const worth = worthFor(total);
  if (worth === 'holds') return;
  const what = `${name}: nothing was sent: ${totalText(total, words.one)}`;
  if (worth === 'own') {
    const { approvedBy = me, askedBy } = approval ?? {};
    const hint = protocol.sameHint(me, approvedBy, `another person has to run it, such as ${askedBy}`);
    const by = protocol.mayBeSame(me, approvedBy);
    throw new PayError('refused', `${what} were approved by ${by}`, { hint, ledgerId: id });
  }
  await begin();
  await policies.approve({ job: id, total, askedBy: me, askedAt: ledger.moment().at });
  const why = worth === 'outgrown' ? 'are more than was approved' : "need another person's approval";
  throw new PayError('refused', `${what} ${why}`, {
    hint: `ask somebody else to run \`paycli approve ${id}\`, then run the same command again`,
    ledgerId: id,
  });
};
