import type { Backend, Query } from './backend.ts';
import type { Charge, Sender } from './ledger.ts';
import { lost } from './transitions.ts';

type World = Pick<Backend, 'isGone' | 'moment'>;

/** Whether the process died that was sending a charge or an update. */
export const isLost = (
  { state, sender, deadline }: { readonly state: string; readonly sender: Sender; readonly deadline: number },
  { isGone, moment }: World,
): boolean => state === 'sending' && isGone(sender, moment().at > deadline);

/** A charge as it stands: unknown, where its process died while it was sending. */
export const asItStands = (charge: Charge, world: World): Charge =>
  isLost(charge, world) ? lost(charge, world.moment()) : charge;

const SENDING = { states: ['sending'] } as const;

/** Writes so of all charges that are being sent, where one is lost. */
export const sweep = async (backend: Backend): Promise<void> => {
  const sending = await backend.read(SENDING);
  if (!sending.some((charge) => isLost(charge, backend))) return;
  await backend.change('note', [SENDING], (found = []) => {
    const write = found.filter((charge) => isLost(charge, backend)).map((charge) => lost(charge, backend.moment()));
    return { write, result: undefined };
  });
};

/** Reads charges as they stand: those of dead processes are swept up first. */
export const readSwept = async (backend: Backend, query: Query): Promise<readonly Charge[]> => {
  await sweep(backend);
  return backend.read(query);
};
