import { describe, expect, it } from 'vitest';
import { EXPIRY_LIMIT_MS, MEDIUM_NAMES, mediumNamed } from '../../src/charge/mediums.ts';
import { BOUNDS } from '../../src/core/bounds.ts';
import {
  ANY_WRITE,
  activitiesOf,
  CHARGE_STATES,
  CHARGE_WRITE,
  countText,
  isTakenUp,
  machineValue,
  mayBeDone,
  payableUntil,
  ROW_STATES,
  type RowState,
  rowStateOf,
  statusOf,
  summaryColumns,
  tellsActivities,
} from '../../src/core/charge.ts';
import { HIGHEST_FILE_NAME, LEDGER_FILE_NAME, SHADOW_FILE_START } from '../../src/core/data-files.ts';
import { unreachable } from '../../src/core/error.ts';
import { madeHere } from '../../src/core/record.ts';

describe('statusOf', () => {
  it.each([
    [{ status: 'failed' }, 'failed'],
    [{ status: ['failed', 'Failed'] }, 'failed'],
    [{ status: 5 }, '5'],
    [{ status: {} }, ''],
    [{}, ''],
    [null, ''],
    [{ status: 'x'.repeat(BOUNDS.word) }, 'x'.repeat(BOUNDS.word)],
    [{ status: 'x'.repeat(BOUNDS.word + 1) }, ''],
  ])('%j is %j', (activity, status) => {
    expect(statusOf(activity)).toBe(status);
  });
});

describe('activitiesOf', () => {
  const one = { uid: 'act.a.b' };
  it.each([
    ['a list', [one, one], [one, one]],
    ['an empty list', [], []],
    ['a list of anything', [5, null], [5, null]],
    ['a list with gaps', { 1: one, 3: one }, [one, one]],
    ['an empty object', {}, undefined],
    ['an object of other values', { 1: one, count: 1 }, undefined],
    ['an object with a null', { 1: one, 2: null }, undefined],
    ['null', null, undefined],
    ['text', 'ab', undefined],
    ['undefined', undefined, undefined],
  ])('reads %s', (_what, activities, listed) => {
    expect(activitiesOf({ activities })).toEqual(listed);
  });

  it('returns undefined without a payment request', () => {
    expect(activitiesOf(null)).toBeUndefined();
  });
});

it('the names of existing files have not changed', () => {
  expect([LEDGER_FILE_NAME, HIGHEST_FILE_NAME, SHADOW_FILE_START]).toEqual([
    'ledger.sqlite',
    'highest-charge',
    'shared-',
  ]);
});

describe('the message for an unknown outcome', () => {
  it('names the possible effect', () => {
    expect(mayBeDone(CHARGE_WRITE)).toBe('the charge may have been made');
    expect(mayBeDone(ANY_WRITE)).toBe('the request may have been applied');
    expect(mayBeDone({ kind: 'payment_request', done: 'made' })).toBe('the payment request may have been made');
    expect(CHARGE_WRITE.hint).toBe("don't run it again until you know, or the customer may pay twice");
    expect(ANY_WRITE.hint).toBe("don't send it again until you know, or it may be applied twice");
  });

  it.each([
    ['0 charges', []],
    ['1 charge', ['charge']],
    ['2 charges', ['charge', 'charge']],
    ['1 payment request', ['payment_request']],
    ['2 payment requests', ['payment_request', 'payment_request']],
    ['3 requests', ['charge', 'refund', 'charge']],
  ])('counts %s', (text, kinds) => {
    expect(countText(kinds.map((kind) => ({ kind })))).toBe(text);
  });
});

const account = (expiresAt: unknown): object => ({
  type: 'user_action',
  headers: { bank_name: 'Test Bank', account_name: 'Shop', account_number: '0123456789', expires_at: expiresAt },
});
const EXPIRES = '2026-11-20T12:15:00+01:00';
const AT = Date.parse(EXPIRES);

describe('a payment request tells its activities', () => {
  it.each([
    [{ activities: [] }, true],
    [{ latest_ugwo_activity: null }, true],
    [{ lastest_ugwo_activity: { uid: 'act.a' } }, true],
    [{ activities: null }, false],
    [{}, false],
  ])('%j: %s', (ugwo, tells) => expect(tellsActivities(ugwo)).toBe(tells));
});

describe('payableUntil', () => {
  it('returns the expiry of an account whose number was pruned', () => {
    const pruned = { type: 'pruned', headers: { expires_at: EXPIRES } };
    expect(payableUntil({ status: 'requires_action', next_action: pruned })).toBe(AT);
  });

  it.each(['requires_action', ['requires_action', 'Requires action']] as const)(
    "returns the account's expiry: %j",
    (status) => {
      expect(payableUntil({ status, next_action: account(EXPIRES) })).toBe(AT);
    },
  );

  it.each(['processing', 'successful', 'failed', 'expired', 'on_hold', ''])(
    'returns undefined for a status that is final or unknown: %j',
    (status) => {
      expect(payableUntil({ status, next_action: account(EXPIRES) })).toBeUndefined();
    },
  );

  it.each([
    ['no action', null],
    ['a dial string', { type: 'user_action', headers: { ussd: '*737#', expires_at: EXPIRES } }],
    ['another action', { type: 'redirect', headers: { expires_at: EXPIRES } }],
    ['an account without an expiry', account(undefined)],
    ['an expiry without an offset', account('2026-11-20 12:15:00')],
    ['a numeric expiry', account(1_795_179_900)],
  ])('returns undefined for %s', (_what, action) => {
    expect(payableUntil({ status: 'requires_action', next_action: action })).toBeUndefined();
  });
});

describe('mediums', () => {
  it('are those that the service documents', () => {
    expect(MEDIUM_NAMES).toEqual(['bank_transfer', 'ussd', 'mobile_money']);
  });

  it.each(MEDIUM_NAMES)('%s is a medium', (medium) => {
    expect(mediumNamed(medium)?.name).toBe(medium);
  });

  it.each(['', 'card', 'USSD', 'ussd ', 'pay_with_bank', 'length', '0', '__proto__'])('%j is not a medium', (text) => {
    expect(mediumNamed(text)).toBeUndefined();
  });

  it('an account is valid for at most fifteen minutes', () => {
    expect(EXPIRY_LIMIT_MS).toBe(900_000);
  });

  it('an enum is a machine value, alone or with a label', () => {
    expect(machineValue('processing')).toBe('processing');
    expect(machineValue(['processing', 'Being processed'])).toBe('processing');
  });
});

it.each([
  [5, '5'],
  [[5, 'five'], '5'],
  [true, ''],
  [null, ''],
  [{}, ''],
  [[], ''],
  [[['a']], ''],
])('the machine value of %j is %j', (value, text) => {
  expect(machineValue(value)).toBe(text);
});

describe('madeHere', () => {
  it('has the JSON text of its value', () => {
    const made = madeHere({ uid: 'ony.Kw9a.8Zp3', meta: { 'a"b': null } });
    expect(made.text).toBe('{"uid":"ony.Kw9a.8Zp3","meta":{"a\\"b":null}}');
    expect(JSON.parse(made.text)).toEqual(made.value);
  });
});

describe('unreachable', () => {
  it('throws and names the unhandled case', () => {
    expect(() => unreachable({ medium: 'card' } as never)).toThrow('unreachable: {"medium":"card"}');
  });
});

describe('rowStateOf', () => {
  it('tells a failed or expired charge from an accepted one, and nothing else', () => {
    for (const end of ['failed', 'expired'] as const) {
      expect(rowStateOf('accepted', end)).toBe(end);
      expect(rowStateOf('unknown', end)).toBe('unknown');
    }
    for (const state of CHARGE_STATES) expect(rowStateOf(state, undefined)).toBe(state);
  });
});

describe('isTakenUp', () => {
  it.each<[RowState, plain: boolean, retry: boolean]>([
    ['accepted', false, false],
    // Also after a signal in flight: the outcome is unknown.
    ['unknown', false, false],
    ['sending', false, false],
    ['refused', true, true],
    ['rejected', false, true],
    ['failed', false, true],
    ['not_sent', true, true],
    ['not_created', false, true],
  ])('%s: %s, with retry %s', (state, plain, retry) => {
    expect([isTakenUp(state, false), isTakenUp(state, true)]).toEqual([plain, retry]);
  });
});

describe('the summary of a job', () => {
  const COLUMNS = summaryColumns('charged');

  it('has its columns in the documented order', () => {
    expect(COLUMNS.map(({ path }) => path)).toEqual([
      ...['job', 'command', 'file', 'rows'],
      ...ROW_STATES.filter((state) => state !== 'expired'),
      ...['not_started', 'skipped', 'report', 'expired'],
    ]);
  });

  it('always counts rows by state', () => {
    const counts = COLUMNS.filter(({ kind }) => kind === 'count').map(({ path }) => path);
    expect(counts.sort()).toEqual(['rows', ...ROW_STATES, 'not_started', 'skipped'].sort());
    expect(COLUMNS.filter(({ always }) => always).map(({ path }) => path)).toEqual(['rows']);
  });

  it.each([
    ['not_sent', 'not sent'],
    ['not_created', 'not created'],
    ['not_started', 'not started'],
    ['skipped', 'done before'],
  ])('labels %s as %s', (path, label) => {
    expect(COLUMNS.find((column) => column.path === path)?.label).toBe(label);
  });
});
