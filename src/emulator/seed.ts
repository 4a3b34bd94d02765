import type { Onye } from '../contract/onye.ts';
import type { Ugwo } from '../contract/ugwo.ts';
import { machineValue } from '../core/charge.ts';
import { DAY_MS, MINUTE_MS, parseInstant, utcAtom } from '../core/time.ts';
import { activityOn } from './charge.ts';
import { derivedId, derivedText } from './ids.ts';
import { isPaid } from './payments.ts';
import { GHANAIAN, NIGERIAN } from './records.ts';
import type { EmulatorStore, StoredActivity } from './store.ts';

const words = (text: string): readonly string[] => text.split(/\s+/);

/** Parts of seeded records. These people don't exist, and example.com accepts no mail. */
export const FIRST_NAMES = words(`Ada Chinedu Ngozi Tunde Yetunde Emeka Aisha Ibrahim Folake Chidi
  Halima Segun Zainab Obinna Funmilayo Musa Amaka Kelechi Bukola Uche`);

export const LAST_NAMES = words(`Okafor Adeyemi Balogun Eze Mohammed Nwosu Ogunleye Danjuma Okonkwo Bello
  Adebayo Obi Sanusi Umeh Olawale Yakubu Igwe`);

export const CITIES = [
  ['Lagos', 'Lagos', '100001'],
  ['Ibadan', 'Oyo', '200001'],
  ['Enugu', 'Enugu', '400001'],
  ['Kano', 'Kano', '700001'],
  ['Abuja', 'FCT', '900001'],
  ['Port Harcourt', 'Rivers', '500001'],
] as const;

export const STREETS = ['Broad Street', 'Ahmadu Bello Way', 'Marina', 'Awolowo Road', 'Zik Avenue'] as const;

/** Goods, with prices in the minor unit. */
export const GOODS = [
  ['Cocoa, two bags', 5_000_000],
  ['School fees, second term', 18_500_000],
  ['Ankara fabric, six yards', 1_450_000],
  ['Phone repair', 750_000],
  ['Generator service', 2_200_000],
  ['Monthly data plan', 350_000],
  ['Wedding catering, deposit', 45_000_000],
  ['Office rent, March to May', 120_000_000],
  ['Bus ticket Lagos to Enugu', 1_980_000],
  ['Rice, 50 kg', 7_800_000],
  ['Solar panel, 350 W', 16_499_950],
] as const;

/** Interval between the records of a new file, shortened if they would reach back further than LONGEST_SPAN_MS. */
const RECORD_INTERVAL_MS = 97 * MINUTE_MS;
const LONGEST_SPAN_MS = 90 * DAY_MS;

/** Records that are added within one turn of the event loop. */
const RECORDS_PER_TURN = 200;

interface SeedSize {
  readonly customers: number;
  readonly ugwo: number;
}

const pickFrom = <T>(from: readonly T[], index: number): T => from[index % from.length] as T;

type Kind = Pick<Ugwo, 'currency' | 'checkout'> & { readonly emulate?: string };

const ORDINARY: Kind = { currency: 'NGN', checkout: NIGERIAN.snapshot };
const FROM_GHANA: Kind = { currency: 'GHS', checkout: GHANAIAN.snapshot };

/** Repeats from the newest payment request back, so that the first page of a list has one of each kind. */
const SEEDED_KINDS = [
  ORDINARY,
  FROM_GHANA,
  { ...ORDINARY, emulate: 'fail:ussd' },
  { currency: 'NGN', checkout: null },
  ORDINARY,
  { ...ORDINARY, emulate: 'lost' },
  { ...ORDINARY, emulate: 'fail' },
  FROM_GHANA,
  { ...ORDINARY, emulate: 'successful:20s' },
  ORDINARY,
] as const satisfies Kind[];

const SEEDED_STATUSES = [
  'ugwo_successful',
  'requires_ugwo',
  'ugwo_successful',
  'cancelled',
  'processing',
  'refunded',
] as const;

/** Status of the single activity of a seeded payment request, by the status of the request. */
const CHARGED_STATUSES: Readonly<Record<string, string>> = {
  ugwo_successful: 'successful',
  refunded: 'refunded',
  processing: 'processing',
};

/** Returns instants for `count` records, oldest first: newer than `after`, and up to a minute before `now`. */
const instants = (after: string | undefined, now: number, count: number): ((index: number) => string) => {
  const end = now - MINUTE_MS;
  const start = parseInstant(after ?? '')?.ms ?? end - Math.min(LONGEST_SPAN_MS, RECORD_INTERVAL_MS * count);
  const reach = Math.max(0, (start < end ? end : now) - start);
  return (index) => utcAtom(start + Math.floor((reach * (index + 1)) / count));
};

const seededCustomer = (number: number, createdAt: string): Onye => {
  const [first, last] = [pickFrom(FIRST_NAMES, number), pickFrom(LAST_NAMES, number * 3)];
  const [city, state, zip] = pickFrom(CITIES, number);
  const address = `${(number % 90) + 1} ${pickFrom(STREETS, number)}`;
  return {
    uid: derivedId('ony', String(number)),
    email: `${first}.${last}${number}@example.com`.toLowerCase(),
    first_name: first,
    last_name: last,
    ref: `CUST-${String(number).padStart(5, '0')}`,
    billing_address: { address, address2: '', city, state, zip, country: 'NG' },
    meta: { tier: number % 5 === 0 ? 'vip' : 'standard' },
    status: 'active',
    created_at: createdAt,
  };
};

/** `age` counts back from the newest of its batch. */
const paymentRequest = (number: number, age: number, createdAt: string): Ugwo => {
  const kind: Kind = pickFrom(SEEDED_KINDS, age);
  const [description, price] = pickFrom(GOODS, number);
  const amount = price + (number % 40) * 5000;
  const open = age < SEEDED_KINDS.length || kind.checkout === null;
  const status = open ? 'requires_ugwo' : pickFrom(SEEDED_STATUSES, number);
  const emulate = kind.emulate === undefined ? {} : { emulate: kind.emulate };
  return {
    uid: derivedId('ugw', String(number)),
    amount,
    total_amount_paid: isPaid({ status }) ? amount : 0,
    currency: kind.currency,
    status,
    ref: `INV-${String(number).padStart(6, '0')}`,
    description,
    metadata: { channel: pickFrom(['web', 'till', 'invoice'], number), ...emulate },
    onye: null,
    checkout: kind.checkout,
    created_at: createdAt,
  };
};

/** Returns the charge of a payment request that is paid or processing; undefined for any other. */
const chargeOf = (number: number, ugwo: Ugwo): StoredActivity | undefined => {
  const status = CHARGED_STATUSES[machineValue(ugwo.status ?? '')];
  if (status === undefined) return undefined;
  const activity = activityOn(ugwo, {
    uid: derivedId('act', String(number)),
    reference: `EMU-${derivedText(`reference ${number}`, 16)}`,
    outcome: { status, next_action: null, error: null },
    at: ugwo.created_at ?? '',
  });
  return { activity, ugwo: ugwo.uid, medium: machineValue(pickFrom(ugwo.checkout?.mediums ?? [], number).medium) };
};

/**
 * Adds records that are newer than the existing ones. Their content depends only on their number in the order of
 * creation and on the clock, never on chance: the same seeding of a new file gives the same identifiers. Yields the
 * number of records so far, once a turn.
 */
export function* seedStore(store: EmulatorStore, { customers, ugwo }: SeedSize, now: number): Generator<number> {
  const customerAt = instants(store.newest('onye'), now, customers);
  const firstCustomer = store.made('onye') + 1;
  for (let index = 0; index < customers; index += 1) {
    store.addCustomer(seededCustomer(firstCustomer + index, customerAt(index)));
    if (index % RECORDS_PER_TURN === RECORDS_PER_TURN - 1) yield index + 1;
  }
  const payers = store.customerIds();
  const ugwoAt = instants(store.newest('ugwo'), now, ugwo);
  const firstUgwo = store.made('ugwo') + 1;
  for (let index = 0; index < ugwo; index += 1) {
    const number = firstUgwo + index;
    const request = paymentRequest(number, ugwo - 1 - index, ugwoAt(index));
    // Every seventh has no customer.
    store.addUgwo(request, number % 7 === 0 ? null : (payers[(number * 7) % payers.length] ?? null));
    const charge = chargeOf(number, request);
    if (charge !== undefined) store.addActivity(charge, undefined);
    if (index % RECORDS_PER_TURN === RECORDS_PER_TURN - 1) yield customers + index + 1;
  }
}
