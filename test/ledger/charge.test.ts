import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sendAnew } from '../../src/charge/age.ts';
import type { ChargeRun } from '../../src/charge/request.ts';
import { type ErrorDetail, type ErrorKind, EXIT_CODES, PayError } from '../../src/core/error.ts';
import { type ApiRecord, madeHere } from '../../src/core/record.ts';
import { Redactor } from '../../src/core/secret.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { snapshotOf } from '../../src/ledger/snapshot.ts';
import { thrownBy } from '../client/support.ts';
import { CANARY } from '../support/canary.ts';
import { accepting, type OneCharge, type OneRun, sendOnce } from '../support/outcome.ts';
import { ACTIVITY, UGWO_ID } from '../support/service.ts';
import { beside, momentAt, NOON, newPath, open, PLACE } from './support/charges.ts';

const request = (more: Partial<OneCharge> = {}): OneCharge => ({
  ugwo: UGWO_ID,
  data: { medium: 'ussd', provider: 'gtb' },
  again: false,
  ...more,
});

const over = (ledger: Ledger): OneRun => ({
  client: { longestWrite: 630_000, longestAttempt: 30_000 },
  ledger,
  place: PLACE,
});

const charging = (
  ledger: Ledger,
  send: (isOverdue: () => boolean) => Promise<ApiRecord>,
  more: Partial<OneCharge> = {},
) => sendOnce(over(ledger), request(more), { now: () => NOON, send: accepting(send) });

const failing = (thrown: unknown) => async (): Promise<ApiRecord> => {
  throw thrown;
};

const onlyRow = async (ledger: Ledger) => (await ledger.list({ limit: 1 }))[0];

describe('sendOnce for a charge', () => {
  it('commits the intent, visible to every process, before sending', async () => {
    const path = newPath();
    const rows: unknown[] = [];
    await charging(await open(path), async () => {
      rows.push(...beside(path, 'SELECT state, ugwo, medium, provider, deadline FROM charge'));
      return madeHere(ACTIVITY);
    });
    expect(rows).toMatchObject([
      { state: 'sending', ugwo: UGWO_ID, medium: 'ussd', provider: 'gtb', deadline: NOON + 630_000 },
    ]);
  });

  it.each([
    [{ status: 'requires_action' }, 0],
    [{ status: 'successful' }, 0],
    [{ status: 'failed' }, 11],
    [{ status: ['failed', 'Failed'] }, 11],
    [{ status: 'failed', charged_amount: 90_000 }, 11],
    [{ status: 'expired' }, 11],
    [{ status: 'something_new' }, 0],
  ])('records an activity with %j as accepted, exit code %i', async (some, exitCode) => {
    const ledger = await open(newPath());
    const charged = await charging(ledger, async () => madeHere({ ...ACTIVITY, ...some }));
    const row = await onlyRow(ledger);
    expect(charged).toMatchObject({ kind: 'accepted', id: row?.id, record: { value: { uid: ACTIVITY.uid } } });
    expect(row).toMatchObject({ state: 'accepted', exitCode, activity: { uid: ACTIVITY.uid } });
  });

  it('records the difference of the clocks if the service sent its time', async () => {
    const ledger = await open(newPath());
    await charging(ledger, async () => ({ ...madeHere(ACTIVITY), servedAt: NOON - 60_000 }));
    expect((await onlyRow(ledger))?.told).toMatchObject({ at: NOON, service: NOON - 60_000 });
  });

  it("uses the activity's created_at if the answer has no time", async () => {
    const ledger = await open(newPath());
    await charging(ledger, async () => madeHere({ ...ACTIVITY, created_at: '2026-11-20T11:58:00+00:00' }));
    expect((await onlyRow(ledger))?.told).toMatchObject({ at: NOON, service: NOON - 120_000 });
  });

  it.each<[ErrorKind, ErrorDetail, string, number, ErrorKind]>([
    ['rejected', { status: 422 }, 'rejected', 3, 'rejected'],
    ['auth', { status: 401 }, 'rejected', 4, 'auth'],
    ['auth', {}, 'not_sent', 4, 'auth'],
    ['not_sent', {}, 'not_sent', 5, 'not_sent'],
    ['not_sent', { status: 429 }, 'not_sent', 5, 'not_sent'],
    ['usage', {}, 'not_sent', 2, 'usage'],
    ['interrupted', { exitCode: 143 }, 'not_sent', 143, 'interrupted'],
    ['unknown', {}, 'unknown', 6, 'unknown'],
    ['internal', {}, 'unknown', 6, 'unknown'],
    ['unrecorded', {}, 'unknown', 6, 'unknown'],
    ['read_failed', {}, 'unknown', 6, 'unknown'],
    ['refused', {}, 'unknown', 6, 'unknown'],
    ['ledger', {}, 'unknown', 6, 'unknown'],
    ['charge_failed', {}, 'unknown', 6, 'unknown'],
    ['pending', {}, 'unknown', 6, 'unknown'],
  ])('records the error %s %j as %s, exit code %i', async (kind, detail, state, exitCode, thrownKind) => {
    const ledger = await open(newPath());
    const thrown = await thrownBy(charging(ledger, failing(new PayError(kind, 'no', detail))));
    const row = await onlyRow(ledger);
    const { status } = detail;
    expect(row).toMatchObject({ state, exitCode, evidence: [{ kind: 'answer', ...(status && { status }) }] });
    const message = thrownKind === kind ? 'no' : 'the charge may have been made: no';
    expect(thrown).toMatchObject({ kind: thrownKind, message, detail: { ledgerId: row?.id } });
  });

  it('records any other exception as unknown', async () => {
    const ledger = await open(newPath());
    let ugwo = 0;
    const certain: readonly string[] = ['rejected', 'auth', 'not_sent', 'usage', 'interrupted'];
    const coded = fc.string().map((code) => Object.assign(new Error(code), { code, kind: 'not_sent' }));
    const kinds = (Object.keys(EXIT_CODES) as ErrorKind[]).filter((kind) => !certain.includes(kind));
    const ours = fc.constantFrom(...kinds).map((kind) => new PayError(kind, 'x', { status: 422 }));
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.anything(), coded, ours), async (anything) => {
        const error = await thrownBy(charging(ledger, failing(anything), { ugwo: `ugw.AbCd.${ugwo++}` }));
        expect(error).toMatchObject({ kind: 'unknown', detail: { ledgerId: expect.any(String) } });
        expect(await onlyRow(ledger)).toMatchObject({ state: 'unknown', exitCode: 6 });
      }),
    );
  });

  it('does not send if the guard refuses', async () => {
    const ledger = await open(newPath());
    await charging(ledger, async () => madeHere(ACTIVITY));
    let sent = 0;
    const send = async (): Promise<ApiRecord> => {
      sent += 1;
      return madeHere(ACTIVITY);
    };
    expect(await charging(ledger, send)).toMatchObject({ kind: 'refused', why: 'payable' });
    expect(sent).toBe(0);
    expect(await charging(ledger, send, { again: true })).toMatchObject({ kind: 'accepted' });
    expect(sent).toBe(1);
  });

  it.each([
    [5000, 0, 0, true],
    [5001, 0, 0, false],
    [10_000, 1, 0, true],
    [10_001, 1, 0, false],
    [15_000, 0, 10_000, true],
    [15_001, 0, 10_000, false],
  ])(
    'sends on a read of %i ms ago after %i earlier tries, and %i ms for attempts at it: %s',
    async (age, tries, failing, isSent) => {
      const ledger = await open(newPath());
      const since = momentAt(NOON - age);
      const askedAt = failing === 0 ? undefined : since.at + failing;
      const sent = charging(ledger, async () => madeHere(ACTIVITY), { since, askedAt, tries });
      if (isSent) expect(await sent).toMatchObject({ kind: 'accepted' });
      else expect(await thrownBy(sent)).toMatchObject({ kind: 'not_sent', detail: { resendAfter: 0 } });
      expect(await ledger.list({ limit: 9 })).toHaveLength(isSent ? 1 : 0);
    },
  );

  it.each([
    [-600_000, 5001, false],
    [600_000, 0, true],
  ])(
    "takes a shared ledger's clock, %i ms from this machine's, for no age: a read of %i ms ago is sent: %s",
    async (ahead, age, isSent) => {
      const ledger = await open(newPath());
      const shared = { ...ledger, moment: () => momentAt(NOON + ahead) };
      const since = momentAt(NOON + ahead - age);
      const sent = charging(shared, async () => madeHere(ACTIVITY), { since, askedAt: NOON - age });
      if (isSent) expect(await sent).toMatchObject({ kind: 'accepted' });
      else expect(await thrownBy(sent)).toMatchObject({ detail: { resendAfter: 0 } });
    },
  );

  it.each([
    [5000, 0, false],
    [5001, 0, true],
    [10_000, 1, false],
    [10_001, 1, true],
    [600_000, 9, false],
    [600_001, 9, true],
  ])(
    'is overdue by the same limit after the intent: %i ms after the read, after %i earlier tries: %s',
    async (age, tries, late) => {
      let [now, told]: [number, boolean | undefined] = [NOON, undefined];
      const ledger = { ...(await open(newPath())), moment: () => momentAt(now) };
      const send = async (isOverdue: () => boolean): Promise<ApiRecord> => {
        now += age;
        told = isOverdue();
        return madeHere(ACTIVITY);
      };
      await charging(ledger, send, { since: momentAt(NOON), tries });
      expect(told).toBe(late);
    },
  );

  it('is sent over a connection that takes long: each try has twice the time', async () => {
    let now = NOON;
    const ledger = { ...(await open(newPath())), moment: () => momentAt(now) };
    const sleep = async (): Promise<void> => undefined;
    const io = { clock: { sleep }, signals: { stop: new AbortController().signal } } as unknown as ChargeRun['io'];
    const send = async (isOverdue: () => boolean): Promise<ApiRecord> => {
      now += 18_000;
      if (isOverdue()) throw new PayError('not_sent', 'late', { resendAfter: 0 });
      return madeHere(ACTIVITY);
    };
    await sendAnew((tries) => charging(ledger, send, { since: momentAt(now), tries }), io);
    const states = (await ledger.list({ limit: 9 })).map(({ state }) => state);
    expect(states).toEqual(['accepted', 'not_sent', 'not_sent']);
  });

  it("asks for no new try after a 429 that the ledger can't record", async () => {
    const refusal = new PayError('not_sent', 'slow', { status: 429, resendAfter: 1000 });
    const ledger = await open(newPath());
    const broken = { ...ledger, record: () => Promise.reject(new PayError('unrecorded', 'disk full')) };
    const tried = [charging(ledger, failing(refusal)), charging(broken, failing(refusal), { ugwo: 'ugw.AbCd.2' })];
    const [after, none] = (await Promise.all(tried.map(thrownBy))) as PayError[];
    expect([after?.detail.resendAfter, none?.detail.resendAfter]).toEqual([1000, undefined]);
  });

  it('does not send on a read that gets too old during a question', async () => {
    const ledger = await open(newPath());
    const elsewhere = { ...PLACE, service: 'https://b.example', origin: 'https://b.example' };
    await sendOnce({ ...over(ledger), place: elsewhere }, request(), {
      now: () => NOON,
      send: accepting(async () => madeHere(ACTIVITY)),
    });
    let [now, sent] = [NOON, 0];
    const asking = sendOnce({ ...over(ledger), ledger: { ...ledger, moment: () => momentAt(now) } }, request(), {
      now: () => NOON,
      elsewhere: async () => {
        now += 5001;
      },
      send: accepting(async () => {
        sent += 1;
        return madeHere(ACTIVITY);
      }),
    });
    expect(await thrownBy(asking)).toMatchObject({ detail: { resendAfter: 0, ledgerId: expect.any(String) } });
    expect([sent, (await onlyRow(ledger))?.state]).toEqual([0, 'not_sent']);
  });

  it('is as old as its first read, also once a later read has shown more', async () => {
    let [now, sent] = [NOON, 0];
    const ledger = { ...(await open(newPath())), moment: () => momentAt(now) };
    const onRefused = async () => {
      now += 5001;
      return snapshotOf({ status: 'requires_ugwo' });
    };
    const read = { since: momentAt(NOON), shown: snapshotOf({ status: 'processing' }) };
    const send = async (): Promise<ApiRecord> => {
      sent += 1;
      return madeHere(ACTIVITY);
    };
    const thrown = await thrownBy(charging(ledger, send, { ...read, onRefused }));
    expect(thrown).toMatchObject({ kind: 'not_sent', detail: { resendAfter: 0 } });
    expect(sent).toBe(0);
  });

  it('is overdue although the clock was set back since its read', async () => {
    const ledger = await open(newPath());
    let [now, told]: [number, boolean | undefined] = [NOON, undefined];
    const context = { ...over(ledger), ledger: { ...ledger, moment: () => momentAt(now) } };
    const send = async (isOverdue: () => boolean): Promise<ApiRecord> => {
      now += 5001;
      told = isOverdue();
      return madeHere(ACTIVITY);
    };
    await sendOnce(context, request({ since: momentAt(NOON), askedAt: NOON + 3_600_000 }), {
      now: () => NOON,
      send: accepting(send),
    });
    expect(told).toBe(true);
  });

  it("does not send if the intent can't be written", async () => {
    const path = newPath();
    const ledger = await open(path);
    beside(path, "CREATE TRIGGER broken BEFORE INSERT ON charge BEGIN SELECT RAISE(FAIL, 'no'); END");
    let sent = false;
    const send = async (): Promise<ApiRecord> => {
      sent = true;
      return madeHere(ACTIVITY);
    };
    expect(await thrownBy(charging(ledger, send))).toMatchObject({ kind: 'ledger' });
    expect(sent).toBe(false);
  });

  it.each([
    ['accepted', async () => madeHere(ACTIVITY)],
    ['unknown', failing(new Error('reset'))],
  ])("throws an error with the recovery line if the charge is %s but can't be recorded", async (state, send) => {
    const path = newPath();
    const ledger = await open(path);
    const spoil = async (): Promise<ApiRecord> => {
      beside(path, "CREATE TRIGGER broken BEFORE UPDATE ON charge BEGIN SELECT RAISE(FAIL, 'no'); END");
      return send();
    };
    const end = await charging(ledger, spoil).catch((thrown: unknown) => ({ unrecorded: thrown }));
    const { unrecorded } = end as { unrecorded: PayError };
    expect(unrecorded.kind).toBe(state === 'accepted' ? 'unrecorded' : 'unknown');
    expect(JSON.parse(unrecorded.detail.answer ?? '')).toMatchObject({ state, ugwo: UGWO_ID });
  });
});

describe('the ledger files', () => {
  const PHONE = '+2348031234567';
  const spellings = [PHONE, PHONE.slice(1), '08031234567', '+234 803 123 4567'];
  const echo = `${spellings.join(' or ')} with ${CANARY}`;
  const data = { medium: 'mobile_money', provider: 'mtn', phone: PHONE };

  it.each<[string, () => Promise<ApiRecord>]>([
    [
      'an answer',
      async () => madeHere({ ...ACTIVITY, next_action: { type: 'user_action', instruction: echo, headers: { echo } } }),
    ],
    [
      'the providers of an answer',
      async () => madeHere({ ...ACTIVITY, psp: CANARY, psp_external_id: `ref ${CANARY}` }),
    ],
    ['a rejection', failing(new PayError('rejected', echo, { status: 422 }))],
    ['an exception', failing(new Error(echo))],
    // Truncation falls into the phone number, and into the key.
    ...[1990, 1986 - echo.length + CANARY.length].map((room): [string, () => Promise<ApiRecord>] => [
      `${room} characters before an echo`,
      failing(new PayError('unknown', 'no', { answer: `${'x '.repeat(room / 2)}${echo}` })),
    ]),
  ])('contain neither key nor phone number of %s', async (_what, send) => {
    const path = newPath();
    const redactor = new Redactor();
    redactor.add(CANARY);
    const ledger = await open(path, { clean: (text) => redactor.cleanAll(text) });
    const world = { now: () => NOON, send: accepting(send) };
    await sendOnce(over(ledger), request({ data }), world).catch(() => undefined);
    expect(await onlyRow(ledger)).toMatchObject({ phone: '…4567' });
    // --no-validate allows a key or a number in any field.
    const pasted = { medium: CANARY, provider: CANARY, phone: PHONE };
    await sendOnce(over(ledger), request({ data: pasted, ugwo: CANARY }), world).catch(() => undefined);
    const repeated = { medium: spellings[1], provider: spellings[2], phone: PHONE };
    const shown = { ...snapshotOf({}), asked: { ref: `order ${spellings[3]}`, email: `${spellings[2]}@example.com` } };
    await sendOnce(over(ledger), request({ data: repeated, ugwo: PHONE, shown }), world).catch(() => undefined);
    expect(await onlyRow(ledger)).toMatchObject({ about: '…4567', medium: '…4567', asked: { ref: 'order …4567' } });
    // An outcome that the ledger can't store goes to the emergency file.
    beside(path, "CREATE TRIGGER broken BEFORE UPDATE ON charge BEGIN SELECT RAISE(FAIL, 'no'); END");
    const both = { medium: `${CANARY} ${PHONE}`, phone: PHONE };
    await sendOnce(over(ledger), request({ data: both, ugwo: `${CANARY} ${PHONE}` }), world).catch(() => undefined);
    for (const name of readdirSync(dirname(path))) {
      const bytes = readFileSync(join(dirname(path), name));
      for (const secret of [CANARY, CANARY.slice(0, 12), ...spellings, '8031234567', '2348031'])
        expect(bytes.includes(secret), name).toBe(false);
    }
  });
});
