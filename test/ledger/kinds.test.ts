import { describe, expect, it } from 'vitest';
import { refusedError } from '../../src/charge/refused.ts';
import type { WriteKind } from '../../src/core/charge.ts';
import { PayError } from '../../src/core/error.ts';
import { type ApiRecord, madeHere } from '../../src/core/record.ts';
import type { Entry } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { walkCharges } from '../../src/ledger/reconcile.ts';
import { thrownBy } from '../client/support.ts';
import { accepting, sendOnce } from '../support/outcome.ts';
import { BACKENDS, open } from './support/backends.ts';
import { intent, MINUTE, NOON, PLACE, SELF } from './support/charges.ts';

const REFUND: WriteKind = {
  kind: 'refund',
  done: 'made',
  hint: "don't run it again until you know, or it is paid twice",
};
/** A kind that doesn't stay open, as a refund does until its money went back. */
const CANCELLATION: WriteKind = { ...REFUND, kind: 'cancellation' };
const ACT = 'act.AbCd.000000000000000000000001';
const BODY = { ugwo_activity: ACT, amount: 5_000_000, destination: { account_number: '0123456789' } };
const MADE = madeHere({ uid: 'rfd.AbCd.1', status: 'processing' });

const answers = async (): Promise<ApiRecord> => MADE;
const loses = async (): Promise<never> => {
  throw new PayError('unknown', 'the refund may have been made: no answer');
};

interface How {
  readonly send?: (isOverdue: () => boolean) => Promise<ApiRecord>;
  readonly effect?: WriteKind;
  readonly about?: string;
  /** Null: no body. */
  readonly body?: object | null;
  readonly once?: boolean;
  readonly again?: boolean;
}

const make = async (ledger: Ledger, how: How = {}) => {
  const { send = answers, effect = REFUND, about = ACT, body = BODY } = how;
  const { once = false, again = false } = how;
  const client = { longestWrite: 10 * MINUTE, longestAttempt: MINUTE };
  const made = await sendOnce(
    { client, ledger, place: PLACE },
    { effect, about, path: '/v1/refunds', body: body === null ? undefined : JSON.stringify(body), once, again },
    { now: () => NOON, send: accepting(send) },
  );
  if (made.kind === 'refused') throw refusedError(made, false);
  return made;
};

const only = async (ledger: Ledger): Promise<Entry> => {
  const [one, ...more] = await ledger.list({ limit: 9 });
  if (one === undefined || more.length > 0) throw new Error(`there are ${more.length} more than one`);
  return one;
};

describe.each(BACKENDS)('an entry of another kind, in a ledger %s,', (_where, newPlace) => {
  it('is stored with its body before sending, without keys and phone numbers', async () => {
    const ledger = await open(newPlace(), { clean: (text) => text.replaceAll('refunds', '[secret]') });
    let before: Entry | undefined;
    await make(ledger, {
      send: async () => {
        before = await only(ledger);
        return MADE;
      },
    });
    expect(before).toMatchObject({ kind: 'refund', about: ACT, state: 'sending', path: '/v1/[secret]', ...PLACE });
    expect(before?.id).toMatch(/^refund-[0-9a-z]{12}$/);
    expect(JSON.parse(before?.body ?? '')).toEqual({ ...BODY, destination: { account_number: '…6789' } });
    expect(before?.deadline).toBe(NOON + 10 * MINUTE);
  });

  it('is accepted with the created id for every process, and then no longer blocks', async () => {
    const place = newPlace();
    const made = await make(await open(place), { effect: CANCELLATION });
    const ledger = await open(place);
    expect(await ledger.get(made.id)).toMatchObject({
      ...{ state: 'accepted', exitCode: 0 },
      evidence: [{ kind: 'answer', message: 'made: rfd.AbCd.1' }],
    });
    expect(made.record).toBe(MADE);
    await make(ledger, { effect: CANCELLATION });
    expect(await ledger.list({ states: ['accepted'], limit: 9 })).toHaveLength(2);
  });

  it('is identified by the digest of its body, and stores no phone number of an answer', async () => {
    const ledger = await open(newPlace());
    for (const body of [{ amount: 1 }, { amount: 2 }, null]) await make(ledger, { body, effect: CANCELLATION });
    const lost = new PayError('unknown', 'no answer about 08012345678');
    await thrownBy(make(ledger, { send: () => Promise.reject(lost) }));
    const entries = await ledger.list({ limit: 9 });
    expect(new Set(entries.map(({ digest }) => digest)).size).toBe(4);
    expect(entries.find(({ state }) => state === 'unknown')?.evidence).toMatchObject([
      { message: 'no answer about …5678' },
    ]);
  });

  it('with `once` blocks another of its kind, unless `again` is set', async () => {
    const ledger = await open(newPlace());
    const once = { once: true, effect: CANCELLATION };
    const { id } = await make(ledger, once);
    expect(await thrownBy(make(ledger, once))).toMatchObject({
      kind: 'refused',
      message: `no cancellation was sent for ${ACT}: an earlier cancellation (${id}) was made`,
      detail: { hint: `see \`paycli ledger show ${id}\`; --again makes another one` },
    });
    await make(ledger, { ...once, effect: REFUND });
    await make(ledger, { ...once, about: 'act.AbCd.2' });
    await make(ledger, { ...once, again: true });
  });

  it.each<[PayError, Entry['state'], number]>([
    [new PayError('rejected', 'no', { status: 422 }), 'rejected', 3],
    [new PayError('not_sent', 'no'), 'not_sent', 5],
    [new PayError('auth', 'no', { status: 403 }), 'rejected', 4],
    [new PayError('internal', 'oh'), 'unknown', 6],
  ])('that failed with %s is recorded, and can be sent again if it had no effect', async (error, state, exitCode) => {
    const ledger = await open(newPlace());
    const thrown = await thrownBy(make(ledger, { send: () => Promise.reject(error) }));
    const entry = await only(ledger);
    expect(entry).toMatchObject({ state, exitCode, evidence: [{ at: '2026-11-20T12:00:00+00:00' }] });
    expect(thrown).toMatchObject({ detail: { ledgerId: entry.id } });
    const again = make(ledger).then(() => 'sent');
    if (state === 'unknown') expect(await thrownBy(again)).toMatchObject({ kind: 'refused' });
    else expect(await again).toBe('sent');
  });

  it('that is unknown has an error saying so, and is never started again', async () => {
    const place = newPlace();
    const ledger = await open(place);
    const thrown = await thrownBy(make(ledger, { send: () => Promise.reject(new Error('cut')) }));
    const { id } = await only(ledger);
    expect(thrown).toMatchObject({
      kind: 'unknown',
      message: 'the refund may have been made: cut',
      detail: {
        hint:
          "don't run it again until you know, or it is paid twice; look for the refund at the service, then record what you " +
          `found: \`paycli ledger resolve ${id} --as created\`, or \`--as not-created\``,
      },
    });
    const other = await open(place, { self: { ...SELF, pid: 1 } });
    expect(await thrownBy(make(other))).toMatchObject({
      kind: 'refused',
      message: `no refund was sent for ${ACT}: an earlier refund (${id}) may have been made; its result is unknown`,
      detail: {
        ledgerId: id,
        hint: `look for the refund at the service, then record what you found: \`paycli ledger resolve ${id} --as created\`, or \`--as not-created\``,
      },
    });
    expect(await other.unknown()).toMatchObject([{ id }]);
    await make(other, { about: 'act.AbCd.2' });
  });

  it('that is being sent blocks others; once its process has died it is unknown', async () => {
    const place = newPlace();
    const ledger = await open(place);
    const { promise, resolve } = Promise.withResolvers<ApiRecord>();
    const asked = Promise.withResolvers<void>();
    const send = (): Promise<ApiRecord> => {
      asked.resolve();
      return promise;
    };
    const sending = make(ledger, { send });
    await asked.promise;
    const { id } = await only(ledger);
    expect(await thrownBy(make(await open(place)))).toMatchObject({
      message: `no refund was sent for ${ACT}: another paycli process is sending a refund of it right now (${id})`,
      detail: { hint: `wait for it, then check: \`paycli ledger show ${id}\`` },
    });
    const gone = await open(place, { hasEnded: () => true });
    expect(await gone.unknown()).toMatchObject([{ id, evidence: [{ kind: 'process_gone' }] }]);
    resolve(MADE);
    await sending;
    expect(await gone.get(id)).toMatchObject({ state: 'accepted' });
  });

  it.each(['created', 'not_created'] as const)('can be resolved as %s and then be sent again', async (as) => {
    const ledger = await open(newPlace());
    await thrownBy(make(ledger, { send: loses, effect: CANCELLATION }));
    const { id } = await only(ledger);
    const evidence = { kind: 'resolved', at: '2026-11-20T12:00:00+00:00', as };
    const state = as === 'created' ? 'accepted' : as;
    expect(await ledger.resolve(id, { state, evidence })).toBe(true);
    expect(await ledger.get(id)).toMatchObject({
      kind: 'cancellation',
      state,
      evidence: [{ kind: 'answer' }, evidence],
    });
    expect(await ledger.unknown()).toEqual([]);
    await make(ledger, { effect: CANCELLATION });
  });

  it('blocks other kinds about the same record while unknown, and is blocked by them', async () => {
    const ledger = await open(newPlace());
    await thrownBy(make(ledger, { effect: CANCELLATION, about: intent().about, send: loses }));
    const { id } = await only(ledger);
    expect(await ledger.begin(intent(), { again: true })).toMatchObject({ why: 'unresolved', by: { id } });
    await ledger.resolve(id, { state: 'accepted', evidence: { kind: 'resolved', at: '2026-11-20T12:00:00+00:00' } });
    const begun = await ledger.begin(intent(), { again: false });
    expect(begun).toMatchObject({ kind: 'begun' });
    expect(await thrownBy(make(ledger, { effect: CANCELLATION, about: intent().about }))).toMatchObject({
      kind: 'refused',
    });
  });

  it('does not block an entry about the same id at another service', async () => {
    const ledger = await open(newPlace());
    await ledger.begin({ ...intent({ service: 'https://other.example' }), about: ACT }, { again: false });
    expect(await make(ledger)).toMatchObject({ kind: 'accepted' });
  });

  it('is not included in payment queries', async () => {
    const ledger = await open(newPlace());
    await make(ledger);
    expect(await ledger.list({ payments: ['open'], limit: 9 })).toEqual([]);
    const charges: Entry[] = [];
    for await (const charge of walkCharges(ledger, {})) charges.push(charge);
    expect(charges).toEqual([]);
  });

  it('reports itself as overdue five seconds after its check', async () => {
    let at = NOON;
    const ledger = await open(newPlace(), { now: () => at });
    const said: boolean[] = [];
    await make(ledger, {
      send: async (isOverdue) => {
        said.push(isOverdue());
        at = NOON + 5000;
        said.push(isOverdue());
        at += 1;
        said.push(isOverdue());
        return MADE;
      },
    });
    expect(said).toEqual([false, false, true]);
  });
});
