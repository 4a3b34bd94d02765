import { paidTwiceText } from '../charge/words.ts';
import type { Globals } from '../cli/globals.ts';
import { previewResult } from '../cli/preview.ts';
import type { Called, CallInput } from '../client/client.ts';
import type { OperationId } from '../contract/operations.ts';
import type { Resource } from '../contract/proof.ts';
import { machineValue } from '../core/charge.ts';
import { PayError, usageError } from '../core/error.ts';
import type { NamedPrefix } from '../core/ids.ts';
import { asFlag, ownerTarget, targetFlags } from '../core/input.ts';
import { bothUnits, formatMoney } from '../core/money.ts';
import { isGuarded } from '../core/origin.ts';
import { type ApiRecord, instantOf, type RequestedTime } from '../core/record.ts';
import type { Result, ShareOptions, View } from '../core/result.ts';
import { shellLine } from '../core/shell.ts';
import { statusWord } from '../core/status.ts';
import { isSameRef } from '../core/text.ts';
import type { Entry } from '../ledger/entry.ts';
import type { ListFilter } from '../ledger/ledger.ts';
import type { Sum } from '../ledger/report.ts';
import type { Run } from './run.ts';

/** Shows the request of --dry-run or --as-curl instead of sending it. */
export const previewCall = async (operation: Called, call: CallInput, run: Run): Promise<Result> =>
  previewResult((await run.client('preview')).preview(operation, call), run);

/** A record that was found by a name: a ref or an e-mail address. */
interface Named {
  readonly uid: string;
  /** Undefined if it was given by its id. */
  readonly name: string | undefined;
}

/** Throws if a record has another name now than the one by which it was found. `shown` is empty if a read shows none. */
export const refuseRenamed = (prefix: NamedPrefix, { uid, name }: Named, shown = ''): void => {
  if (isSameRef(name, shown || undefined)) return;
  const word = prefix === 'ugw' ? 'ref' : 'e-mail address';
  const found = `${uid} was found by the ${word} ${JSON.stringify(name)}, and has ${JSON.stringify(shown)} now`;
  throw new PayError('refused', `nothing was sent: ${found}`, {
    hint: `run the same command again to look for the ${word} anew, or give the id`,
    reason: `its ${word} has changed`,
  });
};

export const getRecord = async (
  operation: OperationId,
  params: Readonly<Record<string, string>>,
  view: View,
  run: Run,
): Promise<Result> => {
  if (run.globals.dryRun) return previewCall(operation, { params }, run);
  return { kind: 'record', record: await (await run.client('read')).call(operation, { params }), view };
};

/** The charge of an activity in this ledger, sent to the same service. */
export const findChargeOf = async (
  activity: string,
  run: Pick<Run, 'ledger' | 'target'>,
): Promise<Entry | undefined> => {
  const [ledger, { service, workspace }] = [await run.ledger(), await run.target()];
  const [charge] = await ledger.list({ activities: [activity], service, workspace, limit: 1 });
  return charge;
};

/** Throws the refusal that is due to a disputed charge. */
export const refuseFor = async (by: Entry, notDone: string): Promise<never> => {
  // These sentences need the ledger, which most commands don't load.
  const { disputedError } = await import('../charge/refused.ts');
  throw disputedError(by, notDone);
};

/** Refuses to pay money back, or to cancel its payment request, while nobody knows whether the money is here. */
export const refuseDisputed = async (
  of: Pick<ListFilter, 'activities' | 'about'>,
  notDone: string,
  run: Pick<Run, 'ledger' | 'target'>,
): Promise<void> => {
  const [ledger, { service, workspace }] = [await run.ledger(), await run.target()];
  const [by] = await ledger.list({ ...of, service, workspace, disputed: true, limit: 1 });
  if (by !== undefined) await refuseFor(by, notDone);
};

/** The payment request of an activity that this ledger has a charge of. */
export const findRequestOf = async (...[activity, run]: Parameters<typeof findChargeOf>): Promise<string | undefined> =>
  (await findChargeOf(activity, run))?.about;

/** A permanent removal: its operations, and the question for the person. */
interface Removal {
  readonly read: OperationId;
  readonly remove: OperationId;
  readonly uid: string;
  readonly view: View;
  /** Lines of the question, from the current record. Throws if it can't be removed. */
  readonly question: (thing: Resource) => readonly string[];
  /** Text to type in full, unless it is practice: the record's name or amount. */
  readonly typed: (thing: Resource) => string;
  readonly done: string;
  /** Throws if what was read before forbids it. */
  readonly check?: (before: ApiRecord) => Promise<void>;
  /** Called with what was read before, as it is after the removal. */
  readonly observe?: (removed: ApiRecord) => Promise<unknown>;
}

export const removeRecord = async (
  { read, remove, uid, view, question, typed, done, check, observe }: Removal,
  run: Run,
): Promise<Result> => {
  const call = { params: { uid } };
  if (run.globals.dryRun) return previewCall(remove, call, run);
  const client = await run.client('write');
  const before = await client.call(read, call);
  await check?.(before);
  const { value } = before;
  const { origin } = await run.target();
  await run.ask(question(value as Resource), 'refuse', isGuarded(origin) ? typed(value as Resource) : undefined);
  const record = await client.call(remove, call);
  await observe?.({ ...before, value: { ...value, ...record.value } });
  return { kind: 'record', record, view, wrote: true, notice: done };
};

/** The option that sets a format for programs; undefined if there is none. */
const formatOption = ({ format, columns, jq }: Pick<Globals, 'format' | 'columns' | 'jq'>): string | undefined => {
  if (columns !== undefined) return '--columns';
  if (jq !== undefined) return '--jq';
  return format === undefined || format === 'table' ? undefined : `-o ${format}`;
};

/** Throws if --share is combined with a format for programs. */
export const checkShare = ({ share }: ShareOptions, globals: Parameters<typeof formatOption>[0]): void => {
  const other = share ? formatOption(globals) : undefined;
  if (other !== undefined) throw usageError(`--share prints a message; it can't be used with ${other}`);
};

/** Money of a sum for people: what was received, else what was asked; undefined if no amount is known. */
export const sumMoney = ({ currency = '', amount, received = 0n }: Sum<string>): string | undefined => {
  const sum = received > 0n ? received : amount;
  return sum === undefined ? undefined : formatMoney(sum, currency);
};

/** Formats sums: `12 paid (NGN 60,000.00), 3 open (NGN 15,000.00)`. */
export const paymentSumsText = (sums: readonly Sum<string>[]): string =>
  sums
    .map((sum) => {
      const money = sumMoney(sum);
      return `${sum.count} ${statusWord(sum.payment)}${money === undefined ? '' : ` (${money})`}`;
    })
    .join(', ');

export const countOf = <P extends string>(sums: readonly Sum<P>[], payment: P): number =>
  sums.reduce((total, sum) => (sum.payment === payment ? total + sum.count : total), 0);

/** `NGN 5,000.00 (500000 kobo) for ada@example.com, Order 7`: amount, customer and reference of a request body. */
export const requestWords = (body: Readonly<Record<string, unknown>>): string => {
  const text = (name: string): string => machineValue(body[name]);
  const money = bothUnits(Number(body['amount']), text('currency'));
  const customer = text('onye') || text('onye_email');
  return [customer === '' ? money : `${money} for ${customer}`, text('ref'), text('description')]
    .filter((part) => part !== '')
    .join(', ');
};

/** Options that are given again. A time counted back from `now` becomes a fixed one. */
const repeatFlag = (options: object, now: number): string[] =>
  Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    if (value === true) return [asFlag(name)];
    return [value]
      .flat()
      .flatMap((one: RequestedTime | string | number) => [
        asFlag(name),
        typeof one === 'object' ? new Date(instantOf(one, now)).toISOString() : String(one),
      ]);
  });

/**
 * Command that continues a list from a cursor: the path, the target flags, the output options, then the list's own
 * options. `now` is the moment from which their times count back.
 */
export const continueCommand = (
  cursor: string,
  path: readonly string[],
  own: object,
  globals: Globals,
  now = 0,
): string => {
  const { format, columns, decimal, rawCsv, bom } = globals;
  return shellLine([
    'paycli',
    ...path,
    ...targetFlags(globals),
    ...(format === undefined ? [] : ['-o', format]),
    ...(columns === undefined ? [] : ['--columns', columns.join(',')]),
    ...repeatFlag({ decimal, rawCsv, bom, ...own }, now),
    ...(cursor.startsWith('-') ? [`--cursor=${cursor}`] : ['--cursor', cursor]),
  ]);
};

/** A line for each payment request of these entries that was paid twice, with the command that pays the excess back. */
export const paidTwiceLines = (entries: Iterable<Entry>): string[] => {
  const lines = new Map<string, string>();
  for (const entry of entries) {
    const { about, asked, money } = entry;
    if (money?.isPaidTwice !== true) continue;
    const { excess, surplus = [] } = money;
    const balance = { asked: asked?.amount, excess, surplus, isPaidTwice: true };
    lines.set(about, `${about} was ${paidTwiceText(about, balance, asked?.currency ?? '', ownerTarget(entry))}`);
  }
  return [...lines.values()];
};
