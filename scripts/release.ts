/**
 * Builds everything that a release consists of in release/: the npm package, the standalone programs, the Debian packages,
 * the Homebrew formula, SBOMs, licences and checksums. Checks first that version, changelog, SECURITY.md, tag and working
 * tree agree; `--check` does only that, and `--trial` leaves it out. Publishes nothing.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ARCHITECTURES, debName, debOf } from './deb.ts';
import { formulaOf } from './formula.ts';
import { manuals } from './manuals.ts';
import { releaseProblems } from './release-checks.ts';

const RELEASE = 'release';
const STANDALONE = join('dist', 'standalone');

const read = (file: string): string => readFileSync(file, 'utf8');
const manifest = JSON.parse(read('package.json')) as Readonly<Record<'version' | 'description', string>>;
const { version } = manifest;
/** One line: Debian and Homebrew show no more. */
const summary = manifest.description.split(':')[0] ?? '';

const git = (...args: readonly string[]): string[] =>
  execFileSync('git', args, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');

const run = (program: string, ...args: readonly string[]): void => {
  // On Windows npm is a script that only a shell can start.
  execFileSync(program, args, { stdio: 'inherit', shell: process.platform === 'win32' });
};

const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_REF_TYPE, GITHUB_REF_NAME } = process.env;
/** The tag that started the workflow. */
const pushed = GITHUB_REF_TYPE === 'tag' && GITHUB_REF_NAME !== undefined ? [GITHUB_REF_NAME] : [];

const problems = (): readonly string[] =>
  releaseProblems({
    version,
    locked: (JSON.parse(read('package-lock.json')) as { version: string }).version,
    changelog: read('CHANGELOG.md'),
    security: read('SECURITY.md'),
    tags: pushed.length > 0 ? pushed : git('tag', '--points-at', 'HEAD'),
    changes: git('status', '--porcelain'),
    today: new Date().toISOString().slice(0, 10),
  });

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

const sumsIn = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder)
      .toSorted()
      .map((name) => [name, sha256(join(folder, name))]),
  );

/** Address of the released files; this folder for a trial. */
const homepage = repository === undefined ? undefined : `${server}/${repository}`;
const address =
  homepage === undefined ? pathToFileURL(resolve(RELEASE)).href : `${homepage}/releases/download/v${version}`;

/** npm compares the repository with the place of the build, and otherwise rejects the provenance. */
const nameRepository = (): void => {
  if (repository === undefined) return;
  run('npm', 'pkg', 'set', 'repository.type=git', `repository.url=git+${server}/${repository}.git`);
};

const buildPackages = async (): Promise<void> => {
  const pages = await manuals();
  const changelog = read('CHANGELOG.md');
  const copyright = `${read('LICENSE')}\n${read(join(STANDALONE, 'LICENSES.txt'))}`;
  for (const [machine, architecture] of Object.entries(ARCHITECTURES)) {
    const program = readFileSync(join(STANDALONE, `paycli-${machine}`));
    const parts = { version, summary, architecture, program, manuals: pages, changelog, copyright };
    writeFileSync(join(RELEASE, debName(parts)), debOf(parts));
  }
  const formula = formulaOf({ version, summary, homepage, from: address, sums: sumsIn(RELEASE) });
  writeFileSync(join(RELEASE, 'paycli.rb'), formula);
};

const build = async (): Promise<void> => {
  rmSync(RELEASE, { recursive: true, force: true });
  mkdirSync(RELEASE);
  nameRepository();
  run('npm', 'pack', '--silent', '--pack-destination', RELEASE);
  run('npm', 'run', '--silent', 'build:standalone');
  for (const name of readdirSync(STANDALONE).filter((one) => one.startsWith('paycli')))
    copyFileSync(join(STANDALONE, name), join(RELEASE, name));
  copyFileSync(join(STANDALONE, 'LICENSES.txt'), join(RELEASE, 'LICENSES-standalone.txt'));
  copyFileSync(join('dist', 'THIRD-PARTY-LICENSES.txt'), join(RELEASE, 'THIRD-PARTY-LICENSES.txt'));
  copyFileSync(join('dist', 'sbom.cdx.json'), join(RELEASE, 'paycli-npm.cdx.json'));
  run(process.execPath, 'scripts/sbom.ts', join(RELEASE, 'paycli-standalone.cdx.json'), '--standalone');
  await buildPackages();
  const sums = [...sumsIn(RELEASE)].map(([name, sum]) => `${sum}  ${name}\n`).join('');
  writeFileSync(join(RELEASE, 'SHA256SUMS'), sums);
  process.stdout.write(sums);
};

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, trial: { type: 'boolean', default: false } },
});
const found = values.trial ? [] : problems();
if (found.length > 0) {
  process.stderr.write(`${version} can't be released:\n${found.map((one) => `  - ${one}\n`).join('')}`);
  process.exitCode = 1;
} else {
  if (!values.trial) process.stdout.write(`${version} can be released\n`);
  if (!values.check) await build();
}
