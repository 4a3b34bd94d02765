import type { RowSignals } from '../../bulk/pacing/run.ts';
import type { Client } from '../../client/client.ts';
import type { Thing } from '../../contract/proof.ts';
import { statusOf } from '../../core/charge.ts';
import { PayError } from '../../core/error.ts';
import { machineValue } from '../../core/medium.ts';
import { formatMoney } from '../../core/money.ts';
import type { Received } from '../../core/received.ts';
import type { Total } from '../../ledger/approval.ts';
import type { RequestTerms } from '../../ledger/entry.ts';

/** What keeps a payment request from being charged (public-facts.md, Payment requests; interface.md 4.2 rule 1). */
const STATUS: Readonly<Record<string, string>> = {
  ugwo_successful: 'is already paid',
  partially_refunded: 'is already paid and partly refunded',
  refunded: 'is already paid and refunded',
  cancelled: 'is cancelled',
};

const obstaclesOf = (ugwo: Thing): string[] => {
  const state = statusOf(ugwo);
  const what = Object.hasOwn(STATUS, state) ? STATUS[state] : undefined;
  return [
    ...(what === undefined ? [] : [what]),
    ...(ugwo['checkout'] === null ? ["has no checkout, so it can't be charged"] : []),
  ];
};

const outgrown = (ugwo: string, { amount, currency }: RequestTerms): PayError => {
  const money = amount === undefined || currency === undefined ? 'an unknown amount' : formatMoney(amount, currency);
  return new PayError('refused', `${ugwo} was not charged: with ${money}, the file comes to more than may be charged`, {
    hint: 'amounts have changed since the file was checked; run the same command again to have all of them checked, and approved where that is needed',
    spent: true,
  });
};

/**
 * Looks at payment requests before anything is sent (--check), and adds up what they ask for. Where that needs an approval
 * beyond some sum, what each asks for just before it is charged is held against the same.
 */
export const openChecker = (client: Client, seen: (record: Received<Thing>) => Promise<void>) => {
  let spend: ((asked: RequestTerms) => boolean) | undefined;
  const amounts = new Map<string, bigint>();
  let [rows, unknown] = [0, 0];
  const add = (ugwo: Thing): void => {
    const [amount, currency] = [machineValue(ugwo['amount']), machineValue(ugwo['currency'])];
    rows += 1;
    if (!/^\d{1,15}$/.test(amount) || currency === '') unknown += 1;
    else amounts.set(currency, (amounts.get(currency) ?? 0n) + BigInt(amount));
  };
  return {
    check: async (uid: string, slowDown: RowSignals['slowDown']): Promise<readonly string[]> => {
      const record = await client.call('ugwo.get', { params: { uid }, slowDown });
      await seen(record);
      const obstacles = obstaclesOf(record.value);
      if (obstacles.length === 0) add(record.value);
      return obstacles;
    },
    checked: (): Total => ({ rows, amounts, unknown }),
    hold: (by: NonNullable<typeof spend>): void => {
      spend = by;
    },
    isHeld: (): boolean => spend !== undefined,
    /** Counts a row that is about to be charged; throws where the file then comes to more than it may. */
    count: (ugwo: string, asked: RequestTerms): void => {
      if (spend?.(asked) === false) throw outgrown(ugwo, asked);
    },
  };
};
export type Checker = ReturnType<typeof openChecker>;
