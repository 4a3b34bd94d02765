import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FACTS, NOT_TESTED } from './facts.ts';

/** Whether the file has a test or a `describe` whose title begins so. */
const hasTitle = (text: string, title: string): boolean =>
  ["'", '"', '`'].some((quote) => text.includes(`${quote}${title.replaceAll(quote, `\\${quote}`)}`));

describe('each public fact names existing tests', () => {
  it.each(FACTS.map(([fact, ...tests]) => [fact, tests] as const))('%s', (_fact, tests) => {
    expect(tests.length).toBeGreaterThan(0);
    for (const [name, title] of tests) {
      const file = `test/${name}.test.ts`;
      expect(existsSync(file), file).toBe(true);
      expect(hasTitle(readFileSync(file, 'utf8'), title), `${file}: ${title}`).toBe(true);
    }
  });
});

describe('each public fact without a test', () => {
  it.each(NOT_TESTED)('%s: %s', (fact, why) => {
    expect(why.length).toBeGreaterThan(10);
    expect(FACTS.some(([one]) => one === fact)).toBe(false);
  });

  it('is one of a few exceptions', () => {
    expect(NOT_TESTED.length).toBeLessThan(FACTS.length / 4);
  });
});
