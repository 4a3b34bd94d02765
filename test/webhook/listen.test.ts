import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listen } from '../../src/webhook/listen.ts';
import { openTeller } from '../../src/webhook/teller.ts';
import { clock } from '../support/clock.ts';
import { newFolder } from '../support/program.ts';
import { SECRET, uidOf } from '../support/webhooks.ts';
import { delivery, newQueue } from './support.ts';

it('names what a kill has caught before it notes that this was told: a second kill names it again', async () => {
  const folder = join(newFolder('queue'), 'data');
  const queue = newQueue(folder);
  for (let number = 1; number <= 2; number += 1)
    await queue.keep(delivery(number), { state: 'kept', duplicates: false });
  const killed = openTeller(queue);
  for (const event of killed.next()) await killed.note('telling', event);

  const stop = new AbortController();
  const said: string[] = [];
  const placesMeanwhile: number[] = [];
  const listening = await listen(
    {
      ...{ folder, port: 0, host: '127.0.0.1', secrets: { all: [SECRET], sandbox: [] }, target: undefined },
      ...{ only: [], duplicates: false, until: undefined, exec: undefined, news: undefined },
    },
    {
      ...{ clock, random: () => 0.5, stop: stop.signal, leave: new AbortController().signal, uid: process.geteuid?.() },
      say: async (text) => {
        // A commit that was begun before is through by then.
        await queue.set('target', text);
        placesMeanwhile.push(queue.place('told'));
        said.push(text);
        stop.abort('SIGINT');
      },
    },
  );
  await expect(listening.events.next()).rejects.toThrow('stopped by');
  expect(said).toEqual([1, 2].map((number) => expect.stringContaining(`${uidOf(number)} may not have been told`)));
  expect(placesMeanwhile).toEqual([0, 0]);
  expect(queue.place('told')).toBe(2);
});
