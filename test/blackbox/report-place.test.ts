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
import { environment, newFolder, paycli } from '../support/program.ts';
import { deadOrigin } from '../support/service.ts';
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

/** A home with a ledger, a file of profiles and the emulator's data, as runs have left them. */
const livedIn = async (): Promise<string> => {
  const home = newFolder();
  const service = { origin: await deadOrigin() };
  await paycli(['login', '--base-url', service.origin, '--key-stdin', '--no-verify'], {
    home,
    stdin: `sk.Test.${'k'.repeat(80)}\n`,
  });
  await paycli(['ugwo', 'list', '--local', '-q'], { home });
  await paycli(['ugwo', 'charge', 'ugw.AbCd.000000000000000000000001', '--medium', 'bank_transfer'], { home, service });
  return home;
};

const KEPT = [
  ['ledger.sqlite', 'the ledger'],
  ['emulator.sqlite', "the emulator's data"],
  ['config.json', 'the profile file'],
] as const;

describe.runIf(process.platform !== 'win32')('a report', () => {
  it('replaces nothing that is kept, by whatever path', async () => {
    const home = await livedIn();
    const elsewhere = newFolder('elsewhere');
    const before = digestsIn(home);
    expect(Object.keys(before)).toEqual(expect.arrayContaining(KEPT.map(([name]) => name)));
    const service = await serveCharges();
    for (const [name, what] of KEPT) {
      const [hard, soft, cwd] = [join(elsewhere, `hard-${name}`), join(elsewhere, `soft-${name}`), join(home, 'in')];
      linkSync(join(home, name), hard);
      symlinkSync(join(home, name), soft);
      mkdirSync(cwd, { recursive: true });
      for (const path of [
        join(home, name),
        hard,
        soft,
        relative(cwd, join(home, name)),
        join(home, 'in', '..', name),
      ]) {
        const ended = await chargeFrom(ussdFile(1), { service, home, cwd }, '--report', path);
        expect(ended, path).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(what) });
      }
    }
    expect(digestsIn(home)).toMatchObject(before);
    expect(postsOf(service)).toEqual({});
  });

  it.each([
    'ledger.sqlite',
    'ledger.sqlite-wal',
    'ledger.sqlite-shm',
    'ledger.sqlite-journal',
    'LEDGER.sqlite',
    'Config.json',
  ])('takes no place that %s would have', async (name) => {
    const home = newFolder();
    const service = await serveCharges();
    const link = join(newFolder('elsewhere'), 'soft');
    symlinkSync(join(home, name), link);
    for (const path of [join(home, name), link]) {
      expect(await chargeFrom(ussdFile(1), { service, home }, '--report', path)).toMatchObject({ code: 2, stdout: '' });
    }
    expect(postsOf(service)).toEqual({});
  });

  it('may be another file in the same folder', async () => {
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

  it('replaces no input: not by a link, nor where it comes in by standard input', async () => {
    const file = ussdFile(1);
    const [hard, soft] = [`${file}.hard.csv`, `${file}.soft.csv`];
    linkSync(file, hard);
    symlinkSync(file, soft);
    copyFileSync(file, `${file}.before`);
    const service = { origin: await deadOrigin() };
    for (const path of [file, hard, soft]) {
      expect(await chargeFrom(file, { service }, '--report', path)).toMatchObject({ code: 2 });
    }
    const line = `exec ${PROGRAM.map((word) => `'${word}'`).join(' ')} ugwo charge --from - --report '${hard}' < '${file}'`;
    expect(spawnSync('sh', ['-c', line], { env: environment({ service }) }).status).toBe(2);
    expect(readFileSync(file)).toEqual(readFileSync(`${file}.before`));
  });

  it.each([
    ['/dev/stdout', ''],
    ['/dev/stdout', '> OUT'],
    ['/dev/fd/1', '| cat'],
    ['/proc/self/fd/1', '| cat'],
    ['OUT', '> OUT'],
    ['OUT', '>> OUT'],
  ])('does not go to %s beside the summary (%s)', async (path, redirection) => {
    const out = join(newFolder('out'), 'out.csv');
    const words = [...PROGRAM, 'ugwo', 'charge', '--from', ussdFile(1), '--report', path].map((word) => `'${word}'`);
    const service = { origin: await deadOrigin() };
    const line = `{ ${words.join(' ')}; echo "code $?" >&2; } ${redirection}`.replaceAll('OUT', out);
    const { stdout, stderr } = spawnSync('bash', ['-c', line], { env: environment({ service }), encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['', expect.stringContaining('standard output, which has the summary')]);
    expect(stderr).toContain('code 2');
  });

  it('may be thrown away beside an output that is', async () => {
    const service = { origin: await deadOrigin() };
    const line = `exec ${PROGRAM.map((word) => `'${word}'`).join(' ')} ugwo charge --from ${ussdFile(1)} --report /dev/null --no-preflight > /dev/null`;
    expect(spawnSync('bash', ['-c', line], { env: environment({ service }) }).status).toBe(5);
  });
});

/** Only root can make a file look like another user's. */
describe.runIf(process.geteuid?.() === 0)('what another user has put in the way', () => {
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

  it('is written by no report', async () => {
    const service = await serveCharges();
    const victim = join(newFolder(), 'victim');
    writeFileSync(victim, 'as it was');
    for (const path of [linkTo(victim), linkTo(`${victim}.new`), pipe()])
      expect(await chargeFrom(ussdFile(1), { service }, '--report', path)).toMatchObject(refused);
    expect(readFileSync(victim, 'utf8')).toBe('as it was');
    expect(readdirSync(dirname(victim))).toEqual(['victim']);
    expect(postsOf(service)).toEqual({});
  });

  it('is read by no option', async () => {
    const service = { origin: await deadOrigin() };
    for (const path of [linkTo(ussdFile(1)), pipe()]) {
      expect(await chargeFrom(path, { service })).toMatchObject(refused);
      const update = ['onye', 'update', 'ony.AbCd.000000000000000000000001', '--data', `@${path}`];
      expect(await paycli(update, { service })).toMatchObject(refused);
    }
  });
});
