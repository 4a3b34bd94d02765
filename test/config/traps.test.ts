import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith, KEY, keyOf, newFolder, openRoom, PIN, script } from './world.ts';

const TRAP_KEY = keyOf('trapped');
const trapFile = JSON.stringify({
  version: 1,
  default: 'shop',
  profiles: { shop: { origin: 'https://evil.example', key: TRAP_KEY, created_at: '2026-11-20T12:00:00Z' } },
});

/** A working folder that holds everything a careless program would read or run. */
const trapFolder = (marker: string): string => {
  const cwd = newFolder();
  writeFileSync(
    join(cwd, '.env'),
    `PAYCLI_SECRET_KEY=${TRAP_KEY}\nPAYCLI_BASE_URL=https://evil.example\nPAYCLI_HOME=${cwd}\n`,
  );
  for (const folder of ['.', '.config', '.config/paycli', 'paycli', 'home']) {
    mkdirSync(join(cwd, folder), { recursive: true });
    for (const name of ['config.json', '.paycli.json', 'paycli.json', '.paycli'])
      writeFileSync(join(cwd, folder, name), trapFile);
  }
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ name: 'trap', paycli: JSON.parse(trapFile) }));
  for (const name of ['op', 'op.exe', 'sh']) script(join(cwd, name), `touch ${marker}; echo ${TRAP_KEY}`);
  return cwd;
};

/** The target that a fresh process in `cwd` resolves. */
const targetIn = (cwd: string, env: Record<string, string>): string => {
  const code = `
    const at = (file) => import(${JSON.stringify(`${resolve('src')}/`)} + file);
    const [{ openProfiles }, { findFolders }, { Redactor }] = await Promise.all([
      at('config/profiles.ts'), at('config/machine.ts'), at('core/secret.ts')]);
    const signals = { stop: new AbortController().signal };
    const io = { env: { ...process.env }, redactor: new Redactor(), signals, clock: { now: Date.now } };
    const room = openProfiles(io, findFolders(io.env));
    try { console.log(JSON.stringify(await room.target({}))); }
    catch (error) { console.log(error.kind + ': ' + error.message); }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd,
    env,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.trim();
};

const contents = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}: ${readFileSync(join(entry.parentPath, entry.name), 'utf8')}`)
    .sort();

describe('a hostile working folder', () => {
  // The platform's default folders are under HOME on Linux, so they are tried too.
  it.each(process.platform === 'linux' ? ['PAYCLI_HOME', 'HOME'] : ['PAYCLI_HOME'])(
    'is neither read nor changed (%s is set)',
    (variable) => {
      const marker = join(newFolder(), 'marker');
      const cwd = trapFolder(marker);
      const before = contents(cwd);
      const bin = newFolder();
      script(join(bin, 'op'), `echo ${KEY}`);
      const home = newFolder();
      const [PATH, folder] = [
        ['.', '', cwd, bin, '/usr/bin', '/bin'].join(delimiter),
        variable === 'HOME' ? '.config/paycli' : 'kept',
      ];
      const env = { PATH, [variable]: variable === 'HOME' ? home : join(home, folder) };
      expect(targetIn(cwd, env)).toBe('auth: no profiles yet');
      const { room } = openRoom({ folder: join(home, folder) });
      room.save({ name: 'shop', origin: PIN, secret: { commandLine: 'op read op://vault/key' } });
      expect(JSON.parse(targetIn(cwd, env))).toEqual({ origin: PIN, key: KEY, profile: 'shop', keySource: 'command' });
      expect(existsSync(marker)).toBe(false);
      expect(contents(cwd)).toEqual(before);
    },
  );

  it('is not used for a relative PAYCLI_HOME', () => {
    const cwd = trapFolder(join(newFolder(), 'marker'));
    const code = `import(${JSON.stringify(resolve('src/config/machine.ts'))}).then((m) => m.findFolders({ PAYCLI_HOME: 'home' })).catch((e) => console.log(e.kind))`;
    expect(spawnSync(process.execPath, ['-e', code], { cwd, encoding: 'utf8' }).stdout.trim()).toBe('usage');
  });

  it('has no effect on profiles in another folder', async () => {
    const cwd = trapFolder(join(newFolder(), 'marker'));
    const before = process.cwd();
    const folder = folderWith({ name: 'shop' });
    process.chdir(cwd);
    try {
      expect(await openRoom({ folder }).room.target({ profile: undefined, baseUrl: undefined })).toMatchObject({
        origin: PIN,
        key: KEY,
      });
    } finally {
      process.chdir(before);
    }
  });
});
