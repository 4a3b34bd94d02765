import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FACTS, NOT_TESTED } from './facts.ts';

/** Whether the file has a test or a `describe` whose title begins so. */
const hasTitle = ([name, title]: readonly [file: string, title: string]): boolean => {
  const file = `test/${name}.test.ts`;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${title.replaceAll(quote, `\\${quote}`)}`));
};

it('each public fact is listed once, with existing tests or with a reason for none', () => {
  expect(FACTS.flatMap(([, ...tests]) => tests.filter((test) => !hasTitle(test)))).toEqual([]);
  expect(FACTS.filter(([, ...tests]) => tests.length === 0)).toEqual([]);
  const facts = [...FACTS, ...NOT_TESTED].map(([fact]) => fact);
  expect(facts).toEqual([...new Set(facts)]);
});
