import { usageError } from '../../core/error.ts';
import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { edit } from './edit.ts';
import type { ReplayInput } from './events-spec.ts';
import { findEvent, withQueue } from './find.ts';
import { replayedView } from './view.ts';

/** Sends an event once more. */
export const run = async ({ uid, to, allowRemote, edit: edits, secrets }: ReplayInput, deps: Deps): Promise<Result> => {
  const room = await deps.webhooks();
  const [event, last] = await withQueue(deps, (queue) => [findEvent(queue, uid), queue.setting('target')] as const);
  const text = to ?? last;
  if (text === undefined) throw usageError('--to is required: nothing was forwarded from here yet');
  const target = room.checkTarget(text, '--to', allowRemote);
  const edited = edits
    ? { body: await edit(event.body, deps.io), secrets: await deps.webhookSecrets(secrets) }
    : undefined;
  const answer = await room.replay(event, target, edited, deps.io.signals.stop);
  return { kind: 'record', record: madeHere({ uid, event: event.event, to: target.href, answer }), view: replayedView };
};
