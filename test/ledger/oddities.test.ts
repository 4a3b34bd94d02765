import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import { type ApiRecord, madeHere } from '../../src/core/record.ts';
import type { Entry, Moment } from '../../src/ledger/entry.ts';
import type { BeginOptions, Ledger } from '../../src/ledger/ledger.ts';
import { thrownBy } from '../client/support.ts';
import { accepting, type OneCharge, type Sending, sendOnce } from '../support/outcome.ts';
import { ACTIVITY } from '../support/service.ts';
import { HOUR } from '../support/units.ts';
import { momentAt, NOON, PLACE } from './support/charges.ts';
import { charge, memoryLedger, UGWO } from './support/memory.ts';

const DIAL = { type: 'user_action', headers: { ussd: '*737#' } };
const made = (some: object = {}, servedAt?: number): ApiRecord => ({
  ...madeHere({ ...ACTIVITY, next_action: DIAL, created_at: new Date(NOON).toISOString(), ...some }),
  ...(servedAt === undefined ? {} : { servedAt }),
});

const charging = (some: Partial<Ledger>, world: Partial<Sending> = {}, request: Partial<OneCharge> = {}) =>
  sendOnce(
    {
      client: { longestWrite: 1000, longestAttempt: 100 },
      ledger: { ...memoryLedger([], () => NOON), ...some },
      place: PLACE,
    },
    { ugwo: UGWO, data: { medium: 'ussd' }, again: false, ...request },
    { now: () => NOON, send: accepting(async () => made()), ...world },
  );

describe('an unusual accepted answer', () => {
  it.each<[string, ApiRecord, readonly string[]]>([
    ['nothing', made({}, NOON), []],
    ['another medium', made({ medium: 'card' }), ['the answer looks like another medium than ussd']],
    [
      'created long before the answer',
      made({}, NOON + 2 * HOUR + 1),
      ['the activity says it was made at 2026-11-20T12:00:00+00:00, not now'],
    ],
    [
      'created long after the answer',
      made({}, NOON - 2 * HOUR - 1),
      ['the activity says it was made at 2026-11-20T12:00:00+00:00, not now'],
    ],
    ['created two hours before', made({}, NOON + 2 * HOUR), []],
    ['no time of the service', made(), []],
    ['no creation time', made({ created_at: null }, NOON), []],
  ])('is reported and recorded: %s', async (_what, record, odd) => {
    const kept: unknown[] = [];
    const noting: Ledger['record'] = async (_id, outcome) => {
      kept.push(outcome.odd);
      return undefined;
    };
    const charged = await charging({ record: noting }, { send: accepting(async () => record) });
    expect(charged).toMatchObject({ kind: 'accepted', odd });
    expect(kept).toEqual([odd]);
  });

  it('is one with the activity of an earlier charge', async () => {
    const charged = await charging({ record: async () => charge({ id: 'chg-earlier' }) });
    expect(charged).toMatchObject({ odd: ['the answer names the activity of chg-earlier, made earlier'] });
    expect(charged).not.toHaveProperty('unrecorded');
    const send = accepting(async () => made({ medium: 'card' }));
    expect(await charging({ record: async () => charge({ id: 'chg-earlier' }) }, { send })).toMatchObject({
      odd: [
        'the answer looks like another medium than ussd',
        'the answer names the activity of chg-earlier, made earlier',
      ],
    });
  });

  it('does not include a failure to record, which is reported separately', async () => {
    const unrecorded = new PayError('unrecorded', 'no room', { answer: '{"a":1}' });
    const record: Ledger['record'] = async () => Promise.reject(unrecorded);
    expect(await charging({ record })).toMatchObject({ kind: 'accepted', odd: [], unrecorded });
    const send = async () => Promise.reject(new PayError('rejected', 'no', { status: 422 }));
    const thrown = await thrownBy(charging({ record }, { send }));
    expect(thrown).toMatchObject({ kind: 'rejected', detail: { answer: '{"a":1}', unrecorded: true } });
    const broken = async (): Promise<never> => Promise.reject(new TypeError('broken'));
    expect(await thrownBy(charging({ record: broken }))).toEqual(new TypeError('broken'));
  });
});

describe('a charge', () => {
  it('that failed has its ledger id in the error, and a hint only if unknown', async () => {
    const failing = (kind: 'rejected' | 'unknown') =>
      thrownBy(charging({}, { send: async () => Promise.reject(new PayError(kind, 'no', { hint: 'its own' })) }));
    expect(await failing('rejected')).toMatchObject({
      detail: { ledgerId: expect.stringMatching(/^chg-\w{12}$/), hint: 'its own' },
    });
    expect(((await failing('rejected')) as PayError).detail).not.toHaveProperty('unrecorded');
    expect(await failing('unknown')).toMatchObject({
      detail: { hint: expect.stringMatching(/paycli ledger sync chg-\w{12}`$/) },
    });
  });

  it.each([
    [undefined, false],
    [{ job: 'job-1', number: 1, retry: false }, false],
    [{ job: 'job-1', number: 1, retry: true }, true],
  ])('of the row %j is sent with retry: %s', async (row, retry) => {
    const asked: BeginOptions[] = [];
    const ledger = memoryLedger([], () => NOON);
    const begin: Ledger['begin'] = (intent, how) => {
      asked.push(how);
      return ledger.begin(intent, how);
    };
    await charging({ ...ledger, begin }, {}, row === undefined ? {} : { row });
    expect(asked).toMatchObject([{ again: false, retry }]);
  });

  it('reports an open charge at another service before sending', async () => {
    const told: Entry[] = [];
    const elsewhere = async (one: Entry): Promise<void> => void told.push(one);
    await charging({}, { elsewhere });
    expect(told).toEqual([]);
    const other = charge({ id: 'chg-elsewhere' });
    const begin: Ledger['begin'] = async () => ({
      kind: 'begun',
      id: expect.stringMatching(/^chg-\w{12}$/),
      elsewhere: other,
    });
    const record: Ledger['record'] = async () => undefined;
    await charging({ begin, record }, { elsewhere });
    expect(told).toEqual([other]);
    expect(await charging({ begin, record })).toMatchObject({ kind: 'accepted' });
  });

  it.each<[string, Moment, boolean]>([
    ['in time', momentAt(NOON + 900), false],
    ['too late for another attempt', momentAt(NOON + 901), true],
    ['too late by the monotonic clock', { ...momentAt(NOON + 901), at: NOON }, true],
    ['too late by the wall clock, without a monotonic one', { at: NOON + 901, mark: { boot: '', uptime: 0 } }, true],
  ])('counts as overdue if it is %s', async (_what, now, overdue) => {
    // The start, the check before the intent, and the check before the send.
    const moments = [momentAt(NOON), momentAt(NOON), now];
    const asked: boolean[] = [];
    const moment = (): Moment => moments.shift() ?? now;
    await charging(
      { moment },
      {
        send: accepting(async (isOverdue: () => boolean) => {
          asked.push(isOverdue());
          return made();
        }),
      },
    );
    expect(asked).toEqual([overdue]);
  });
});
