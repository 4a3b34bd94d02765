import { describe, expect, it } from 'vitest';
import { newFolder } from '../../support/program.ts';
import { hasFaketime } from '../clocks.ts';
import { mayMakeNamespaces } from '../namespaces.ts';
import { figure, full } from '../torture.ts';
import { SUITES } from './suites.ts';

const LONGEST_MS = 120_000;

/** What this machine lacks is left out of `npm test`, and fails `npm run torture`. */
const NEEDS: Readonly<Record<string, () => boolean>> = { clocks: hasFaketime, partitions: mayMakeNamespaces };
const suites = Object.entries(SUITES).filter(([name]) => full || NEEDS[name]?.() !== false);

// `npm run torture -- shared` runs them in full.
describe.skipIf(process.platform === 'win32')('a shared ledger, in a sample', () => {
  it.each(suites)(
    'keeps its promises under %s',
    async (_name, suite) => {
      const { figures, failures } = await suite({ short: true, folder: newFolder('shared'), say: () => undefined });
      expect(failures.join('\n')).toBe('');
      for (const { name, value, unit } of figures) figure(`shared, in a sample: ${name}`, value, unit);
    },
    LONGEST_MS,
  );
});
