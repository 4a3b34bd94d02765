import type { OperationId } from '../contract/operations.ts';
import type { Result, View } from '../core/result.ts';
import type { Deps } from './deps.ts';
import { previewCall } from './preview.ts';

/** Reads one thing by the identifiers in its path. */
export const getRecord = async (
  operation: OperationId,
  params: Readonly<Record<string, string>>,
  view: View,
  deps: Deps,
): Promise<Result> => {
  if (deps.globals.dryRun) return previewCall(operation, { params }, deps);
  return { kind: 'record', record: await (await deps.client('read')).call(operation, { params }), view };
};
