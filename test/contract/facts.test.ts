import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FACTS, NOT_TESTED } from './facts.ts';

/** Whether a file has a test, or a group of them, with such a title. */
const hasTitle = (text: string, title: string): boolean =>
  ["'", '"', '`'].some((quote) => text.includes(`${quote}${title.replaceAll(quote, `\\${quote}`)}`));

describe('a fact of the public material is held by tests that there are', () => {
  it.each(FACTS.map(([fact, ...tests]) => [fact, tests] as const))('%s', (_fact, tests) => {
    expect(tests.length).toBeGreaterThan(0);
    for (const [name, title] of tests) {
      const file = `test/${name}.test.ts`;
      expect(existsSync(file), file).toBe(true);
      expect(hasTitle(readFileSync(file, 'utf8'), title), `${file}: ${title}`).toBe(true);
    }
  });
});

describe('or it is said why no test can', () => {
  it.each(NOT_TESTED)('%s: %s', (fact, why) => {
    expect(why.length).toBeGreaterThan(10);
    expect(FACTS.some(([one]) => one === fact)).toBe(false);
  });

  it('for no more than a few', () => {
    expect(NOT_TESTED.length).toBeLessThan(FACTS.length / 4);
  });
});
