import { CITIES, FIRST_NAMES, GOODS, LAST_NAMES, STREETS } from '../../../src/emulator/seed.ts';

/** Records repeat after so many, but for their uid. */
const KINDS = 100;
const UID_DIGITS = 24;
const NO_DIGITS = '0'.repeat(UID_DIGITS);
const STATUSES = ['ugwo_successful', 'requires_ugwo', 'ugwo_successful', 'cancelled', 'processing'] as const;

const pick = <T>(from: readonly T[], index: number): T => from[index % from.length] as T;
const id = (prefix: string, number: number): string => `${prefix}.Bnch.${String(number).padStart(UID_DIGITS, '0')}`;

const customer = (kind: number): object => {
  const [first, last] = [pick(FIRST_NAMES, kind), pick(LAST_NAMES, kind * 3)];
  const [city, state, zip] = pick(CITIES, kind);
  return {
    uid: id('ony', 9_000_000 + kind),
    email: `${first}.${last}${kind}@example.com`.toLowerCase(),
    first_name: first,
    last_name: last,
    ref: `CUST-${9_000_000 + kind}`,
    billing_address: { address: `${kind + 1} ${pick(STREETS, kind)}`, address2: '', city, state, zip, country: 'NG' },
    meta: { tier: kind % 5 === 0 ? 'vip' : 'standard' },
    created_at: '2026-08-02T09:15:00+00:00',
  };
};

/** A payment request as lists show it (docs/service.md, Payment requests; the rest as the emulator has it), without its number. */
const record = (kind: number): object => {
  const [description, price] = pick(GOODS, kind);
  return {
    uid: `ugw.Bnch.${NO_DIGITS}`,
    amount: price + (kind % 40) * 5000,
    currency: 'NGN',
    status: pick(STATUSES, kind),
    ref: `INV-${9_000_000 + kind}`,
    description,
    metadata: { channel: 'web', order: `order-${kind}`, note: 'Deliver between nine and five' },
    onye: kind % 7 === 0 ? null : customer(kind),
    checkout: {
      uid: id('chk', 1),
      currency: ['NGN', 'Nigerian naira (NGN)'],
      mediums: [{ medium: 'bank_transfer' }, { medium: 'ussd' }],
    },
    created_at: `2026-11-${10 + (kind % 10)}T10:${10 + (kind % 50)}:00+00:00`,
  };
};

// Two rounds of all kinds, each record with the comma behind it: every page is a stretch of them, copied in one piece.
const pieces = Array.from({ length: 2 * KINDS }, (_, index) =>
  Buffer.from(`${JSON.stringify(record(index % KINDS))},`),
);
const STRETCH = Buffer.concat(pieces);
const STARTS = [0];
for (const { length } of pieces) STARTS.push((STARTS.at(-1) ?? 0) + length);
const DIGITS_END = STRETCH.indexOf(NO_DIGITS) + UID_DIGITS;

const startOf = (index: number): number => STARTS[index] as number;

/** The uid of a record; they are counted from 1. */
export const uidOf = (number: number): string => id('ugw', number);

/** `count` records with commas between them, the first of which has `before` records before it. At most 100. */
export const recordsBetween = (before: number, count: number): Buffer => {
  if (count === 0) return Buffer.alloc(0);
  const kind = before % KINDS;
  const begin = startOf(kind);
  const bytes = Buffer.from(STRETCH.subarray(begin, startOf(kind + count) - 1));
  for (let index = 0; index < count; index += 1) {
    const digits = String(before + index + 1);
    bytes.write(digits, startOf(kind + index) - begin + DIGITS_END - digits.length, 'latin1');
  }
  return bytes;
};
