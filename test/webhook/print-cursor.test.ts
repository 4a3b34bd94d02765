import { expect, it } from 'vitest';
import { openPrintCursor } from '../../src/webhook/consumers.ts';
import { uidOf } from '../support/webhooks.ts';
import { delivery, newQueue } from './support.ts';

const KEPT = { state: 'kept', duplicates: false, due: 0 } as const;

it('the print cursor reports each event once, and names those that a kill may have cut off', async () => {
  const queue = newQueue();
  for (let number = 1; number <= 250; number += 1) await queue.keep(delivery(number), KEPT);
  const cursor = openPrintCursor(queue);
  expect(cursor.doubtful()).toEqual([]);
  const first = cursor.next();
  expect(first.map(({ uid }) => uid)).toEqual(Array.from({ length: 100 }, (_, index) => uidOf(index + 1)));
  const last = first.at(-1);
  if (last === undefined) throw new Error('nothing to print');
  await cursor.note('printing', last);
  await cursor.note('printed', last);
  const second = cursor.next(130).at(-1);
  if (second === undefined) throw new Error('nothing to print');
  await cursor.note('printing', second);
  // Killed here; the next process starts over.
  const next = openPrintCursor(queue);
  expect(next.doubtful().map(({ seq }) => seq)).toEqual(Array.from({ length: 130 }, (_, index) => index + 101));
  expect(next.next().map(({ uid }) => uid)[0]).toBe(uidOf(231));
  const named = openPrintCursor(queue);
  const caught = named.doubtful().at(-1);
  expect(caught?.seq).toBe(230);
  if (caught !== undefined) await named.note('printed', caught);
  expect(openPrintCursor(queue).doubtful()).toEqual([]);
});
