import type { Client } from '../../client/client.ts';
import { PayError } from '../../core/error.ts';
import { interrupted } from '../../core/interrupt.ts';
import { LOCAL_PROFILE } from '../../core/local.ts';
import { placeWords } from '../../core/place-words.ts';
import type { Result } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import type { RequestRead } from '../../ledger/candidates.ts';
import type { Charge, Entry, Place } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { LedgerRoom } from '../../ledger/room.ts';
import type { Deps } from '../deps.ts';
import { pageOf } from '../one-page.ts';
import { find } from './find.ts';
import { recorderOf } from './pages.ts';
import type { StillUnknown } from './still-unknown.ts';
import { leftError } from './still-unknown.ts';
import { listView } from './view.ts';

interface Input {
  readonly ids: readonly string[];
  readonly allProfiles: boolean;
}

/** Which of the unknown charges are left out: practice, real ones, or those of other profiles; and what leads to them. */
const othersOf = (others: readonly Entry[], local: boolean): readonly [kind: string, option: string] => {
  if (others.every(({ profile }) => profile === LOCAL_PROFILE)) return ['practice', 'with --local'];
  return local ? ['real', 'without --local'] : ['other', 'with --all-profiles'];
};

/** What is said of the unknown charges that are left out. */
const othersText = (here: number, others: readonly Entry[], local: boolean): string | undefined => {
  const { length } = others;
  if (length === 0) return here > 0 ? undefined : 'No charge is unknown.';
  const [kind, option] = othersOf(others, local);
  return here > 0
    ? `${length} more ${length === 1 ? 'is' : 'are'} unknown: run again ${option}.`
    : `No charge is unknown, except ${length} ${kind} ${length === 1 ? 'charge' : 'charges'}: run again ${option}.`;
};

/** What was named, each once, else all that is unknown and meant. Nothing is asked of the profile where nothing is unknown. */
const chosen = async (ledger: Ledger, { ids, allProfiles }: Input, deps: Deps): Promise<readonly Entry[]> => {
  if (ids.length > 0) return Promise.all([...new Set(ids)].map((id) => find(ledger, id)));
  const all = await ledger.unknown();
  const scope = allProfiles || all.length === 0 ? {} : await deps.scope();
  const isMeant = (await deps.protocol()).isIn(scope);
  const charges = all.filter(isMeant);
  const others = all.filter((entry) => !isMeant(entry));
  const text = othersText(charges.length, others, deps.globals.local);
  if (text !== undefined) await deps.notice(text);
  return charges;
};

/** A read that failed says nothing of the charge, and must not end the look at the others. */
const asUnavailable = (thrown: unknown): RequestRead => {
  if (!(thrown instanceof PayError) || !['read_failed', 'rejected'].includes(thrown.kind)) throw thrown;
  const { status } = thrown.detail;
  return { unavailable: thrown.message, ...(status === undefined ? {} : { status }) };
};

const lookWith =
  (client: Client, { shownOf }: LedgerRoom) =>
  async ({ about }: Charge): Promise<RequestRead> => {
    try {
      const record = await client.call('ugwo.get', { params: { uid: about } });
      return shownOf(record.value, record);
    } catch (thrown) {
      return asUnavailable(thrown);
    }
  };

/** An entry as it now stands. */
interface Reconciled {
  readonly charge: Entry;
  readonly left?: StillUnknown;
}

/** Each looked at in turn. Nothing is asked of the profile or the network before there is one to look at. */
const looker = (ledger: Ledger, deps: Deps) => {
  let [place, client] = [undefined as Place | undefined, undefined as Client | undefined];
  return async (charge: Entry): Promise<Reconciled> => {
    if (charge.state === 'sending') return { charge, left: { charge, why: 'sending' } };
    if (charge.state !== 'unknown') return { charge };
    place ??= await deps.place();
    const protocol = await deps.protocol();
    const { service, workspace } = place;
    if (!protocol.isIn({ service, workspace })(charge)) return { charge, left: { charge, why: 'elsewhere' } };
    if (!protocol.isCharge(charge)) return { charge, left: { charge, why: 'unseen' } };
    client ??= await deps.client('read');
    const world = { clean: (text: string) => deps.io.redactor.cleanAll(text) };
    const { charge: now, left } = await protocol.reconcile(ledger, charge, lookWith(client, protocol), world);
    return left === undefined ? { charge: now } : { charge: now, left: { charge: now, ...left } };
  };
};

/** What was looked at is in the ledger by then, and shown, whatever breaks off the rest. */
const lookAtAll = async (
  charges: readonly Entry[],
  look: (charge: Entry) => Promise<Reconciled>,
  stop: AbortSignal,
): Promise<{ readonly looked: readonly Reconciled[]; readonly broken?: PayError }> => {
  const looked: Reconciled[] = [];
  try {
    for (const charge of charges) looked.push(await look(charge));
    return { looked };
  } catch (thrown) {
    if (!(thrown instanceof PayError) || looked.length === 0) throw thrown;
    const isStopped = thrown.kind === 'interrupted';
    return { looked, broken: isStopped ? interrupted(stop.reason, 'what is shown here is in the ledger') : thrown };
  }
};

/** Finds out what became of what may have been made, as far as the service shows it. */
export const run = async (input: Input, deps: Deps): Promise<Result> => {
  const ledger = await deps.ledger();
  const charges = await chosen(ledger, input, deps);
  if (charges.length > 1) await deps.notice(`Checking ${charges.length} payment requests.`);
  const look = looker(ledger, deps);
  // All of them, whether or not somebody goes on reading: the exit code speaks of all.
  const { looked, broken } = await lookAtAll(charges, look, deps.io.signals.stop);
  const record = await recorderOf(deps);
  const left = looked.flatMap((one) => one.left ?? []);
  const again = shellLine(['paycli', 'ledger', 'reconcile', ...placeWords(deps.globals)]);
  const unknown =
    left.length === 0
      ? undefined
      : leftError(left, { looked: charges, again, now: deps.io.clock.now(), local: deps.globals.local });
  const failure = broken ?? unknown;
  return {
    kind: 'list',
    pages: pageOf(looked.map(({ charge }) => record(charge))),
    view: listView,
    toldEmpty: true,
    ...(failure === undefined ? {} : { failure }),
  };
};
