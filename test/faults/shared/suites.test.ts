import { describe, expect, it } from 'vitest';
import { newFolder } from '../../support/program.ts';
import { figure } from '../torture.ts';
import { SUITES } from './suites.ts';

const LONGEST_MS = 120_000;

// `npm run torture -- shared` runs them in full.
describe.skipIf(process.platform === 'win32')('a shared ledger, in a sample', () => {
  it.each(Object.entries(SUITES))(
    'keeps its promises under %s',
    async (_name, suite) => {
      const { figures, failures } = await suite({ short: true, folder: newFolder('shared'), say: () => undefined });
      expect(failures).toEqual([]);
      for (const { name, value, unit } of figures) figure(`shared, in a sample: ${name}`, value, unit);
    },
    LONGEST_MS,
  );
});
