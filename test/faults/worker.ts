/**
 * A process that charges: it says that it is ready, does what it is told when it is told, and says what came of it. Run by
 * node or by bun directly.
 */
import { type ChargeEnd, chargeAt, type Limits, openRealLedger } from './charger.ts';

/** What a worker is told. */
export type Order =
  /** Charges every one of these, in this order. */
  | {
      readonly kind: 'charge';
      readonly ledger: string;
      readonly origin: string;
      readonly ugwos: readonly string[];
      readonly limits?: Limits;
    }
  /** Opens the ledger, begins a charge that it never sends, and closes it. */
  | { readonly kind: 'open'; readonly ledger: string; readonly ugwo: string };

/** The end of each charge in turn; of `open`, what was begun. */
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
