import type { Client } from '../../client/client.ts';
import type { Thing } from '../../contract/proof.ts';
import { statusOf } from '../../core/charge.ts';
import { machineValue } from '../../core/medium.ts';
import { formatMoney } from '../../core/money.ts';
import type { Received } from '../../core/received.ts';

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

/** Looks at payment requests before anything is sent (--check), and adds up what they ask for. */
export const openChecker = (client: Client, seen: (record: Received<Thing>) => Promise<void>) => {
  /** By currency, in the minor unit. */
  const totals = new Map<string, bigint>();
  const add = (ugwo: Thing): void => {
    const [amount, currency] = [machineValue(ugwo['amount']), machineValue(ugwo['currency'])];
    if (!/^\d{1,15}$/.test(amount) || currency === '') return;
    totals.set(currency, (totals.get(currency) ?? 0n) + BigInt(amount));
  };
  return {
    check: async (uid: string): Promise<readonly string[]> => {
      const record = await client.call('ugwo.get', { params: { uid } });
      await seen(record);
      const obstacles = obstaclesOf(record.value);
      if (obstacles.length === 0) add(record.value);
      return obstacles;
    },
    /** undefined where nobody has looked. */
    total: (): string | undefined =>
      totals.size === 0
        ? undefined
        : [...totals].map(([currency, minor]) => formatMoney(minor, currency)).join(' and '),
  };
};
