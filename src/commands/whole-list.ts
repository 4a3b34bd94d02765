import type { CallInput } from '../client/client.ts';
import type { OperationId } from '../contract/operations.ts';
import { parseExact } from '../core/json.ts';
import { receivedOf } from '../core/received.ts';
import type { Result, View } from '../core/result.ts';
import type { Deps } from './deps.ts';
import { pageOf } from './one-page.ts';
import { previewCall } from './preview.ts';

/** How the records of an answer are shown, where that is not as they came. */
type RecordsOf = (record: unknown) => readonly unknown[];

/** A list that the service answers whole, as a bare array. */
export const wholeList = async (
  operation: OperationId,
  call: CallInput,
  view: View,
  deps: Deps,
  shown: RecordsOf = (record) => [record],
): Promise<Result> => {
  if (deps.globals.dryRun) return previewCall(operation, call, deps);
  const { text } = await (await deps.client('read')).call(operation, call);
  const records = (parseExact(text) as unknown[]).flatMap(shown);
  return { kind: 'list', pages: pageOf(records.map(receivedOf)), view };
};
