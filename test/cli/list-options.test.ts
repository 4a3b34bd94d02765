import { describe, expect, it } from 'vitest';
import { type InputOf, option } from '../../src/cli/define.ts';
import { asInteger, asText, FILTER_OPTIONS, readList, WALK_OPTIONS } from '../../src/cli/options.ts';

const how = { validate: true };
const given = <T extends object>(values: T): Partial<T> => values;

describe('an option of a list', () => {
  it('does not compile without its test among the filters', () => {
    const table = { ...WALK_OPTIONS, ...FILTER_OPTIONS, colour: option('--colour <name>', 'only this one', asText) };
    // @ts-expect-error nothing filters by colour
    expect(readList(given({} as InputOf<typeof table>), how, [])).not.toHaveProperty('filter');
  });

  it('does not compile with another value than its test takes', () => {
    const table = { ...WALK_OPTIONS, ...FILTER_OPTIONS, ref: option('--ref <n>', 'only this one', asInteger(1, 9)) };
    // @ts-expect-error a reference is a text
    expect(readList(given({} as InputOf<typeof table>), how, [])).not.toHaveProperty('filter');
  });

  it('compiles with its test', () => {
    const table = { ...WALK_OPTIONS, ...FILTER_OPTIONS };
    expect(readList(given({} as InputOf<typeof table>), how, [])).not.toHaveProperty('filter');
  });
});
