import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  lchownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../support/built.ts';
import { inProcess } from '../support/in-process.ts';
import type { Ended, RunOptions } from '../support/program.ts';
import { environment, newFolder, paycli } from '../support/program.ts';
import { DEAD_ORIGIN, UGWO_ID } from '../support/service.ts';
import { secretFile } from '../support/webhooks.ts';
import { chargeFrom, postsOf, serveCharges, ussdFile } from './bulk-support.ts';

const digestsIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => /\.(sqlite|json)$/.test(name))
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ]),
  );

/** Runs `ugwo charge --from` in this process. */
const charging = (file: string, options: RunOptions, ...more: readonly string[]): Promise<Ended> =>
  inProcess(['ugwo', 'charge', '--from', file, '--json', ...more], options);

const KEPT = [
  ['ledger.sqlite', 'the ledger'],
  ['emulator.sqlite', "the emulator's data"],
  ['config.json', 'the profile file'],
] as const;

describe.runIf(process.platform !== 'win32')('--report', () => {
  it('never overwrites a file of paycli, by any path', async () => {
    const [home, elsewhere, service] = [newFolder(), newFolder('elsewhere'), await serveCharges()];
    const charge = ['ugwo', 'charge', 'ugw.AbCd.000000000000000000000001', '--medium', 'bank_transfer'];
    await inProcess(charge, { home, service: { origin: DEAD_ORIGIN } });
    for (const [name] of KEPT.slice(1)) writeFileSync(join(home, name), 'as it was', { mode: 0o600 });
    const before = digestsIn(home);
    const [hard, soft, cwd] = [join(elsewhere, 'hard'), join(elsewhere, 'soft'), join(home, 'in')];
    linkSync(join(home, 'config.json'), hard);
    symlinkSync(join(home, 'emulator.sqlite'), soft);
    mkdirSync(cwd);
    for (const [path, name] of [
      [join(home, 'ledger.sqlite'), 'ledger.sqlite'],
      [hard, 'config.json'],
      [soft, 'emulator.sqlite'],
      [relative(cwd, join(home, 'emulator.sqlite')), 'emulator.sqlite'],
      [join(home, 'in', '..', 'config.json'), 'config.json'],
    ] as const) {
      const ended = await chargeFrom(ussdFile(1), { service, home, cwd }, '--report', path);
      const what = KEPT.find(([one]) => one === name)?.[1] ?? '';
      expect(ended, path).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(what) });
    }
    expect(digestsIn(home)).toMatchObject(before);
    expect(postsOf(service)).toEqual({});
  });

  it.each([
    ['ledger.sqlite', 'by a link'],
    ['ledger.sqlite-wal', 'itself'],
    ['ledger.sqlite-journal', 'by a link'],
    ['shared-0123456789ab.sqlite', 'itself'],
    ['LEDGER.sqlite', 'itself'],
    ['Config.json', 'by a link'],
  ])('never creates a file named %s in the home, %s', async (name, way) => {
    const [home, service] = [newFolder(), await serveCharges()];
    const link = join(newFolder('elsewhere'), 'soft');
    symlinkSync(join(home, name), link);
    const path = way === 'itself' ? join(home, name) : link;
    expect(await charging(ussdFile(1), { service, home }, '--report', path)).toMatchObject({ code: 2, stdout: '' });
    expect(postsOf(service)).toEqual({});
  });

  it('can be another file in the home', async () => {
    const home = newFolder();
    const ended = await chargeFrom(
      ussdFile(1),
      { service: await serveCharges(), home },
      '--report',
      join(home, 'day.csv'),
    );
    expect(ended).toMatchObject({ code: 0 });
    expect(readFileSync(join(home, 'day.csv'), 'utf8')).toContain('accepted');
  });

  it('never overwrites the input, even by a link or if it is standard input', async () => {
    const file = ussdFile(1);
    const [hard, soft] = [`${file}.hard.csv`, `${file}.soft.csv`];
    linkSync(file, hard);
    symlinkSync(file, soft);
    copyFileSync(file, `${file}.before`);
    const service = { origin: DEAD_ORIGIN };
    for (const path of [file, soft]) {
      expect(await chargeFrom(file, { service }, '--report', path)).toMatchObject({ code: 2 });
    }
    const line = `exec ${PROGRAM.map((word) => `'${word}'`).join(' ')} ugwo charge --from - --report '${hard}' < '${file}'`;
    expect(spawnSync('sh', ['-c', line], { env: environment({ service }) }).status).toBe(2);
    expect(readFileSync(file)).toEqual(readFileSync(`${file}.before`));
  });

  it.each([
    ['/dev/stdout', ''],
    ['/dev/fd/1', '| cat'],
    ['OUT', '>> OUT'],
  ])('rejects %s, where the summary goes (%s)', async (path, redirection) => {
    const out = join(newFolder('out'), 'out.csv');
    const words = [...PROGRAM, 'ugwo', 'charge', '--from', ussdFile(1), '--report', path].map((word) => `'${word}'`);
    const service = { origin: DEAD_ORIGIN };
    const line = `{ ${words.join(' ')}; echo "code $?" >&2; } ${redirection}`.replaceAll('OUT', out);
    const { stdout, stderr } = spawnSync('bash', ['-c', line], { env: environment({ service }), encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['', expect.stringContaining('standard output, which has the summary')]);
    expect(stderr).toContain('code 2');
  });

  it('can be /dev/null together with the output', async () => {
    const service = { origin: DEAD_ORIGIN };
    const line = `exec ${PROGRAM.map((word) => `'${word}'`).join(' ')} ugwo charge --from ${ussdFile(1)} --report /dev/null --no-preflight > /dev/null`;
    expect(spawnSync('bash', ['-c', line], { env: environment({ service }) }).status).toBe(5);
  });
});

/** Only root can create another user's file. */
describe.runIf(process.geteuid?.() === 0)('a link or pipe of another user', () => {
  const linkTo = (path: string): string => {
    const link = join(newFolder(), 'planted.csv');
    symlinkSync(path, link);
    lchownSync(link, 12_345, 12_345);
    return link;
  };
  const pipe = (): string => {
    const path = join(newFolder(), 'planted.csv');
    execFileSync('mkfifo', [path]);
    lchownSync(path, 12_345, 12_345);
    return path;
  };
  const refused = { code: 2, stdout: '', stderr: expect.stringMatching(/of another user .*, so it was not used/) };

  it('is never run as a program', async () => {
    const link = linkTo('/bin/cat');
    const service = { origin: DEAD_ORIGIN };
    const charge = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb', '--share-with', link];
    expect(await paycli(charge, { service })).toMatchObject(refused);
    const secret = secretFile(newFolder());
    expect(
      await paycli(['webhook', 'listen', '--port', '4400', '--secret-file', secret, '--exec', link]),
    ).toMatchObject(refused);
  });

  it('is never written by a report', async () => {
    const service = await serveCharges();
    const victim = join(newFolder(), 'victim');
    writeFileSync(victim, 'as it was');
    for (const path of [linkTo(victim), linkTo(`${victim}.new`)])
      expect(await charging(ussdFile(1), { service }, '--report', path)).toMatchObject(refused);
    expect(readFileSync(victim, 'utf8')).toBe('as it was');
    expect(readdirSync(dirname(victim))).toEqual(['victim']);
    expect(postsOf(service)).toEqual({});
  });

  it('is never read by an option', async () => {
    const service = { origin: DEAD_ORIGIN };
    expect(await charging(linkTo(ussdFile(1)), { service })).toMatchObject(refused);
    const update = ['onye', 'update', 'ony.AbCd.000000000000000000000001', '--data', `@${pipe()}`];
    expect(await inProcess(update, { service })).toMatchObject(refused);
  });
});
