import { basename } from 'node:path';
import { type Entry, evidenceOf } from '../../../src/ledger/entry.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { type ChargeEnd, chargeAt } from '../charger.ts';
import { until } from '../team.ts';
import type { Bench } from './bench.ts';
import { openOn } from './on-machine.ts';

const LIMITS = { look: undefined, charge: 20_000 };

/** Uses the ledger as a process on another machine does. */
export const elsewhere = async <T>(bench: Bench, work: (ledger: Ledger) => Promise<T>): Promise<T> => {
  const folder = bench.newMachine();
  const ledger = await openOn({ url: bench.url(), machine: basename(folder), folder });
  return work(ledger).finally(ledger.close);
};

export const chargeElsewhere = (bench: Bench, ugwo: string): Promise<ChargeEnd> =>
  elsewhere(bench, (ledger) => chargeAt(bench.service.origin, ledger, ugwo, LIMITS));

const lastOf = async (ledger: Ledger, ugwo: string): Promise<Entry | undefined> =>
  (await ledger.list({ about: ugwo, limit: 1 }))[0];

/** The last charge of a payment request as others see it, once it is no longer being sent. */
export const settledElsewhere = (bench: Bench, ugwo: string): Promise<Entry | undefined> =>
  elsewhere(bench, async (ledger) => {
    await until(async () => (await lastOf(ledger, ugwo))?.state !== 'sending', `that ${ugwo} is no longer being sent`);
    return lastOf(ledger, ugwo);
  });

/** Resolves as an operator who has checked the service: it has no charge. */
export const resolveElsewhere = (bench: Bench, id: string): Promise<boolean> =>
  elsewhere(bench, (ledger) =>
    ledger.resolve(id, {
      state: 'not_created',
      evidence: evidenceOf('resolved', ledger.moment().at, { by: 'a person' }),
    }),
  );
