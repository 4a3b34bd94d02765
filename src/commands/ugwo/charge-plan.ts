import type { RowDeps, RowJob } from '../../bulk/kind.ts';
import type { Protected } from '../../bulk/send-row.ts';
import { charge } from '../../charge/charge.ts';
import { type Data, propertyOf } from '../../charge/mediums.ts';
import { previewResult } from '../../cli/preview.ts';
import type { Client } from '../../client/client.ts';
import { BANK_CODES, bankMeant } from '../../core/banks.ts';
import { textAt } from '../../core/charge.ts';
import { PayError } from '../../core/error.ts';
import { isId } from '../../core/ids.ts';
import { valueAt } from '../../core/json.ts';
import { madeExactly } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import { provenServiceTime } from '../../ledger/clock.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { PlannedRows } from '../../ledger/ledger.ts';
import { NO_TOTAL } from '../../ledger/policy.ts';
import type { Snapshot } from '../../ledger/snapshot.ts';
import { refuseRenamed } from '../record.ts';
import type { Run } from '../run.ts';
import { refuseDifferent } from './charge-compare.ts';
import { openReuse } from './charge-reuse.ts';
import {
  bankFieldOf,
  chargeData,
  clockNote,
  describedCharge,
  guardedBy,
  isMadeHere,
  type Looked,
  lookBeforeCharge,
  NO_CHECKOUT,
  refusedCharge,
  viewOf,
} from './charge-send.ts';
import type { ChargeSharing } from './charge-share.ts';
import type { Earlier, OneCharge } from './charge-spec.ts';

/** Describes an earlier charge of a payment request at another origin. */
export const elsewhereText = ({ id, about, origin, state }: Entry): string =>
  `${about} has an earlier charge at ${origin} (${id}), which ${state === 'accepted' ? 'can still be paid' : 'may have been made'}.`;

/** Bank codes that the service lists for a checkout; empty if it lists none, or can't be asked. */
const listedBanks = async (checkout: string, medium: string, client: Client): Promise<string[]> => {
  try {
    const list = await client.look('checkout.providers', { params: { uid: checkout, medium } });
    const providers = Array.isArray(list?.value) ? list.value : [];
    const banks = providers.flatMap((provider) => valueAt(provider, 'banks') ?? []);
    return banks.map((bank) => valueAt(bank, 'code')).filter((code) => typeof code === 'string');
  } catch (thrown) {
    if (!(thrown instanceof PayError) || thrown.kind === 'interrupted') throw thrown;
    return [];
  }
};

/** Error of a charge by a medium that the payment request's checkout does not offer. */
const mediumRejection = (ugwo: string, { medium }: Data, looked: Looked | undefined): PayError | undefined => {
  const mediums = valueAt(looked?.record.value, 'checkout.mediums');
  const offered = Array.isArray(mediums) ? mediums.map((one) => textAt(one, 'medium')) : [];
  if (offered.every((one) => one === '') || offered.includes(String(medium))) return undefined;
  const title = `is not offered by the checkout, which offers ${offered.join(', ')}`;
  return new PayError('rejected', `${ugwo} was not charged: its checkout does not offer ${medium}`, {
    violations: [{ propertyPath: 'data.medium', title }],
  });
};

/**
 * Finds mediums and banks that the service would reject. Asks it only about a bank code that paycli doesn't know, and
 * once for each checkout and medium.
 */
const openRejections = () => {
  const lists = new Map<string, Promise<string[]>>();
  /** Error of a charge by a medium or a bank that the checkout does not have. Calls `unsure` if the service lists none at all. */
  return async (
    ugwo: string,
    data: Data,
    looked: Looked | undefined,
    unsure: (text: string) => Promise<void>,
    client: Client,
  ): Promise<PayError | undefined> => {
    const [unoffered, medium] = [mediumRejection(ugwo, data, looked), String(data['medium'])];
    const field = bankFieldOf(medium);
    if (unoffered !== undefined || field === undefined) return unoffered;
    const code = String(data[propertyOf(field)]);
    const known: readonly string[] = BANK_CODES;
    if (known.includes(code)) return undefined;
    const checkout = String(valueAt(looked?.record.value, 'checkout.uid'));
    const key = `${checkout} ${medium}`;
    const listing =
      lists.get(key) ?? (isId('chk', checkout) ? listedBanks(checkout, medium, client) : Promise.resolve([]));
    lists.set(key, listing);
    const listed = await listing;
    if (listed.includes(code)) return undefined;
    if (listed.length === 0) {
      const meant = bankMeant(code);
      const guess = meant === undefined ? '' : ` (did you mean ${meant}?)`;
      await unsure(`"${code}" is no bank code that paycli knows${guess}. The service decides.`);
      return undefined;
    }
    return new PayError('rejected', `${ugwo} was not charged: the service lists no bank "${code}"`, {
      violations: [{ propertyPath: `data.${propertyOf(field)}`, title: 'is not a supported bank code' }],
      hint: `see the codes: \`${shellLine(['paycli', 'checkout', 'providers', checkout, medium])}\``,
    });
  };
};

/** Terms of the payment request beside the request that would charge it: what a person has to see before. */
const withTerms = (preview: Result, uid: string, { asked, description }: Partial<Snapshot> = {}): Result => {
  if (preview.kind !== 'record') return preview;
  const { ref = null, amount = null, currency = null, customer = null, email = customer } = asked ?? {};
  const terms = { uid, ref, amount, currency, customer: email, description: description ?? null };
  return { ...preview, record: madeExactly({ ...(preview.record.value as object), payment_request: terms }) };
};

/**
 * Result of --dry-run: reads the payment request and the ledger, asks the guard, and shows the request. Throws what the
 * charge would throw before it is sent. Open `run` for a dry run, which only reads the ledger.
 */
export const showPlan = async (input: OneCharge, run: Run, sharing: ChargeSharing | undefined): Promise<Result> => {
  const { ugwo, name, earlier, look } = input;
  const { now } = run.io.clock;
  const client = await run.client('read');
  const requestOf = (data: Data, at?: number) =>
    client.preview('ugwo.charge', { params: { ugwoUid: ugwo }, body: { type: 'charge', data }, now: at });
  // A mistake is said before anything is read.
  requestOf(chargeData(input, now()));
  const rowDeps: RowDeps = { client, ledger: await run.ledger(), place: await run.target(), io: run.io };
  const looked = look ? await lookBeforeCharge(ugwo, client, run, run.say) : undefined;
  refuseRenamed('ugw', { uid: ugwo, name }, looked?.shown.asked.ref);
  sharing?.refuseLacking(ugwo, looked?.record.value);
  const at = provenServiceTime(looked?.shown, now());
  const data = chargeData(input, at ?? now());
  const reuse = earlier === 'reuse' ? openReuse(data, () => looked, rowDeps, run) : undefined;
  const judged = await charge(
    {
      ugwo,
      data: () => data,
      ...guardedBy(earlier),
      look: async () => ({ shown: looked?.shown }),
      ...(reuse && { onRefused: reuse.onRefused }),
    },
    { ...rowDeps, planned: { total: NO_TOTAL } },
  );
  if (judged.kind === 'refused') {
    const record = reuse?.reused();
    if (record === undefined) throw refusedCharge(judged, data, rowDeps);
    const { passOn } = input;
    if (passOn.share) await sharing?.readNames(looked?.record.value, client);
    return {
      kind: 'record',
      record,
      view: viewOf(looked?.shown),
      passOn: sharing?.printing(passOn) ?? passOn,
    };
  }
  const rejection = await openRejections()(ugwo, data, looked, run.say, client);
  if (rejection !== undefined) throw rejection;
  if (judged.elsewhere !== undefined) await run.say(elsewhereText(judged.elsewhere));
  if (looked?.shown.noCheckout === true) await run.say(`note: ${NO_CHECKOUT}`);
  const note = clockNote(input, looked?.shown, now());
  if (note !== undefined) await run.say(note);
  await run.say(`Nothing was sent. Without --dry-run, this charges ${describedCharge(ugwo, looked?.shown)}`);
  return withTerms(previewResult(requestOf(data, at), run), ugwo, looked?.shown);
};

/** Judges rows of a file (see `Protected.judge`). */
export const judgeRows = <T extends Parameters<typeof chargeData>[0] & Parameters<typeof refuseDifferent>[0]>(
  earlier: Earlier,
  job: RowJob<T>,
  run: Run,
  planned: PlannedRows,
  sharing: ChargeSharing | undefined,
): ReturnType<NonNullable<Protected<T>['judge']>> => {
  const { tellOnce } = job;
  const rejectionOf = openRejections();
  return async (item, { row, client }) => {
    const { ugwo } = item;
    const looked = await lookBeforeCharge(ugwo, client, run, (text) => tellOnce('look', text));
    sharing?.refuseLacking(ugwo, looked?.record.value);
    refuseDifferent(item, looked?.shown.asked);
    const data = chargeData(item, run.io.clock.now());
    const unsure = (text: string): Promise<void> => tellOnce(text, `Row ${row.number}: ${text}`);
    const rejection = await rejectionOf(ugwo, data, looked, unsure, client);
    const counted = rejection === undefined ? planned : { ...planned, made: planned.made && new Map(planned.made) };
    const judged = await charge(
      { ugwo, data: () => data, ...guardedBy(earlier), row, look: async () => ({ shown: looked?.shown }) },
      { ...job, planned: counted },
    );
    if (judged.kind === 'refused') {
      const { by } = judged;
      if (by !== undefined && isMadeHere(by, judged, data, job)) return by;
      throw refusedCharge(judged, data, job);
    }
    if (judged.elsewhere !== undefined)
      await tellOnce('elsewhere', `Row ${row.number}: ${elsewhereText(judged.elsewhere)}`);
    if (rejection !== undefined) throw rejection;
    if (looked?.shown.noCheckout === true) await tellOnce('checkout', `note: row ${row.number}: ${NO_CHECKOUT}`);
    return undefined;
  };
};
