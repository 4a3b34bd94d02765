import { expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { newFolder, start } from '../support/program.ts';
import type { Answer, Seen } from '../support/service.ts';
import { ACTIVITY, hang, json, reset, serveAllBy, ugwo } from '../support/service.ts';
import { activityOf, charged, numberIn, ugwoOf } from './bulk-support.ts';
import { chargeOf } from './team-support.ts';

const nowAtom = (): string => `${new Date().toISOString().slice(0, 19)}+00:00`;

/**
 * Two charges; the service never answers the read of the second. Returns a function that runs a command and stops it
 * then.
 */
const twoCharges = async (answer: Answer | undefined) => {
  const [home, asked, seenFirst] = [newFolder(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const show = (number: number): Answer => {
    const activity = { ...ACTIVITY, uid: activityOf(number), status: 'successful', created_at: nowAtom() };
    return json(200, { ...ugwo(number), uid: ugwoOf(number), activities: [activity] });
  };
  const service = await serveAllBy((seen: Seen) => {
    const number = numberIn(seen);
    if (seen.method === 'POST') return answer ?? charged(number);
    if (number === 1) {
      seenFirst.resolve();
      return show(1);
    }
    asked.resolve();
    return hang;
  });
  for (const number of [1, 2]) await chargeOf(ugwoOf(number), { home, service });
  return async (...args: readonly string[]) => {
    const running = start([...args, '-o', 'tsv'], { home, service });
    await Promise.all([asked.promise, seenFirst.promise]);
    const isKept = async (): Promise<boolean> =>
      (await inProcess(['ledger', 'list', '--json'], { home })).stdout.includes('"successful"');
    while (!(await isKept())) await new Promise((resolve) => setTimeout(resolve, 20));
    running.kill('SIGINT');
    return running.ended;
  };
};

it('ledger sync prints the results so far after a signal', async () => {
  const stopped = await twoCharges(reset);
  const ended = await stopped('ledger', 'sync');
  expect(ended).toMatchObject({ code: 130, stdout: expect.stringMatching(/^payment\t.*\npaid\t.*\nunknown\t/) });
  expect(ended.stderr).toContain('Cancelled by Ctrl-C; the results so far are in the ledger');
});

it('ledger sync says after a signal that the results so far are in the ledger', async () => {
  const stopped = await twoCharges(undefined);
  const ended = await stopped('ledger', 'sync');
  expect(ended).toMatchObject({ code: 130 });
  expect(ended.stderr).toContain('Cancelled by Ctrl-C; the results so far are in the ledger');
});
