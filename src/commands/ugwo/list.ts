import type { ListInput } from '../../core/record-filter.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import type { ListOf } from '../list.ts';
import { listRecords } from '../list.ts';
import { ugwoView } from './view.ts';

const UGWO: ListOf = {
  operation: 'ugwo.list',
  path: ['ugwo', 'list'],
  records: 'payment requests',
  view: ugwoView,
  newestFirst: true,
  uniqueRef: true,
};

/** Lists payment requests (interface.md 4.3). */
export const run = (input: ListInput, deps: Deps): Promise<Result> => listRecords(UGWO, input, deps);
