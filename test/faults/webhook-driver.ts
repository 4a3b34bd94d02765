import { signatureOf } from '../../src/core/webhook-event.ts';
import { openListening } from '../../src/webhook/listen.ts';
import { clock } from '../support/clock.ts';
import { bodyOf, deliver, openTarget, SECRET } from '../support/webhooks.ts';

/*
 * Receives deliveries through the real listener in one process, with some concurrency, and prints and forwards them.
 * Bundled, with or without a sabotage, and run under strace. Arguments: the data folder, the number of events, the
 * concurrency.
 */

const [folder = '', events = '1', lanes = '1'] = process.argv.slice(2);

const never = new AbortController().signal;
const target = await openTarget();

const listening = await openListening(
  {
    ...{
      folder,
      port: 0,
      host: '127.0.0.1',
      secrets: { all: [SECRET], sandbox: [] },
      target: { url: new URL(target.url) },
    },
    ...{
      only: [],
      duplicates: false,
      until: { count: Number(events) },
      exec: undefined,
      ledger: undefined,
      keepDays: 90,
    },
  },
  { clock, random: () => 0.5, stop: never, leave: never, uid: process.geteuid?.(), say: async () => undefined },
);

const numbers = Array.from({ length: Number(events) }, (_, number) => number).values();
const lane = async (): Promise<void> => {
  for (const number of numbers) {
    const body = bodyOf(number, { ugwo: number % 3 });
    await deliver(listening.origin, body, { signature: signatureOf(SECRET, Buffer.from(body)) });
  }
};
const sent = Promise.all(Array.from({ length: Number(lanes) }, lane));
for await (const some of listening.events) process.stdout.write(`told ${some.length}\n`);
await sent;
await target.close();
