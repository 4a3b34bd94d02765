/*
 * Differences between Bun and Node that the protocol depends on. Common behavior is tested in test/blackbox and
 * test/faults, which run against both programs.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { chargeFrom, numberIn, once, postsOf, serveCharges, summaryOf, ussdFile } from '../blackbox/bulk-support.ts';
import { NODE_PROGRAM, PROGRAM } from '../support/built.ts';
import { newFolder, paycli, start } from '../support/program.ts';
import { ACTIVITY, hang, json, serve, UGWO_ID } from '../support/service.ts';
import { serial, xlsxParts, zipOf } from '../support/xlsx.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb', '--json'];
const BOTH = [undefined, NODE_PROGRAM] as const;
const ACCURACY_MS = 30_000;

const asNode = { program: NODE_PROGRAM };
const asBuilt = { program: PROGRAM };

describe('the clock', () => {
  it("of the ledger counts from the boot of the machine, although Bun's own counts from the start of the process", async () => {
    const marks: number[] = [];
    for (const program of BOTH) {
      const home = newFolder();
      const options = {
        service: await serve([json(200, ACTIVITY)]),
        home,
        ...(program === undefined ? {} : { program }),
      };
      expect(await paycli(CHARGE, options)).toMatchObject({ code: 0 });
      const db = new DatabaseSync(join(home, 'ledger.sqlite'));
      marks.push(Number(db.prepare('SELECT begun_uptime FROM charge').get()?.['begun_uptime']));
      db.close();
    }
    const now = uptime() * 1000;
    expect(marks.map((mark) => Math.abs(now - mark) < ACCURACY_MS)).toEqual([true, true]);
  });
});

describe('one ledger for both programs', () => {
  it.each([
    ['Bun', 'Node', {}, asNode],
    ['Node', 'Bun', asNode, {}],
  ])('prevents that what %s has charged, %s charges again', async (_first, _second, first, second) => {
    const options = { service: await serve([json(200, ACTIVITY)]), home: newFolder() };
    expect(await paycli(CHARGE, { ...options, ...first })).toMatchObject({ code: 0 });
    expect(await paycli(CHARGE, { ...options, ...second })).toMatchObject({ code: 9 });
  });

  it.each([
    ['Bun', 'Node', {}, asNode],
    ['Node', 'Bun', asNode, {}],
  ])('lets what %s was killed in, %s resolve without sending it again', async (_first, _second, first, second) => {
    const options = { service: await serve([hang]), home: newFolder() };
    const running = start(CHARGE, { ...options, ...first });
    while (options.service.seen.length === 0) await new Promise(setImmediate);
    running.kill('SIGKILL');
    await running.ended;
    const again = await paycli(CHARGE, { ...options, ...second });
    expect(again).toMatchObject({ code: 9 });
    expect(again.stderr).toContain('ledger sync');
  });

  it('lets both process one file: each row is sent once', async () => {
    const numbers = Array.from({ length: 60 }, (_, index) => index + 1);
    const options = { service: await serveCharges(), home: newFolder() };
    const file = ussdFile(...numbers);
    const runs = await Promise.all(
      [asNode, asBuilt, asNode, asBuilt].map((program) => chargeFrom(file, { ...options, ...program }, '--yes')),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(summaryOf(runs[0] as (typeof runs)[number])).toMatchObject({ accepted: numbers.length });
    expect(postsOf(options.service)).toEqual(once(...options.service.seen.map(numberIn)));
    expect(options.service.seen).toHaveLength(numbers.length);
  });
});

it('a workbook is unpacked alike by both programs, and no more of it than it says', async () => {
  const parts = xlsxParts({
    May: [
      ['Date', 'Credit', 'Narration'],
      [{ date: serial('2026-11-25') }, 5000, 'INV-1'],
    ],
  });
  const folder = newFolder('statements');
  const told = async (name: string, lie: Parameters<typeof zipOf>[1]): Promise<unknown> => {
    const path = join(folder, name);
    writeFileSync(path, zipOf(parts, lie));
    const runs = BOTH.map(async (program) => {
      const { code, stdout, stderr } = await paycli(['ledger', 'match', path, '-o', 'tsv'], {
        home: newFolder(),
        ...(program === undefined ? {} : { program }),
      });
      return { code, stdout, stderr: stderr.replace(/(?<=can't be read as a workbook: ).*/, '') };
    });
    const [ofBun, ofNode] = await Promise.all(runs);
    expect(ofBun).toEqual(ofNode);
    return ofNode;
  };
  expect(await told('may.xlsx', {})).toMatchObject({ code: 14, stdout: expect.stringContaining('5000') });
  const damaged = { code: 2, stderr: expect.stringContaining("can't be read as a workbook") };
  expect(await told('bomb.xlsx', { size: 10 })).toMatchObject(damaged);
  expect(await told('damaged.xlsx', { crc: 1 })).toMatchObject(damaged);
});

describe('the request', () => {
  it("is the same from both programs: Bun uses undici's client, not its own replacement", async () => {
    const requests: unknown[] = [];
    for (const program of BOTH) {
      const service = await serve([json(200, ACTIVITY)]);
      const options = { service, home: newFolder(), ...(program === undefined ? {} : { program }) };
      expect(await paycli(CHARGE, options)).toMatchObject({ code: 0 });
      const [{ headers, ...rest } = { headers: {} }] = service.seen;
      requests.push({ ...rest, headers: Object.entries({ ...headers, host: '' }) });
    }
    expect(requests[0]).toEqual(requests[1]);
  });
});

describe('the environment', () => {
  it("can't enable Node's crash report, which would contain the environment", async () => {
    const folder = newFolder('reports');
    const service = await serve([hang]);
    const env = { NODE_OPTIONS: `--report-on-signal --report-directory=${folder}` };
    const running = start(['ugwo', 'list'], { service, env });
    while (service.seen.length === 0) await new Promise(setImmediate);
    running.kill('SIGUSR2');
    expect(await running.ended).toMatchObject({ signal: 'SIGUSR2' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('gets no compile cache: the compiled code is in the program', async () => {
    const folder = newFolder('cache');
    expect(await paycli(['--version'], { env: { XDG_CACHE_HOME: folder } })).toMatchObject({ code: 0 });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a hostile working folder', () => {
  it('is not read by any feature of Bun', async () => {
    const [cwd, elsewhere] = [newFolder('traps'), await serve([])];
    const marker = join(cwd, 'marker');
    const trap = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`;
    const text = JSON.stringify({ name: 'trap', main: './trap.js', imports: { '#*': './trap.js' } });
    for (const [name, content] of [
      ['trap.js', trap],
      ['.env', `PAYCLI_BASE_URL=${elsewhere.origin}\nBUN_OPTIONS=--preload=./trap.js\n`],
      ['.env.local', `PAYCLI_BASE_URL=${elsewhere.origin}\n`],
      ['.env.production', `PAYCLI_BASE_URL=${elsewhere.origin}\n`],
      ['bunfig.toml', 'preload = ["./trap.js"]\n[run]\npreload = ["./trap.js"]\n'],
      ['package.json', text],
      ['tsconfig.json', JSON.stringify({ compilerOptions: { paths: { '*': ['./trap.js'] } } })],
    ] as const) {
      writeFileSync(join(cwd, name), content);
    }
    const env = { PAYCLI_SECRET_KEY: `sk.Test.${'k'.repeat(80)}` };
    expect(await paycli(['ugwo', 'list'], { cwd, env })).toMatchObject({ code: 4 });
    expect(existsSync(marker)).toBe(false);
  });
});
