import { PayError, usageError } from '../core/error.ts';
import { signatureOf } from '../core/signature.ts';
import { isSandbox, type Secrets, SIGNATURE_HEADER } from './genuine.ts';
import { passedOn } from './headers.ts';
import type { Headers, KeptEvent } from './kept.ts';
import { isTaken, post, postedWord } from './post.ts';

/** The headers for another body, signed anew with the newest secret. */
const signedAnew = ({ uid, headers }: KeptEvent, body: Uint8Array, { all, sandbox }: Secrets): Headers => {
  const [secret] = isSandbox(uid) && sandbox.length > 0 ? sandbox : all;
  if (secret === undefined) throw usageError('a body that was edited needs the secret to be signed with');
  return headers.map(([name, value]) =>
    name.toLowerCase() === SIGNATURE_HEADER ? [name, signatureOf(secret, body)] : [name, value],
  );
};

/** Sends a kept event once, byte for byte, or another body in its place. Gives the status of the answer, which is 2xx. */
export const replay = async (
  event: KeptEvent,
  target: URL,
  edited: { readonly body: Uint8Array; readonly secrets: Secrets } | undefined,
  stop: AbortSignal,
): Promise<string> => {
  const headers = edited === undefined ? event.headers : signedAnew(event, edited.body, edited.secrets);
  const posted = await post(target, passedOn(headers), edited?.body ?? event.body, stop);
  const word = postedWord(posted);
  if (isTaken(posted)) return word;
  if (posted.kind === 'answered') {
    throw new PayError('rejected', `${target.href} answered ${word}`, { hint: 'it was sent as it was kept' });
  }
  if (posted.kind === 'failed' && !posted.reached) {
    throw new PayError('not_sent', `${target.href} can't be reached: ${word}`, {
      hint: 'start it, then run this again',
    });
  }
  throw new PayError('read_failed', `${target.href} gave no answer: ${word}`, { hint: 'it may have got the event' });
};
