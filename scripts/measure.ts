/**
 * Prints size figures and compares each with its budget in measure-budget.json. Exits with 1 if one is above it.
 * `-- --lower` lowers budgets to the figures of today. `-- --names` lists the names that count against a figure.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { measureRuns } from './measure/runs.ts';
import { measureSource } from './measure/source.ts';

const BUDGET = 'scripts/measure-budget.json';

const { figures: sizes, names } = measureSource();
const figures = { ...(await measureRuns()), ...sizes };
for (const [what, figure] of Object.entries(figures)) process.stdout.write(`${String(figure).padStart(8)}  ${what}\n`);
if (process.argv.includes('--names')) {
  for (const [what, found] of Object.entries(names))
    process.stdout.write(`\n${what}:\n${found.toSorted().join('\n')}\n`);
}

/** A figure with null is printed and has no limit. */
let budget: Readonly<Record<string, number | null>> = JSON.parse(readFileSync(BUDGET, 'utf8'));
if (process.argv.includes('--lower')) {
  const lowered = Object.entries(figures).map(([what, figure]) => [
    what,
    budget[what] === null ? null : Math.min(budget[what] ?? figure, figure),
  ]);
  budget = Object.fromEntries(lowered);
  writeFileSync(BUDGET, `${JSON.stringify(budget, null, 2)}\n`);
}
for (const [what, figure] of Object.entries(figures)) {
  const most = what in budget ? budget[what] : 0;
  if (most === null || most === undefined || figure <= most) continue;
  process.stderr.write(`${what}: ${figure}, the budget is ${most}\n`);
  process.exitCode = 1;
}
