import { existsSync } from 'node:fs';
import { readNextAction } from '../core/charge.ts';
import { MINUTE_MS } from '../core/time.ts';
import { type Entry, evidenceOf, type Sender } from './entry.ts';
import type { Ledger } from './ledger.ts';
import { bootOf } from './sender.ts';
import { asActivity } from './snapshot.ts';

/** Kinds of evidence about a charge's message, and the word for each in a report. The last evidence counts. */
const SHARINGS = {
  to_share: 'no',
  sharing: 'sharing',
  shared: 'yes',
  not_shared: 'no',
  share_unknown: 'unknown',
} as const;
type Kind = keyof typeof SHARINGS;

/** The reason for which nothing was sent; `lacks`: a placeholder that the charge has no value for. */
export interface Unsent {
  readonly why: string;
  readonly lacks?: string;
}

/** State of the message to a charge's customer. `why`: the reason why a person has to look. */
export interface Shared extends Partial<Unsent> {
  readonly shared: (typeof SHARINGS)[Kind];
}

/** Longest time to share a message: the limit of the program, and a minute to end it. */
const LONGEST_MS = 6 * MINUTE_MS;

/** Evidence about a message. `unstarted`: a file that a process removes just before it starts the program. */
interface Sharing extends Pick<Unsent, 'lacks'> {
  readonly sender?: Sender;
  readonly deadline?: number;
  readonly unstarted?: string;
}

/** True if the process has certainly ended. The removal of a file may be undone when the machine stops. */
const isGone = (sender: Sender, { hasEnded, moment }: Ledger): boolean =>
  bootOf(sender) !== '' && bootOf(sender) === moment().mark.boot && hasEnded(sender, false);

const NOT_STARTED = 'the run was ended before its program was started';

/**
 * If the process that has claimed a message ended meanwhile, nobody knows if it was shared, unless the program was
 * certainly not started.
 */
export const sharedOf = ({ evidence, ...entry }: Entry, ledger: Ledger): Shared => {
  const last = evidence.findLast(({ kind }) => Object.hasOwn(SHARINGS, kind));
  if (last === undefined) return { shared: 'no' };
  const { at, message: why, lacks, sender, deadline = 0, unstarted } = last as Sharing & typeof last;
  if (last.kind === 'to_share') {
    const asks = entry.activity !== undefined && readNextAction(asActivity(entry.activity)) !== undefined;
    const isLeft = ledger.hasEnded(entry.sender, ledger.moment().at > entry.deadline + LONGEST_MS);
    return { shared: 'no', ...(asks && isLeft && { why: NOT_STARTED }) };
  }
  if (sender !== undefined && ledger.hasEnded(sender, ledger.moment().at > deadline)) {
    return unstarted !== undefined && isGone(sender, ledger) && existsSync(unstarted)
      ? { shared: 'no', why: NOT_STARTED }
      : { shared: 'unknown', why: `the run that shared it was ended at ${at}` };
  }
  return { shared: SHARINGS[last.kind as Kind], ...(typeof why === 'string' && { why }), ...(lacks && { lacks }) };
};

const isFree = (entry: Entry, ledger: Ledger): boolean => sharedOf(entry, ledger).shared === 'no';

/** Claims a message for this process; false if it was shared, or may have been. */
export const claimSharing = (ledger: Ledger, id: string, unstarted: string): Promise<boolean> => {
  const { at } = ledger.moment();
  const claim = evidenceOf('sharing', at, { sender: ledger.self, deadline: at + LONGEST_MS, unstarted });
  return ledger.note(id, claim, (entry) => isFree(entry, ledger));
};

/** Stores why no program was started, unless another process has claimed the message meanwhile. */
export const noteUnshared = (ledger: Ledger, id: string, { why, lacks }: Unsent): Promise<boolean> => {
  const evidence = evidenceOf('not_shared', ledger.moment().at, { message: why, lacks });
  return ledger.note(id, evidence, (entry) => isFree(entry, ledger));
};

/** Stores the result of sharing a message. A program that was killed may have sent it before. */
export const noteSharing = (
  ledger: Ledger,
  id: string,
  failure: { readonly why: string; readonly isKilled?: boolean } | undefined,
): Promise<boolean> => {
  const kind = failure === undefined ? 'shared' : failure.isKilled ? 'share_unknown' : 'not_shared';
  return ledger.note(id, evidenceOf(kind, ledger.moment().at, { message: failure?.why }));
};
