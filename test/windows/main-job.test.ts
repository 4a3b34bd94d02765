import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { newFolder, paycli } from '../support/program.ts';
import { ACTIVITY, json, ONYE_ID, page, serve, UGWO_ID } from '../support/service.ts';
import { newUser, onDrive } from './support.ts';

describe('the main job', () => {
  it('works with the built-in service: list, update, charge, and who has paid', async () => {
    const { env, data } = newUser();
    const run = (...args: readonly string[]) => paycli([...args, '--local'], { env });
    const listed = await run('ugwo', 'list', '--limit', '2', '--json');
    expect(JSON.parse(listed.stdout).data).toMatchObject([{ uid: SEEDED.ugwo }, {}]);
    const updated = await run('onye', 'update', SEEDED.onye, '--first-name', 'ada', '--json');
    expect(JSON.parse(updated.stdout)).toMatchObject({ uid: SEEDED.onye, first_name: 'Ada' });
    const charged = await run('ugwo', 'charge', SEEDED.ugwo, '--medium', 'bank_transfer', '--json');
    expect(charged, charged.stderr).toMatchObject({ code: 0 });
    expect(await run('ugwo', 'charge', SEEDED.ugwo, '--medium', 'bank_transfer')).toMatchObject({ code: 9 });
    expect(await run('ledger', 'sync')).toMatchObject({ code: 0 });
    expect(existsSync(join(data, 'ledger.sqlite'))).toBe(true);
  });

  it('sends to a service what it sends elsewhere, and prints the answer', async () => {
    const service = await serve([page([1, 2], null), json(200, { uid: ONYE_ID }), json(200, ACTIVITY)]);
    const home = onDrive(newFolder());
    const list = await paycli(['ugwo', 'list', '--jq', '.data[].ref'], { service, home });
    expect(list).toMatchObject({ code: 0, stdout: 'order-1\norder-2\n' });
    const update = ['onye', 'update', ONYE_ID, '--data', '-', '--json'];
    expect(await paycli(update, { service, home, stdin: '{"email":"ada@example.com"}\r\n' })).toMatchObject({
      code: 0,
    });
    const charge = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb', '--json'];
    expect(await paycli(charge, { service, home })).toMatchObject({ code: 0, stdout: `${JSON.stringify(ACTIVITY)}\n` });
    expect(service.seen.slice(1).map(({ body }) => JSON.parse(body))).toEqual([
      { email: 'ada@example.com' },
      { type: 'charge', data: { medium: 'ussd', provider: 'gtb' } },
    ]);
  });
});

it('doctor, completion and a backup work with paths of a drive', async () => {
  const { env, config, data } = newUser();
  await paycli(['ugwo', 'charge', SEEDED.ugwo, '--medium', 'bank_transfer', '--local'], { env });
  const doctor = await paycli(['doctor', '--local', '--json'], { env });
  expect(doctor.stdout).toContain('(win32 x64)');
  expect(doctor.stdout).not.toContain('mode 0');
  const completion = await paycli(['completion', 'powershell'], { env });
  expect(completion).toMatchObject({ code: 0, stdout: expect.stringContaining('Register-ArgumentCompleter') });
  const copy = join(newFolder('backup'), 'copy.sqlite');
  expect(await paycli(['ledger', 'backup', onDrive(copy)], { env })).toMatchObject({ code: 0 });
  expect(readFileSync(copy).toString('latin1', 0, 15)).toBe('SQLite format 3');
  for (const path of [config, join(data, 'ledger.sqlite')]) {
    expect(doctor.stdout).toContain(JSON.stringify(onDrive(path)).slice(1, -1));
  }
});
