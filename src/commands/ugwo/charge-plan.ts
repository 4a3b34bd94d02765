import type { Protected, RowDeps } from '../../bulk/kind.ts';
import type { CallInput, Client, Preview } from '../../client/client.ts';
import type { Resource as Activity } from '../../contract/proof.ts';
import { BANK_CODES } from '../../core/banks.ts';
import { machineValue } from '../../core/charge.ts';
import { PayError } from '../../core/error.ts';
import { isId } from '../../core/ids.ts';
import { targetFlags } from '../../core/input.ts';
import { valueAt } from '../../core/json.ts';
import type { ApiRecord } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import { didYouMean } from '../../core/text.ts';
import type { Entry, RequestTerms } from '../../ledger/entry.ts';
import { NO_TOTAL } from '../../ledger/policy.ts';
import { judgeOnce } from '../../ledger/send.ts';
import type { Snapshot } from '../../ledger/snapshot.ts';
import type { Deps } from '../deps.ts';
import { unlessReused } from './charge-reuse.ts';
import { chargeData, type Data, describedCharge, isMadeHere, type Looked, lookFirst, refusal } from './charge-send.ts';
import type { OneCharge } from './charge-spec.ts';
import { activityView } from './view.ts';

/** Describes an earlier charge of a payment request at another origin. */
export const elsewhereText = ({ id, about, origin, state }: Entry): string =>
  `${about} has an earlier charge at ${origin} (${id}), which ${state === 'accepted' ? 'can still be paid' : 'may have been made'}.`;

/** Bank codes that the service lists for a checkout; empty if it lists none, or can't be asked. */
const listedBanks = async (checkout: string, client: Client, pace: Pick<CallInput, 'slowDown'>): Promise<string[]> => {
  try {
    const list = await client.look('checkout.providers', { params: { uid: checkout, medium: 'ussd' }, ...pace });
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
  const offered = Array.isArray(mediums) ? mediums.map((one) => machineValue(valueAt(one, 'medium'))) : [];
  if (offered.every((one) => one === '') || offered.includes(String(medium))) return undefined;
  const title = `is not offered by the checkout, which offers ${offered.join(', ')}`;
  return new PayError('rejected', `${ugwo} was not charged: its checkout does not offer ${medium}`, {
    violations: [{ propertyPath: 'data.medium', title }],
  });
};

/**
 * Finds mediums and banks that the service would reject. Asks it only about a bank code that paycli doesn't know, and
 * once for each checkout.
 */
const openRejections = (client: Client, words: readonly string[]) => {
  const lists = new Map<string, Promise<string[]>>();
  const banksOf = (checkout: string, pace: Pick<CallInput, 'slowDown'>): Promise<string[]> => {
    const known = lists.get(checkout) ?? listedBanks(checkout, client, pace);
    lists.set(checkout, known);
    return known;
  };
  /** Error of a charge by a medium or a bank that the checkout does not have. Calls `unsure` if the service lists none at all. */
  return async (
    ugwo: string,
    data: Data,
    looked: Looked | undefined,
    unsure: (text: string) => Promise<void>,
    pace: Pick<CallInput, 'slowDown'> = {},
  ): Promise<PayError | undefined> => {
    const [unoffered, code] = [mediumRejection(ugwo, data, looked), String(data['provider'])];
    const known: readonly string[] = BANK_CODES;
    if (unoffered !== undefined || data['medium'] !== 'ussd' || known.includes(code)) return unoffered;
    const checkout = String(valueAt(looked?.record.value, 'checkout.uid'));
    const listed = isId('chk', checkout) ? await banksOf(checkout, pace) : [];
    if (listed.includes(code)) return undefined;
    if (listed.length === 0) {
      const meant = didYouMean(code, known);
      const guess = meant === undefined ? '' : ` (did you mean ${meant}?)`;
      await unsure(`"${code}" is no bank code that paycli knows${guess}. The service decides.`);
      return undefined;
    }
    return new PayError('rejected', `${ugwo} was not charged: the service lists no bank "${code}"`, {
      violations: [{ propertyPath: 'data.provider', title: 'is not a supported bank code' }],
      hint: `see the codes: \`${shellLine(['paycli', 'checkout', 'providers', checkout, 'ussd', ...words])}\``,
    });
  };
};

/** A charge as it would start now. Nothing was sent, and nothing was written. */
export interface ChargePlan {
  /** The request that would be sent, without the key. */
  readonly request: Preview;
  /** The payment request, with its amount and its customer; undefined if the service can't show it. */
  readonly shown: Snapshot | undefined;
  /** Error with which the charge would end before it is sent; undefined if it would be sent. */
  readonly refusal: PayError | undefined;
  /** Activity that --reuse would print in place of a new charge. */
  readonly reused: ApiRecord<Activity> | undefined;
  /** Earlier charge of the payment request at another origin, which does not block this one. */
  readonly elsewhere: Entry | undefined;
}

/**
 * Plans a charge: reads the payment request and the ledger, and asks the guard. Throws what the charge would throw
 * before the guard decides. Open `deps` for a dry run, which only reads the ledger.
 */
const planCharge = async (input: OneCharge, deps: Deps): Promise<ChargePlan> => {
  const { ugwo, earlier, look } = input;
  const data = chargeData(input, deps.io.clock.now());
  const client = await deps.client('read');
  const request = client.preview('ugwo.charge', { params: { ugwoUid: ugwo }, body: { type: 'charge', data } });
  const [ledger, place, words] = [await deps.ledger(), await deps.place(), targetFlags(deps.globals)];
  const rowDeps: RowDeps = { client, ledger, place, words };
  const looked = look ? await lookFirst(ugwo, client, deps, deps.notice) : undefined;
  const charge = (shown: Snapshot | undefined) =>
    judgeOnce(rowDeps, { ugwo, data, again: earlier === 'again', shown }, { total: NO_TOTAL });
  const plan = { request, shown: looked?.shown, refusal: undefined, reused: undefined, elsewhere: undefined };
  try {
    const judged = await unlessReused(input, { data, looked, charge }, rowDeps, deps);
    if (judged.kind === 'reused') return { ...plan, reused: judged.record };
    const refusal = await openRejections(client, words)(ugwo, data, looked, deps.notice);
    return { ...plan, refusal, elsewhere: judged.elsewhere };
  } catch (thrown) {
    if (!(thrown instanceof PayError) || thrown.kind !== 'refused') throw thrown;
    return { ...plan, refusal: thrown };
  }
};

/** Result of --dry-run: the request, or the error of a charge that would not be sent. */
export const showPlan = async (input: OneCharge, deps: Deps): Promise<Result> => {
  const { request, shown, refusal, reused, elsewhere } = await planCharge(input, deps);
  if (refusal !== undefined) throw refusal;
  if (reused !== undefined) return { kind: 'record', record: reused, view: activityView, passOn: input.passOn };
  if (elsewhere !== undefined) await deps.notice(elsewhereText(elsewhere));
  await deps.notice(`Nothing was sent. Without --dry-run, this charges ${describedCharge(input.ugwo, shown)}`);
  return deps.preview(request);
};

/** Judges a row of a file (see `Protected.judge`). `count` throws if the file then exceeds its limit. */
export const judgeRow = (
  again: boolean,
  count: (ugwo: string, asked: RequestTerms) => void,
  client: Client,
  deps: Deps,
): NonNullable<Protected<Parameters<typeof chargeData>[0] & Pick<OneCharge, 'ugwo'>>['judge']> => {
  const rejectionOf = openRejections(client, targetFlags(deps.globals));
  return async (item, { row, signals, tellOnce }, rowDeps, plan) => {
    const [{ ugwo }, { slowDown }] = [item, signals];
    const looked = await lookFirst(ugwo, client, deps, (text) => tellOnce('look', text), { slowDown });
    count(ugwo, looked?.shown.asked ?? {});
    const data = chargeData(item, deps.io.clock.now());
    const unsure = (text: string): Promise<void> => tellOnce(text, `Row ${row.number}: ${text}`);
    const rejection = await rejectionOf(ugwo, data, looked, unsure, { slowDown });
    const counted = rejection === undefined ? plan : { ...plan };
    const judged = await judgeOnce(rowDeps, { ugwo, data, again, row, shown: looked?.shown }, counted);
    if (judged.kind === 'refused') {
      const { by } = judged;
      if (by !== undefined && isMadeHere(by, judged, data, rowDeps)) return by;
      throw refusal(judged, data, rowDeps);
    }
    if (judged.elsewhere !== undefined)
      await tellOnce('elsewhere', `Row ${row.number}: ${elsewhereText(judged.elsewhere)}`);
    if (rejection !== undefined) throw rejection;
    return undefined;
  };
};
