import type { Deps } from '../../cli/deps.ts';
import type { Client } from '../../client/client.ts';
import { PayError } from '../../core/error.ts';
import type { EnumLike } from '../../core/medium.ts';
import { machineValue } from '../../core/medium.ts';
import type { ReceivedPage } from '../../core/received.ts';
import type { Charge, Ledger, Place } from '../../ledger/ledger.ts';
import type { Sight } from '../../ledger/look.ts';
import type { Result } from '../../output/view.ts';
import { find } from './find.ts';
import type { Left } from './left.ts';
import { leftError } from './left.ts';
import type { ReconcileInput } from './spec.ts';
import { listView, recordOf } from './view.ts';

/** The charges that were named, each once, else all that are unknown. */
const chosen = async (ledger: Ledger, ids: readonly string[]): Promise<readonly Charge[]> => {
  if (ids.length === 0) return ledger.unknown();
  const charges: Charge[] = [];
  for (const id of new Set(ids)) charges.push(await find(ledger, id));
  return charges;
};

/** A read that failed says nothing of the charge, and must not end the look at the others. */
const asUnavailable = (thrown: unknown): Sight => {
  if (!(thrown instanceof PayError) || !['read_failed', 'rejected'].includes(thrown.kind)) throw thrown;
  const { status } = thrown.detail;
  return { unavailable: thrown.message, ...(status === undefined ? {} : { status }) };
};

const lookWith =
  (client: Client) =>
  async ({ ugwo }: Charge): Promise<Sight> => {
    try {
      const { value, servedAt } = await client.call('ugwo.get', { params: { uid: ugwo } });
      return {
        activities: value.activities ?? undefined,
        ...(servedAt === undefined ? {} : { servedAt }),
        ...(typeof value.status === 'string' || Array.isArray(value.status)
          ? { status: machineValue(value.status as EnumLike) }
          : {}),
      };
    } catch (thrown) {
      return asUnavailable(thrown);
    }
  };

/** Each charge looked at in turn. Nothing is asked of the profile or the network before there is one to look at. */
const looker = (ledger: Ledger, deps: Deps) => {
  let [place, client] = [undefined as Place | undefined, undefined as Client | undefined];
  return async (charge: Charge): Promise<{ readonly charge: Charge; readonly left?: Left }> => {
    if (charge.state === 'sending') return { charge, left: { charge, why: 'sending' } };
    if (charge.state !== 'unknown') return { charge };
    place ??= await deps.place();
    if (place.service !== charge.service) return { charge, left: { charge, why: 'elsewhere' } };
    client ??= await deps.client('read');
    const { reconcile } = await deps.protocol();
    const world = { now: deps.io.clock.now, clean: (text: string) => deps.io.redactor.cleanAll(text) };
    const { charge: now, left } = await reconcile(ledger, charge, lookWith(client), world);
    return left === undefined ? { charge: now } : { charge: now, left: { charge: now, ...left } };
  };
};

/** A page a charge, as soon as it is done; once all are, what is left unknown is thrown. */
async function* looks(charges: readonly Charge[], ledger: Ledger, deps: Deps): AsyncGenerator<ReceivedPage> {
  const look = looker(ledger, deps);
  const left: Left[] = [];
  for (const [index, charge] of charges.entries()) {
    const looked = await look(charge);
    if (looked.left !== undefined) left.push(looked.left);
    const nextCursor = charges[index + 1]?.id ?? null;
    yield { records: [recordOf(looked.charge)], cursor: charge.id, nextCursor };
  }
  if (left.length > 0) throw leftError(left, charges.length, deps.io.clock.now());
}

async function* nothing(): AsyncGenerator<ReceivedPage> {
  yield { records: [], cursor: undefined, nextCursor: null };
}

/** Finds out what became of the charges that may have been made, as far as the service shows it. */
export const run = async ({ ids }: ReconcileInput, deps: Deps): Promise<Result> => {
  const ledger = await deps.ledger();
  const charges = await chosen(ledger, ids);
  if (charges.length === 0) await deps.notice('no charge is unknown');
  const pages = charges.length === 0 ? nothing() : looks(charges, ledger, deps);
  return { kind: 'list', pages, view: listView };
};
