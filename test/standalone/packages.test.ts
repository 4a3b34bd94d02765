/* The Debian package and the Homebrew formula of the standalone program, each installed and removed in a folder of its own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { ARCHITECTURES, debName, debOf } from '../../scripts/deb.ts';
import { formulaOf } from '../../scripts/formula.ts';
import { manuals } from '../../scripts/manuals.ts';
import { HERE } from '../../scripts/pinned.ts';
import { scriptFor } from '../../src/commands/completion/scripts-shared.ts';
import { newFolder } from '../support/program.ts';
import { toolOf } from '../support/tool.ts';

const STANDALONE = join('dist', 'standalone');
const pages = await manuals();
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const summary = 'Operate a payments service';

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
    .toSorted();

const output = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, {
    encoding: 'utf8',
    stdio: 'pipe',
    // dpkg searches for programs in root's PATH only.
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` },
  });

/** The command prefix to run as root: empty for root, a namespace for others; undefined if neither is available. */
const asRoot = (): readonly string[] | undefined => {
  if (process.getuid?.() === 0) return [];
  const namespace = ['unshare', '--map-root-user'];
  return spawnSync('unshare', ['--map-root-user', 'true']).status === 0 ? namespace : undefined;
};
const root = asRoot();
const architecture = ARCHITECTURES[HERE];

describe.runIf(architecture !== undefined && root !== undefined && toolOf('dpkg') !== undefined)(
  'the Debian package',
  () => {
    const [folder, packages] = [newFolder('debian'), newFolder('packages')];
    let deb = '';

    const dpkg = (...args: readonly string[]): string => {
      const [file = '', ...words] = [...(root ?? []), 'dpkg', `--root=${folder}`, ...args];
      return output(file, ...words);
    };
    /** Every file except dpkg's database. */
    const installed = (): string[] => filesIn(folder).filter((file) => !file.startsWith('/var/'));

    beforeAll(() => {
      const parts = {
        version,
        summary,
        architecture: architecture ?? '',
        program: readFileSync(join(STANDALONE, `paycli-${HERE}`)),
        manuals: pages,
        changelog: readFileSync('CHANGELOG.md', 'utf8'),
        copyright: readFileSync('LICENSE', 'utf8'),
      };
      deb = join(packages, debName(parts));
      writeFileSync(deb, debOf(parts));
      // An empty system whose database claims that the C library is installed.
      mkdirSync(join(folder, 'var/lib/dpkg/info'), { recursive: true });
      mkdirSync(join(folder, 'var/lib/dpkg/updates'));
      mkdirSync(join(folder, 'var/log'));
      writeFileSync(
        join(folder, 'var/lib/dpkg/status'),
        `Package: libc6\nStatus: install ok installed\nMaintainer: x\nArchitecture: ${architecture}\nVersion: 2.36\nDescription: x\n`,
      );
    });

    it('installs into the system folders, runs, and leaves no file after its removal', () => {
      const before = installed();
      dpkg('--install', deb);
      const added = installed().filter((file) => !before.includes(file));
      expect(added.filter((file) => !file.startsWith('/usr/share/man/'))).toEqual([
        '/usr/bin/paycli',
        '/usr/share/bash-completion/completions/paycli',
        '/usr/share/doc/paycli/changelog.gz',
        '/usr/share/doc/paycli/copyright',
        '/usr/share/fish/vendor_completions.d/paycli.fish',
        '/usr/share/zsh/vendor-completions/_paycli',
      ]);
      expect(added.filter((file) => file.startsWith('/usr/share/man/man1/'))).toHaveLength(pages.size);
      // Every file matches its checksum, and no other user may write it.
      expect(dpkg('--verify', 'paycli')).toBe('');
      expect(output('find', join(folder, 'usr'), '-perm', '/022')).toBe('');
      expect(output(join(folder, 'usr/bin/paycli'), '--version')).toBe(`${version}\n`);
      expect(output(join(folder, 'usr/bin/paycli'), 'completion', 'zsh')).toBe(scriptFor('zsh'));
      const page = gunzipSync(readFileSync(join(folder, 'usr/share/man/man1/paycli.1.gz'))).toString();
      expect(page).toBe(pages.get('man/man1/paycli.1'));
      for (const [shell, file] of [
        ['bash', 'bash-completion/completions/paycli'],
        ['zsh', 'zsh/vendor-completions/_paycli'],
        ['fish', 'fish/vendor_completions.d/paycli.fish'],
      ] as const)
        expect(readFileSync(join(folder, 'usr/share', file), 'utf8')).toBe(scriptFor(shell));
      dpkg('--purge', 'paycli');
      expect(installed()).toEqual(before);
      expect(existsSync(join(folder, 'usr/share'))).toBe(false);
      expect(filesIn(folder).filter((file) => file.includes('paycli'))).toEqual([]);
    });

    it('has its name, version and architecture', () => {
      const fields = output('dpkg-deb', '--field', deb);
      expect(fields).toContain(`Package: paycli\nVersion: ${version}\nArchitecture: ${architecture}\n`);
      // It has no install or removal scripts.
      expect(output('dpkg-deb', '--ctrl-tarfile', deb)).not.toMatch(/(?:pre|post)(?:inst|rm)/);
    });
  },
);

describe('the Debian package of a preview', () => {
  it('sorts before the release, and is reproducible', () => {
    const parts = {
      version: '1.0.0-rc.1',
      summary,
      architecture: 'amd64',
      program: Buffer.from('#!/bin/sh\n'),
      manuals: pages,
      changelog: 'x',
      copyright: 'x',
    };
    expect(debName(parts)).toBe('paycli_1.0.0~rc.1_amd64.deb');
    expect(debOf(parts).equals(debOf(parts))).toBe(true);
  });
});

describe('the Homebrew formula', () => {
  const MACHINES = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];
  const folder = newFolder('homebrew');
  const formula = join(folder, 'paycli.rb');
  const from = pathToFileURL(resolve(STANDALONE)).href;

  const sumOf = (name: string): string => {
    const file = join(STANDALONE, name);
    return existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : '0'.repeat(64);
  };
  const names = [...MACHINES.map((machine) => `paycli-${machine}`), 'paycli-man.tar.gz'];
  const sums = new Map(names.map((name) => [name, sumOf(name)]));

  beforeAll(() => writeFileSync(formula, formulaOf({ version, summary, homepage: 'https://example.com', from, sums })));

  it.each(MACHINES)('has the URL and the checksum of the program for %s', (machine) => {
    expect(readFileSync(formula, 'utf8')).toContain(
      `url "${from}/paycli-${machine}"\n      sha256 "${sums.get(`paycli-${machine}`)}"`,
    );
  });

  it('is not written unless all programs exist', () => {
    expect(() => formulaOf({ version, summary, from, sums: new Map() })).toThrow('run npm run build:standalone');
  });

  const ruby = toolOf('ruby');

  it.runIf(ruby !== undefined)('is Ruby without warnings', () => {
    const checked = spawnSync(ruby ?? '', ['-wc', formula], { encoding: 'utf8' });
    expect(checked).toMatchObject({ status: 0, stdout: 'Syntax OK\n', stderr: '' });
  });

  it.runIf(ruby !== undefined && MACHINES.includes(HERE))(
    'installs the program, completion and manual pages (a stand-in for Homebrew runs it)',
    () => {
      const prefix = join(folder, 'prefix');
      expect(output(ruby ?? '', 'test/standalone/homebrew.rb', formula, prefix)).toBe(`${summary}\n`);
      const files = filesIn(prefix);
      expect(files.filter((file) => !file.startsWith('/share/man/man1/'))).toEqual([
        '/bin/paycli',
        '/etc/bash_completion.d/paycli',
        '/share/fish/vendor_completions.d/paycli.fish',
        '/share/zsh/site-functions/_paycli',
      ]);
      expect(files.filter((file) => file.startsWith('/share/man/man1/'))).toHaveLength(pages.size);
      expect(output(join(prefix, 'bin', 'paycli'), '--version')).toBe(`${version}\n`);
      rmSync(prefix, { recursive: true });
    },
  );
});
