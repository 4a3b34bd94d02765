import type { Backend, Query } from './backend.ts';
import type { Entry, Sender } from './entry.ts';
import { lost } from './transitions.ts';

type World = Pick<Backend, 'isGone' | 'moment'>;

/** Whether the process died that was sending a charge or an update. */
export const isLost = (
  {
    state,
    sender,
    deadline,
    id,
  }: { readonly state: string; readonly sender: Sender; readonly deadline: number; readonly id?: string },
  { isGone, moment }: World,
): boolean => state === 'sending' && isGone(sender, moment().at > deadline, id);

/** A charge as it stands: unknown, where its process died while it was sending. */
export const asItStands = (charge: Entry, world: World): Entry =>
  isLost(charge, world) ? lost(charge, world.moment()) : charge;

/** Those of some charges whose process died, as they are to be written. */
export const lostAmong = (charges: readonly Entry[], world: World): Entry[] =>
  charges.filter((charge) => isLost(charge, world)).map((charge) => lost(charge, world.moment()));

const SENDING = { states: ['sending'] } as const;

/** Writes so of all charges that are being sent, where one is lost. */
export const sweep = async (backend: Backend): Promise<void> => {
  const sending = await backend.read(SENDING);
  if (!sending.some((charge) => isLost(charge, backend))) return;
  await backend.change('note', [SENDING], ([found = []]) => ({ write: lostAmong(found, backend), result: undefined }));
};

/** Reads charges as they stand: those of dead processes are swept up first. */
export const readSwept = async (backend: Backend, query: Query): Promise<readonly Entry[]> => {
  await sweep(backend);
  return backend.read(query);
};
