import { BOUNDS, cutList, grouped } from '../core/bounds.ts';
import { printExact } from '../core/json.ts';
import { valueAt } from '../core/path.ts';
import type { InnerList } from '../core/result.ts';
import { tableColumns } from './columns.ts';
import type { Surface } from './surface.ts';
import { listSink } from './table.ts';
import { wrap } from './width.ts';

/**
 * A list inside a record as lines: a heading and a table, or, where none fits, its elements one under the other. An empty
 * list says so; where the record holds no such list there is nothing to say.
 */
export const innerListLines = async (value: unknown, list: InnerList, surface: Surface): Promise<string[]> => {
  const elements = valueAt(value, list.path);
  if (!Array.isArray(elements)) return [];
  const { width, styles } = surface;
  if (elements.length === 0) return wrap(`no ${list.heading.toLowerCase()}`, width).map(styles.dim);
  const { first, more } = cutList(elements, BOUNDS.lines);
  const records = first.map((element) => ({ value: element, text: printExact(element) }));
  // Columns that are named stay, whatever the width: here nothing says what was left out. One without a value has nothing to say.
  const names = tableColumns(list, records).map(({ path }) => path);
  const sink = await listSink(names, list, surface);
  const rest = more === 0 ? [] : wrap(`… and ${grouped(more)} more (see -o json)`, width).map(styles.dim);
  const table = [...sink.page(records, false)].join('') + sink.end(null);
  return [...wrap(list.heading, width).map(styles.heading), ...table.trimEnd().split('\n'), ...rest];
};
