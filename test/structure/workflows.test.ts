import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { NODES } from '../../scripts/pinned.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Update {
  readonly 'package-ecosystem': string;
  readonly cooldown: unknown;
}

interface Manifest {
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
}

const FOLDER = '.github/workflows';
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const own = JSON.parse(readFileSync('scripts/node/package.json', 'utf8')) as { readonly version: string };
const texts = readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')] as const);
const jobsOf = (text: string): Job[] => Object.values((parse(text) as Workflow).jobs);
const stepsOf = (text: string): Step[] => jobsOf(text).flatMap(({ steps }) => steps);
const nodes = NODES.map(({ version }) => version);

describe.each(texts)('%s', (_name, text) => {
  const workflow = parse(text) as Workflow;

  it('pins each action to a hash, with its version in a comment', () => {
    const uses = text.split('\n').filter((line) => /\buses:/.test(line));
    expect(uses.length).toBe(stepsOf(text).filter(({ uses }) => uses !== undefined).length);
    for (const line of uses) expect(line).toMatch(/^\s+- uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('has read permission only, unless a job needs more', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
  });

  it('leaves no credentials after a checkout', () => {
    const checkouts = stepsOf(text).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.length).toBeGreaterThan(0);
    for (const checkout of checkouts) expect(checkout.with).toMatchObject({ 'persist-credentials': false });
  });

  it('has a timeout, and cancels or queues parallel runs', () => {
    for (const job of jobsOf(text)) expect(job['timeout-minutes']).toBeLessThanOrEqual(90);
    expect(workflow.concurrency).toBeDefined();
  });

  it('runs existing scripts', () => {
    const runs = stepsOf(text).flatMap(({ run }) => run ?? []);
    const scripts = runs.flatMap((run) => [...run.matchAll(/\bnpm run ([\w:-]+)/g)].map((match) => match[1] ?? ''));
    const files = runs.flatMap((run) => [...run.matchAll(/\bscripts\/[\w.-]+/g)].map(([file]) => file));
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  it("runs no package's script when it installs", () => {
    const installs = stepsOf(text).flatMap(({ run = '' }) => run.match(/\bnpm (?:ci|install)\b.*/g) ?? []);
    expect(installs.length).toBeGreaterThan(0);
    expect(new Set(installs)).toEqual(new Set(['npm ci --ignore-scripts']));
  });

  it('inserts no expression into a command', () => {
    for (const { run = '' } of stepsOf(text)) expect(run).not.toContain('${{');
  });

  it("uses the project's Node, or each supported one", () => {
    const versions = stepsOf(text)
      .filter(({ uses }) => uses?.startsWith('actions/setup-node@'))
      .map((step) => step.with?.['node-version']);
    expect(versions.length).toBe(jobsOf(text).length);
    const others = versions.filter((version) => version !== own.version);
    for (const version of others) expect(version).toMatch(/^\$\{\{ matrix\.node \}\}$/);
  });
});

describe('the update bot', () => {
  const { updates } = parse(readFileSync('.github/dependabot.yml', 'utf8')) as { readonly updates: readonly Update[] };

  it('waits a week before it proposes a package or an action', () => {
    expect(updates.map((one) => one['package-ecosystem'])).toEqual(['npm', 'github-actions']);
    for (const { cooldown } of updates) expect(cooldown).toEqual({ 'default-days': 7 });
  });
});

describe('the workflows', () => {
  it('use one version of each action', () => {
    const used = new Set(texts.flatMap(([, text]) => stepsOf(text).flatMap(({ uses }) => uses ?? [])));
    expect(new Set([...used].map((one) => one.split('@')[0])).size).toBe(used.size);
  });

  it('test every platform with every pinned Node, from the oldest supported one', () => {
    const matrix = jobsOf(texts.find(([name]) => name === 'ci.yml')?.[1] ?? '').flatMap((job) => job.strategy ?? []);
    expect(matrix).toMatchObject([
      { matrix: { os: ['ubuntu-latest', 'macos-latest', 'windows-latest'], node: nodes } },
    ]);
    expect(`${nodes[0]}`).toMatch(new RegExp(`^${manifest.engines.node.replace('>=', '').replaceAll('.', '\\.')}\\.`));
  });

  it('build what is published in a job that runs no tests', () => {
    const release = jobsOf(texts.find(([name]) => name === 'release.yml')?.[1] ?? '');
    const runs = release.map(({ steps }) => steps.flatMap(({ run = [] }) => run).join('\n'));
    const builders = runs.filter((run) => /npm run release$/m.test(run));
    expect(builders).toEqual(['npm ci --ignore-scripts\nnpm run release']);
  });

  it('give write permissions only to a job that runs no project code', () => {
    const mighty = texts.flatMap(([, text]) => jobsOf(text).filter(({ permissions }) => permissions !== undefined));
    expect(mighty.map(({ permissions }) => permissions)).toEqual([
      { attestations: 'write', contents: 'write', 'id-token': 'write' },
    ]);
    for (const { uses = '', run = '' } of mighty.flatMap(({ steps }) => steps)) {
      expect(uses).not.toContain('actions/checkout');
      expect(run).not.toMatch(/npm (?:ci|install|run|test|exec)|npx|node |scripts\//);
    }
  });
});
