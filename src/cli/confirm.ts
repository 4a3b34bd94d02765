import { declined, usageError } from '../core/error.ts';
import { ask, canAsk, plain, type Terminals } from '../core/input.ts';
import type { Io } from '../core/io.ts';
import { visible } from '../core/text.ts';
import type { Globals } from './globals.ts';

/**
 * Asks on a terminal before something that is kept is lost; --yes answers it. Each text is a line of the question: what is
 * named in one can't pass for another. `unasked` is what happens where nobody can be asked: scripts go ahead, or are
 * refused. `typed` is what has to be typed in full in place of a yes, before something grave: a name or an amount, so that
 * it has been read. Throws `interrupted` unless the answer is yes, and a usage error where nobody can be asked.
 */
export type Confirm = (question: readonly string[], unasked: 'go ahead' | 'refuse', typed?: string) => Promise<void>;

const isYes = (answer: string): boolean => /^y(?:es)?$/i.test(answer);

/** The one way to ask for a yes. */
export const confirmer =
  (io: Terminals & Pick<Io, 'stdin'>, { yes, input }: Pick<Globals, 'yes' | 'input'>): Confirm =>
  async (lines, unasked, typed) => {
    const asks = canAsk(io, { input });
    if (yes || (unasked === 'go ahead' && input && !asks)) return;
    // A question may name what a service, a file or a path holds.
    const question = lines.map(visible).join('\n');
    if (!asks) {
      throw usageError(`needs confirmation, and there is no terminal: ${question}`, {
        hint: 'add --yes; nothing was changed',
      });
    }
    const wanted = typed === undefined ? undefined : visible(typed);
    const asking = wanted === undefined ? `${question} [y/N] ` : `${question}\nType ${wanted} to confirm: `;
    const answer = await ask(io.stdin, asking);
    const isConfirmed = wanted === undefined ? isYes(answer) : plain(answer) === plain(wanted);
    if (!isConfirmed) throw declined();
  };
