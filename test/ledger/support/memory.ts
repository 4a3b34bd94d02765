import { withEvidence } from '../../../src/ledger/evidence.ts';
import { guard } from '../../../src/ledger/guard.ts';
import type { Jobs } from '../../../src/ledger/job.ts';
import type { Charge, Intent, Ledger, Mark, Moment } from '../../../src/ledger/ledger.ts';

export const UGWO = 'ugw.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
/** 2026-11-20T12:00:00Z */
export const SENT = Date.UTC(2026, 10, 20, 12);

export const intent = (some: Partial<Intent> = {}): Intent => ({
  service: 'https://pay.example',
  origin: 'https://pay.example',
  workspace: 'AbCd',
  profile: 'shop',
  ugwo: UGWO,
  medium: 'ussd',
  provider: 'gtb',
  phone: undefined,
  digest: '00',
  deadline: SENT + 30_000,
  ...some,
});

/** The clock that nobody sets, on a machine whose own clock has been right since it was started. */
export const markAt = (at: number, boot = 'this boot'): Mark => ({ boot, uptime: at - SENT + 86_400_000 });

/** A moment as a machine notes it whose own clock is ahead by so much. */
export const momentAt = (at: number, ahead = 0, boot?: string): Moment => ({ at: at + ahead, mark: markAt(at, boot) });

/** An unknown charge, sent at SENT and given up ten seconds later. */
export const charge = (some: Partial<Charge> = {}): Charge => ({
  ...intent(),
  id: 'chg-000000000001',
  seq: 1,
  state: 'unknown',
  job: undefined,
  row: undefined,
  createdAt: SENT,
  begun: markAt(SENT),
  took: 10_000,
  told: undefined,
  recordedAt: SENT + 10_000,
  exitCode: 6,
  activity: undefined,
  evidence: [],
  ...some,
});

const none = async (): Promise<never> => {
  throw new Error('there are no jobs here');
};
const noJobs: Jobs = {
  open: none,
  get: none,
  list: none,
  tally: none,
  charges: none,
  updates: none,
  beginUpdate: none,
  settleUpdate: none,
};

/** What the ledger's interface promises, in the plainest way: nothing outlives it and no process ever dies. */
export const memoryLedger = (first: readonly Charge[] = [], now: () => number = () => SENT): Ledger => {
  const rows = new Map(first.map((row) => [row.id, row]));
  const all = (): Charge[] => [...rows.values()].sort((a, b) => a.seq - b.seq);
  const change = (id: string, some: Partial<Charge>): void => {
    const row = rows.get(id);
    if (row === undefined) throw new Error(`there is no charge ${id}`);
    rows.set(id, { ...row, ...some });
  };
  const owns = (uid: string): boolean => all().some(({ activity }) => activity?.uid === uid);
  const moment = (): Moment => momentAt(now());
  const unknown = (): Charge[] => all().filter(({ state }) => state === 'unknown');
  return {
    moment,
    jobs: noJobs,
    begin: async (wanted, how) => {
      const standing = all().filter(({ service, ugwo }) => service === wanted.service && ugwo === wanted.ugwo);
      const obstacle = guard(standing, wanted.medium, how, moment());
      if (obstacle !== undefined) return { kind: 'refused', ugwo: wanted.ugwo, ...obstacle, moment: moment() };
      const seq = rows.size + 1;
      const id = `chg-${String(seq).padStart(12, '0')}`;
      rows.set(
        id,
        charge({
          ...wanted,
          id,
          seq,
          state: 'sending',
          createdAt: now(),
          begun: moment().mark,
          took: undefined,
          recordedAt: undefined,
          exitCode: undefined,
        }),
      );
      return { kind: 'begun', id, elsewhere: undefined };
    },
    digest: (text) => `digest of ${text}`,
    record: async (id, { state, exitCode, activity, evidence }) => {
      change(id, {
        state,
        exitCode,
        activity,
        recordedAt: now(),
        took: now() - (rows.get(id)?.createdAt ?? 0),
        evidence: withEvidence(rows.get(id)?.evidence ?? [], evidence),
      });
      return undefined;
    },
    unknown: async () => unknown(),
    get: async (id) => rows.get(id),
    list: async ({ states, ugwo, before, after, oldestFirst, limit }) => {
      const found = all().filter(
        (row) =>
          (states?.includes(row.state) ?? true) &&
          (ugwo === undefined || row.ugwo === ugwo) &&
          (before === undefined || row.seq < before) &&
          (after === undefined || row.seq > after),
      );
      return (oldestFirst === true ? found : found.reverse()).slice(0, limit);
    },
    owned: async (uids) => new Set(uids.filter(owns)),
    note: async (id, evidence) => change(id, { evidence: withEvidence(rows.get(id)?.evidence ?? [], evidence) }),
    resolve: async (id, { state, activity, evidence }) => {
      const row = rows.get(id);
      if (row?.state !== 'unknown' || (activity !== undefined && owns(activity.uid))) return false;
      change(id, { state, activity, recordedAt: now(), evidence: withEvidence(row.evidence, evidence) });
      return true;
    },
    observe: async (activities) => {
      for (const activity of activities) {
        for (const row of all()) if (row.activity?.uid === activity.uid) change(row.id, { activity });
      }
    },
    close: async () => undefined,
  };
};
