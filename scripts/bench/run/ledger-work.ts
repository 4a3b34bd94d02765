import { randomBytes } from 'node:crypto';
import type { Intent, StoredOutcome } from '../../../src/ledger/entry.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';

const JOB = 'job-benchbenchbench1';

/** Ids that are as far apart as real ones: what comes in order would all be in one place of the index. */
const randomId = (prefix: string): string => `${prefix}.Bnch.${randomBytes(12).toString('hex')}`;

/** A charge of another payment request each time, of a row of a job where one is given. */
export const intent = (row?: number): Intent => ({
  service: 'http://127.0.0.1:1',
  origin: 'http://127.0.0.1:1',
  workspace: 'Bnch',
  profile: undefined,
  kind: 'charge',
  about: randomId('ugw'),
  medium: 'bank_transfer',
  provider: undefined,
  phone: undefined,
  digest: randomBytes(32).toString('hex'),
  bound: 600_000,
  ...(row === undefined ? {} : { job: JOB, row }),
});

const accepted = (): StoredOutcome => ({
  state: 'accepted',
  exitCode: 0,
  activity: {
    uid: randomId('act'),
    status: 'requires_action',
    nextAction: {
      type: 'user_action',
      instruction: 'Dial *737*000*5000# to pay.',
      headers: { ussd: '*737*000*5000#' },
    },
    createdAt: '2026-11-20T10:00:00+00:00',
    servedAt: Date.now(),
  },
});

/** All that a ledger does about one charge: the guard, the intent and the outcome. */
export const charge = async (ledger: Ledger, row?: number): Promise<void> => {
  const begun = await ledger.begin(intent(row), { again: false });
  if (begun.kind !== 'begun') throw new Error(`a new charge was refused: ${begun.why}`);
  await ledger.record(begun.id, accepted());
};
