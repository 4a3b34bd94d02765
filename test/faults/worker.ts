/**
 * A process that charges: it reports that it is ready, executes an order, and reports the result. Run by node or by
 * bun directly.
 */
import { type ChargeEnd, chargeAt, type Limits, openRealLedger } from './charger.ts';

/** The order for a worker. */
export type Order =
  /** Charges all of these, in order. */
  | {
      readonly kind: 'charge';
      readonly ledger: string;
      readonly origin: string;
      readonly ugwos: readonly string[];
      readonly limits?: Limits;
    }
  /** Opens the ledger, begins a charge without sending it, and closes it. */
  | { readonly kind: 'open'; readonly ledger: string; readonly ugwo: string };

/** The results of the charges in order; for `open`, the one that was begun. */
export type Reply = readonly ChargeEnd[];

const chargeAll = async ({ ledger: path, origin, ugwos, limits }: Order & { kind: 'charge' }): Promise<Reply> => {
  const ledger = await openRealLedger(path);
  const ends: ChargeEnd[] = [];
  for (const ugwo of ugwos) ends.push(await chargeAt(origin, ledger, ugwo, limits));
  await ledger.close();
  return ends;
};

const openOnce = async ({ ledger: path, ugwo }: Order & { kind: 'open' }): Promise<Reply> => {
  const ledger = await openRealLedger(path);
  const place = { service: 'here', origin: 'https://here.example', workspace: undefined, profile: undefined };
  const asked = { amount: 500_000, currency: 'NGN' };
  const rest = { medium: 'ussd', provider: 'gtb', phone: undefined, asked, digest: '', bound: 60_000 };
  const begun = await ledger.begin({ ...place, ...rest, kind: 'charge', about: ugwo }, { again: false });
  await ledger.close();
  return [{ kind: begun.kind, exitCode: 0, id: undefined, message: '' }];
};

const obey = (order: Order): Promise<Reply> => (order.kind === 'charge' ? chargeAll(order) : openOnce(order));

process.on('message', (order: Order) => {
  obey(order)
    .catch((thrown: unknown): Reply => [{ kind: 'threw', exitCode: -1, id: undefined, message: String(thrown) }])
    .then((reply) => process.send?.(reply));
});
process.send?.('ready');
