import type { CallInput } from '../client/client.ts';
import type { OperationId } from '../contract/operations.ts';
import { placeWords } from '../core/place-words.ts';
import type { Result, View } from '../core/result.ts';
import type { Deps } from './deps.ts';

export type MakeNeeds = Pick<Deps, 'io' | 'globals' | 'client' | 'ledger' | 'place' | 'protocol' | 'notice'>;

/** Something new to be made at the service, which each sending makes once more. */
export interface Making {
  readonly operation: OperationId;
  readonly call: CallInput;
  readonly view: View;
  /** What it is about: while one of these is unknown, no other is sent. */
  readonly about: string;
  /** One that was made stands in the way of another, unless `again`. */
  readonly once: boolean;
  readonly again: boolean;
  /** Said on a terminal before it is sent. */
  readonly saying: string;
}

/** Makes it under the ledger, so that it is never made twice by chance (charge-protocol, The order of things). */
export const makeRecord = async (making: Making, deps: MakeNeeds): Promise<Result> => {
  const { operation, call, view, about, once, again } = making;
  const { clock, redactor, stderr } = deps.io;
  const client = await deps.client('write');
  const { path, body, effect } = client.check(operation, call);
  const [protocol, ledger, place] = [await deps.protocol(), await deps.ledger(), await deps.place()];
  if (stderr.isTerminal) await deps.notice(making.saying);
  const made = await protocol.makeOnce(
    ledger,
    {
      ...{ place, effect, about, path, body, once, again },
      ...{ bound: client.longestWrite, attempt: client.longestAttempt, words: placeWords(deps.globals) },
    },
    {
      now: clock.now,
      clean: (text) => redactor.cleanAll(text),
      send: (overdue) => client.call(operation, { ...call, overdue }),
    },
  );
  const { record, unrecorded } = made;
  return { kind: 'record', record, view, wrote: true, ...(unrecorded === undefined ? {} : { failure: unrecorded }) };
};
