import { showHelp } from '../../src/cli/help/show.ts';
import { NOUNS } from '../../src/commands/all.ts';
import type { Output } from '../../src/core/io.ts';
import { SPECS } from './specs.ts';

/** The lines of a page of help on a terminal of this width, without colour. */
export const helpLines = async (wanted: Parameters<typeof showHelp>[0], columns: number): Promise<string[]> => {
  let text = '';
  const write = async (more: string | Uint8Array): Promise<void> => {
    text += String(more);
  };
  const stdout = { isTerminal: false, columns, write } as unknown as Output;
  const commands = { allSpecs: async () => SPECS, specsFor: async () => SPECS, nouns: NOUNS };
  await showHelp(wanted, { color: 'never' }, { stdout, env: { LANG: 'C.UTF-8' } }, commands);
  return text.replace(/\n$/, '').split('\n');
};
