import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RowJob } from '../../src/bulk/kind.ts';
import { type Protected, ProtectedRows, RepeatableRows } from '../../src/bulk/send-row.ts';
import { tooOld } from '../../src/charge/age.ts';
import { failedBy, type Outcome } from '../../src/charge/outcome.ts';
import type { RequestPace } from '../../src/client/answer.ts';
import { PayError } from '../../src/core/error.ts';
import { madeHere } from '../../src/core/record.ts';
import type { UpdateOutcome } from '../../src/ledger/job.ts';
import { open } from '../ledger/support/charges.ts';
import { newFolder } from '../support/program.ts';

interface Item {
  readonly uid: string;
  readonly reads: boolean;
}

interface World {
  /** The row's previous outcome. */
  readonly before?: UpdateOutcome;
  readonly reads?: boolean;
  /** The result or error of the read. */
  readonly look?: { readonly applied: boolean; readonly left?: 'nothing' | 'a part' } | PayError;
  /** The error of sending. */
  readonly fails?: PayError;
  /** The ledger can't be written once it is sent. */
  readonly breaks?: true;
}

const JOB = 'job-0123456789abcdef';
const UNKNOWN: UpdateOutcome = { state: 'unknown', exitCode: 6 };
const of = { job: JOB, row: 1 };

/** Sends a row that an earlier run may have sent, and returns its outcome. */
const sent = async ({ before, reads = false, look, fails, breaks }: World) => {
  const ledger = await open(join(newFolder('repeatable'), 'ledger.sqlite'));
  const item: Item = { uid: 'ony.AbCd.000000000000000000000001', reads };
  const begun = { ...of, onye: item.uid, bound: 60_000 };
  if (before !== undefined) {
    await ledger.jobs.beginUpdate(begun, { retry: false, looked: false });
    await ledger.jobs.settleUpdate(of, before);
  }
  const steps: string[] = [];
  const flight = { open: 0, accepted: 1 };
  const client = {
    longestWrite: 1000,
    paced: ({ answered }: RequestPace) => ({
      write: async () => {
        steps.push('sent');
        if (breaks) await ledger.close();
        const outcome = fails === undefined ? { certain: 'accepted' } : failedBy(fails);
        answered?.(outcome as Outcome);
        return outcome;
      },
    }),
  };
  const sender = new RepeatableRows<Item>(
    {
      request: ({ uid }) => ({ operation: 'onye.update', input: { params: { uid }, body: {} } }),
      readsFirst: (one) => one.reads,
      look: async (one) => {
        steps.push(one === item ? 'looked' : 'looked for a part');
        if (look instanceof PayError) throw look;
        const left = { nothing: undefined, 'a part': { ...one } };
        return { applied: look?.applied === true, item: look?.left ? left[look.left] : one };
      },
    },
    {
      ...{ job: JOB, retry: false, client, ledger, named: (thrown: unknown) => thrown },
      io: { clock: { now: Date.now }, flight, signals: {} },
    } as unknown as RowJob<Item>,
  );
  const signals = { turn: async () => undefined, slowDown: () => undefined, landed: () => void steps.push('landed') };
  const end = await sender.send({ key: item.uid, item }, 1, signals);
  const [kept] = breaks ? [] : await ledger.jobs.updates(JOB, 1, 1);
  if (!breaks) await ledger.close();
  return { steps, state: end?.state, kept: kept?.state, end, unreported: flight.accepted };
};

const LOST = new PayError('unknown', 'no answer');
const UNREAD = new PayError('read_failed', 'no answer');

describe('a repeatable row', () => {
  it.each<[string, World, steps: string[], state: string, kept: string | undefined]>([
    ['is sent and recorded', {}, ['sent', 'landed'], 'accepted', 'accepted'],
    ['is unknown if its answer is lost', { fails: LOST }, ['sent', 'looked'], 'unknown', 'unknown'],
    [
      'is accepted if its answer is lost, but a read shows it',
      { fails: LOST, look: { applied: true } },
      ['sent', 'looked'],
      'accepted',
      'accepted',
    ],
    [
      'is looked for as a whole if the answer to a part of it is lost',
      { reads: true, fails: LOST, look: { applied: false, left: 'a part' } },
      ['looked', 'sent', 'looked'],
      'unknown',
      'unknown',
    ],
    ['is unknown if that read fails', { fails: LOST, look: UNREAD }, ['sent', 'looked'], 'unknown', 'unknown'],
    [
      'is not sent if that is certain',
      { fails: new PayError('not_sent', 'no') },
      ['sent', 'landed'],
      'not_sent',
      'not_sent',
    ],
    ['is skipped if it was accepted', { before: { state: 'accepted', exitCode: 0 } }, [], 'accepted', 'accepted'],
    [
      'is read if it was unknown, and not sent if applied',
      { before: UNKNOWN, look: { applied: true } },
      ['looked'],
      'accepted',
      'accepted',
    ],
    [
      'is sent again if a read shows that it was not applied',
      { before: UNKNOWN, look: { applied: false } },
      ['looked', 'sent', 'landed'],
      'accepted',
      'accepted',
    ],
    [
      'stays unknown if the read fails',
      { before: UNKNOWN, look: new PayError('rejected', 'no such read', { status: 404 }) },
      ['looked'],
      'unknown',
      'unknown',
    ],
    [
      'is read before sending if it depends on the read',
      { reads: true, look: { applied: false } },
      ['looked', 'sent', 'landed'],
      'accepted',
      'accepted',
    ],
    ['leaves no trace if that read fails', { reads: true, look: UNREAD }, ['looked'], 'not_sent', undefined],
    [
      'is not sent if nothing would change',
      { reads: true, look: { applied: true, left: 'nothing' } },
      ['looked'],
      'accepted',
      'accepted',
    ],
    [
      'is sent if it is applied already, but was never sent',
      { reads: true, look: { applied: true } },
      ['looked', 'sent', 'landed'],
      'accepted',
      'accepted',
    ],
  ])('%s', async (_name, world, steps, state, kept) => {
    const done = await sent(world);
    expect([done.steps, done.state, done.kept]).toEqual([steps, state, kept]);
  });

  it.each([
    [{}, 0],
    [{ breaks: true }, 1],
  ] as const)('counts as reported once its result is recorded: %j', async (world, unreported) => {
    expect(await sent(world)).toMatchObject({ state: 'accepted', unreported });
  });

  it("slows down the others if the service can't be read", async () => {
    expect((await sent({ reads: true, look: UNREAD })).end).toMatchObject({ slowDown: 0, exitCode: 8 });
  });
});

describe('a row that must not be sent twice', () => {
  /** Sends a row whose first read is too old, and whose second try gets a 429. Returns the steps. */
  const sentAnew = async (signal: AbortController, onSleep: () => void = () => undefined) => {
    const steps: string[] = [];
    const refusal = new PayError('not_sent', 'slow', { status: 429, resendAfter: 3000, ledgerId: 'chg-1' });
    const once: Protected<string>['once'] = async (_item, { tries, client: { pace } }) => {
      steps.push(`try ${tries}`);
      await pace?.turn?.();
      if (tries === 0) throw tooOld();
      pace?.answered?.(tries === 1 ? failedBy(refusal) : { certain: 'accepted', record: madeHere({}) });
      if (tries === 1) throw refusal;
      return { kind: 'made', end: { state: 'accepted' }, odd: [] };
    };
    const sleep = async (ms: number): Promise<void> => {
      steps.push(`waits ${ms} ms`);
      if (ms > 0) onSleep();
    };
    const io = { clock: { sleep }, flight: { accepted: 1 }, signals: { stop: signal.signal } };
    const sender = new ProtectedRows<string>({ idColumn: 'charge', once, kept: () => ({ state: 'accepted' }) }, {
      job: JOB,
      retry: false,
      named: (thrown: unknown) => thrown,
      client: { paced: (pace: RequestPace) => ({ pace }) },
      io,
    } as unknown as RowJob<string>);
    const landed = (): void => void steps.push('landed');
    const turn = async (): Promise<void> => void steps.push('turn');
    const signals = { slowDown: () => undefined, landed, turn };
    const end = await sender.send({ key: 'a', item: 'a' } as Parameters<typeof sender.send>[0], 1, signals);
    return { steps, end };
  };

  const BEGIN = ['try 0', 'turn', 'waits 0 ms', 'try 1', 'waits 3000 ms'];

  it('keeps its turn for a new read, and its place during the wait of a 429', async () => {
    const { steps, end } = await sentAnew(new AbortController());
    expect(steps).toEqual([...BEGIN, 'try 2', 'turn', 'landed']);
    expect(end).toEqual({ state: 'accepted' });
  });

  it('ends with its entry if a signal comes during the wait', async () => {
    const signal = new AbortController();
    const { steps, end } = await sentAnew(signal, () => signal.abort('SIGTERM'));
    expect(steps).toEqual(BEGIN);
    expect(end).toMatchObject({ state: 'not_sent', exitCode: 143, fields: { charge: 'chg-1' } });
  });
});
