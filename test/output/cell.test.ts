import { describe, expect, it } from 'vitest';
import type { CellKind } from '../../src/core/result.ts';
import { formatLocalFull } from '../../src/core/time.ts';
import { cellOf, machineText } from '../../src/output/cell.ts';
import { stylesFor } from '../../src/output/style.ts';

const textOf = async (value: unknown, kind: CellKind): Promise<string> =>
  cellOf({ value }, { path: 'value', kind }, await stylesFor(false)).text;

describe('the cell of an enum', () => {
  it.each([
    ['a label', ['active', 'Active'], 'Active'],
    ['a label of several words', ['NGN', 'Naira (NGN)'], 'Naira (NGN)'],
    ['a label with a dot and a space', ['gtb', 'G. T. Bank'], 'G. T. Bank'],
    ['a translation key', ['ugwo_successful', 'enum.ugwo_status.ugwo_successful'], 'ugwo_successful'],
    ['the value if it is repeated', ['ugwo_successful', 'ugwo_successful'], 'ugwo_successful'],
    ['an empty label', ['active', ''], 'active'],
    ['a label that is null', ['active', null], 'active'],
    ['a numeric value', [3, 'enum.status.three'], '3'],
    ['text', 'active', 'active'],
    ['a number', 3, '3'],
    ['an object', { a: 1 }, '{"a": 1}'],
    ['a list of three', ['a', 'b', 'c'], '["a", "b", "c"]'],
    ['an empty list', [], ''],
  ])('shows %s', async (_what, value, text) => {
    expect(await textOf(value, 'enum')).toBe(text);
  });
});

describe('the cell of a status', () => {
  it.each([
    ['a label', 'ugwo_successful', 'paid'],
    ['a label for a pair with a translation key', ['requires_ugwo', 'enum.ugwo_status.requires_ugwo'], 'not paid'],
    ['its own label for a pair', ['partially_refunded', 'Partial'], 'part refunded'],
    ['a value that is already a label', ['failed', 'Gone wrong'], 'failed'],
    ['an unknown status as received', 'on_hold', 'on_hold'],
    ['an unknown status by its label', ['on_hold', 'On hold'], 'On hold'],
    ['a non-status unchanged', { a: 1 }, '{"a": 1}'],
    ['an empty cell for null', null, ''],
  ])('shows %s', async (_what, value, text) => {
    expect(await textOf(value, 'state')).toBe(text);
  });

  it('keeps the value for machine formats', () => {
    expect(machineText('requires_ugwo', 'state')).toBe('requires_ugwo');
    expect(machineText(['requires_ugwo', 'Not paid'], 'state')).toBe('requires_ugwo');
  });
});

describe('the cell of a time', () => {
  it.each(['2026-11-20T13:05:00Z', '2026-11-20 13:05:00', '2026-11-20T14:05:00.000001+0100'])(
    'reads %j',
    async (value) => {
      expect(await textOf(value, 'time')).toBe(formatLocalFull(Date.UTC(2026, 10, 20, 13, 5)));
    },
  );

  it('shows an unreadable value unchanged', async () => {
    expect(await textOf('soon', 'time')).toBe('soon');
    expect(await textOf(1_795_179_900, 'time')).toBe('1795179900');
  });
});

describe('the cell of mediums', () => {
  it.each([
    ['names', [{ medium: 'bank_transfer' }, { medium: ['ussd', 'enum.medium.ussd'] }], 'bank_transfer, ussd'],
    ['a non-list', 'ussd', 'ussd'],
    ['an empty list', [], ''],
    ['a list of other objects', [{ medium: 'ussd' }, { name: 'x' }], '[{"medium": "ussd"}, {"name": "x"}]'],
  ])('shows %s', async (_what, value, text) => {
    expect(await textOf(value, 'mediums')).toBe(text);
  });
});

describe('the cell of an error', () => {
  it.each([
    ['the message', { code: 'psp.declined', message: 'No funds.' }, 'No funds.'],
    ['the title without a message', { title: 'Declined', code: 'psp.declined' }, 'Declined'],
    ['the code alone', { code: 'psp.declined', message: '' }, 'psp.declined'],
    ['text', 'no funds', 'no funds'],
    ['an object of another shape', { why: 1 }, '{"why": 1}'],
    ['an empty cell for null', null, ''],
  ])('shows %s', async (_what, value, text) => {
    expect(await textOf(value, 'reason')).toBe(text);
    expect(machineText(value, 'reason')).toBe(machineText(value, undefined));
  });
});
