import { getEventListeners } from 'node:events';
import { queryObjects } from 'node:v8';
import { expect, it } from 'vitest';
import { ACTIVITY, json, problem, serve, UGWO_ID } from '../support/service.ts';
import { bench } from './support.ts';

const INPUT = { params: { ugwoUid: UGWO_ID }, body: { type: 'charge', data: { medium: 'bank_transfer' } } };

it('sequential writes leave nothing in memory', async () => {
  const slow = problem(429, 'No', undefined, { 'retry-after': '1' });
  const rounds = 60;
  const service = await serve(
    Array.from({ length: rounds * 2 }, (_, turn) => (turn % 2 === 0 ? slow : json(200, ACTIVITY))),
  );
  const { client, stop, leave } = bench(service.origin);
  const before = queryObjects(AbortSignal, { format: 'count' });
  for (let round = 0; round < rounds; round += 1) await client.call('ugwo.charge', INPUT);
  await new Promise(setImmediate);
  // Uncollected garbage may hold some; one per write would exceed this.
  expect(queryObjects(AbortSignal, { format: 'count' }) - before).toBeLessThan(rounds / 2);
  expect([stop, leave].flatMap(({ signal }) => getEventListeners(signal, 'abort'))).toEqual([]);
});
