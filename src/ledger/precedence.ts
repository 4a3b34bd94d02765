import { standingOf } from '../core/charge.ts';
import type { Entry, Evidence, KeptActivity, Outcome } from './entry.ts';
import { evidenceOf } from './evidence.ts';

/** What can decide how a charge stands, in the order of the evidence. */
export const DECISIVE: readonly string[] = ['resolved', 'answer', 'emergency_line'];

/** Whether the last word on a charge is a person's. */
export const wasResolved = ({ evidence }: Pick<Entry, 'evidence'>): boolean =>
  evidence.findLast(({ kind }) => DECISIVE.includes(kind))?.kind === 'resolved';

/**
 * Whether what a process says of its own charge changes a row that others may have resolved meanwhile: that the service
 * accepted it always does, and a doubt counts for more than a "not created" that nobody should have said so soon.
 */
export const changesState = ({ state }: Entry, said: Pick<Outcome, 'state'>): boolean =>
  state === 'sending' ||
  state === 'unknown' ||
  said.state === 'accepted' ||
  (state === 'not_created' && said.state === 'unknown');

/** An answer or a read may be older than what is known: what was paid stays paid. */
export const latest = (known: KeptActivity | undefined, told: KeptActivity): KeptActivity => {
  const isOlder = known?.uid === told.uid && standingOf(known.status) === 'paid' && standingOf(told.status) !== 'paid';
  return isOlder ? { ...told, status: known.status } : told;
};

/** The word of a process that came when its charge was not its own any more: it must be seen in the evidence. */
export const lateWord = ({ state }: Entry, { evidence }: Outcome, at: number): Evidence | undefined =>
  evidence ?? (state === 'sending' ? undefined : evidenceOf('answer', at, { message: 'the answer came after all' }));
