import type { InputOf } from '../../cli/define.ts';
import type { STORED_LIST } from '../../cli/options.ts';
import { scopeOf } from '../../compose/client.ts';
import { activitiesOf, REFUND, statusOf } from '../../core/charge.ts';
import { PayError, usageError } from '../../core/error.ts';
import { valueAt } from '../../core/json.ts';
import { type ApiRecord, madeHere, PAGE_MAX } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { entriesBehind } from '../../ledger/reconcile.ts';
import { refundRecord, sentRefundsView, sentRefundView } from '../../records/refund.ts';
import { listedPages, numberedCursors } from '../list.ts';
import { continueCommand, findRequestOf } from '../record.ts';
import type { Run } from '../run.ts';

const { cursorOf, seqOf } = numberedCursors('refund:');

/** Charges of the ledger by their activity, as far as they are known. */
const chargesRefunded = async (ledger: Ledger, refunds: readonly Entry[]): Promise<ReadonlyMap<string, Entry>> => {
  const activities = refunds.map(({ about }) => about);
  const charges = activities.length === 0 ? [] : await ledger.list({ activities, limit: -1 });
  return new Map(charges.map((charge) => [`${charge.service} ${charge.activity?.uid}`, charge]));
};

const refundRecords = async (ledger: Ledger, refunds: readonly Entry[]) => {
  const charges = await chargesRefunded(ledger, refunds);
  return refunds.map((refund) => refundRecord(refund, charges.get(`${refund.service} ${refund.about}`)));
};

/** Lists the refunds that this ledger sent, newest first. */
export const listRefunds = async (
  { max, cursor, allProfiles }: InputOf<typeof STORED_LIST>,
  run: Run,
): Promise<Result> => {
  const scope = allProfiles ? {} : await scopeOf(run);
  const ledger = await run.ledger();
  const refunds = {
    find: (before: number | undefined, limit: number) => ledger.list({ ...scope, kind: REFUND, before, limit }),
    placeOf: ({ seq }: Entry) => seq,
    cursorOf,
    recordsOf: async (found: readonly Entry[]): Promise<ApiRecord[]> =>
      (await refundRecords(ledger, found)).map((record) => madeHere(record)),
    size: PAGE_MAX,
  };
  return {
    kind: 'list',
    pages: listedPages(run, refunds, { from: cursor === undefined ? undefined : seqOf(cursor), max }),
    view: sentRefundsView,
    goOn: (at) => continueCommand(at, ['refund', 'list'], { max, allProfiles }, run.globals),
    max,
  };
};

/** Finds a refund by its id in the ledger or at the service. */
const findRefund = async (ledger: Ledger, id: string): Promise<Entry> => {
  const found = await ledger.get(id);
  if (found?.kind === REFUND) return found;
  const isNamed = ({ refund }: Entry): boolean => refund?.uid === id;
  const [named] = await entriesBehind(ledger, { kind: REFUND, test: isNamed }, undefined, 1);
  if (named !== undefined) return named;
  throw usageError(`no refund ${JSON.stringify(id)} in the ledger`, {
    hint: 'see them all: `paycli refund list --all-profiles`',
  });
};

/** The part of an answer that has this identifier, at any depth. */
const partWith = (uid: unknown, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (valueAt(value, 'uid') === uid) return value;
  return Object.values(value)
    .map((part) => partWith(uid, part))
    .find((part) => part !== undefined);
};

/** Statuses as the payment request shows them; null for what it does not show. */
const nowIn = (request: unknown, refund: { readonly uid: unknown; readonly activity: string }) => {
  const activity = activitiesOf(request)?.find((one) => valueAt(one, 'uid') === refund.activity);
  const shown = refund.uid === null ? undefined : partWith(refund.uid, request);
  return {
    refund: statusOf(shown) || null,
    activity: statusOf(activity) || null,
    ugwo: statusOf(request) || null,
  };
};

const UNREAD = { refund: null, activity: null, ugwo: null };

/** Shows a refund: what the ledger has, and what its payment request shows now. */
export const getRefund = async ({ id }: { readonly id: string }, run: Run): Promise<Result> => {
  const ledger = await run.ledger();
  const refund = await findRefund(ledger, id);
  const [known] = await refundRecords(ledger, [refund]);
  const record: Record<string, unknown> = { ...known, evidence: refund.evidence };
  const shown = (now: object): ApiRecord => madeHere({ ...record, now });
  const ugwo = await findRequestOf(refund.about, run);
  if (ugwo === undefined) {
    const notice = `This ledger has no charge of ${refund.about} here, so its payment request was not read.`;
    return { kind: 'record', record: shown(UNREAD), view: sentRefundView, notice };
  }
  try {
    const { value } = await (await run.client('read')).call('ugwo.get', { params: { uid: ugwo } });
    return {
      kind: 'record',
      record: shown(nowIn(value, { uid: record['uid'], activity: refund.about })),
      view: sentRefundView,
    };
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    return { kind: 'record', record: shown(UNREAD), view: sentRefundView, failure: thrown };
  }
};
