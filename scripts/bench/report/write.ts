import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { chartOf } from './chart.ts';
import { sectionOf, withSection } from './document.ts';
import { type BenchRun, withRun } from './runs.ts';

const DOCUMENT = 'docs/performance.md';
const FIGURES = 'docs/performance.json';
const CHART = 'docs/performance.svg';

const earlierRuns = (): readonly BenchRun[] =>
  existsSync(FIGURES) ? (JSON.parse(readFileSync(FIGURES, 'utf8')) as { readonly runs: readonly BenchRun[] }).runs : [];

/** Four digits say more than any bench knows. */
const rounded = (_key: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(4)) : value;

/** Puts a run's figures into the documents. */
export const writeReport = (run: BenchRun): void => {
  const runs = withRun(earlierRuns(), run);
  writeFileSync(FIGURES, `${JSON.stringify({ runs }, rounded, 2)}\n`);
  writeFileSync(CHART, chartOf(runs.flatMap(({ lines }) => lines)));
  writeFileSync(DOCUMENT, withSection(readFileSync(DOCUMENT, 'utf8'), sectionOf(runs)));
};
