import type { Client } from '../../client/client.ts';
import type { Thing } from '../../contract/proof.ts';
import { statusOf } from '../../core/charge.ts';
import { PayError } from '../../core/error.ts';
import { machineValue } from '../../core/medium.ts';
import type { Received } from '../../core/received.ts';
import type { ColumnFault } from '../../core/row-end.ts';
import type { ChargeItem } from './charge-row.ts';

/** What keeps a payment request from being charged (public-facts.md, Payment requests; interface.md 4.2 rule 1). */
const STATUS: Readonly<Record<string, string>> = {
  ugwo_successful: 'is already paid',
  partially_refunded: 'is already paid and partly refunded',
  refunded: 'is already paid and refunded',
  cancelled: 'is cancelled',
};

const faultsOf = (ugwo: Thing): ColumnFault[] => {
  const state = statusOf(ugwo);
  const what = Object.hasOwn(STATUS, state) ? STATUS[state] : undefined;
  return [
    ...(what === undefined ? [] : [{ column: 'ugwo', what }]),
    ...(ugwo['checkout'] === null ? [{ column: 'ugwo', what: "has no checkout, so it can't be charged" }] : []),
  ];
};

/** Adds up what is asked for, by currency, in the minor unit. */
const addTo = (totals: Map<string, bigint>, ugwo: Thing): void => {
  const [amount, currency] = [machineValue(ugwo['amount']), machineValue(ugwo['currency'])];
  if (!/^\d{1,15}$/.test(amount) || currency === '') return;
  totals.set(currency, (totals.get(currency) ?? 0n) + BigInt(amount));
};

/** A look at each payment request before anything is sent (--check); `totals` is what all of them ask for. */
export const checker =
  (
    client: Client,
    totals: Map<string, bigint>,
    seen: (record: Received<Thing>) => Promise<void>,
  ): ((item: ChargeItem) => Promise<readonly ColumnFault[]>) =>
  async ({ ugwo }) => {
    try {
      const record = await client.call('ugwo.get', { params: { uid: ugwo } });
      await seen(record);
      const faults = faultsOf(record.value);
      if (faults.length === 0) addTo(totals, record.value);
      return faults;
    } catch (thrown) {
      if (!(thrown instanceof PayError) || thrown.kind !== 'rejected') throw thrown;
      return [{ column: 'ugwo', what: thrown.message }];
    }
  };
