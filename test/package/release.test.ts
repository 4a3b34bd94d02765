import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ReleaseFacts, releaseProblems } from '../../scripts/release-checks.ts';
import { newFolder } from '../support/program.ts';

const READY: ReleaseFacts = {
  version: '1.2.3',
  locked: '1.2.3',
  changelog: '# Changelog\n\nNewest first.\n\n## 1.2.3 (2026-11-25)\n\n- new\n\n## 1.2.2 (2026-11-20)\n\n- old\n',
  security: '# Security\n\nSupported version: 1.2. Only the latest release receives security fixes.\n',
  tags: ['v1.2.3'],
  changes: [],
  today: '2026-11-25',
};

describe('a release', () => {
  it('is built if everything agrees', () => {
    expect(releaseProblems(READY)).toEqual([]);
  });

  it.each<[string, Partial<ReleaseFacts>, RegExp]>([
    ['an invalid version', { version: '1.2' }, /package\.json has the version 1\.2: write three numbers/],
    ['another version in the lock file', { locked: '1.2.2' }, /package-lock\.json has 1\.2\.2.*run npm install/],
    ['no version in the changelog', { changelog: '# Changelog\n' }, /begin its list with `## 1\.2\.3 \(2026-11-25\)`/],
    [
      'unreleased changes',
      { changelog: '## Unreleased\n\n- new\n' },
      /rename that heading to `## 1\.2\.3 \(2026-11-25\)`/,
    ],
    ['another version', { changelog: '## 1.2.4 (2026-11-25)\n' }, /begins with 1\.2\.4, and package\.json has 1\.2\.3/],
    ['no date', { changelog: '## 1.2.3\n' }, /no date up to today: write `## 1\.2\.3/],
    ['an invalid date', { changelog: '## 1.2.3 (2026-02-30)\n' }, /no date up to today/],
    ['a future date', { changelog: '## 1.2.3 (2026-11-26)\n' }, /no date up to today/],
    ['a version twice', { changelog: '## 1.2.3 (2026-11-25)\n## 1.2.3 (2026-11-20)\n' }, /has 1\.2\.3 twice/],
    [
      'a changelog that says it is unreleased',
      { changelog: `No version is released yet.\n${READY.changelog}` },
      /says that no version is released: remove/,
    ],
    ['another supported version', { security: 'Supported version: 1.1.\n' }, /names 1\.1 as supported: write `.*1\.2`/],
    ['no supported version', { security: 'Only the latest release.\n' }, /SECURITY\.md names no version/],
    ['changed files', { changes: [' M README.md', '?? x'] }, /working tree has changes: commit.*\n {5}M README\.md\n/],
    ['no tag', { tags: [] }, /no tag v1\.2\.3: .*run git tag v1\.2\.3/],
    ['the tag of another version', { tags: ['v1.2.2'] }, /no tag v1\.2\.3/],
  ])('is refused with a hint: %s', (_what, facts, problem) => {
    expect(releaseProblems({ ...READY, ...facts })).toEqual([expect.stringMatching(problem)]);
  });

  it('is checked by the workflow before the build', () => {
    const runs = [...readFileSync('.github/workflows/release.yml', 'utf8').matchAll(/- run: (npm run release.*)/g)];
    expect(runs.map(([, line]) => line)).toEqual(['npm run release -- --check', 'npm run release']);
  });

  it('may be a preview', () => {
    const changelog = '## 1.2.3-rc.1 (2026-11-25)\n';
    const preview = { ...READY, version: '1.2.3-rc.1', locked: '1.2.3-rc.1', tags: ['v1.2.3-rc.1'], changelog };
    expect(releaseProblems(preview)).toEqual([]);
  });

  it('reads the facts from the files and from git', () => {
    const cwd = newFolder('project');
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd, encoding: 'utf8' });
    const check = () => {
      const env = { PATH: process.env['PATH'], HOME: cwd };
      return spawnSync(process.execPath, [resolve('scripts/release.ts'), '--check'], { cwd, env, encoding: 'utf8' });
    };
    const manifest = { version: '1.2.3', description: 'x' };
    writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(cwd, 'package-lock.json'), JSON.stringify(manifest));
    writeFileSync(join(cwd, 'CHANGELOG.md'), READY.changelog.replaceAll('2026-11-25', '2020-01-01'));
    writeFileSync(join(cwd, 'SECURITY.md'), READY.security);
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'x');
    expect(check()).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^1\.2\.3 can't .*\n.*no tag v/),
    });
    git('tag', 'v1.2.3');
    expect(check()).toMatchObject({ status: 0, stdout: '1.2.3 can be released\n', stderr: '' });
    writeFileSync(join(cwd, 'x'), '');
    expect(check()).toMatchObject({ status: 1, stderr: expect.stringContaining('?? x') });
  });

  it('of this version lacks only the date, the tag and a clean tree', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const { version: locked } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { version: string };
    const [changelog, security] = ['CHANGELOG.md', 'SECURITY.md'].map((file) => readFileSync(file, 'utf8'));
    const today = '2100-01-01';
    const dated = `${changelog}`
      .replace('## Unreleased', `## ${version} (${today})`)
      .replace(' No version is released yet.', '');
    const facts = {
      version,
      locked,
      changelog: dated,
      security: `${security}`,
      tags: [`v${version}`],
      changes: [],
      today,
    };
    expect(releaseProblems(facts)).toEqual([]);
  });
});
