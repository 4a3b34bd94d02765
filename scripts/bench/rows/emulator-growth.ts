import { join } from 'node:path';
import { emulatorRoom, type RunningEmulator } from '../../../src/emulator/room.ts';
import type { Line } from '../run/line.ts';
import { race } from '../run/race.ts';
import type { Bench } from './scene.ts';

const [FEW, MANY] = [100, 100_000];
const ROUNDS = 10;
const AT_A_TIME = 50;

const clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
  sleep: () => Promise.reject(new Error('an emulator waits for nothing')),
};

const openFilled = async (folder: string, count: number): Promise<RunningEmulator> => {
  const file = join(folder, `emulator-${count}.sqlite`);
  await emulatorRoom.seed({ file, clock, customers: 25, ugwo: count });
  return emulatorRoom.start({ file, clock, port: 0 });
};

const ask = async ({ origin, key }: RunningEmulator, method: string, path: string, body?: object): Promise<unknown> => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(origin + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
};

const list = (emulator: RunningEmulator): Promise<unknown> => ask(emulator, 'GET', '/v1/ugwo?limit=100');

const createAndCharge = async (emulator: RunningEmulator): Promise<unknown> => {
  const made = await ask(emulator, 'POST', '/v1/ugwo', { amount: 500_000, currency: 'NGN' });
  const { uid } = made as { readonly uid: string };
  return ask(emulator, 'POST', `/v1/ugwo/${uid}/activities`, { type: 'charge', data: { medium: 'bank_transfer' } });
};

/** Milliseconds for each of some requests, one after the other. */
const timed = async (task: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  for (let index = 0; index < AT_A_TIME; index += 1) await task();
  return (performance.now() - started) / AT_A_TIME;
};

/** Row 10: what a request costs an emulator that has many payment requests. */
export const emulatorGrowth: Bench = async ({ folder }) => {
  const [few, many] = [await openFilled(folder, FEW), await openFilled(folder, MANY)];
  const compare = (work: string, task: (emulator: RunningEmulator) => Promise<unknown>): Promise<Line[]> =>
    race({
      rounds: ROUNDS,
      warmUp: true,
      contenders: { many: () => timed(() => task(many)), few: () => timed(() => task(few)) },
      comparisons: [
        {
          row: 10,
          name: `emulator, ${work}`,
          work: `${work}, ${MANY.toLocaleString('en')} payment requests in the emulator`,
          against: `with ${FEW.toLocaleString('en')}`,
          ratio: ['many', 'few'],
          goal: { bound: '≤', value: 1.2 },
        },
      ],
    });
  try {
    return [...(await compare('a page of 100', list)), ...(await compare('create and charge', createAndCharge))];
  } finally {
    await few.close();
    await many.close();
  }
};
