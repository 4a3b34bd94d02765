import type { ListInput } from '../../core/record-filter.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import type { ListOf } from '../list.ts';
import { listRecords } from '../list.ts';
import { onyeView } from './view.ts';

/** In which order customers come is not documented, nor that a reference is one customer's alone. */
const ONYE: ListOf = {
  operation: 'onye.list',
  path: ['onye', 'list'],
  records: 'customers',
  view: onyeView,
  newestFirst: false,
  uniqueRef: false,
};

/** Lists customers (interface.md 4.3; the path by public material). */
export const run = (input: ListInput, deps: Deps): Promise<Result> => listRecords(ONYE, input, deps);
