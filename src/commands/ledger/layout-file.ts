import { readFile, writeFile } from 'node:fs/promises';
import { LAYOUTS, type Layout, ROLES } from '../../bulk/layouts.ts';
import { loadSchemas, z } from '../../contract/zod.ts';
import { PayError, reasonOf, usageError } from '../../core/error.ts';
import { parseExact } from '../../core/json.ts';

/** The form of a layout file. Words and titles are compared in lower case. */
const layoutSchema = () => {
  const words = z.array(z.string());
  return z.strictObject({
    name: z.string().min(1),
    header: words,
    columns: z.strictObject(Object.fromEntries(ROLES.map((role) => [role, words.optional()]))).optional(),
    dateForm: z.enum(['dmy', 'mdy']).optional(),
    minor: z.boolean().optional(),
    currency: z.string().optional(),
    statuses: z.strictObject({ booked: words, left: words }).optional(),
    sides: z.strictObject({ in: words, out: words }).optional(),
    labels: words.optional(),
  });
};

/** A known layout by its name, or one of a file that `saveLayout` wrote. */
export const readLayout = async (named: string): Promise<Layout> => {
  const known = LAYOUTS.find(({ name }) => name === named);
  if (known !== undefined) return known;
  const names = LAYOUTS.map(({ name }) => name).join(', ');
  const text = await readFile(named, 'utf8').catch((thrown: unknown) => {
    throw usageError(`--layout: ${named} is no known layout, and no file: ${reasonOf(thrown)}`, {
      hint: `known layouts: ${names}`,
    });
  });
  await loadSchemas();
  const hint = 'write one with --save-layout';
  try {
    const { data, error } = layoutSchema().safeParse(parseExact(text));
    if (data !== undefined) return data;
    const [issue] = error.issues;
    throw usageError(`--layout: ${named}: ${issue?.path.join('.') || 'the file'}: ${issue?.message}`, { hint });
  } catch (thrown) {
    if (thrown instanceof PayError) throw thrown;
    throw usageError(`--layout: ${named} is not JSON: ${reasonOf(thrown)}`, { hint });
  }
};

/** Writes a layout to a new file. */
export const saveLayout = async (file: string, layout: Layout): Promise<void> => {
  await writeFile(file, `${JSON.stringify(layout, null, 2)}\n`, { flag: 'wx' }).catch((thrown: unknown) => {
    throw usageError(`--save-layout: ${reasonOf(thrown)}`, { hint: 'name a file that does not exist yet' });
  });
};
