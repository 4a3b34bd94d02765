import { wrong } from './bulk-bench.ts';
import { countBy } from './bulk-file.ts';
import type { ChargeEnd } from './charger.ts';
import type { Fate } from './counting.ts';

/** Executed, and the answer is lost. */
export const LOST: Fate = { makes: true, answer: 'reset' };

/** Processes that all charged the same payment requests, with a ledger in either database. */
export interface Race {
  readonly processes: number;
  readonly ugwos: readonly string[];
  readonly isLost: (ugwo: string) => boolean;
  readonly ends: readonly ChargeEnd[];
  /** The payment requests of the charges that came to the service. */
  readonly came: readonly string[];
  /** The outcomes in the ledger. */
  readonly outcomes: readonly { readonly about: string; readonly state: string }[];
}

/** The names that do not occur as often as expected. */
const unlike = (what: string, seen: readonly string[], expected: readonly string[]): string[] => {
  const [counts, due] = [countBy(seen), countBy(expected)];
  const names = [...new Set([...seen, ...expected])].filter((name) => counts[name] !== due[name]);
  return wrong(
    `${what} differ`,
    names.map((name) => `${name} (${counts[name] ?? 0}, not ${due[name] ?? 0})`),
  );
};

/**
 * The faults of a race: one process charged each payment request, once, and all others were refused, or gave up in time
 * because the machine had held them up.
 */
export const faultsOfRace = ({ processes, ugwos, isLost, ends, came, outcomes }: Race): string[] => {
  const stateOf = (ugwo: string): string => (isLost(ugwo) ? 'unknown' : 'accepted');
  const kinds = ends.map(({ kind }) => kind);
  const losers = ugwos.flatMap(() => Array.from({ length: processes - 1 }, () => 'refused'));
  const gaveUp = kinds.filter((kind) => kind === 'not_sent');
  return [
    ...unlike('ends', kinds, [...ugwos.map(stateOf), ...gaveUp, ...losers.slice(gaveUp.length)]),
    ...unlike('POSTs', came, ugwos),
    ...unlike(
      'outcomes',
      outcomes.filter(({ state }) => state !== 'not_sent').map(({ about, state }) => `${about} ${state}`),
      ugwos.map((ugwo) => `${ugwo} ${stateOf(ugwo)}`),
    ),
  ];
};
