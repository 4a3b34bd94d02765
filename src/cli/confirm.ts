import { usageError } from '../core/error.ts';
import type { Input } from '../core/io.ts';
import { visible } from '../core/sanitize.ts';
import type { Globals } from './globals.ts';

/**
 * Asks on a terminal before something that is kept is lost; --yes answers it. Each text is a line of the question: what is
 * named in one can't pass for another. `unasked` is what happens where nobody can be asked: scripts go ahead, or are
 * refused. Throws a usage error unless the answer is yes.
 */
export type Confirm = (question: readonly string[], unasked: 'go ahead' | 'refuse') => Promise<void>;

/** The one way to ask for a yes. */
export const confirmer =
  (stdin: Input, { yes, input }: Pick<Globals, 'yes' | 'input'>): Confirm =>
  async (lines, unasked) => {
    if (yes || (unasked === 'go ahead' && input && !stdin.isTerminal)) return;
    // A question may name what a service, a file or a path holds.
    const question = lines.map(visible).join('\n');
    if (!input || !stdin.isTerminal) {
      throw usageError(`needs confirmation, and there is no terminal: ${question}`, {
        hint: 'add --yes; nothing was changed',
      });
    }
    const answer = await stdin.line(`${question} [y/N] `, { hidden: false });
    if (!/^y(?:es)?$/i.test(answer?.trim() ?? '')) throw usageError('not confirmed; nothing was changed');
  };
