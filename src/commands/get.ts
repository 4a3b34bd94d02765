import type { OperationId } from '../contract/operations.ts';
import type { Result, View } from '../core/result.ts';
import type { Deps } from './deps.ts';

type Needs = Pick<Deps, 'globals' | 'client' | 'preview'>;

/** Reads one thing by the identifiers in its path. */
export const getRecord = async (
  operation: OperationId,
  params: Readonly<Record<string, string>>,
  view: View,
  deps: Needs,
): Promise<Result> => {
  if (deps.globals.dryRun) return deps.preview((await deps.client('preview')).preview(operation, { params }));
  return { kind: 'record', record: await (await deps.client('read')).call(operation, { params }), view };
};
