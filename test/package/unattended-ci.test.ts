import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { blockBelow, openRealShop } from '../blackbox/unattended-support.ts';
import { type Ended, newFolder, start } from '../support/program.ts';
import { programs } from '../support/shell.ts';
import { packedTarball } from './npm.ts';

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly on: string;
  readonly concurrency: string;
  readonly jobs: {
    readonly charge: { readonly env: Readonly<Record<string, string>>; readonly steps: readonly Step[] };
  };
}

const workflow = parse(blockBelow('A workflow for GitHub Actions')) as Workflow;
const { env, steps } = workflow.jobs.charge;

it('the workflow keeps ledger and report also of a run that failed, and lets no other run charge meanwhile', () => {
  const kept = steps.filter((step) => step.if === 'always()').map((step) => [step.uses, step.with?.['path']]);
  expect(kept).toEqual([
    [expect.stringMatching(/^actions\/cache\/save@/), 'paycli-home'],
    [expect.stringMatching(/^actions\/upload-artifact@/), 'report.csv'],
  ]);
  expect(workflow).toMatchObject({ on: 'workflow_dispatch', concurrency: 'charge' });
});

// The runner of the workflow is Linux.
it.skipIf(process.platform === 'win32')(
  'the workflow installs the release, charges the file, and charges nothing again with the kept ledger',
  async () => {
    const shop = await openRealShop();
    const [prefix, cache, npmCache] = [newFolder('prefix'), join(newFolder('cache'), 'paycli-home'), newFolder('npm')];
    const tarball = await packedTarball();
    const uids = [(await shop.request()).uid, (await shop.request()).uid];
    const gh = programs({ gh: `echo "$GH_TOKEN $*" >> ${join(npmCache, 'gh')}; cp '${tarball}' .` });

    /** Runs the steps of a job on a new runner; actions of the cache copy the folder. */
    const job = async (): Promise<{ readonly runs: readonly Ended[]; readonly report: string }> => {
      const workspace = newFolder('workspace');
      writeFileSync(
        join(workspace, 'due.csv'),
        `ugwo,medium,provider\n${uids.map((uid) => `${uid},ussd,gtb\n`).join('')}`,
      );
      const values: Readonly<Record<string, string>> = {
        'github.workspace': workspace,
        'github.token': 'the-token',
        'secrets.PAYCLI_SECRET_KEY': shop.key,
      };
      const filled = (text: string): string =>
        text
          .replaceAll(/\$\{\{ (\S+) \}\}/g, (_all, name: string) => values[name] ?? `no value of ${name}`)
          .replaceAll('https://api.kwugwo.africa', shop.origin);
      const runs: Ended[] = [];
      for (const step of steps) {
        const path = join(workspace, step.with?.['path'] ?? '');
        if (step.uses?.startsWith('actions/cache/save')) cpSync(path, cache, { recursive: true });
        if (step.uses?.startsWith('actions/cache/restore') && runs.length === 0) {
          cpSync(cache, path, { recursive: true, force: true });
        }
        if (step.run === undefined) continue;
        const variables = Object.entries({ ...env, ...step.env }).map(([name, value]) => [name, filled(value)]);
        const ended = await start(['-e', '-c', filled(step.run)], {
          program: ['/bin/bash'],
          cwd: workspace,
          env: {
            ...{ CI: 'true', npm_config_prefix: prefix, npm_config_cache: npmCache, npm_config_offline: 'true' },
            PATH: [join(prefix, 'bin'), gh, process.env['PATH']].join(delimiter),
            ...Object.fromEntries(variables),
          },
        }).ended;
        runs.push(ended);
      }
      return { runs, report: readFileSync(join(workspace, 'report.csv'), 'utf8') };
    };

    mkdirSync(cache, { mode: 0o700 });
    const first = await job();
    expect(first.runs.map(({ code, stderr }) => [code, code === 0 ? '' : stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect(readFileSync(join(npmCache, 'gh'), 'utf8')).toMatch(
      /^the-token release download --repo YOU\/paycli --pattern paycli-\*\.tgz$/m,
    );
    for (const uid of uids) expect(first.report).toContain(uid);
    rmSync(prefix, { recursive: true });
    mkdirSync(prefix);
    const second = await job();
    expect(second.runs.map(({ code }) => code)).toEqual([0, 0]);
    for (const uid of uids) expect((await shop.read(uid)).activities).toHaveLength(1);
  },
);
