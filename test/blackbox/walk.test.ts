import { describe, expect, it } from 'vitest';
import { inProcess, startHere } from '../support/in-process.ts';
import { newFolder, paycli, start } from '../support/program.ts';
import type { Answer } from '../support/service.ts';
import { held, json, page, serve, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';

const FORMATS = ['json', 'ndjson', 'csv', 'tsv', 'table'] as const;
const WALK = ['ugwo', 'list', '--all', '--columns', 'uid'] as const;

const argsFor = (format: string): string[] =>
  format.endsWith('json') ? ['ugwo', 'list', '--all', '-o', format] : [...WALK, '-o', format];

/** More than a pipe and all buffers can hold. */
const large = (from: number, next: string | null): Answer =>
  json(200, {
    data: Array.from({ length: 100 }, (_, index) => ({ ...ugwo(from + index), description: 'x'.repeat(20_000) })),
    next_cursor: next,
  });

describe('ugwo list --all', () => {
  it.each(FORMATS)('prints the first row after one page: %s', async (format) => {
    const { hold, letGo } = held(page([2], null));
    const service = await serve([page([1], 'c1'), hold]);
    const running = (format === 'ndjson' ? start : startHere)(argsFor(format), { service });
    await running.saw(/ugw\.AbCd\.0+1\b/);
    letGo();
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/ugw\.AbCd\.0+2\b/);
  });

  it('prints the first row after one page on a terminal, too', async () => {
    const { hold, letGo } = held(page([2], null));
    const service = await serve([page([1], 'c1'), hold]);
    const terminal = openTerminal([...WALK], { service, columns: 100 });
    await terminal.saw(/ugw\.AbCd\.0+1\b/);
    letGo();
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(await terminal.screen()).toMatch(/ugw\.AbCd\.0+2\b/);
  });

  it('prefetches one page, and no more until the output is read', async () => {
    let reading = false;
    const asked: boolean[] = [];
    const noted =
      (answer: Answer): Answer =>
      (...world) => {
        asked.push(reading);
        answer(...world);
      };
    const service = await serve([large(1, 'c1'), noted(large(101, 'c2')), noted(large(201, null))]);
    const running = start(['ugwo', 'list', '--all', '-o', 'ndjson'], { service, readStdout: false });
    await service.came(2);
    // Gives a wrong prefetch enough time to happen.
    for (let turn = 0; turn < 3; turn += 1) await paycli(['--version'], { home: newFolder() });
    expect(asked).toEqual([false]);
    reading = true;
    running.readStdout();
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout.split('\n')).toHaveLength(301);
    expect(asked).toEqual([false, true]);
  });

  it('removes whitespace from indented answers: one record per line', async () => {
    const indented = JSON.stringify({ data: [ugwo(1), ugwo(2)], next_cursor: null }, null, 2);
    const service = await serve([json(200, indented), json(200, indented)]);
    const lines = [1, 2].map((number) => JSON.stringify(ugwo(number)));
    const ndjson = await inProcess(['ugwo', 'list', '--all', '-o', 'ndjson'], { service });
    expect(ndjson.stdout).toBe(`${lines.join('\n')}\n`);
    const whole = await inProcess(['ugwo', 'list', '--all', '-o', 'json'], { service });
    expect(whole.stdout).toBe(`{"data":[\n${lines.join(',\n')}\n],"next_cursor":null}\n`);
  });
});
