import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { scriptFor } from './script.ts';
import type { Shell } from './shells-shared.ts';

/** Prints the script of a shell. */
export const run = async ({ shell }: { readonly shell: Shell }, deps: Deps): Promise<Result> => ({
  kind: 'text',
  text: scriptFor(shell, await deps.tree()).trimEnd(),
});
