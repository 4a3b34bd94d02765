import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { STANDALONE } from './programs.ts';

/** Programs of Debian's packages, which have the same names. */
const TOOLS = ['gh', 'curl', 'jq'] as const;
export type Tool = (typeof TOOLS)[number];

/** What a tool says of its version; undefined where it is not installed. */
const versionOf = (tool: Tool): string | undefined => {
  const { status, stdout } = spawnSync(tool, ['--version'], { encoding: 'utf8' });
  return status === 0 ? /\d[\w.]*/.exec(stdout)?.[0] : undefined;
};

/** The tools' versions by name. */
export const toolVersions = (): Readonly<Record<string, string>> =>
  Object.fromEntries(TOOLS.map((tool) => [tool, versionOf(tool) ?? 'missing']));

/** What is missing of some tools, and how it comes; undefined where nothing is. */
export const missingTools = (...tools: readonly Tool[]): string | undefined => {
  const missing = tools.filter((tool) => versionOf(tool) === undefined);
  const verb = missing.length === 1 ? 'is' : 'are';
  return missing.length === 0
    ? undefined
    : `${missing.join(' and ')} ${verb} missing: \`apt-get install ${missing.join(' ')}\``;
};

export const missingStandalone = (): string | undefined =>
  existsSync(STANDALONE[0]) ? undefined : 'dist/paycli is missing: `npm run build:standalone`';
