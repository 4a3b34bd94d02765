import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REFERENCE, referencePages } from '../../scripts/reference.ts';
import { OUTPUTS } from '../../scripts/schema/outputs.ts';
import { tasksOf } from '../../src/cli/help/tasks.ts';
import { commandTree } from '../../src/cli/tree.ts';
import { NOUNS } from '../../src/commands/all.ts';
import { SPECS } from '../support/specs.ts';

describe('the reference (`npm run docs` updates it)', () => {
  const pages = referencePages();

  it('has a page for each command, and no other', () => {
    expect(readdirSync(REFERENCE).toSorted()).toEqual([...pages.keys()].toSorted());
  });

  it('lists the commands by task, as help does', () => {
    const tasks = new Set(tasksOf(commandTree(SPECS, NOUNS).commands).map(({ task }) => task));
    const headings = pages.get('README.md')?.matchAll(/^## (.+)$/gm) ?? [];
    expect([...headings].map(([, heading]) => heading)).toEqual([...tasks, 'Global options']);
  });

  it.each([...pages])('is up to date in %s', (name, text) => {
    expect(readFileSync(join(REFERENCE, name), 'utf8')).toBe(text);
  });
});

/** Fields that are named beside the columns of a command, and are printed as JSON alone. */
const AS_JSON = ['evidence', 'headers', 'attempts'];

/** The columns that a description of an output begins with: names with explanations in parentheses. */
const namesIn = (output: string): string[] => {
  const bare = output.replaceAll(/\s*\((?:[^()]|\([^()]*\))*\)/g, '').split(/; |\. /)[0] ?? '';
  const words = bare.split(': ').at(-1)?.split(', ') ?? [];
  return words.filter((word) => /^[\w.]+$/.test(word) && !AS_JSON.includes(word));
};

describe('the machine-readable commands', () => {
  it.each(SPECS.map((spec) => [spec.path.join(' '), spec] as const))(
    'print the columns that the help names: %s',
    (name, { output }) => {
      const columns = (OUTPUTS[name] ?? []).flatMap((one) => one.columns);
      const printed = new Set(columns.flatMap((column) => [column, column.split('.')[0]]));
      expect(columns.length === 0 ? [] : namesIn(output).filter((word) => !printed.has(word))).toEqual([]);
    },
  );

  const decides = SPECS.filter(({ path, danger }) => danger === 'money' && OUTPUTS[path.join(' ')]?.[0]?.columns[0]);

  it.each(decides.map((spec) => [spec.path.join(' '), spec] as const))(
    'know their columns before money moves: %s',
    async (_name, { load }) => expect((await load()).view).toBeDefined(),
  );

  it('have the output of each command in scripts/schema/outputs.ts', () => {
    expect(SPECS.map(({ path }) => path.join(' ')).filter((name) => OUTPUTS[name] === undefined)).toEqual([]);
  });
});
