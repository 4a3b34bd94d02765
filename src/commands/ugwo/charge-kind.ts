import type { Cells } from '../../bulk/cells.ts';
import type { RowCheck, RowJob, RowKind, RowSender } from '../../bulk/kind.ts';
import { openReads } from '../../bulk/read-ahead.ts';
import type { ColumnFault, RowEnd } from '../../bulk/row-end.ts';
import { type Protected, ProtectedRows } from '../../bulk/send-row.ts';
import { charge } from '../../charge/charge.ts';
import {
  type ChargeFields,
  FIELD_PARSERS,
  findFaults,
  findUncheckedFaults,
  jobOptionsOf,
  MEDIUM_COLUMNS,
  MEDIUM_FIELD_NAMES,
  MEDIUM_FIELDS,
  MEDIUM_NAMES,
  type NameOf,
} from '../../charge/mediums.ts';
import { activityFacts, endOf, isStepUnreadable, missingPart, paymentShown } from '../../charge/payment.ts';
import { refusalByStatus } from '../../charge/refusals.ts';
import type { Sent } from '../../charge/request.ts';
import type { Client } from '../../client/client.ts';
import type { Resource } from '../../contract/proof.ts';
import { DIAL_HEADER, rowStateOf, statusOf } from '../../core/charge.ts';
import { EXIT_CODES, PayError } from '../../core/error.ts';
import type { FlagOf, Pair } from '../../core/input.ts';
import { definedIn, printExact, valueAt } from '../../core/json.ts';
import { type Entry, isCharge, oddIn, type RequestTerms } from '../../ledger/entry.ts';
import { endIn } from '../../ledger/guard.ts';
import type { RequestRead } from '../../ledger/match.ts';
import { NO_TOTAL, type Total, withRow } from '../../ledger/policy.ts';
import { reconcile } from '../../ledger/reconcile.ts';
import { asActivity, type Snapshot, snapshotOf } from '../../ledger/snapshot.ts';
import { paymentIn } from '../../ledger/transitions.ts';
import { failedText, unreadableText } from '../activity/followed-shared.ts';
import { columnAmong, flagIn } from '../fields.ts';
import { lastMessage } from '../make.ts';
import type { Run } from '../run.ts';
import { COMPARED_COLUMNS, type ComparedCell, comparedIn, differencesOf, refuseDifferent } from './charge-compare.ts';
import { followCharges } from './charge-follow.ts';
import { judgeRows } from './charge-plan.ts';
import {
  chargeData,
  clockNote,
  fieldOf,
  guardedBy,
  guessFor,
  isMadeHere,
  lookBeforeCharge,
  PARAM,
  refusedCharge,
} from './charge-send.ts';
import type { ChargeSharing } from './charge-share.ts';
import type { FileOfCharges } from './charge-spec.ts';

const UGWO_COLUMN = 'ugwo';

const obstaclesOf = (ugwo: Resource): readonly ColumnFault[] => {
  const refusal = refusalByStatus(statusOf(ugwo));
  return refusal === undefined ? [] : [{ column: UGWO_COLUMN, what: refusal.words }];
};

/** Checks payment requests before anything is sent, and adds up their amounts. */
const openChecker = ({ observe }: Pick<Run, 'observe'>) => {
  let held = false;
  let total = NO_TOTAL;
  return {
    check: async ({ ugwo, compared }: ChargeItem, how: RowCheck): Promise<readonly ColumnFault[]> => {
      const { check, client } = how;
      const record = await client.call('ugwo.get', { params: { uid: ugwo } });
      await observe('request', record);
      const { asked } = snapshotOf(record.value);
      const faults = [...(check ? obstaclesOf(record.value) : []), ...differencesOf(compared, asked)];
      if (faults.length === 0) total = withRow(total, asked);
      return faults;
    },
    checked: (): Total => total,
    hold: (): void => {
      held = true;
    },
    isHeld: (): boolean => held,
  };
};
type Checker = ReturnType<typeof openChecker>;

/** Report columns of a charge, besides row, state and error: the activity and what the customer must do. */
const CHARGE_COLUMNS = [
  'activity',
  'status',
  'next_action',
  'bank_name',
  'account_name',
  'account_number',
  'payable_until',
  DIAL_HEADER,
  'charge',
  'amount_minor',
  'currency',
  'ref',
  'payment',
  'missing_minor',
] as const;

type Fields = Readonly<Partial<Record<(typeof CHARGE_COLUMNS)[number], unknown>>>;

const chargeFields = (
  charge: string,
  activity: unknown,
  payment: string | undefined,
  { amount, currency, ref }: RequestTerms = {},
): Fields => {
  const header = (name: string): unknown => valueAt(activity, `next_action.headers.${name}`);
  return {
    activity: valueAt(activity, 'uid'),
    // An activity named by a person has no known status.
    status: statusOf(activity) || undefined,
    next_action: valueAt(activity, 'next_action') ?? undefined,
    bank_name: header('bank_name'),
    account_name: header('account_name'),
    account_number: header('account_number'),
    payable_until: header('expires_at'),
    [DIAL_HEADER]: header(DIAL_HEADER),
    charge,
    amount_minor: amount,
    currency,
    ref,
    payment,
  };
};

/** Exit code of a created charge, and the error if a person has to look at it. */
const madeEnd = (activity: unknown, payment: string | undefined): Pick<RowEnd, 'exitCode' | 'error'> => {
  if (isStepUnreadable(activity)) return { exitCode: EXIT_CODES.unrecorded, error: unreadableText(activity) };
  if (payment !== 'reversed') return { exitCode: 0 };
  return { exitCode: EXIT_CODES.charge_failed, error: failedText(activity, payment) };
};

/** Row outcome of a charge that this run created. */
const madeNow = ({ record: { value: activity }, id, odd, reading }: Sent): RowEnd => {
  const payment = paymentShown(activity);
  const missing = missingPart(reading.shown?.facts);
  const fields = { ...chargeFields(id, activity, payment, reading.shown?.asked), missing_minor: missing };
  const state = endOf(payment);
  if (state !== undefined) return { state, fields, error: failedText(activity) };
  const sum = missing ?? activityFacts(activity).amount;
  return {
    state: 'accepted',
    sum,
    fields,
    ...(missing && { error: odd.join('; ') || undefined }),
    ...madeEnd(activity, payment),
  };
};

/** Row outcome of a charge from the ledger. `activity` is its activity in the service's own fields. */
const asKept = (charge: Entry, activity: unknown): RowEnd => {
  const { exitCode, id, asked, evidence } = charge;
  const [state, payment] = [rowStateOf(charge.state, endIn(charge)), paymentIn(charge)];
  const missing = payment === 'open' ? evidence.find(({ kind }) => kind === 'remaining')?.['missing'] : undefined;
  const kept = { state, exitCode, fields: { ...chargeFields(id, activity, payment, asked), missing_minor: missing } };
  if (state === 'accepted')
    return { ...kept, error: missing ? oddIn(charge) : undefined, ...madeEnd(activity, payment) };
  if (state !== charge.state) return { ...kept, error: failedText(activity, payment) };
  return state === 'sending' ? kept : { ...kept, error: lastMessage(charge) };
};

interface ChargeItem {
  readonly ugwo: string;
  readonly name: string | undefined;
  readonly fields: ChargeFields;
  readonly params: readonly Pair[];
  readonly compared: readonly ComparedCell[];
}

/** The option that sets the value of a column for every row. */
const flagInFile =
  ({ fields, params }: FileOfCharges): FlagOf =>
  (column) => {
    const param = params.find(([name]) => column === `${PARAM}.${name}` || column === `${PARAM}.${name}:`);
    return param === undefined ? flagIn(fields)(column) : `--param ${param[0]}`;
  };

/** Fields of a row. Options apply where the row has none. */
const rowFields = (cells: Cells, options: ChargeFields): ChargeFields => {
  const own = MEDIUM_FIELDS.map(({ name, form }) => {
    const parser = FIELD_PARSERS[form ?? 'text'];
    return [name, parser === undefined ? cells.text(name) : cells.parsed(name, parser.read, parser.wanted)] as const;
  });
  return {
    ...options,
    ...definedIn<ChargeFields[string]>({ medium: cells.text('medium'), ...Object.fromEntries(own) }),
  };
};

const readChargeRow = (
  cells: Cells,
  ugwo: string,
  file: FileOfCharges,
  validate: boolean,
): Omit<ChargeItem, 'name'> => {
  const fields = rowFields(cells, file.fields);
  const params: readonly Pair[] = [...file.params, ...Object.entries(cells.object(PARAM) ?? {})];
  const own = validate ? params.filter(([name]) => MEDIUM_FIELD_NAMES.includes(name)) : [];
  for (const [name] of own) cells.fault(`${PARAM}.${name}`, `use the column ${name}`);
  const nameOf: NameOf = (field) => (cells.columns.includes(field) ? field : (flagIn(file.fields)(field) ?? field));
  for (const { field, what } of (validate ? findFaults : findUncheckedFaults)(fields, params.length > 0, nameOf))
    cells.fault(nameOf(field), what);
  const unread = file.look ? [] : [...cells.given.keys()].filter((name) => COMPARED_COLUMNS.includes(name));
  for (const name of unread)
    cells.fault(name, "is compared with the payment request, which --no-preflight doesn't read");
  return { ugwo, fields, params, compared: comparedIn(cells) };
};

const chargeOptionsText = ({ fields, params, earlier }: FileOfCharges): string => {
  // The names are part of the job's id, so they never change.
  const remaining = earlier === 'remaining' ? true : undefined;
  return printExact({ ...jobOptionsOf(fields), params, remaining });
};

/** True if the service rejected a charge because its payment request has no checkout. */
const isAboutCheckout = ({ message, detail: { status, violations = [] } }: PayError): boolean => {
  const texts = [message, ...violations.flatMap(({ propertyPath, title }) => [propertyPath, title])];
  return status === 422 && texts.some((text) => /checkout/i.test(text));
};

/**
 * Refuses rows that show no checkout as soon as the service has rejected one of them for it. It is documented to reject
 * them all, and its documentation shows some that were charged.
 */
const openCheckouts = (earlier: FileOfCharges['earlier']) => {
  let rejected: number | undefined;
  return {
    refuseMissing: (ugwo: string, shown: Snapshot | undefined): void => {
      if (earlier === 'again' || rejected === undefined || shown?.noCheckout !== true) return;
      const what = `it shows no checkout, and the service rejected row ${rejected} for that`;
      throw new PayError('refused', `${ugwo} was not charged: ${what}; --again sends it`, {
        reason: 'no checkout, as a rejected row: --again sends them',
      });
    },
    /** Client that notes the answer to a row's charge before the next row takes its place. */
    noting: (client: Client, row: number, shown: () => Snapshot | undefined): Client =>
      client.paced({
        ...client.pace,
        answered: (outcome) => {
          const isNo = outcome.certain === 'rejected' && isAboutCheckout(outcome.error);
          if (isNo && shown()?.noCheckout === true) rejected ??= row;
          client.pace?.answered?.(outcome);
        },
      }),
  };
};

const openSender = (
  { look, earlier }: FileOfCharges,
  { isHeld }: Checker,
  job: RowJob<ChargeItem>,
  run: Run,
  sharing: ChargeSharing | undefined,
  others: string[],
): RowSender<ChargeItem> => {
  const { client, ledger, tellOnce } = job;
  const reads = openReads<ChargeItem, Snapshot | undefined>(ledger);
  const looks = (): boolean => look || isHeld();
  const checkouts = openCheckouts(earlier);
  const reading =
    ({ ugwo }: ChargeItem, client: Client) =>
    async () => {
      const unseen = (text: string): Promise<void> => tellOnce('look', text);
      const looked = looks() ? await lookBeforeCharge(ugwo, client, run, unseen) : undefined;
      sharing?.refuseLacking(ugwo, looked?.record.value);
      return looked?.shown;
    };
  const sending: Protected<ChargeItem> = {
    idColumn: 'charge',
    judge: (planned) => judgeRows(earlier, job, run, planned, sharing),
    openReadAhead: () => (looks() ? (item, client) => reads.start(item, reading(item, client)) : undefined),
    once: async (item, { row, client, tries }) => {
      const { ugwo } = item;
      const data = (now = run.io.clock.now()) => chargeData(item, now);
      let shown: Snapshot | undefined;
      const charged = await charge(
        {
          ugwo,
          data,
          ...guardedBy(earlier),
          evidence: sharing?.evidence(),
          row,
          tries,
          look: async () => {
            const { since, result } = reads.take(item, reading(item, client));
            shown = await result;
            refuseDifferent(item, shown?.asked);
            checkouts.refuseMissing(ugwo, shown);
            return shown === undefined ? {} : { since, shown, askedAt: shown.askedAt };
          },
          onSend: async () => {
            const note = clockNote(item, shown, run.io.clock.now());
            if (note !== undefined) await tellOnce('clock', `Row ${row.number}: ${note}`);
          },
          onElsewhere: ({ id, origin }) =>
            tellOnce('elsewhere', `Row ${row.number}: ${ugwo} has an earlier charge at ${origin} (${id}).`),
        },
        { ...job, client: checkouts.noting(client, row.number, () => shown) },
      );
      if (charged.kind === 'accepted') {
        const { odd, unrecorded } = charged;
        return { kind: 'made', end: madeNow(charged), odd, unrecorded };
      }
      const { by } = charged;
      if (by !== undefined && isMadeHere(by, charged, data(), job)) return { kind: 'kept', entry: by };
      throw refusedCharge(charged, data(), job);
    },
    settle: async (id) => {
      const charge = await ledger.get(id);
      if (charge === undefined || !isCharge(charge)) return undefined;
      const shown = async (): Promise<RequestRead> => {
        const record = await client.look('ugwo.get', { params: { uid: charge.about } });
        return record === undefined
          ? { unavailable: "the service can't show the payment request" }
          : snapshotOf(record.value, record);
      };
      return (await reconcile(ledger, charge, shown)).charge;
    },
    kept: (charge) => {
      if (charge.job !== job.job) others.push(charge.id);
      const activity = charge.activity === undefined ? undefined : asActivity(charge.activity);
      const end = asKept(charge, activity);
      return sharing?.shown(end, charge, job) ?? end;
    },
  };
  const sender = new ProtectedRows(sending, job);
  return sharing === undefined ? sender : { ...sender, send: sharing.afterEach(sender.send, job) };
};

export const chargeKind = (file: FileOfCharges, run: Run, sharing?: ChargeSharing): RowKind<ChargeItem> => {
  const { globals, io } = run;
  const { wait, bulk } = file;
  const checker = openChecker(run);
  const flagOf = flagInFile(file);
  const others: string[] = [];
  return {
    command: 'ugwo charge',
    words: {
      verb: 'Charge',
      one: 'payment request',
      done: 'charged',
      findOut: 'find out about the unknown rows: `paycli ledger sync`',
      refused: '--again charges rows a second time whose earlier charge can still be paid',
    },
    key: {
      name: UGWO_COLUMN,
      prefix: 'ugw',
      aliases: ['uid'],
      missing: 'is missing: the payment request, ugw.…',
      wrong: (text, problem) => `"${text}" ${problem}${file.look ? '' : ' (--no-preflight takes no refs)'}`,
    },
    named: file.look ? [UGWO_COLUMN, 'ugw'] : undefined,
    judges: file.look,
    columns: ['medium', ...MEDIUM_COLUMNS, 'param.k', ...COMPARED_COLUMNS],
    example: { [UGWO_COLUMN]: 'ugw.EXAMPLE', medium: MEDIUM_NAMES[0] ?? '' },
    report: sharing === undefined ? CHARGE_COLUMNS : [...CHARGE_COLUMNS, sharing.column],
    options: chargeOptionsText(file),
    flagOf,
    read: (cells, ugwo, name) => {
      const item = { ...readChargeRow(cells, ugwo, file, globals.validate), name };
      const impossible = sharing?.impossible(item.fields.medium);
      if (impossible !== undefined) cells.fault('medium', impossible);
      return item;
    },
    request: (item) => ({
      operation: 'ugwo.charge',
      input: {
        params: { ugwoUid: item.ugwo },
        body: { type: 'charge', data: chargeData(item, io.clock.now()) },
      },
    }),
    columnOf: (item, columns) => (path) => {
      const field = fieldOf(item)(path);
      return field === undefined ? path : (columnAmong(columns, field) ?? flagOf(field) ?? field);
    },
    guessOf: (item) => (path) => guessFor(chargeData(item, io.clock.now()))(path),
    counts: ({ fields }) => [fields.medium ?? 'no medium'],
    compares: ({ compared }) => compared.length > 0,
    ...checker,
    openSender: (job) => openSender(file, checker, job, run, sharing, others),
    resume: sharing && ((job, rowDeps) => sharing.left(job, bulk.concurrency, rowDeps)),
    follow:
      wait === undefined
        ? undefined
        : (job, { progress }, rowDeps) => followCharges({ job, others, limit: wait, progress, rowDeps, run }),
  };
};
