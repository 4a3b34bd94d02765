import type { Protected, RowKind } from '../../bulk/kind.ts';
import type { Cells } from '../../bulk/reading/cells.ts';
import type { Doors } from '../../bulk/world.ts';
import type { Client } from '../../client/client.ts';
import { activitiesOf } from '../../core/charge.ts';
import { parseDuration } from '../../core/duration.ts';
import { usageError } from '../../core/error.ts';
import { printExact } from '../../core/json.ts';
import type { Pair } from '../../core/pairs.ts';
import { placeWords } from '../../core/place-words.ts';
import { shellLine } from '../../core/shell.ts';
import { parseInstant } from '../../core/time.ts';
import type { RequestRead } from '../../ledger/candidates.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Refusal, Refused } from '../../ledger/ledger.ts';
import type { Deps } from '../deps.ts';
import { chargeData, dataKeyOf, guessOf } from './charge-body.ts';
import { type Checker, openChecker } from './charge-check.ts';
import { followCharges } from './charge-follow.ts';
import { lookFirst } from './charge-look.ts';
import { chargeOnce, refusal } from './charge-once.ts';
import { asKept, CHARGE_COLUMNS, madeNow } from './charge-settled.ts';
import type { ChargeField, ChargeMedium, ChargeWords, NameOf } from './charge-shared.ts';
import { flagName, KEY_OF, readUnchecked, readWith } from './charge-shared.ts';
import type { FileOfCharges } from './charge-spec.ts';

/** A row that can be charged. */
export interface ChargeItem {
  readonly ugwo: string;
  readonly with: ChargeMedium;
  readonly params: readonly Pair[];
}

const PARAM = 'param';
const FIELDS = Object.keys(KEY_OF) as ChargeField[];

/** An option and a column that say the same: nobody can tell which one is meant. */
const refuseTwice = ({ words, params }: FileOfCharges, columns: readonly string[]): void => {
  const field = FIELDS.find((name) => words[name] !== undefined && columns.includes(KEY_OF[name]));
  if (field !== undefined) {
    throw usageError(`${flagName(field)} and the column ${KEY_OF[field]} set the same value; leave one out`);
  }
  const names = params.map(([name]) => name);
  const twice = names.find((name) => columns.includes(`${PARAM}.${name}`) || columns.includes(`${PARAM}.${name}:`));
  if (twice !== undefined)
    throw usageError(`--param ${twice} and the column ${PARAM}.${twice} set the same value; leave one out`);
};

/** What the file and the options give for a row, those of the options where the file has no such column. */
const wordsOf = (cells: Cells, options: ChargeWords): ChargeWords => {
  const own: ChargeWords = {
    medium: cells.text(KEY_OF.medium),
    expiresAt: cells.parsed(KEY_OF.expiresAt, parseInstant, 'a time with an offset such as 2026-11-20T14:05:00+01:00'),
    expiresIn: cells.parsed(KEY_OF.expiresIn, parseDuration, 'a duration such as 90s or 10m'),
    provider: cells.text(KEY_OF.provider),
    phone: cells.text(KEY_OF.phone),
  };
  // The rows of NDJSON may differ in their names, so that the first of them does not tell all.
  const twice = FIELDS.filter((name) => own[name] !== undefined && options[name] !== undefined);
  for (const name of twice) cells.fault(KEY_OF[name], `is also set by ${flagName(name)}`);
  const entries = FIELDS.map((name) => [
    name,
    own[name] ?? (cells.columns.includes(KEY_OF[name]) ? undefined : options[name]),
  ]);
  return Object.fromEntries(entries) as ChargeWords;
};

/** How a parameter is called where it came from: a column of the file, or a flag that fills it. */
const namesIn =
  ({ words }: FileOfCharges, columns: readonly string[]): NameOf =>
  (field) =>
    columns.includes(KEY_OF[field]) || words[field] === undefined ? KEY_OF[field] : flagName(field);

const readRow = (cells: Cells, ugwo: string, file: FileOfCharges, validate: boolean): ChargeItem | undefined => {
  const nameOf = namesIn(file, cells.columns);
  const words = wordsOf(cells, file.words);
  const params: readonly Pair[] = [...file.params, ...Object.entries(cells.object(PARAM) ?? {})];
  const own = validate ? params.filter(([name]) => FIELDS.some((field) => KEY_OF[field] === name)) : [];
  for (const [name] of own) cells.fault(`${PARAM}.${name}`, `use the column ${name}`);
  const read = validate ? readWith(words, nameOf) : readUnchecked(words, nameOf);
  if ('charge' in read) return { ugwo, with: read.charge, params };
  for (const { field, what } of read.faults) cells.fault(nameOf(field), what);
  return undefined;
};

const columnOf = (item: ChargeItem, names: NameOf, path: string): string | undefined => {
  const name = dataKeyOf(item, path);
  if (name === undefined) return undefined;
  if (name === 'expires_at') {
    const { with: charge } = item;
    const within = 'expiry' in charge && charge.expiry !== undefined && 'in' in charge.expiry;
    return names(within ? 'expiresIn' : 'expiresAt');
  }
  const field = FIELDS.find((one) => KEY_OF[one] === name);
  return field === undefined ? `${PARAM}.${name}` : names(field);
};

const mediumOf = ({ with: charge }: ChargeItem): string =>
  charge.medium === 'unchecked' ? (charge.name ?? 'no medium') : charge.medium;

const optionsText = ({ words, params }: FileOfCharges): string => {
  const { medium, expiresAt, expiresIn, provider, phone } = words;
  return printExact({ medium, expiresAt: expiresAt?.ms, expiresIn, provider, phone, params });
};

const NOT_SHOWN = "the service can't show the payment request";

const ACCEPTED_BEFORE: readonly Refusal[] = ['payable', 'paid', 'unseen'];

/** Whether the row has its charge already: from an earlier run, or in this ledger for another file, with the same terms. */
const isMadeHere = (
  by: Entry,
  { why, intent, ledger: other }: Refused,
  data: Readonly<Record<string, unknown>>,
  { ledger, protocol }: Doors,
): boolean =>
  why === 'done' ||
  (other === undefined &&
    by.job !== intent.job &&
    by.state === 'accepted' &&
    ACCEPTED_BEFORE.includes(why) &&
    protocol.asksTheSame(by, data, ledger.digest));

const sending = (
  { look, again }: FileOfCharges,
  { isHeld, count }: Checker,
  client: Client,
  deps: Deps,
): Protected<ChargeItem> => ({
  kind: 'protected',
  idColumn: 'charge',
  once: async (item, { row, signals, judged, tellOnce }, doors) => {
    const { ugwo } = item;
    const since = doors.ledger.moment();
    const { slowDown } = signals;
    const unseen = (text: string): Promise<void> => tellOnce('look', text);
    const looks = look || isHeld();
    const shown = looks ? (await lookFirst(ugwo, client, deps, unseen, { slowDown }))?.shown : undefined;
    count(ugwo, shown?.asked ?? {});
    const data = chargeData(item, deps.io.clock.now());
    const elsewhere = ({ id, origin }: { readonly id: string; readonly origin: string }): Promise<void> =>
      tellOnce('elsewhere', `Row ${row.number}: ${ugwo} has an earlier charge at ${origin} (${id}).`);
    const charged = await chargeOnce(
      { ugwo, data, again, row, shown, since, elsewhere, judged, slowDown },
      doors,
      deps,
    );
    if (charged.kind === 'accepted') {
      const { record, id, odd, unrecorded } = charged;
      return { kind: 'made', end: madeNow(record.value, id, shown?.asked), odd, unrecorded };
    }
    const { by } = charged;
    if (by !== undefined && isMadeHere(by, charged, data, doors)) return { kind: 'kept', entry: by };
    throw refusal(charged, data, doors, deps);
  },
  settle: async (id, { client, ledger, protocol }) => {
    const charge = await ledger.get(id);
    if (charge === undefined || !protocol.isCharge(charge)) return undefined;
    const shown = async (): Promise<RequestRead> => {
      const record = await client.look('ugwo.get', { params: { uid: charge.about } });
      return record === undefined ? { unavailable: NOT_SHOWN } : protocol.shownOf(record.value, record);
    };
    const clean = (text: string): string => deps.io.redactor.cleanAll(text);
    return (await protocol.reconcile(ledger, charge, shown, { clean })).charge;
  },
  kept: (charge, { ledger, protocol }) => {
    const activity = charge.activity === undefined ? undefined : protocol.asActivity(charge.activity);
    return asKept(charge, activity, protocol.paymentOf(charge, ledger.moment()));
  },
});

/** The rows of a file of charges. */
export const chargeKind = (file: FileOfCharges, client: Client, deps: Deps): RowKind<ChargeItem> => {
  const { globals, io } = deps;
  const { wait, bulk } = file;
  const checker = openChecker(client, async (record) => {
    // A dry run leaves the ledger alone.
    if (!globals.dryRun) await deps.observe(activitiesOf(record.value) ?? [], record);
  });
  const reconcile = shellLine(['paycli', 'ledger', 'reconcile', ...placeWords(globals)]);
  return {
    command: 'ugwo charge',
    words: {
      verb: 'Charge',
      one: 'payment request',
      done: 'charged',
      findOut: `find out about the unknown rows: \`${reconcile}\``,
      refused: '--again charges rows a second time whose earlier charge can still be paid',
    },
    key: {
      name: 'ugwo',
      prefix: 'ugw',
      aliases: ['uid'],
      missing: 'is missing: the payment request, ugw.…',
      wrong: (text, problem) => `"${text}" ${problem}`,
    },
    columns: [...Object.values(KEY_OF), PARAM, `${PARAM}.`],
    allColumns: 'ugwo, medium, expires_at or expires_in, provider, phone, param.k',
    report: CHARGE_COLUMNS,
    options: optionsText(file),
    checkColumns: (columns) => refuseTwice(file, columns),
    read: (cells, ugwo) => readRow(cells, ugwo, file, globals.validate),
    request: (item) => ({
      operation: 'ugwo.charge',
      input: {
        params: { ugwoUid: item.ugwo },
        body: { type: 'charge', data: chargeData(item, io.clock.now()) },
      },
    }),
    columnOf: (item, columns) => (path) => columnOf(item, namesIn(file, columns), path),
    guessOf: (item) => (path) => guessOf(chargeData(item, io.clock.now()))(path),
    counts: (item) => [mediumOf(item)],
    ...checker,
    sending: sending(file, checker, client, deps),
    follow:
      wait === undefined
        ? undefined
        : (job, world, doors) => followCharges({ job, limit: wait, bulk, world, doors, deps }),
  };
};
