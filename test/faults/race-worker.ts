/**
 * One process of a race: it says that it is ready, does what it is told when it is told, and says what came of it. Run with
 * node directly.
 */
import { chargeAt, openRealLedger } from './charger.ts';

/** What a worker is told. */
export type Order =
  /** Charges every one of these, in this order. */
  | { readonly kind: 'charge'; readonly ledger: string; readonly origin: string; readonly ugwos: readonly string[] }
  /** Opens the ledger, begins a charge that it never sends, and closes it. */
  | { readonly kind: 'open'; readonly ledger: string; readonly ugwo: string };

/** The kind of end of each charge in turn, with what an error said; of `open`, the name of what was begun. */
export type Reply = readonly (readonly [kind: string, message: string])[];

const chargeAll = async ({ ledger: path, origin, ugwos }: Order & { kind: 'charge' }): Promise<Reply> => {
  const ledger = await openRealLedger(path);
  const ends: [string, string][] = [];
  for (const ugwo of ugwos) {
    const { kind, message } = await chargeAt(origin, ledger, ugwo);
    ends.push([kind, message]);
  }
  await ledger.close();
  return ends;
};

const openOnce = async ({ ledger: path, ugwo }: Order & { kind: 'open' }): Promise<Reply> => {
  const ledger = await openRealLedger(path);
  const place = { service: 'here', origin: 'https://here.example', workspace: undefined, profile: undefined };
  const rest = { medium: 'ussd', provider: 'gtb', phone: undefined, digest: '', deadline: Date.now() + 60_000 };
  const begun = await ledger.begin({ ...place, ...rest, ugwo }, { again: false });
  await ledger.close();
  return [[begun.kind, '']];
};

const obey = (order: Order): Promise<Reply> => (order.kind === 'charge' ? chargeAll(order) : openOnce(order));

process.on('message', (order: Order) => {
  obey(order)
    .catch((thrown: unknown): Reply => [['threw', String(thrown)]])
    .then((reply) => process.send?.(reply));
});
process.send?.('ready');
