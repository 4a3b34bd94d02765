import type { Tower } from '../../bulk/pacing/run.ts';
import type { Worker } from '../../bulk/trade.ts';
import type { Client } from '../../client/client.ts';
import type { NameOf } from '../../core/charge-with.ts';
import { PayError } from '../../core/error.ts';
import { placeWords } from '../../core/place-words.ts';
import { isTakenUp } from '../../core/row.ts';
import type { Settled, Worked } from '../../core/row-end.ts';
import { endedWith, workedWith } from '../../core/row-end.ts';
import type { Entry, Ledger, Moment, Place } from '../../ledger/ledger.ts';
import type { LedgerRoom } from '../../ledger/room.ts';
import type { Shown } from '../../ledger/shown.ts';
import type { Deps } from '../deps.ts';
import { chargeData } from './charge-body.ts';
import { cannotLook, lookFirst } from './charge-look.ts';
import type { ChargeItem } from './charge-row.ts';
import { namingColumns } from './charge-row.ts';
import { asKept, madeNow } from './charge-settled.ts';
import type { FileOfCharges } from './charge-spec.ts';

/** What charging the rows of a job needs. */
export interface ChargeWork {
  readonly job: string;
  readonly file: FileOfCharges;
  readonly client: Client;
  readonly ledger: Ledger;
  readonly protocol: LedgerRoom;
  readonly place: Place;
  readonly deps: Deps;
  /** How a parameter is called where it came from. */
  readonly names: NameOf;
  /** Lines that the ledger could not take (exit 7): nobody else has them. */
  readonly unrecorded: PayError[];
  /** What people are told once in a run, however many rows it is about. */
  readonly tellOnce: (what: string, text: string) => Promise<void>;
}

const earlierOf =
  ({ ledger, protocol, job }: ChargeWork) =>
  async (first: number, last: number): Promise<ReadonlyMap<number, Settled>> => {
    // In the order of creation: the last charge of a row is the one that counts.
    const charges = await ledger.jobs.charges(job, first, last);
    return new Map(charges.map((charge) => [charge.row ?? 0, kept(charge, protocol, ledger)]));
  };

const kept = (charge: Entry, { asActivity, paymentOf }: LedgerRoom, ledger: Ledger): Settled => {
  const activity = charge.activity === undefined ? undefined : asActivity(charge.activity);
  return asKept(charge, activity, paymentOf(charge, ledger.moment()));
};

const idFields = (thrown: unknown): Settled['fields'] =>
  thrown instanceof PayError && thrown.detail.ledgerId !== undefined ? { charge: thrown.detail.ledgerId } : {};

const afterError = (thrown: unknown, { file, unrecorded }: ChargeWork): Worked => {
  if (thrown instanceof PayError && thrown.detail.unrecorded === true) unrecorded.push(thrown);
  return workedWith(thrown, file.bulk, idFields(thrown));
};

interface RowOf {
  readonly item: ChargeItem;
  readonly data: Readonly<Record<string, unknown>>;
  readonly row: number;
  readonly tower: Tower;
}

/** A look that failed: nothing was begun, and the next run takes the row up. */
const notLookedAt = (thrown: unknown): Worked => {
  if (!(thrown instanceof PayError)) throw thrown;
  const ended = { ...endedWith(thrown), state: 'not_sent' } as const;
  if (thrown.kind === 'interrupted') return { ...ended, untouched: true };
  return thrown.kind === 'auth' ? { ...ended, stops: thrown } : { ...ended, slowDown: 0 };
};

/** What the payment request shows before its row is sent; undefined where nobody looks, or the service can't show it. */
const lookAt = async (ugwo: string, { file, client, deps, tellOnce }: ChargeWork): Promise<Shown | undefined> => {
  if (!file.look) return undefined;
  const looked = await lookFirst(ugwo, client, deps);
  if (looked === undefined) await tellOnce('look', cannotLook(ugwo));
  return looked?.shown;
};

const chargeRow = async (
  { item: { ugwo }, data, row, tower }: RowOf,
  { shown, since }: { readonly shown: Shown | undefined; readonly since: Moment },
  work: ChargeWork,
): Promise<Worked> => {
  const { job, file, client, ledger, protocol, place, deps } = work;
  const { clock, redactor, flight } = deps.io;
  const call = { params: { ugwoUid: ugwo }, body: { type: 'charge', data } };
  const charged = await protocol.chargeOnce(
    ledger,
    {
      place,
      ugwo,
      data,
      bound: client.longestWrite,
      attempt: client.longestAttempt,
      again: file.again,
      row: { job, number: row, retry: file.bulk.retryFailed },
      words: placeWords(deps.globals),
      shown,
      since,
    },
    {
      now: clock.now,
      elsewhere: ({ id, origin }) =>
        work.tellOnce('elsewhere', `Row ${row}: ${ugwo} has an earlier charge at ${origin} (${id}).`),
      clean: (text) => redactor.cleanAll(text),
      send: (overdue) => client.call('ugwo.charge', { ...call, overdue, slowDown: tower.slowDown }),
      judged: (error) => tower.landed(error === undefined ? undefined : workedWith(error, file.bulk).stops),
    },
  );
  if (charged.kind === 'refused') {
    const words = placeWords(deps.globals);
    if (charged.why === 'done' && charged.by !== undefined) return kept(charged.by, protocol, ledger);
    const { by } = charged;
    const refused = protocol.refusedError(
      charged,
      words,
      by !== undefined && protocol.asksTheSame(by, data, ledger.digest),
    );
    return endedWith(refused, idFields(refused));
  }
  const [odd] = charged.odd;
  if (odd !== undefined) await work.tellOnce('odd', `note: row ${row}: ${odd}`);
  const made = madeNow(charged.record.value, charged.id, shown?.asked);
  if (charged.unrecorded === undefined) {
    flight.accepted -= 1;
    return made;
  }
  work.unrecorded.push(charged.unrecorded);
  return { ...made, stops: charged.unrecorded };
};

const workOn = async (item: ChargeItem, row: number, tower: Tower, work: ChargeWork): Promise<Worked> => {
  const since = work.ledger.moment();
  let shown: Shown | undefined;
  try {
    shown = await lookAt(item.ugwo, work);
  } catch (thrown) {
    return notLookedAt(thrown);
  }
  const data = chargeData(item, work.deps.io.clock.now());
  try {
    return await chargeRow({ item, data, row, tower }, { shown, since }, work);
  } catch (thrown) {
    return afterError(namingColumns(thrown, item, work.names, data), work);
  }
};

/** Charges the rows of a job, each under the protocol of a single charge. */
export const chargeWorker = (work: ChargeWork): Worker<ChargeItem> => ({
  earlier: earlierOf(work),
  takesUp: (end) => isTakenUp(end, work.file.bulk.retryFailed),
  work: (item, row, tower) => workOn(item, row, tower, work),
});
