import { type Entry, evidenceOf, type Sender } from './entry.ts';
import type { Ledger } from './ledger.ts';

/** Kinds of evidence about the message to a charge's customer, of which the last one counts, and their word in a report. */
const SHARINGS = { sharing: 'sharing', shared: 'yes', not_shared: 'no', share_unknown: 'unknown' } as const;

/** State of the message to a charge's customer. `why`: a person has to look. */
export interface Shared {
  readonly shared: (typeof SHARINGS)[keyof typeof SHARINGS];
  readonly why?: string;
}

/** A claim of a process that has ended may have been the end of it: then nobody knows if the message went out. */
export const sharedOf = ({ evidence }: Entry, { hasEnded, moment }: Ledger): Shared => {
  const last = evidence.findLast(({ kind }) => Object.hasOwn(SHARINGS, kind));
  if (last === undefined) return { shared: 'no' };
  const { kind, at, message: why, sender, deadline = 0 } = last as Claim;
  if (sender !== undefined && hasEnded(sender, moment().at > deadline)) {
    return { shared: 'unknown', why: `the run that shared it was ended at ${at}` };
  }
  return { shared: SHARINGS[kind], ...(why === undefined ? {} : { why }) };
};

interface Claim {
  readonly kind: keyof typeof SHARINGS;
  readonly at: string;
  readonly message?: string;
  /** Process that shares it, and the moment by which it has done so. */
  readonly sender?: Sender;
  readonly deadline?: number;
}

/** Claims the message about a charge for this process, for so many milliseconds; false if it went out or may have. */
export const claimSharing = (ledger: Ledger, id: string, ms: number): Promise<boolean> => {
  const { at } = ledger.moment();
  const claim = evidenceOf('sharing', at, { sender: ledger.self, deadline: at + ms });
  return ledger.note(id, claim, (entry) => sharedOf(entry, ledger).shared === 'no');
};

/** Stores what came of a message, with the reason if it was not shared. */
export const noteSharing = (
  ledger: Ledger,
  id: string,
  kind: Exclude<keyof typeof SHARINGS, 'sharing'>,
  message?: string,
): Promise<boolean> => ledger.note(id, evidenceOf(kind, ledger.moment().at, message === undefined ? {} : { message }));
