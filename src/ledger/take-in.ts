import type { Backend, EmergencyLine } from './backend.ts';
import type { Entry, Evidence, UptimeMark } from './entry.ts';
import { isTaken, reopens } from './outcome.ts';
import { changesState, latest } from './precedence.ts';
import { changed, withMore } from './transitions.ts';

/** An older paycli called the moment otherwise. */
type OldLine = EmergencyLine & { readonly settled_at?: number };

const asLine = ({ settled_at: old, ...line }: OldLine): EmergencyLine => ({
  ...line,
  recorded_at: line.recorded_at ?? old ?? 0,
});

/** The line as something that was seen of its charge. */
const asEvidence = ({ evidence, ...line }: EmergencyLine): Evidence => ({
  kind: 'emergency_line',
  at: evidence?.at ?? new Date(line.recorded_at).toISOString(),
  ...evidence,
  line,
});

const isKnown = (charge: Entry, { recorded_at: recordedAt }: EmergencyLine): boolean =>
  charge.evidence.some(({ line }) => (line as Partial<EmergencyLine> | undefined)?.recorded_at === recordedAt);

/** When a line was written is known by the machine's clock alone. */
const UNMARKED: UptimeMark = { boot: '', uptime: 0 };

/** A charge after a line about it: the line is what the service said, so it holds whatever was concluded without it. */
const after = (charge: Entry, line: EmergencyLine, standing: readonly Entry[]): Entry => {
  if (isKnown(charge, line)) return charge;
  const seen = withMore(charge, asEvidence(line));
  if (!changesState(charge, line) || (reopens(charge, line) && isTaken(charge, standing))) return seen;
  const { state, exitCode, activity } = line;
  const moment = { at: line.recorded_at, mark: UNMARKED };
  const known = activity && latest(charge.activity, activity);
  return changed(seen, { state, exitCode, activity: known, moment, took: charge.took, evidence: seen.evidence });
};

/** Takes in what processes could not write into the ledger itself, each line once. Gives the charges that it knows. */
export const takeIn = async (backend: Backend, given: readonly EmergencyLine[]): Promise<ReadonlySet<string>> => {
  const lines = given.map(asLine);
  if (lines.length === 0) return new Set();
  const doubts = lines.filter(({ state }) => state === 'unknown').map(({ ugwo, about = ugwo }) => about ?? '');
  const about = [
    ...lines.map(({ ledger_id: id }) => ({ id })),
    // Only a doubt can open a charge again.
    ...[...new Set(doubts)].map((thing) => ({ standing: thing })),
  ];
  return backend.change('note', about, (found) => {
    const charges = new Map(
      found
        .slice(0, lines.length)
        .flat()
        .map((charge) => [charge.id, charge]),
    );
    const standing = found.slice(lines.length).flat();
    const before = new Set(charges.values());
    for (const line of lines) {
      const charge = charges.get(line.ledger_id);
      if (charge !== undefined) charges.set(charge.id, after(charge, line, standing));
    }
    const write = [...charges.values()].filter((charge) => !before.has(charge));
    return { write, result: new Set(charges.keys()) };
  });
};
