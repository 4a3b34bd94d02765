import { profileWithoutKey } from '../../compose/client.ts';
import { grouped } from '../../core/bounds.ts';
import { CHARGE, statusOf, textAt } from '../../core/charge.ts';
import { PayError } from '../../core/error.ts';
import { isAnyId } from '../../core/ids.ts';
import { targetFlags } from '../../core/input.ts';
import { isJsonObject, valueAt } from '../../core/json.ts';
import { readMajor, splitMoney } from '../../core/money.ts';
import { type ApiRecord, createdAt, hidesCustomer, madeHere, PAGE_DEFAULT, PAGE_MAX } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import { atom } from '../../core/time.ts';
import { type Entry, isCharge, isInScope, keptAccount, lastDigits, termsDigestOf } from '../../ledger/entry.ts';
import type { Ledger, ListFilter } from '../../ledger/ledger.ts';
import { snapshotOf } from '../../ledger/snapshot.ts';
import { moneyKnown } from '../../ledger/transitions.ts';
import { countPage, lookedThrough, pageOf } from '../list.ts';
import { PAGES_SEARCHED } from '../names.ts';
import type { Run } from '../run.ts';
import { isUnpaid, nextSteps } from './cases.ts';
import { namesJob } from './entries.ts';
import type { FindInput } from './find-spec.ts';
import { hitView } from './view.ts';

/** An entry of the ledger, a payment request of the service, or one with its newest charge. `by`: what the text is. */
interface Hit {
  readonly by: string;
  readonly at: number;
  readonly entry?: Entry | undefined;
  readonly request?: object;
}

/** The digits of a number, with `+` before a country code; undefined for a text of anything else. */
const numberIn = (text: string): string | undefined => /^\+?\d{4,}$/.exec(text.replaceAll(/[\s()-]/g, ''))?.[0];

const amountIn = (text: string) => {
  const { currency, amount } = splitMoney(text);
  const minor = Number(readMajor(amount, currency ?? ''));
  return Number.isSafeInteger(minor) ? { minor, currency } : undefined;
};

type Lookup = readonly [by: string, filter: Partial<ListFilter>];

/** What the ledger can look up for a text, the surest first. */
const lookupsOf = (text: string, { digest }: Ledger): Lookup[] => {
  const [number, money] = [numberIn(text), amountIn(text)];
  const lookups: Lookup[] = [
    ['ref', { ref: text }],
    ['psp_reference', { pspReference: text }],
  ];
  if (isAnyId(text))
    lookups.push(['ugwo', { about: text }], ['activity', { activities: [text] }], ['customer', { customer: text }]);
  if (text.startsWith('job-')) lookups.push(['job', { job: text }]);
  if (text.includes('@')) lookups.push(['customer_email', { email: text }]);
  if (number !== undefined) {
    const whole = number.length === 4 ? undefined : termsDigestOf(number, {}, digest);
    const { accountDigest } = keptAccount(number, digest);
    lookups.push(['account_number', { accountDigest }], ['phone', { phone: lastDigits(number), termsDigest: whole }]);
  }
  if (money !== undefined) {
    const { minor, currency } = money;
    lookups.push(['amount', { amount: minor, currency }], ['received', { otherReceived: minor, currency }]);
  }
  return lookups;
};

/** Field of a received record that is the text, in upper or lower case, or whose number ends with its digits. */
const fieldWith = (value: unknown, text: string, path = ''): string | undefined => {
  if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const found = fieldWith(member, text, path === '' ? name : `${path}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (typeof value !== 'string' || /amount/.test(path)) return undefined;
  const [digits, ending] = [numberIn(value) ?? '', numberIn(text)];
  const ends = ending !== undefined && digits.length >= 7 && digits.endsWith(ending.replace(/^\+?0?/, ''));
  return ends || value.toLowerCase() === text.toLowerCase() ? path : undefined;
};

/** What a text is in a payment request as received; undefined if it isn't there. */
const foundIn = (request: unknown, text: string): string | undefined => {
  const name = [valueAt(request, 'onye.first_name'), valueAt(request, 'onye.last_name')].join(' ').toLowerCase();
  if (text.length > 2 && name.includes(text.toLowerCase())) return 'name';
  const [{ asked, facts }, money] = [snapshotOf(request), amountIn(text)];
  const isMeant = money !== undefined && (money.currency ?? asked.currency) === asked.currency;
  if (isMeant && money.minor === asked.amount) return 'amount';
  if (isMeant && money.minor === facts?.total) return 'received';
  return fieldWith(request, text);
};

/** Finds payment requests of the service, newest first, with their newest charge from here. Passes them on until an error. */
const findAtService = async (text: string, run: Run, take: (request: object, by: string) => Promise<void>) => {
  const looked = { count: 0, oldest: undefined, hides: false };
  run.state.status.doing = () => (looked.count === 0 ? undefined : `${grouped(looked.count)} read`);
  const client = await run.client('read');
  try {
    for await (const page of client.pages(
      'ugwo.list',
      { query: { limit: String(PAGE_MAX) } },
      { pages: PAGES_SEARCHED },
    )) {
      countPage(looked, page);
      looked.hides ||= page.records.some(({ value }) => hidesCustomer(value));
      for (const { value } of page.records) {
        const by = foundIn(value, text);
        if (by !== undefined) await take(value, by);
      }
    }
  } finally {
    await run.say(`${lookedThrough(looked, 'payment requests')}${looked.hides ? ' The list shows no customers.' : ''}`);
  }
};

type StepFor = ReturnType<typeof nextSteps>;

const commandFor = async ({ entry, request }: Hit, stepFor: StepFor, { globals }: Run): Promise<string | null> => {
  if (request === undefined) return entry === undefined ? null : stepFor(entry);
  const isDue = statusOf(request) === 'requires_ugwo';
  if (entry !== undefined && (isDue || !isUnpaid(entry))) return stepFor(entry);
  return shellLine(['paycli', 'ugwo', isDue ? 'charge' : 'get', textAt(request, 'uid'), ...targetFlags(globals)]);
};

const recordOf = async (hit: Hit, stepFor: StepFor, run: Run): Promise<ApiRecord> => {
  const { by, at, entry, request } = hit;
  const [money, shown] = [entry && moneyKnown(entry), request && snapshotOf(request)];
  const { amount, currency, ref, customer, email } = shown?.asked ?? entry?.asked ?? {};
  const charged = entry !== undefined && isCharge(entry) ? entry.about : null;
  return madeHere({
    ugwo: request === undefined ? charged : textAt(request, 'uid'),
    ...{ ref: ref ?? null, amount: amount ?? null, currency: currency ?? null },
    ...{ customer: customer ?? null, customer_email: email ?? null },
    status: shown?.status ?? money?.payment ?? entry?.state ?? null,
    received: (shown === undefined ? money?.received : shown.facts?.total) ?? null,
    paid_at: atom(money?.paidAt),
    created_at: atom(at),
    ...{ id: entry?.id ?? null, profile: entry?.profile ?? null },
    ...{ source: request === undefined ? 'ledger' : 'service', found_by: by },
    command: await commandFor(hit, stepFor, run),
  });
};

/** Finds the payments that a text names, newest first. Reads the ledger, and with --service the service. */
export const findPayments = async (
  { text, service, max = PAGE_DEFAULT, allProfiles = false }: FindInput,
  run: Run,
): Promise<Result> => {
  const ledger = await run.ledger();
  const { scope } = allProfiles ? { scope: {} } : await profileWithoutKey(run);
  const limit = max + PAGE_MAX;
  const hits = new Map<string, Hit>();
  const add = (name: string, hit: Hit): unknown => hits.has(name) || hits.set(name, hit);
  const named = await ledger.get(text);
  if (named !== undefined && isInScope(scope)(named)) add(text, { by: 'id', at: named.createdAt, entry: named });
  let isCut = false;
  for (const [by, filter] of lookupsOf(text, ledger)) {
    const found = await ledger.list({ ...scope, ...filter, limit });
    isCut ||= found.length === limit;
    for (const entry of found) add(entry.id, { by, at: entry.createdAt, entry });
  }
  let failure: PayError | undefined;
  const take = async (request: object, by: string): Promise<void> => {
    const about = String(valueAt(request, 'uid'));
    const charges = await ledger.list({ ...scope, about, kind: CHARGE, limit: -1 });
    // The service shows their request as it is now.
    for (const { id } of charges) hits.delete(id);
    add(about, { by, at: createdAt(request) ?? 0, entry: charges.at(0), request });
  };
  if (service) {
    await findAtService(text, run, take).catch((thrown: unknown) => {
      if (!(thrown instanceof PayError) || thrown.kind === 'interrupted') throw thrown;
      failure = thrown;
    });
  }

  const newest = [...hits.values()].sort((a, b) => b.at - a.at);
  const again = (...words: readonly string[]): string =>
    shellLine(['paycli', 'find', ...words, ...(allProfiles ? ['--all-profiles'] : targetFlags(run.globals))]);
  const given = service ? [text, '--service'] : [text];
  if (newest.length > max) {
    const count = `${isCut ? 'at least ' : ''}${newest.length}`;
    await run.say(`The newest ${max} of ${count} hits. For more: ${again(...given, '--max', String(newest.length))}`);
  }
  if (namesJob(text) && (await ledger.jobs.get(text)) !== undefined) {
    await run.say(`All of it: ${shellLine(['paycli', 'ledger', 'show', text])}`);
  } else if (newest.length === 0 && failure === undefined) {
    const number = numberIn(text) ?? '';
    await run.say([
      service ? 'Nothing found.' : 'Nothing found in the ledger.',
      ...(number.length > 4 ? [`By the end of a phone number: ${again(number.slice(-4))}`] : []),
      ...(service || allProfiles ? [] : [`At the service: ${again(text, '--service')}`]),
    ]);
  }
  const stepFor = nextSteps(ledger, run, allProfiles);
  const records = await Promise.all(newest.slice(0, max).map((hit) => recordOf(hit, stepFor, run)));
  return {
    kind: 'list',
    pages: pageOf(records),
    view: hitView,
    saysEmpty: true,
    ...(failure === undefined ? {} : { failure }),
  };
};
