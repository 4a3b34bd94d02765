import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { atom, transferTo } from '../support/activity.ts';
import { newFolder, paycli } from '../support/program.ts';
import { ACTIVITY, json, ONYE_ID, page, serve, serveAllBy, UGWO_ID, ugwo } from '../support/service.ts';
import { newPrograms, newUser, onDrive } from './support.ts';

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

describe('--share-with', () => {
  const TEXT = 'Ádá, pay ₦ for 🍍\r\n\r\n\tto {account_number}, "today"';
  const open = async (ref = 'order-1') => {
    const next_action = transferTo('0123456789', 600_000);
    const request = { ...ugwo(1), uid: UGWO_ID, ref, checkout: { uid: 'chk.AbCd.1' }, activities: [] };
    const made = { ...ACTIVITY, created_at: atom(Date.now()), next_action };
    const service = await serveAllBy(({ method }) => json(200, method === 'GET' ? request : made));
    const programs = await newPrograms();
    const template = join(programs.folder, 'text for it.txt');
    writeFileSync(template, `\ufeff${TEXT}\r\n`);
    const charge = (program: string, cwd?: string) =>
      paycli(
        [
          ...['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'],
          ...['--share-with', program, '--share-template', onDrive(template)],
        ],
        { service, home: newFolder(), ...(cwd === undefined ? {} : { cwd }) },
      );
    return { ...programs, charge, service, message: `${TEXT.replace('{account_number}', '0123456789')}\n` };
  };

  it('gives the whole message to programs as a person names them', async () => {
    const { folder, sent, named, charge, message } = await open();
    const names = [named.batch, named.batch.toUpperCase(), named.node, named.bare, '"./send it.cmd"', '".\\send it"'];
    for (const [at, name] of names.entries()) {
      const ended = await charge(name, folder);
      expect([name, ended.code, ended.stderr]).toEqual([name, 0, expect.any(String)]);
      expect(readFileSync(sent, 'utf8')).toBe(message.repeat(at + 1));
    }
  });

  it.each([
    ['order-1', 'order-1'],
    ['A & echo more', ''],
    ['%PATH%', ''],
    ['(1)', ''],
  ])('gives a batch file no ref that means something there: %s', async (ref, shown) => {
    const { named, charge } = await open(ref);
    const { code, stderr } = await charge(named.batch);
    expect([code, stderr]).toEqual([0, expect.stringMatching(RegExp(`^ref: ${shown}\\.\r?\n$`, 'm'))]);
  });

  it('ends with 14 if the program fails', async () => {
    const { sent, named, charge, message } = await open();
    const ended = await charge(`${named.batch} 'fail & "end"'`);
    expect(ended).toMatchObject({ code: 14, stderr: expect.stringContaining('was not shared: exit code 3') });
    expect(readFileSync(sent, 'utf8')).toBe(message);
  });

  it('charges nothing if the program is missing, or a script without its interpreter', async () => {
    const { folder, sent, named, charge, service } = await open();
    for (const [name, hint] of [
      [named.script, 'node send.js'],
      ['"send it.cmd"', 'give its path'],
      ['.\\none.exe', 'check the path'],
    ] as const) {
      const ended = await charge(name, folder);
      expect([name, ended.code, ended.stderr]).toEqual([name, 2, expect.stringContaining('was not found')]);
      expect(ended.stderr).toContain(hint);
    }
    expect([existsSync(sent), service.seen.filter(({ method }) => method === 'POST')]).toEqual([false, []]);
  });
});
