import type { Received } from '../../core/received.ts';
import type { Charge } from '../../ledger/ledger.ts';
import type { Deps } from '../deps.ts';
import { recordOf } from './view.ts';

type Needs = Pick<Deps, 'ledger' | 'protocol'>;

/** What makes a row of output of a charge, with what has become of its money by now. */
export type Recorder = (charge: Charge) => Received;

export const recorderOf = async (deps: Needs): Promise<Recorder> => {
  const [ledger, { paymentOf }] = [await deps.ledger(), await deps.protocol()];
  return (charge) => recordOf(charge, paymentOf(charge, ledger.moment()));
};
