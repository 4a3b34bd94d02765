import { isUnpaid } from '../../charge/payment.ts';
import { profileWithoutKey } from '../../compose/client.ts';
import { CHARGE, statusOf, textAt } from '../../core/charge.ts';
import { PayError } from '../../core/error.ts';
import { isAnyId } from '../../core/ids.ts';
import { commandLine, targetFlags } from '../../core/input.ts';
import { valueAt } from '../../core/json.ts';
import { readMajor, splitMoney } from '../../core/money.ts';
import { createdAt, hidesCustomer, onePage, PAGE_MAX } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import { shellLine, textLine } from '../../core/shell.ts';
import { foldedName, spellingsOf } from '../../core/text.ts';
import { type Entry, isInScope, keptAccount, lastDigits, termsDigestOf } from '../../ledger/entry.ts';
import type { Ledger, ListFilter } from '../../ledger/ledger.ts';
import { snapshotOf } from '../../ledger/snapshot.ts';
import { paymentIn } from '../../ledger/transitions.ts';
import { entryRecord, hitView } from '../../records/entry.ts';
import { countPage, countRead, lookedThrough } from '../list.ts';
import { PAGES_SEARCHED } from '../names.ts';
import type { Run } from '../run.ts';
import { nextCommand } from './cases.ts';
import type { readFind } from './find-spec.ts';
import { namesJob } from './named.ts';
import { rowOf } from './view.ts';

/** An entry of the ledger, a payment request of the service, or one with its newest charge. `by`: what the text is. */
interface Hit {
  readonly by: string;
  readonly entry?: Entry | undefined;
  readonly request?: object;
}

/** The digits of a number, with `+` before a country code; undefined for a text of anything else. */
const numberIn = (text: string): string | undefined => /^\+?\d{4,}$/.exec(text.replaceAll(/[\s()…-]/g, ''))?.[0];

const moneyNamed = (text: string) => {
  const { currency, amount } = splitMoney(text);
  const minor = Number(readMajor(amount, currency ?? ''));
  return Number.isSafeInteger(minor) ? { minor, currency } : undefined;
};

/** Filters of the ledger for a text, by what it may be, the surest first. */
const lookupsOf = (text: string, { digest }: Ledger): Readonly<Record<string, Partial<ListFilter>>> => {
  const [number, money] = [numberIn(text), moneyNamed(text)];
  const whole = number?.length === 4 ? undefined : termsDigestOf(number, {}, digest);
  return {
    ref: { ref: text },
    psp_reference: { pspReference: text },
    customer_email: { email: text },
    ...(isAnyId(text) && { ugwo: { about: text }, activity: { activities: [text] }, customer: { customer: text } }),
    ...(namesJob(text) && { job: { job: text } }),
    ...(number && {
      account_number: { accountDigest: keptAccount(number, digest).accountDigest },
      phone: { phone: lastDigits(number), termsDigest: whole },
    }),
    ...(number?.length === 4 && { account_last4: { accountEnd: number } }),
    ...(money && {
      amount: { amount: money.minor, currency: money.currency },
      received: { otherReceived: money.minor, currency: money.currency },
    }),
  };
};

/** Finds entries that have the text in another case, or whose ref begins with it, with what the text is. */
const findWider = async (text: string, query: ListFilter, ledger: Ledger): Promise<readonly Hit[]> => {
  const refs = await ledger.list({ ...query, refBeginning: text.replaceAll(/[!%_]/g, '!$&') });
  const others = await ledger.list({ ...query, anyCase: text });
  const isSame = (one: string | undefined): boolean => foldedName(one ?? '') === foldedName(text);
  return [
    ...refs.map((entry) => ({ by: isSame(entry.asked?.ref) ? 'ref' : 'ref_beginning', entry })),
    ...others.map((entry) => ({ by: isSame(entry.asked?.email) ? 'customer_email' : 'psp_reference', entry })),
  ];
};

/** Name of the field of a payment request that has the text, in any spelling; undefined if none has. */
const foundIn = (request: unknown, text: string): string | undefined => {
  const [{ asked, facts }, money, wanted] = [snapshotOf(request), moneyNamed(text), foldedName(text)];
  const name = foldedName([valueAt(request, 'onye.first_name'), valueAt(request, 'onye.last_name')].join(' '));
  if (text.length > 2 && name.includes(wanted)) return 'name';
  const isMeant = money !== undefined && (money.currency ?? asked.currency) === asked.currency;
  if (isMeant && money.minor === asked.amount) return 'amount';
  if (isMeant && money.minor === facts?.total) return 'received';
  // A customer may leave out the country code.
  const ending = numberIn(text)?.replace(/^\+?0?/, '');
  let found: string | undefined;
  JSON.stringify(request, (field, value: unknown) => {
    if (typeof value !== 'string' || /amount/.test(field)) return value;
    const number = numberIn(value) ?? '';
    const isEnd = ending !== undefined && number.length >= 7 && number.endsWith(ending);
    if (isEnd || foldedName(value) === wanted) found ??= field;
    return value;
  });
  return found;
};

const findAtService = async (text: string, run: Run, take: (request: object, by: string) => Promise<void>) => {
  const looked = { count: 0, oldest: undefined, hides: false };
  const count = countRead(run.state);
  const [client, query] = [await run.client('read'), { limit: String(PAGE_MAX) }];
  try {
    for await (const page of client.pages('ugwo.list', { query }, { pages: PAGES_SEARCHED })) {
      count(page);
      countPage(looked, page);
      for (const { value } of page.records) {
        looked.hides ||= hidesCustomer(value);
        const by = foundIn(value, text);
        if (by !== undefined) await take(value, by);
      }
    }
  } finally {
    await run.say(`${lookedThrough(looked, 'payment requests')}${looked.hides ? ' The list shows no customers.' : ''}`);
  }
};

const hitRow = ({ by, entry, request }: Hit, command: string): object => {
  const { asked, facts, status } = snapshotOf(request);
  return rowOf(hitView, {
    ...(entry && (entryRecord(entry).value as object)),
    ...(request && { ...asked, customer_email: asked.email, received: facts?.total, payment: null, state: status }),
    ...(request && { ugwo: textAt(request, 'uid'), created_at: valueAt(request, 'created_at') }),
    source: request === undefined ? 'ledger' : 'service',
    found_by: by,
    command,
  });
};

/** Finds the payments that a text names, newest first. Reads the ledger, and with --service the service. */
export const findPayments = async (
  { text, service, max, allProfiles }: ReturnType<typeof readFind>,
  run: Run,
): Promise<Result> => {
  const ledger = await run.ledger();
  const { scope } = allProfiles ? { scope: {} } : await profileWithoutKey(run);
  const [limit, hits] = [max + PAGE_MAX, new Map<string, Hit>()];
  let isCut = false;
  const add = (name: string, hit: Hit): unknown => hits.has(name) || hits.set(name, hit);
  const named = await ledger.get(text);
  if (named !== undefined && isInScope(scope)(named)) add(text, { by: 'id', entry: named });
  for (const spelled of spellingsOf(text)) {
    if (hits.size > 0) break;
    for (const [by, filter] of Object.entries(lookupsOf(spelled, ledger))) {
      const found = await ledger.list({ ...scope, ...filter, limit });
      isCut ||= found.length === limit;
      for (const entry of found) add(entry.id, { by, entry });
    }
    const other = hits.size > 0 && spelled !== text;
    if (!other) continue;
    const isOne = new Set([...hits.values()].map(({ entry }) => entry?.about)).size === 1;
    if (!isOne) hits.clear();
    await run.say(
      isOne
        ? `Found by another spelling: ${spelled}`
        : `Several payment requests have another spelling of it: ${spelled}`,
    );
  }
  if (hits.size === 0) {
    const wider = await findWider(text, { ...scope, limit }, ledger);
    isCut = wider.length >= limit;
    for (const hit of wider) add(hit.entry?.id ?? '', hit);
    if (wider.length > 0) await run.say('Found by the beginning of a ref, or in another case.');
  }
  const take = async (request: object, by: string): Promise<void> => {
    const about = textAt(request, 'uid');
    const charges = await ledger.list({ ...scope, about, kind: CHARGE, limit: -1 });
    // The request, as it is now, takes their place.
    for (const { id } of charges) hits.delete(id);
    add(about, { by, entry: charges[0], request });
  };
  const failure = await (service ? findAtService(text, run, take) : undefined)?.catch((thrown: unknown) => {
    if (thrown instanceof PayError && thrown.kind !== 'interrupted') return thrown;
    throw thrown;
  });

  const flags = [...(allProfiles ? ['--all-profiles'] : []), ...targetFlags(run.globals)];
  const find = (what: string, ...options: readonly string[]): string =>
    textLine(['paycli', 'find'], what, [...options, ...flags]);
  const timeOf = ({ entry, request }: Hit): number => createdAt(request) ?? entry?.createdAt ?? 0;
  const newest = [...hits.values()].sort((a, b) => timeOf(b) - timeOf(a));
  if (newest.length > max) {
    const again = find(text, ...(service ? ['--service'] : []), '--max', String(newest.length));
    await run.say(`The newest ${max} of ${isCut ? 'at least ' : ''}${newest.length} hits. For more: ${again}`);
  }
  if (namesJob(text) && (await ledger.jobs.get(text)) !== undefined) {
    await run.say(`All of it: ${commandLine(run.globals, 'ledger', 'show', text)}`);
  } else if (newest.length === 0 && failure === undefined) {
    const number = numberIn(text) ?? '';
    await run.say([
      service ? 'Nothing found.' : 'Nothing found in the ledger.',
      ...(number.length > 4 ? [`By the end of a phone number: ${find(number.slice(-4))}`] : []),
      ...(service || allProfiles ? [] : [`At the service: ${find(text, '--service')}`]),
    ]);
  }
  const isHeaded = service || newest.length > max || namesJob(text);
  if (isHeaded && newest.length > 0 && run.io.stdout.isTerminal) await run.say('');
  const shown = async (hit: Hit): Promise<object> => {
    const { entry, request } = hit;
    const isDue = request === undefined || statusOf(request) === 'requires_ugwo';
    if (entry !== undefined && (isDue || !isUnpaid(entry.state, paymentIn(entry))))
      return hitRow(hit, await nextCommand(entry, allProfiles, run));
    return hitRow(hit, shellLine(['paycli', 'ugwo', isDue ? 'charge' : 'get', textAt(request, 'uid'), ...flags]));
  };
  const pages = onePage(await Promise.all(newest.slice(0, max).map(shown)));
  return { kind: 'list', pages, view: hitView, saysEmpty: true, ...(failure && { failure }) };
};
