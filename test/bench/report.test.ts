import { describe, expect, it } from 'vitest';
import { chartOf } from '../../scripts/bench/report/chart.ts';
import { sectionOf, withSection } from '../../scripts/bench/report/document.ts';
import { type BenchRun, withRun } from '../../scripts/bench/report/runs.ts';
import { tableOf } from '../../scripts/bench/report/table.ts';
import type { Line, Measured } from '../../scripts/bench/run/line.ts';

const line = (row: number, more: Partial<Measured> = {}): Measured => ({
  row,
  name: `name ${row}`,
  work: `work ${row}`,
  against: 'a | b',
  value: 0.5,
  goal: { bound: '≤', value: 1 },
  seen: { ours: 12.34, theirs: 1234.5 },
  seenIn: 'ms',
  ...more,
});
const { goal: _, ...shownOnly } = line(3);
const { value: _value, seen: _seen, seenIn: _in, ...compared } = line(4);
const missing: Line = { ...compared, missing: 'missing: `apt-get install gh`' };

const run = (commit: string, lines: readonly Line[]): BenchRun => ({
  date: '2026-11-20',
  command: 'npm run bench -- --write',
  commit,
  machine: 'linux x64, 2 × CPU, 8 GB',
  programs: { Node: '24.0.0', gh: '2.0' },
  lines,
});

describe('the table of benchmarks', () => {
  const rows = tableOf([missing, line(2, { value: 1.01 }), line(1), shownOnly])
    .trimEnd()
    .split('\n')
    .slice(2);

  it('has its lines in the order of the rows', () => {
    expect(rows.map((row) => row.split(' | ')[0])).toEqual(['| 1', '| 2', '| 3', '| 4']);
  });

  it('shows the comparison, the result, the goal and the measured values', () => {
    expect(rows[0]).toBe('| 1 | work 1 | a \\| b | 0.50 | ≤ 1 | yes | ours 12.3 ms, theirs 1,235 ms |');
    expect(rows[1]).toContain('| 1.01 | ≤ 1 | **no** |');
    expect(rows[2]).toContain('| 0.50 |  |  |');
  });

  it('shows a missing tool if nothing was measured', () => {
    expect(rows[3]).toBe('| 4 | work 4 | a \\| b | not measured | ≤ 1 |  | missing: `apt-get install gh` |');
  });

  it('supports a minimum as a goal, and a unit', () => {
    const floor = line(1, { value: 60, goal: { bound: '≥', value: 50 } });
    const peak = line(2, { value: 151, unit: 'MB', goal: { bound: '≤', value: 150 }, seen: {} });
    expect(tableOf([floor, peak])).toContain('| 60.0 | ≥ 50 | yes |');
    expect(tableOf([floor, peak])).toContain('| 151 MB | ≤ 150 MB | **no** |  |');
  });
});

describe('the chart of benchmarks', () => {
  const chart = chartOf([
    line(2, { value: 100, goal: { bound: '≥', value: 50 } }),
    line(3, { value: 9 }),
    line(1),
    shownOnly,
    missing,
  ]);
  const bars = [...chart.matchAll(/class="(kept|over)" x="\d+" y="\d+" width="(\d+)"/g)].map(([, name, width]) => [
    name,
    Number(width),
  ]);
  const goalAt = Number(/class="goal" x1="(\d+)"/.exec(chart)?.[1]);

  it('has a bar for each measured line with a goal, and cuts the longest', () => {
    expect([...chart.matchAll(/>(\d) · /g)].map(([, row]) => row)).toEqual(['1', '2', '3']);
    expect(bars).toEqual([
      ['kept', 110],
      ['kept', 110],
      ['over', 330],
    ]);
  });

  it("has the goal where a bar with the goal's value ends", () => {
    const [, begin, width] =
      /class="kept" x="(\d+)" y="\d+" width="(\d+)"/.exec(chartOf([line(1, { value: 1 })])) ?? [];
    expect(Number(begin) + Number(width)).toBe(goalAt);
  });

  it('shows the values and goals, escaped for XML', () => {
    expect(chart).toContain('>1 · name 1<');
    expect(chart).toContain('>100 (goal ≥ 50)<');
    expect(chart).toContain('>9.00 (goal ≤ 1) ✗<');
    expect(chartOf([line(1, { name: 'a < b & c' })])).toContain('a &lt; b &amp; c');
  });

  it('supports light and dark backgrounds', () => {
    expect(chart).toContain('@media (prefers-color-scheme: dark)');
  });
});

describe('the document of benchmarks', () => {
  const document = 'before\n<!-- bench -->\nold\n<!-- /bench -->\nafter\n';

  it('gets a new section between its marks, and is otherwise unchanged', () => {
    const first = withSection(document, 'new\n');
    expect(first).toBe('before\n<!-- bench -->\n\nnew\n\n<!-- /bench -->\nafter\n');
    expect(withSection(first, 'new\n')).toBe(first);
  });

  it.each(['no marks', '<!-- /bench --> <!-- bench -->', '<!-- bench -->'])(
    'is not changed without marks: %s',
    (text) => {
      expect(() => withSection(text, 'new')).toThrow('the document has no');
    },
  );

  it('names the run of each row', () => {
    const section = sectionOf([run('aaa', [line(2), line(1), line(1)]), run('bbb', [line(3)])]);
    expect(section).toContain(
      'Rows 1, 2: `npm run bench -- --write` on 2026-11-20 at commit aaa; linux x64, 2 × CPU, 8 GB; Node 24.0.0, gh 2.0.',
    );
    expect(section).toContain('Row 3: `npm run bench -- --write` on 2026-11-20 at commit bbb;');
    expect(section.split('\n')[2]).toContain('| 1 | work 1 |');
    expect(section).toContain('](performance.svg)');
  });
});

describe('the stored runs of benchmarks', () => {
  const first = run('aaa', [line(1), line(2), line(2)]);

  it('keep the rows that a later run did not measure', () => {
    const second = run('bbb', [line(2)]);
    expect(withRun([first], second)).toEqual([{ ...first, lines: [line(1)] }, second]);
  });

  it('are removed when none of their rows is left', () => {
    const second = run('bbb', [line(1), line(2)]);
    expect(withRun([first], second)).toEqual([second]);
  });
});
