import type { Meant } from '../bulk/kind.ts';
import { paymentShown } from '../charge/payment.ts';
import { partText } from '../charge/words.ts';
import type { CommandSpec } from '../cli/define.ts';
import type { Names } from '../cli/program.ts';
import { grouped } from '../core/bounds.ts';
import { activitiesOf, CHARGE, latestActivityOf, tellsActivities, textAt } from '../core/charge.ts';
import { PayError, usageError } from '../core/error.ts';
import { canBeName, isId, type NamedPrefix, wordsFor } from '../core/ids.ts';
import { targetFlags } from '../core/input.ts';
import { formatMoney } from '../core/money.ts';
import { type ApiRecord, PAGE_MAX } from '../core/record.ts';
import { shellLine, textLine } from '../core/shell.ts';
import { statusWord } from '../core/status.ts';
import { foldedName, spellingsOf } from '../core/text.ts';
import type { Entry, Scope } from '../ledger/entry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { countRead } from './list.ts';
import { refuseRenamed } from './record.ts';
import type { Run } from './run.ts';

/** Pages of the service's list to look through, and at most for the names of a file. */
export const PAGES_SEARCHED = 20;
const PAGES_OF_FILE = 1000;
const LOOKUPS_AT_ONCE = 8;

const KINDS = {
  ugw: { field: 'ref', word: 'ref', list: 'ugwo.list', get: 'ugwo.get', some: 'newest' },
  ony: { field: 'email', word: 'e-mail address', list: 'onye.list', get: 'onye.get', some: 'first' },
} as const;

/** The ledger's entries with a ref or an e-mail address, in any spelling. */
export const entriesBy = async (
  field: 'ref' | 'email',
  name: string,
  ledger: Ledger,
  scope: Scope & { readonly kind?: string } = {},
): Promise<readonly Entry[]> => {
  const texts = spellingsOf(field === 'email' ? name.trim() : name);
  const found = await Promise.all(texts.map((text) => ledger.list({ ...scope, [field]: text, limit: -1 })));
  return found.flat();
};

/** A name's id, or why it has none. */
interface Found extends Meant {
  readonly records: readonly ApiRecord[];
  /** True if the service's whole list was read. */
  readonly isWhole: boolean;
}

/**
 * Finds the records with these names; the service accepts each name once. A record whose name is spelled differently
 * counts if none has the name itself. Looks in the ledger, then in the first pages of the service's list. For many names
 * it begins with the list, where one page shows a hundred. Reads each record that the ledger finds, since its name may
 * have changed. While names of a file are missing, it reads on.
 */
export const findNamed = async (
  prefix: NamedPrefix,
  names: readonly string[],
  run: Run,
  isFile = false,
): Promise<ReadonlyMap<string, Found>> => {
  const [{ field, word, list, get, some }, [one]] = [KINDS[prefix], wordsFor(prefix)];
  const exact = (name: string): string => (prefix === 'ony' ? foldedName(name) : name);
  const nameOf = ({ value }: ApiRecord): string => textAt(value, field);
  const found = new Map<string, ApiRecord[]>(names.map((name) => [foldedName(name), []]));
  const spelledSo = (name: string): readonly ApiRecord[] =>
    (found.get(foldedName(name)) ?? []).filter((record) => exact(nameOf(record)) === exact(name));
  const client = await run.client('read');
  const countPage = countRead(run.state);
  let [count, isWhole, next] = [0, false, undefined as string | undefined];
  const missing = (): readonly string[] => names.filter((name) => spelledSo(name).length === 0);
  const take = (record: ApiRecord): void => {
    const [uid, same] = [textAt(record.value, 'uid'), found.get(foldedName(nameOf(record)))];
    if (isId(prefix, uid) && same?.every(({ value }) => textAt(value, 'uid') !== uid)) same.push(record);
  };
  const lookInLedger = async (): Promise<void> => {
    const [ledger, { service, workspace }] = [await run.ledger(), await run.target()];
    const look = async (name: string): Promise<void> => {
      const charges = await entriesBy(field, name, ledger, { kind: CHARGE, service, workspace });
      const uids = new Set(charges.map(({ about, asked }) => (prefix === 'ony' ? asked?.customer : about)));
      for (const uid of uids) {
        const record = uid === undefined ? undefined : await client.look(get, { params: { uid } });
        if (uid === undefined || record === undefined) continue;
        take(record);
        if (!isFile) run.state.known = record;
      }
    };
    const left = missing();
    for (let at = 0; at < left.length; at += LOOKUPS_AT_ONCE) {
      await Promise.all(left.slice(at, at + LOOKUPS_AT_ONCE).map(look));
    }
  };
  const lookInList = async (pages = PAGES_SEARCHED): Promise<void> => {
    for await (const page of client.pages(list, { query: { limit: String(PAGE_MAX) } }, { from: next, pages })) {
      count = countPage(page);
      next = page.nextCursor ?? undefined;
      isWhole = next === undefined;
      for (const record of page.records) take(record);
      if (missing().length === 0) return;
    }
  };
  for (const look of names.length > PAGES_SEARCHED ? [lookInList, lookInLedger] : [lookInLedger, lookInList]) {
    if (missing().length > 0) await look();
  }
  if (isFile && !isWhole && missing().length > 0) await lookInList(PAGES_OF_FILE - PAGES_SEARCHED);
  delete run.state.status.doing;
  const looked = `in the ledger, and through ${isWhole ? 'all' : `the ${some}`} ${grouped(count)} ${one}s of the service`;
  const foundFor = (name: string): Found => {
    const exactly = spelledSo(name);
    const others = found.get(foldedName(name)) ?? [];
    // A record that was not read may have the name itself.
    const records = exactly.length > 0 || !isWhole ? exactly : others;
    const [ids, what] = [records.map(({ value }) => textAt(value, 'uid')), `the ${word} ${JSON.stringify(name)}`];
    const spelled = JSON.stringify(others.map(nameOf).join(''));
    const note = `, whose ${word} is spelled differently: ${spelled}`;
    if (ids.length === 1) return { ids, ...(exactly.length === 0 && { note }), records, isWhole };
    const problem =
      ids.length === 0
        ? `no ${one} with ${what} (looked ${looked})${others.length === 0 ? '' : `; ${spelled} is another ${word}`}`
        : `${ids.length} ${one}s have ${what}`;
    return { ids, problem, records, isWhole };
  };
  return new Map(names.map((name) => [name, foundFor(name)]));
};

const GIVE_ID = 'give the id of one of them';

/** Describes a record in one line: its id, and what tells a person which one it is. */
const describedRecord = (value: unknown): string => {
  const text = (path: string): string => textAt(value, path);
  const currency = text('currency') || text('checkout.currency');
  const money = text('amount') && currency && formatMoney(text('amount'), currency);
  const name = [text('first_name'), text('last_name')].filter(Boolean).join(' ');
  const customer = text('onye.email') || text('onye') || text('email');
  const paid = paymentShown(value) === 'underpaid' ? 'charged_amount' : 'total_amount_paid';
  const [asked, received] = [Number(text('amount')), Number(text(paid))];
  const isPart = received > 0 && received < asked;
  const status = isPart ? `part paid: ${partText(received, asked, currency)}` : statusWord(text('status'));
  const parts = [money, name, customer, text('medium'), status].filter(Boolean);
  return `${text('uid')}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
};

/**
 * The command that may find a record whose name was not found. If the whole list has no such name, the text may be part
 * of another one, or something else.
 */
const nextSearch = (prefix: NamedPrefix, name: string, isWhole: boolean, flags: readonly string[]): string => {
  if (prefix === 'ony') return shellLine(['paycli', 'onye', 'list', ...(isWhole ? [] : ['--email', name]), ...flags]);
  return isWhole
    ? textLine(['paycli', 'find'], name, ['--service', ...flags])
    : shellLine(['paycli', 'ugwo', 'list', '--ref', name, ...flags]);
};

/** Says which one a name means. Throws a usage error that lists them if there is a problem. */
const tellOne = async <T>(
  name: string,
  found: readonly T[],
  fieldsOf: (thing: T) => unknown,
  {
    problem,
    hint,
    note,
  }: { readonly problem: string | undefined; readonly hint: string; readonly note: string | undefined },
  run: Run,
): Promise<T> => {
  const lines = found.map((thing) => describedRecord(fieldsOf(thing)));
  const [only] = found;
  if (problem !== undefined || only === undefined)
    throw usageError(problem ?? '', { violations: lines.map((title) => ({ propertyPath: '', title })), hint });
  if (note !== undefined) await run.say(`${name} is ${lines.join('')}${note}`);
  return only;
};

/** The ids of records with names. Says each; one that is only read, if its name is spelled differently. */
const idsNamed = async (
  prefix: NamedPrefix,
  names: readonly string[],
  isRead: boolean,
  run: Run,
): Promise<ReadonlyMap<string, string>> => {
  const ids = new Map<string, string>();
  for (const [name, found] of await findNamed(prefix, names, run)) {
    const { records, problem, isWhole, note = isRead ? undefined : '' } = found;
    const search = `find it with: ${nextSearch(prefix, name, isWhole, targetFlags(run.globals))}`;
    const words = { problem, hint: records.length === 0 ? search : GIVE_ID, note };
    const { value } = await tellOne(name, records, (record) => record.value, words, run);
    ids.set(name, textAt(value, 'uid'));
  }
  return ids;
};

/** The id of the only payment request with a ref. */
export const requestNamed = async (ref: string, run: Run): Promise<string> =>
  (await idsNamed('ugw', [ref], true, run)).get(ref) ?? '';

/** The charges, refunds or activities that a verb can act on, and the word for one. */
export interface Able<T> {
  readonly one: string;
  readonly can: (thing: T, index: number, all: readonly T[]) => boolean;
}

/** Says which one a name means: the only one that the verb can act on. Throws a usage error that lists them otherwise. */
export const tellOnly = async <T>(
  name: string,
  all: readonly T[],
  { one, can }: Able<T>,
  fieldsOf: (thing: T) => object,
  run: Run,
): Promise<T> => {
  const able = all.filter(can);
  const none = `no ${one}${all.length === 0 ? '' : ' that fits this command'}`;
  const wider = all.length === 0 ? ['--all-profiles'] : [];
  const search = textLine(['paycli', 'find'], name, [...wider, ...targetFlags(run.globals)]);
  const words = {
    problem:
      able.length === 1
        ? undefined
        : `${JSON.stringify(name)} means ${able.length === 0 ? none : `${able.length} ${one}s`}`,
    hint: able.length === 0 ? `see: ${search}` : GIVE_ID,
    note: '',
  };
  return tellOne(name, able.length === 0 ? all : able, fieldsOf, words, run);
};

export const noActivity = (...ugwos: readonly string[]): PayError =>
  new PayError('rejected', `the service shows no activity of ${ugwos.join(', ')}`, {
    hint: `create one: ${ugwos.map((uid) => `\`${shellLine(['paycli', 'ugwo', 'charge', uid])}\``).join(' or ')}`,
  });

/**
 * The activity that a name means: the only one of the payment request with that ref, or of the ones that the ledger has
 * for that e-mail address, unless they are another customer's by now.
 */
export const activityNamed = async (
  name: string,
  able: Able<unknown>,
  run: Run,
): Promise<{ readonly ugwo: string; readonly activity: string }> => {
  const [client, { service, workspace }] = [await run.client('read'), await run.target()];
  const kept = canBeName('ony', name)
    ? await entriesBy('email', name, await run.ledger(), { kind: CHARGE, service, workspace })
    : [];
  const uids = new Set(kept.map(({ about }) => about));
  if (uids.size === 0) uids.add(await requestNamed(name, run));
  const all: object[] = [];
  for (const uid of uids) {
    const record = await client.call('ugwo.get', { params: { uid } });
    await run.observe('request', record);
    run.state.known = record;
    const { value } = record;
    if (kept.length > 0 && foldedName(textAt(value, 'onye.email')) !== foldedName(name)) continue;
    const listed = activitiesOf(value) ?? [];
    if (listed.length === 0 && (!tellsActivities(value) || latestActivityOf(value) !== undefined))
      throw usageError(`the service doesn't list the activities of ${uid}`, { hint: 'give the activity, act.…' });
    const shown = { currency: textAt(value, 'currency'), email: textAt(value, 'onye.email') };
    all.push(...listed.map((activity) => ({ ...shown, ...(activity as object), ugwo: uid })));
  }
  if (all.length === 0) throw noActivity(...uids);
  const only = await tellOnly(name, all, able, (activity) => activity, run);
  return { ugwo: textAt(only, 'ugwo'), activity: textAt(only, 'uid') };
};

/** Reads the input again with ids in place of names. Before a write, tells which records are meant, and asks. */
export const readNamed = async (
  { found, read }: Names,
  { danger, confirms }: Pick<CommandSpec, 'danger' | 'confirms'>,
  run: Run,
): Promise<unknown> => {
  const [prefix = 'ugw'] = found.values();
  const ids = await idsNamed(prefix, [...found.keys()], danger === 'read', run);
  run.state.hasShown = true;
  run.state.recheck = async () => {
    const [client, { field, get }] = [await run.client('read'), KINDS[prefix]];
    delete run.state.known;
    for (const [name, uid] of ids) {
      const record = await client.look(get, { params: { uid } });
      if (record === undefined) continue;
      refuseRenamed(prefix, { uid, name }, textAt(record.value, field));
      run.state.known = record;
    }
  };
  if (danger !== 'read' && confirms !== true && !run.globals.dryRun) await run.ask(['Is this the one?'], 'go ahead');
  return read(ids);
};
