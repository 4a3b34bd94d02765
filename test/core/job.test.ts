import { describe, expect, it } from 'vitest';
import { questionOf, SUMMARY_COLUMNS } from '../../src/core/job.ts';
import { ROW_STATES } from '../../src/core/row.ts';

describe('the summary of a job', () => {
  it('has its columns in the order that scripts read', () => {
    expect(SUMMARY_COLUMNS.map(({ path }) => path)).toEqual([
      ...['job', 'command', 'file', 'rows'],
      ...ROW_STATES,
      ...['not_started', 'skipped', 'report'],
    ]);
  });

  it('counts rows, always, and how they stand', () => {
    const counts = SUMMARY_COLUMNS.filter(({ kind }) => kind === 'count').map(({ path }) => path);
    expect(counts).toEqual(['rows', ...ROW_STATES, 'not_started', 'skipped']);
    expect(SUMMARY_COLUMNS.filter(({ always }) => always).map(({ path }) => path)).toEqual(['rows']);
  });

  it.each([
    ['not_sent', 'not sent'],
    ['not_created', 'not created'],
    ['not_started', 'not started'],
    ['skipped', 'done before'],
  ])('calls %s %s for people', (path, label) => {
    expect(SUMMARY_COLUMNS.find((column) => column.path === path)?.label).toBe(label);
  });
});

describe('the question before rows are sent', () => {
  const question = { verb: 'Charge', one: 'request', rows: 3, before: 0, what: 'ussd' };
  const place = { origin: 'https://api.kwugwo.africa', profile: undefined };

  it.each([
    [{}, 'Charge 3 requests (ussd)?'],
    [{ rows: 1 }, 'Charge 1 request (ussd)?'],
    [{ before: 2 }, 'Charge 3 requests (ussd; 2 started before)?'],
    [{ total: 'NGN 15.00' }, 'Charge 3 requests for NGN 15.00 (ussd)?'],
  ])('with %j is %s', (rest, line) => {
    expect(questionOf({ ...question, ...rest }, place)).toEqual(['live: https://api.kwugwo.africa', line]);
  });

  it('names the profile', () => {
    const [where] = questionOf(question, { ...place, profile: 'shop' });
    expect(where).toBe('live: https://api.kwugwo.africa, profile shop');
  });
});
