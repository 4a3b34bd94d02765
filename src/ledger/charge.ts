import { standingOf } from '../core/charge.ts';
import { CHARGE_EFFECT } from '../core/effect.ts';
import { EXIT_CODES } from '../core/exit.ts';
import { isStepUnreadable } from '../core/next-action.ts';
import { valueAt } from '../core/path.ts';
import type { Received } from '../core/received.ts';
import { parseInstant, utcAtom } from '../core/time.ts';
import type { ChargeTerms, Intent, Outcome } from './entry.ts';
import { isOtherMedium } from './fits.ts';
import { keptActivity } from './kept-activity.ts';
import type { Ledger, Refused } from './ledger.ts';
import { cleaned, digestOf, lastDigits, phoneDigestOf, withoutPhone } from './private.ts';
import type { RequestSeen } from './request-seen.ts';
import { type Sending, type SendWorld, type Sent, sendOnce } from './send-once.ts';

/** A charge to be made under the protocol. */
export interface ChargeRequest extends Sending {
  readonly ugwo: string;
  /** `data` of the body, checked already. */
  readonly data: Readonly<Record<string, unknown>>;
  /** What a look at the payment request has shown just now; undefined where none could be had. */
  readonly shown?: RequestSeen | undefined;
}

export type Charged = Omit<Sent, 'owner'> | Refused;

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : String(value));

const intentOf = (
  { ugwo, data, shown }: ChargeRequest,
  { digest }: Pick<Ledger, 'digest'>,
  clean: (text: string) => string,
): ChargeTerms & Pick<Intent, 'about' | 'digest'> => ({
  about: clean(ugwo),
  medium: clean(textOf(data['medium']) ?? ''),
  provider: data['provider'] === undefined ? undefined : clean(String(data['provider'])),
  phone: data['phone'] === undefined ? undefined : lastDigits(String(data['phone'])),
  phoneDigest: data['phone'] === undefined ? undefined : phoneDigestOf(String(data['phone']), digest),
  expiresAt: parseInstant(textOf(data['expires_at']) ?? '')?.ms,
  digest: digestOf(data),
  asked: cleaned(shown?.asked ?? {}, clean),
});

/** Just made, it says by itself what the service's clock showed, where the answer does not. */
const toldAt = ({ value, servedAt }: Received): number | undefined =>
  servedAt ?? parseInstant(String(valueAt(value, 'created_at')))?.ms;

const acceptedOutcome = (record: Received, clean: (text: string) => string): Outcome => {
  const kept = keptActivity(record.value, toldAt(record));
  const failed = standingOf(kept.status) === 'failed';
  const activity = { ...kept, nextAction: cleaned(kept.nextAction, clean) };
  const exitCode = isStepUnreadable(record.value) ? EXIT_CODES.unrecorded : 0;
  return { state: 'accepted', exitCode: failed ? EXIT_CODES.charge_failed : exitCode, activity };
};

/** An activity that says it was made so long before or after the answer, in milliseconds, was not made now. */
const FAR_MS = 2 * 3_600_000;

/** What is odd about the activity that answers a charge, and does not make it another's. */
const oddities = ({ value, servedAt }: Received, data: ChargeRequest['data']): string[] => {
  const created = parseInstant(String(valueAt(value, 'created_at')))?.ms;
  return [
    ...(isOtherMedium(value, String(data['medium']))
      ? [`the answer looks like another medium than ${String(data['medium'])}`]
      : []),
    ...(servedAt !== undefined && created !== undefined && Math.abs(created - servedAt) > FAR_MS
      ? [`the activity says it was made at ${utcAtom(created)}, not now`]
      : []),
  ];
};

/** One charge under the protocol (see `sendOnce`). */
export const chargeOnce = async (ledger: Ledger, request: ChargeRequest, world: SendWorld): Promise<Charged> => {
  const { data, shown } = request;
  const phone = textOf(data['phone']);
  const clean = (text: string): string => withoutPhone(world.clean(text), phone);
  const intent = intentOf(request, ledger, clean);
  const sending = { ...request, effect: CHARGE_EFFECT };
  const sent = await sendOnce(ledger, sending, intent, { shown }, { ...world, clean }, (record) => ({
    ...acceptedOutcome(record, clean),
    odd: oddities(record, data),
  }));
  if (sent.kind === 'refused') return sent;
  const { owner, ...made } = sent;
  const shared = owner === undefined ? [] : [`the answer names the activity of ${owner.id}, made earlier`];
  return { ...made, odd: [...made.odd, ...shared] };
};
