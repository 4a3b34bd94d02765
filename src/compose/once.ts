import type { Deps } from '../commands/deps.ts';
import { kindWord } from '../core/effect.ts';
import { isGuarded } from '../core/origin.ts';
import { placeWords } from '../core/place-words.ts';

type Needs = Pick<Deps, 'io' | 'globals' | 'client' | 'confirm' | 'protocol' | 'ledger' | 'place' | 'notice'>;

/** Sends one request that must not be made twice: checked, asked about, and under the ledger's protocol (see `Deps.once`). */
export const onceWith =
  ({ io, globals, ...deps }: Needs): Deps['once'] =>
  async (called, input, { about, question, typed, saying, once = false, again = false, failure }) => {
    const client = await deps.client('write');
    // What is refused here and now leaves no trace in the ledger.
    const checked = client.check(called, input);
    const place = await deps.place();
    if (question !== undefined) await deps.confirm(question, 'refuse', isGuarded(place.origin) ? typed : undefined);
    else if (saying !== undefined && io.stderr.isTerminal) await deps.notice(saying);
    const [protocol, ledger] = [await deps.protocol(), await deps.ledger()];
    const sending = { place, bound: client.longestWrite, attempt: client.longestAttempt, words: placeWords(globals) };
    const { record, unrecorded } = await protocol.makeOnce(
      ledger,
      { ...sending, ...checked, about, once, again, isFailed: (value) => failure?.(value) !== undefined },
      {
        now: io.clock.now,
        clean: (text) => io.redactor.cleanAll(text),
        elsewhere: ({ id: earlier, kind, origin }) =>
          deps.notice(
            `${about} has an earlier ${kindWord(kind)} at ${origin} (${earlier}), which may have gone through.`,
          ),
        send: (overdue) => client.call(called, { ...input, overdue }),
      },
    );
    return { record, wrote: true, ...(unrecorded === undefined ? {} : { failure: unrecorded }) };
  };
