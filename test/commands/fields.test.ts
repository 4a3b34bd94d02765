import { describe, expect, it } from 'vitest';
import type { FieldTable } from '../../src/cli/define.ts';
import { findColumn, findFlag, listColumns } from '../../src/commands/fields.ts';
import { CHANGED_FIELDS, NEW_FIELDS } from '../../src/commands/onye/fields-shared.ts';
import { onyeCommands } from '../../src/commands/onye/spec.ts';
import { REFUND_FIELDS } from '../../src/commands/refund/fields-shared.ts';
import { refundCommands } from '../../src/commands/refund/spec.ts';
import { REQUEST_FIELDS } from '../../src/commands/ugwo/create-shared.ts';
import { ugwoCommands } from '../../src/commands/ugwo/spec.ts';
import { asFlag } from '../../src/core/input.ts';

const optionsOf = (commands: typeof ugwoCommands, verb: string) =>
  commands.find(({ path }) => path[1] === verb)?.options ?? {};

/** Fields that have no option: the argument, and the currency that is compared. */
const UNSET = ['activity', 'currency'];
/** Fields that are no part of the body. */
const OUTSIDE = ['ugwo', 'currency'];

const TABLES: [string, FieldTable, object, string[], string[]][] = [
  ['refund', REFUND_FIELDS, optionsOf(refundCommands, 'create'), UNSET, OUTSIDE],
  ['ugwo', REQUEST_FIELDS, optionsOf(ugwoCommands, 'create'), [], []],
  ['onye create', NEW_FIELDS, optionsOf(onyeCommands, 'create'), [], []],
  ['onye update', CHANGED_FIELDS, optionsOf(onyeCommands, 'update'), [], []],
];

describe.each(TABLES)('each field of %s', (_noun, fields, options, unset, outside) => {
  it.each(Object.keys(fields))('%s has its option, its column and its property', (name) => {
    const { flags, property = name, column = name } = fields[name] ?? {};
    expect(Object.hasOwn(options, name)).toBe(!unset.includes(name));
    if (flags !== undefined) expect(flags.split(' ')[0]).toBe(asFlag(name));
    expect(property === false).toBe(outside.includes(name));
    for (const path of [property || []].flat()) {
      expect(findFlag(fields, { [name]: 'x' })(path)).toBe(flags === undefined ? undefined : asFlag(name));
      if (flags !== undefined) expect(findColumn(fields, [], { [name]: 'x' })(path)).toBe(asFlag(name));
      for (const own of column === false ? [] : column.split(' or ')) {
        expect(findColumn(fields, [own], {})(path)).toBe(own);
        expect(findColumn(fields, [own], { [name]: 'x' }, { [path]: 'x' })(path)).toBe(own);
      }
    }
    expect(listColumns(fields, '')).toEqual(
      column === false ? expect.not.arrayContaining([name]) : expect.arrayContaining([column]),
    );
  });
});
