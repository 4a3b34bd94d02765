import type { Backend, Query } from '../../../src/ledger/backend.ts';
import type { Entry } from '../../../src/ledger/entry.ts';
import { MINUTE, momentAt, NOON, SELF } from './charges.ts';
import { memoryBackend, memoryStore } from './memory-backend.ts';

interface Change {
  readonly purpose: string;
  readonly about: readonly Query[];
  readonly write: readonly Entry[];
}

/** A minute past noon. */
export const NOW = momentAt(NOON + MINUTE);

/** A backend in memory that records its queries and changes; processes die only if `hasEnded` says so. */
export const watched = (first: readonly Entry[], hasEnded: Backend['hasEnded'] = () => false) => {
  const store = memoryStore(first);
  const backend = memoryBackend({ moment: () => NOW, self: SELF, hasEnded: hasEnded }, store);
  const [reads, changes]: [Query[], Change[]] = [[], []];
  const read: Backend['read'] = (query) => {
    reads.push(query);
    return backend.read(query);
  };
  const change: Backend['change'] = (purpose, about, decide) =>
    backend.change(purpose, about, (found) => {
      const decision = decide(found);
      changes.push({ purpose, about, write: decision.write ?? [] });
      return decision;
    });
  return { backend: { ...backend, read, change }, reads, changes, get: (id: string) => store.charges.get(id) };
};
