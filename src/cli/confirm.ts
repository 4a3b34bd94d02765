import { declinedError, usageError } from '../core/error.ts';
import { askText, canAsk, codeWord, type Terminals } from '../core/input.ts';
import type { Io } from '../core/io.ts';
import { visible } from '../core/text.ts';
import type { Globals } from './globals.ts';

/**
 * Asks a person on a terminal before money moves or stored data is lost; --yes answers it. Each text is one line of the
 * question, so that a name in one line can't pass for another line. `unasked` decides for runs that can't ask: go ahead
 * (scripts), or refuse; with `only a person`, not even --yes answers the question. `typed` is a name or an amount to
 * type in full instead of "yes" before a grave action, so that it has been read. Throws `interrupted` unless the answer
 * is yes, and a usage error when nobody can be asked.
 */
export type Confirm = (
  question: readonly string[],
  unasked: 'go ahead' | 'refuse' | 'only a person',
  typed?: string,
) => Promise<void>;

export const confirmer =
  (io: Terminals & Pick<Io, 'stdin'>, { yes, input }: Pick<Globals, 'yes' | 'input'>): Confirm =>
  async (lines, unasked, typed) => {
    const asks = canAsk(io, { input });
    if ((yes && unasked !== 'only a person') || (unasked === 'go ahead' && input && !asks)) return;
    // Question lines may contain text from a service, a file or a path.
    const question = lines.map(visible).join('\n');
    if (!asks) {
      throw usageError(`needs a yes, and there is no terminal to ask on: ${question}`, {
        hint: 'add --yes; nothing was changed',
      });
    }
    const wanted = typed === undefined ? undefined : visible(typed);
    const asking = wanted === undefined ? `${question} [y/N] ` : `${question}\nType ${wanted} to confirm: `;
    const answer = await askText(io.stdin, asking);
    const isConfirmed = wanted === undefined ? /^y(?:es)?$/i.test(answer) : codeWord(answer) === codeWord(wanted);
    if (!isConfirmed) throw declinedError();
  };
