import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/core/io.ts';
import type { Delivery } from '../../src/webhook/event.ts';
import { openQueue, type Queue } from '../../src/webhook/queue.ts';
import { VirtualClock } from '../bulk/virtual-clock.ts';
import { newFolder } from '../support/program.ts';
import { bodyOf, ugwoOf, uidOf } from '../support/webhooks.ts';

/** A queue in a folder of its own. */
export const newQueue = (folder = join(newFolder('queue'), 'data')): Queue => {
  const queue = openQueue(folder, process.geteuid?.());
  onTestFinished(() => queue.close());
  return queue;
};

/** A delivery about one of several payment requests. */
export const delivery = (number: number, different: Partial<Delivery> = {}): Delivery => ({
  uid: uidOf(number),
  event: 'ugwo.updated',
  ugwo: ugwoOf(number),
  activity: undefined,
  deliveryId: `dlv.${number}`,
  signature: 'aa',
  headers: [['X-Own', 'kept']],
  body: Buffer.from(bodyOf(number)),
  receivedAt: 0,
  ...different,
});

/** Virtual time that advances only while something waits; the wall clock can be changed. */
export class TestClock extends VirtualClock implements Clock {
  /** The change of the wall clock, in milliseconds. */
  set = 0;
  override now(): number {
    return this.time + this.set;
  }
}
