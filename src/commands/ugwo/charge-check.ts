import type { Client } from '../../client/client.ts';
import type { AnswerOf } from '../../contract/operations.ts';
import type { Ugwo } from '../../contract/ugwo.ts';
import { PayError } from '../../core/error.ts';
import { machineValue } from '../../core/medium.ts';
import type { Received } from '../../core/received.ts';
import type { ColumnFault } from '../../core/row-end.ts';
import type { ChargeItem } from './charge-row.ts';

/** What keeps a payment request from being charged (public-facts.md, Payment requests; interface.md 4.2 rule 1). */
const STATUS: Readonly<Record<string, string>> = {
  ugwo_successful: 'is paid already',
  partially_refunded: 'is paid already, and partly refunded',
  refunded: 'is paid already, and refunded',
  cancelled: 'is cancelled',
};

const faultsOf = ({ status, checkout }: Ugwo): ColumnFault[] => {
  const state = status === undefined || status === null ? '' : machineValue(status);
  const what = Object.hasOwn(STATUS, state) ? STATUS[state] : undefined;
  return [
    ...(what === undefined ? [] : [{ column: 'ugwo', what }]),
    ...(checkout === null ? [{ column: 'ugwo', what: 'has no checkout, so it can be charged by no medium' }] : []),
  ];
};

/** Adds up what is asked for, by currency, in the minor unit. */
const addTo = (totals: Map<string, bigint>, { amount, currency }: Ugwo): void => {
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || currency === undefined || currency === null)
    return;
  const code = machineValue(currency);
  totals.set(code, (totals.get(code) ?? 0n) + BigInt(amount));
};

/** A look at each payment request before anything is sent (--check); `totals` is what all of them ask for. */
export const checker =
  (
    client: Client,
    totals: Map<string, bigint>,
    seen: (record: Received<AnswerOf<'ugwo.get'>>) => Promise<void>,
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
