/** What must agree before a release. Each problem says what to do. */

/** The facts of a release, as files and git state them. */
export interface ReleaseFacts {
  /** The version in package.json. */
  readonly version: string;
  /** The version in package-lock.json. */
  readonly locked: string;
  readonly changelog: string;
  readonly security: string;
  /** Tags of the current commit. */
  readonly tags: readonly string[];
  /** Changed files, as `git status --porcelain` prints them. */
  readonly changes: readonly string[];
  /** Date of today, such as 2026-11-25. */
  readonly today: string;
}

const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

interface Section {
  readonly version: string;
  readonly date: string;
}

/** The versions of the changelog, as they stand there. */
const sectionsOf = (changelog: string): Section[] =>
  [...changelog.matchAll(/^## (.+?)(?: \((.+)\))?$/gm)].map(([, version = '', date = '']) => ({ version, date }));

const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;

const changelogProblems = ({ version, changelog, today }: ReleaseFacts): string[] => {
  const [newest, ...earlier] = sectionsOf(changelog);
  const heading = `## ${version} (${today})`;
  if (newest === undefined) return [`CHANGELOG.md has no version: begin its list with \`${heading}\``];
  if (newest.version !== version) {
    return [
      newest.version === 'Unreleased'
        ? `CHANGELOG.md begins with \`## Unreleased\`: rename that heading to \`${heading}\``
        : `CHANGELOG.md begins with ${newest.version}, and package.json has ${version}: make them the same`,
    ];
  }
  const dated = isDate(newest.date) && newest.date <= today;
  return [
    ...(dated ? [] : [`CHANGELOG.md gives ${version} no date up to today: write \`${heading}\``]),
    ...(earlier.some((one) => one.version === version)
      ? [`CHANGELOG.md has ${version} twice: raise the version in package.json`]
      : []),
    ...(/no version is released/i.test(changelog)
      ? ['CHANGELOG.md says that no version is released: remove that sentence']
      : []),
  ];
};

const securityProblems = ({ version, security }: ReleaseFacts): string[] => {
  const named = /^Supported version: (\d+\.\d+)\b/m.exec(security)?.[1];
  const line = version.split('.').slice(0, 2).join('.');
  return named === line
    ? []
    : [`SECURITY.md names ${named ?? 'no version'} as supported: write \`Supported version: ${line}\``];
};

/** All problems of a release; none if it may be built. */
export const releaseProblems = (facts: ReleaseFacts): readonly string[] => {
  const { version, locked, tags, changes } = facts;
  if (!VERSION.test(version)) return [`package.json has the version ${version}: write three numbers, such as 1.2.3`];
  return [
    ...(locked === version
      ? []
      : [`package-lock.json has ${locked}, and package.json has ${version}: run npm install --package-lock-only`]),
    ...changelogProblems(facts),
    ...securityProblems(facts),
    ...(changes.length === 0
      ? []
      : [`the working tree has changes: commit or remove them\n${changes.map((line) => `    ${line}`).join('\n')}`]),
    ...(tags.includes(`v${version}`)
      ? []
      : [`this commit has no tag v${version}: when all else is right, run git tag v${version}`]),
  ];
};
