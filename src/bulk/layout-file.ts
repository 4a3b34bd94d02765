import { readFile, writeFile } from 'node:fs/promises';
import { reasonOf, usageError } from '../core/error.ts';
import { isJsonObject } from '../core/json.ts';
import { LAYOUTS, type Layout, ROLES } from './layouts.ts';

/** The path of the first value that is not as it should be; undefined if there is none. */
type Check = (value: unknown, path: string) => string | undefined;

const when =
  (fits: (value: unknown) => boolean): Check =>
  (value, path) =>
    fits(value) ? undefined : path;

const isString = (value: unknown): value is string => typeof value === 'string';
const areWords = when((value) => Array.isArray(value) && value.every(isString));

/** Checks the members of an object. Only the `needed` ones must be there. */
const members =
  (checks: Readonly<Record<string, Check>>, needed: readonly string[] = []): Check =>
  (value, path) => {
    if (!isJsonObject(value)) return path;
    const absent = needed.find((name) => !Object.hasOwn(value, name));
    if (absent !== undefined) return `${path}.${absent}`;
    const wrong = Object.entries(value).map(([name, member]) => {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
      return check === undefined ? `${path}.${name}` : check(member, `${path}.${name}`);
    });
    return wrong.find((one) => one !== undefined);
  };

const wrongIn = members(
  {
    name: when(isString),
    header: areWords,
    columns: members(Object.fromEntries(ROLES.map((role) => [role, areWords]))),
    dateForm: when((value) => value === 'dmy' || value === 'mdy'),
    minor: when((value) => typeof value === 'boolean'),
    currency: when(isString),
    statuses: members({ booked: areWords, left: areWords }, ['booked', 'left']),
    sides: members({ in: areWords, out: areWords }, ['in', 'out']),
    labels: areWords,
  },
  ['name', 'header'],
);

const parseLayout = (text: string, file: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw usageError(`--layout: ${file} is not JSON: ${reasonOf(thrown)}`, { hint: 'write one with --save-layout' });
  }
};

/** A known layout by its name, or one of a file that `saveLayout` wrote. */
export const readLayout = async (named: string): Promise<Layout> => {
  const known = LAYOUTS.find(({ name }) => name === named);
  if (known !== undefined) return known;
  const text = await readFile(named, 'utf8').catch((thrown: unknown) => {
    throw usageError(`--layout: ${named} is no known layout, and no file: ${reasonOf(thrown)}`, {
      hint: `known layouts: ${LAYOUTS.map(({ name }) => name).join(', ')}`,
    });
  });
  const layout = parseLayout(text, named);
  const wrong = wrongIn(layout, 'layout');
  if (wrong === undefined) return layout as Layout;
  throw usageError(`--layout: ${named}: ${wrong} is not what a layout has there`, {
    hint: 'write one with --save-layout, and compare',
  });
};

/** Writes a layout to a new file. */
export const saveLayout = async (file: string, layout: Layout): Promise<void> => {
  await writeFile(file, `${JSON.stringify(layout, null, 2)}\n`, { flag: 'wx' }).catch((thrown: unknown) => {
    throw usageError(`--save-layout: ${reasonOf(thrown)}`, { hint: 'name a file that does not exist yet' });
  });
};
