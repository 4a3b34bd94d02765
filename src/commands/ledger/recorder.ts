import type { Received } from '../../core/received.ts';
import type { Entry } from '../../ledger/ledger.ts';
import type { Deps } from '../deps.ts';
import { recordOf } from './view.ts';

type Needs = Pick<Deps, 'ledger' | 'protocol'>;

/** What makes a row of output of an entry, with what has become of the money of a charge by now. */
export type Recorder = (entry: Entry) => Received;

export const recorderOf = async (deps: Needs): Promise<Recorder> => {
  const [ledger, { paymentOf }] = [await deps.ledger(), await deps.protocol()];
  return (entry) => recordOf(entry, paymentOf(entry, ledger.moment()));
};
