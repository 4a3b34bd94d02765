import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { bodyOf, deliver, secretFile } from '../../../test/support/webhooks.ts';
import { environment, NPM_BUILD, newHome } from '../run/programs.ts';
import { race } from '../run/race.ts';
import { during, startDurable } from '../run/services.ts';
import type { Bench } from './scene.ts';

const DELIVERIES = 4000;
const CONCURRENCY = 32;
const PAIRS = 5;

/** Sends all of them, a new one when one is answered. */
const sendAll = async (origin: string): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const numbers = Array.from({ length: DELIVERIES }, (_, number) => number).values();
  const lane = async (): Promise<void> => {
    for (const number of numbers) {
      const { status } = await deliver(origin, bodyOf(number), { agent });
      if (status !== 200) throw new Error(`a delivery was answered ${status}`);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  const taken = performance.now() - started;
  agent.destroy();
  return taken;
};

/** The built program, which prints each event as well. */
const overListen = async (folder: string): Promise<number> => {
  const home = newHome(folder);
  const [file, ...first] = NPM_BUILD;
  const words = ['webhook', 'listen', '--port', '0', '--secret-file', secretFile(home), '--until', String(DELIVERIES)];
  const child = spawn(file, [...first, ...words], {
    env: environment(folder, home),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.resume();
  let said = '';
  const listening = new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, origin] = /Listening on (http:\/\/[^\s,]+:\d+)[.,]/.exec(said) ?? [];
      if (origin !== undefined) resolve(origin);
    });
    child.once('close', () => reject(new Error(said)));
  });
  const ended = once(child, 'close');
  const taken = await sendAll(await listening);
  const [code] = await ended;
  if (code !== 0) throw new Error(`webhook listen ended with ${code}: ${said}`);
  return taken;
};

/** Row 13: deliveries that are checked, kept and synced before they are answered, beside a server that does nothing else. */
export const webhookRate: Bench = ({ folder }) =>
  race({
    rounds: PAIRS,
    warmUp: true,
    contenders: {
      'webhook listen': () => overListen(folder),
      'bare server': () => during(startDurable(join(mkdtempSync(join(folder, 'lines-')), 'lines')), sendAll),
    },
    comparisons: [
      {
        row: 13,
        name: 'webhooks',
        work: `Node, rate of ${DELIVERIES.toLocaleString('en')} deliveries to \`webhook listen\`, ${CONCURRENCY} at once, each synced before it is answered`,
        against: 'that of a bare server that writes and syncs one line each',
        ratio: ['bare server', 'webhook listen'],
        unit: { name: '/s', of: (ms) => (DELIVERIES / ms) * 1000 },
      },
    ],
  });
