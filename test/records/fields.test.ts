import { describe, expect, it } from 'vitest';
import { OWN } from '../../scripts/schema/own.ts';
import type { View } from '../../src/core/result.ts';
import { CHANGE, changesView } from '../../src/records/change.ts';
import { ENTRY, viewFor } from '../../src/records/entry.ts';
import { eventListView, LISTED_EVENT } from '../../src/records/event.ts';
import { columnsOfList, describeFields, type RecordFields, recordOf } from '../../src/records/fields.ts';
import { JOB, jobsView } from '../../src/records/job.ts';
import { SENT_REFUND, sentRefundsView } from '../../src/records/refund.ts';

interface Kind {
  readonly schema: keyof typeof OWN;
  readonly fields: RecordFields;
  readonly list: View;
}

const KINDS: readonly Kind[] = [
  { schema: 'Change', fields: CHANGE, list: changesView },
  { schema: 'Entry', fields: ENTRY, list: viewFor('charge', false) },
  { schema: 'Job', fields: JOB, list: jobsView(false) },
  { schema: 'ListedEvent', fields: LISTED_EVENT, list: eventListView },
  { schema: 'SentRefund', fields: SENT_REFUND, list: sentRefundsView },
];

describe.each(KINDS)('the record $schema', ({ schema, fields, list }) => {
  const names = Object.keys(fields);
  const { properties, required } = OWN[schema] as unknown as {
    properties: Readonly<Record<string, object>>;
    required: readonly string[];
  };

  it('has every field in its JSON and in its schema, in one order', () => {
    expect(Object.keys(recordOf(fields, {}))).toEqual(names);
    expect(Object.keys(properties).slice(0, names.length)).toEqual(names);
    expect(required).toEqual(names);
  });

  it('allows null in its schema for the fields that may be null', () => {
    const plain = names.filter((name) => fields[name]?.kind !== 'any');
    const nullable = plain.filter((name) => fields[name]?.nullable);
    expect(nullable).not.toEqual([]);
    expect(plain.filter((name) => 'anyOf' in (properties[name] ?? {}))).toEqual(nullable);
  });

  it('has a column for each field of a list', () => {
    const listed = names.filter((name) => fields[name]?.unlisted !== true);
    expect(list.columns.map(({ path }) => path).toSorted()).toEqual(listed.toSorted());
  });
});

it('a field takes one line', () => {
  const fields = describeFields({
    id: 'text!',
    paid_at: { type: 'time', label: 'paid' },
    sort_code: 'number',
    hidden: { type: 'any', unlisted: true },
  });
  expect(recordOf(fields, { id: 'a', paidAt: 0, sort_code: 0 })).toEqual({
    id: 'a',
    paid_at: '1970-01-01T00:00:00+00:00',
    sort_code: 0,
    hidden: null,
  });
  expect(Object.values(fields).map(({ nullable }) => nullable)).toEqual([false, true, true, true]);
  const columns = columnsOfList(fields, 'sort_code').map(({ path, kind, label }) => [path, kind, label]);
  expect(columns).toEqual([
    ['sort_code', 'number', 'sort code'],
    ['id', 'text', 'id'],
    ['paid_at', 'time', 'paid'],
  ]);
});
