import { describe, expect, it } from 'vitest';
import { failedBy } from '../../src/charge/outcome.ts';
import type { Client } from '../../src/client/client.ts';
import { makeOnce, openMaker } from '../../src/commands/make.ts';
import { CHARGE_WRITE } from '../../src/core/charge.ts';
import { PayError, usageError } from '../../src/core/error.ts';
import { ownerTarget } from '../../src/core/input.ts';
import { madeHere } from '../../src/core/record.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { thrownBy } from '../client/support.ts';
import { intent, NOON, PLACE } from '../ledger/support/charges.ts';
import { memoryLedger } from '../ledger/support/memory.ts';
import { globals } from './profile-call.ts';

const RECORD = madeHere({ uid: 'rfd.AbCd.1' });
const CALL = { body: { amount: 1 } };
const EFFECT = { ...CHARGE_WRITE, kind: 'refund' };
const ABOUT = { about: 'act.AbCd.1', question: ['Refund it?'] };

/** Sends a refund with these services, and returns the order of events. */
const sending = (
  more: { ledger?: Ledger; check?: () => never; confirm?: () => never; call?: () => never; typed?: string } = {},
) => {
  const happened: string[] = [];
  const ledger = more.ledger ?? memoryLedger();
  const client = {
    longestWrite: 9000,
    longestAttempt: 1000,
    check: () => {
      happened.push('check');
      return more.check?.() ?? { path: '/v1/refunds', body: '{}', effect: EFFECT };
    },
    write: async (id: string, input: { isOverdue: () => boolean }) => {
      const [entry] = await ledger.list({ limit: 1 });
      happened.push(`${id} while ${entry?.kind} is ${entry?.state}, ${input.isOverdue() ? 'overdue' : 'in time'}`);
      return { certain: 'accepted', record: more.call?.() ?? RECORD };
    },
  } as unknown as Client;
  const deps = {
    io: { clock: { now: () => NOON } },
    globals: { ...globals, profile: 'shop' },
    client: async (purpose: string) => {
      happened.push(purpose);
      return client;
    },
    ask: async ([question = '']: string[], _unasked: string, typed?: string) => {
      happened.push(typed === undefined ? question : `${question} ${typed}`);
      more.confirm?.();
    },
    say: async (text: string) => void happened.push(text),
    ledger: async () => ledger,
    target: async () => PLACE,
  } as unknown as Parameters<typeof makeOnce>[3];
  return {
    happened,
    ledger,
    made: makeOnce('ugwo.charge', CALL, { ...ABOUT, ...(more.typed === undefined ? {} : { typed: more.typed }) }, deps),
  };
};

describe('once', () => {
  it('checks, confirms and records the write before sending, and returns the record', async () => {
    const { happened, ledger, made } = sending();
    expect(await made).toEqual({ record: RECORD, wrote: true });
    expect(happened).toEqual(['write', 'check', 'Refund it?', 'ugwo.charge while refund is sending, in time']);
    expect(await ledger.list({ limit: 9 })).toMatchObject([{ about: ABOUT.about, state: 'accepted', ...PLACE }]);
  });

  it('requires typed confirmation for a live service', async () => {
    const { happened, made } = sending({ typed: 'NGN 1.00' });
    await made;
    expect(happened).toContain('Refund it? NGN 1.00');
  });

  it.each(['check', 'confirm'] as const)('leaves no trace if %s rejects', async (where) => {
    const no = (): never => {
      throw usageError('no');
    };
    const { ledger, made } = sending({ [where]: no });
    expect(await thrownBy(made)).toMatchObject({ kind: 'usage' });
    expect(await ledger.list({ limit: 9 })).toEqual([]);
  });

  it('sends although one is unknown at another origin, with a note', async () => {
    const ledger = memoryLedger();
    const other = { ...intent({ service: 'https://b.example', origin: 'https://b.example' }), kind: 'refund' };
    const begun = await ledger.begin({ ...other, about: ABOUT.about }, { again: false });
    const { happened, made } = sending({ ledger });
    await made;
    const id = begun.kind === 'begun' ? begun.id : '';
    expect(happened[3]).toBe(
      `${ABOUT.about} has an earlier refund at https://b.example (${id}), which may have gone through.`,
    );
  });

  it("returns the record with an error if the ledger can't record the outcome", async () => {
    const unrecorded = new PayError('unrecorded', 'disk full');
    const ledger = { ...memoryLedger(), record: () => Promise.reject(unrecorded) };
    expect(await sending({ ledger }).made).toEqual({ record: RECORD, wrote: true, failure: unrecorded });
  });

  it('names the ledger entry after an unknown outcome', async () => {
    const call = (): never => {
      throw new Error('cut');
    };
    const { ledger, made } = sending({ call });
    const thrown = await thrownBy(made);
    const [entry] = await ledger.unknown();
    expect(thrown).toMatchObject({ kind: 'unknown', detail: { ledgerId: entry?.id } });
    expect(await thrownBy(sending({ ledger }).made)).toMatchObject({
      kind: 'refused',
      detail: { hint: expect.stringContaining(`\`paycli ledger resolve ${entry?.id} --as created\``) },
    });
  });
});

describe('a row that must not be sent twice', () => {
  it('keeps the entry of another process and is not sent', async () => {
    let sent = 0;
    const client = {
      paced: () => client,
      longestWrite: 9000,
      longestAttempt: 1000,
      check: () => ({ path: '/v1/refunds', body: '{}', effect: EFFECT }),
      write: async () => {
        sent += 1;
        return { certain: 'accepted', record: RECORD };
      },
    } as unknown as Client;
    const ledger = memoryLedger();
    const { send } = openMaker(
      { request: () => ({ operation: 'refund.create', input: CALL }), about: () => ABOUT.about, uidColumn: 'refund' },
      {
        ...{ client, ledger, place: PLACE, globals: ownerTarget({}), job: 'job-1', retry: false },
        io: { clock: { now: () => NOON }, flight: { accepted: 0 } },
      } as unknown as Parameters<typeof openMaker>[1],
    );
    const signals = { landed: () => undefined, turn: async () => undefined, slowDown: () => undefined };
    const row = { key: ABOUT.about, item: {} };
    expect(await send(row, 2, signals)).toMatchObject({ state: 'accepted' });
    const [entry] = await ledger.list({ limit: 9 });
    const kept = { state: 'accepted', kept: 'here', fields: { entry: entry?.id } };
    expect(await send(row, 2, signals)).toMatchObject(kept);
    expect(sent).toBe(1);
  });

  it('keeps a record that exists already, as an answer that counts as reported', async () => {
    const record = madeHere({ uid: 'ony.AbCd.1', email: 'ada@example.com' });
    const client = {
      paced: () => client,
      longestWrite: 9000,
      longestAttempt: 1000,
      check: () => ({ path: '/v1/onye', body: '{}', effect: { ...CHARGE_WRITE, kind: 'customer' } }),
      write: async () => failedBy(new PayError('rejected', 'it exists', { status: 409 })),
      pages: async function* () {
        yield { records: [record], nextCursor: null };
      },
      call: async () => record,
    } as unknown as Client;
    const io = { clock: { now: () => NOON }, flight: { accepted: 2 } };
    const { send } = openMaker(
      {
        request: () => ({ operation: 'onye.create', input: { body: { email: 'ada@example.com' } } }),
        about: () => 'ada@example.com',
        unique: {
          ...{ field: 'email', word: 'e-mail address', one: 'customer', list: 'onye.list', get: 'onye.get' },
          ...{ isTaken: () => true, folded: (text) => text, differences: () => [] },
          conflict: () => ({ message: '', hint: '' }),
        },
        uidColumn: 'uid',
      },
      {
        ...{ client, ledger: memoryLedger(), place: PLACE, globals: ownerTarget({}), job: 'job-1', retry: false, io },
        named: (thrown: unknown) => thrown,
      } as unknown as Parameters<typeof openMaker>[1],
    );
    const signals = { landed: () => undefined, turn: async () => undefined, slowDown: () => undefined };
    const end = await send({ key: 'ada@example.com', item: {} }, 1, signals);
    expect(end).toMatchObject({ state: 'accepted', fields: { uid: 'ony.AbCd.1' } });
    expect(io.flight.accepted).toBe(2);
  });
});
