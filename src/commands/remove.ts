import type { OperationId } from '../contract/operations.ts';
import type { Thing } from '../contract/proof.ts';
import { isGuarded } from '../core/origin.ts';
import type { Result, View } from '../core/result.ts';
import type { Deps } from './deps.ts';
import { previewCall } from './preview.ts';

/** Something that is lost for good: what it is called with, and how a person is asked. */
export interface Removal {
  readonly read: OperationId;
  readonly remove: OperationId;
  readonly uid: string;
  readonly view: View;
  /** The lines of the question, by what the service shows now; throws where it can't be removed. */
  readonly question: (thing: Thing) => readonly string[];
  /** What is typed in full where it is no practice: its name, or its amount. */
  readonly typed: (thing: Thing) => string;
  readonly done: string;
}

/** Shows what will be lost, asks, and removes it. */
export const removeRecord = async (
  { read, remove, uid, view, question, typed, done }: Removal,
  deps: Deps,
): Promise<Result> => {
  const call = { params: { uid } };
  if (deps.globals.dryRun) return previewCall(remove, call, deps);
  const client = await deps.client('write');
  const { value } = await client.call(read, call);
  const { origin } = await deps.place();
  await deps.confirm(question(value as Thing), 'refuse', isGuarded(origin) ? typed(value as Thing) : undefined);
  return { kind: 'record', record: await client.call(remove, call), view, wrote: true, notice: done };
};
