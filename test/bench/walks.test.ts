import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  BARE_WALK,
  CURL_WALK,
  environment,
  loopEnvironment,
  NPM_BUILD,
  run,
} from '../../scripts/bench/run/programs.ts';
import { startList } from '../../scripts/bench/run/services.ts';
import { missingTools } from '../../scripts/bench/run/tools.ts';
import { peakOf, watch } from '../../scripts/bench/run/watched.ts';
import { pageOf } from '../../scripts/bench/service/page.ts';
import { paycli } from '../support/program.ts';

const RECORDS = 300;

const list = async (): Promise<string> => {
  const { origin, close } = await startList(RECORDS);
  onTestFinished(close);
  return origin;
};

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'paycli-bench-test-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

const records = (): string[] =>
  ['', '&cursor=YWZ0ZXIgMTAw', '&cursor=YWZ0ZXIgMjAw'].flatMap((cursor) =>
    JSON.parse(String(pageOf(`/v1/ugwo?limit=100${cursor}`, RECORDS))).data.map((record: unknown) =>
      JSON.stringify(record),
    ),
  );

describe('the benchmarks compare programs that list the same records', () => {
  it('paycli', async () => {
    const { stdout } = await paycli(['ugwo', 'list', '--all', '-o', 'ndjson'], { service: { origin: await list() } });
    expect(stdout.trimEnd().split('\n')).toEqual(records());
  });

  it('the bare loop', async () => {
    expect(run([...BARE_WALK, await list()], loopEnvironment(folder())).stdout).toBe(`${RECORDS}\n`);
  });

  it.skipIf(missingTools('curl', 'jq') !== undefined)('the loop of curl and jq', async () => {
    const env = { ...environment(folder()), PAYCLI_BASE_URL: await list() };
    expect(run(CURL_WALK, env).stdout.trimEnd().split('\n')).toEqual(records());
  });
});

describe('watch', () => {
  it("reads a program's output to the end, counts its lines and times the first one", async () => {
    const env = { ...environment(folder()), PAYCLI_BASE_URL: await list() };
    const { lines, firstRowMs } = await watch([...NPM_BUILD, 'ugwo', 'list', '--all', '-o', 'csv'], env);
    expect(lines).toBe(RECORDS + 1);
    expect(firstRowMs).toBeGreaterThan(0);
  });

  it.runIf(process.platform === 'linux')('measures the peak memory', async () => {
    const program = 'const bytes = Buffer.alloc(200 << 20, 1); process.stdin.resume(); console.log(bytes.length)';
    const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill());
    await once(child.stdout, 'data');
    expect(peakOf(child.pid ?? 0)).toBeGreaterThan(200);
    expect(peakOf(child.pid ?? 0)).toBeLessThan(400);
    expect(peakOf(0)).toBeNaN();
  });

  it("fails with the program's stderr", async () => {
    const words = ['-e', 'process.stderr.write("no luck"); process.exitCode = 3'] as const;
    await expect(watch([process.execPath, ...words], environment(folder()))).rejects.toThrow('ended with 3: no luck');
    expect(() => run([process.execPath, ...words], environment(folder()))).toThrow('ended with 3: no luck');
  });
});
