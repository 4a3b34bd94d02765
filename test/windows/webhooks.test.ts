import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { openShop } from '../emulator/shop.ts';
import { clockAt } from '../emulator/support.ts';
import { freePort } from '../support/ports.ts';
import { newFolder, paycli } from '../support/program.ts';
import { bodyOf, deliver, listen, secretFile, serveTarget, uidOf } from '../support/webhooks.ts';
import { newPrograms, onDrive } from './support.ts';

const statesOf = async (home: string): Promise<readonly string[]> => {
  const { stdout } = await paycli(['webhook', 'events', 'list', '--json'], { home });
  return (JSON.parse(stdout) as { data: { state: string }[] }).data.map(({ state }) => state);
};

it('events are received, printed and forwarded, and a forged one is refused', async () => {
  const [home, target] = [newFolder(), await serveTarget()];
  const secret = ['--secret-file', onDrive(secretFile(home))];
  const listener = await listen(home, [...secret, '--forward-to', target.url, '--until', '1']);
  expect(await deliver(listener.origin, bodyOf(1), { signature: null })).toMatchObject({ status: 401 });
  expect(await deliver(listener.origin, bodyOf(1))).toMatchObject({ status: 200 });
  expect(await listener.ended).toMatchObject({ code: 0, stdout: expect.stringContaining(uidOf(1)) });
  expect(target.seen.map(({ body }) => body)).toEqual([bodyOf(1)]);
  expect(await statesOf(home)).toEqual(['forwarded']);
});

it('events wait in the queue over a kill, and go out with the next start', async () => {
  const [home, port] = [newFolder(), await freePort()];
  const first = await listen(home, ['--forward-to', `http://127.0.0.1:${port}/`]);
  for (const number of [1, 2]) expect(await deliver(first.origin, bodyOf(number))).toMatchObject({ status: 200 });
  await first.saw(/can't take events now/);
  first.kill('SIGKILL');
  await first.ended;
  expect(await statesOf(home)).toEqual(['waiting', 'waiting']);
  const target = await serveTarget(() => 200, port);
  const second = await listen(home, ['--forward-to', target.url]);
  await target.came(2);
  second.kill('SIGINT');
  const { code } = await second.ended;
  // Outside of Wine this kills the program.
  if (process.platform !== 'win32') expect(code).toBe(130);
  expect(target.seen.map(({ body }) => body).toSorted()).toEqual([bodyOf(1), bodyOf(2)]);
});

it('a program of Windows is run for an event, and its exit code is shown', async () => {
  const home = newFolder();
  const listener = await listen(home, ['--exec', 'C:\\windows\\system32\\cmd.exe /c exit 3', '--until', '1']);
  await deliver(listener.origin, bodyOf(1));
  expect((await listener.ended).stderr).toContain(`--exec failed for ${uidOf(1)}: exit code 3`);
});

it('a batch file is told what watch has seen, whole, and again after a failure', async () => {
  const { origin, key, request, ...shop } = await openShop({ clock: clockAt(Date.now()) });
  const options = { home: newFolder(), env: { PAYCLI_BASE_URL: origin, PAYCLI_SECRET_KEY: key } };
  const { uid } = await request(undefined, { ref: '₦ & "Ádá" 🍍' });
  const charged = await paycli(['ugwo', 'charge', uid, '--medium', 'bank_transfer', '--json'], options);
  const { uid: activity } = JSON.parse(charged.stdout) as { uid: string };
  await emulatorRoom.settle({ ...shop, activity, as: 'successful', after: undefined });
  const { named, sent } = await newPrograms();
  const watched = await paycli(
    ['watch', uid, '--until-final', '--exec', `${named.batch} 'fail & "end"' once`],
    options,
  );
  expect(watched.code, watched.stderr).toBe(0);
  expect(watched.stderr).toMatch(/was refused \(exit code 3\)[\s\S]*is delivered now/);
  const told = readFileSync(sent, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(told).toEqual([told[0], told[0]]);
  expect(told[0]).toMatchObject({ kind: 'paid', ugwo: uid, ref: '₦ & "Ádá" 🍍' });
});
