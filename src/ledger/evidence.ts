import { utcAtom } from '../core/time.ts';
import type { Evidence } from './entry.ts';

/** The first ones tell how it began, the last ones how it stands; what was seen in between is dropped beyond this many. */
const MOST = 30;
const FIRST_KEPT = 10;

/** The list with one more at its end. */
export const withEvidence = (list: readonly Evidence[], added: Evidence | undefined): readonly Evidence[] => {
  if (added === undefined) return list;
  const longer = [...list, added];
  // Where there is room, the count to be dropped is negative, which is none.
  return longer.toSpliced(FIRST_KEPT, longer.length - MOST);
};

/** Something seen at a moment, in milliseconds. */
export const evidenceOf = (kind: string, at: number, what: Readonly<Record<string, unknown>>): Evidence => ({
  kind,
  at: utcAtom(at),
  ...what,
});
