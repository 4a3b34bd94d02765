import { resolve } from 'node:path';
import type { EventName } from '../../core/event.ts';
import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { onePage } from '../one-page.ts';
import { opened } from './opened.ts';
import { deliveryView, triggeredView, webhookView } from './view.ts';
import type { AddInput } from './webhook-spec.ts';

const NONE = { files: [], commands: [] };

const signingOf = async (signing: AddInput['signing'], deps: Deps) => {
  if (signing === 'unsigned') return signing;
  if ('secretOut' in signing) return { file: resolve(signing.secretOut) };
  const { all } = await deps.webhookSecrets({ main: { files: [signing.secretFile], commands: [] }, sandbox: NONE });
  return { secret: all[0] ?? '' };
};

/** Has the emulator send its events to a URL. */
export const add = async ({ url, events, signing, allowRemote, data }: AddInput, deps: Deps): Promise<Result> => {
  const { file, emulator } = await opened(data, deps);
  const signed = await signingOf(signing, deps);
  const webhook = await emulator.webhooks.add({ file, url, events, allowRemote, signing: signed });
  if (signing !== 'unsigned' && 'secretOut' in signing) {
    await deps.notice(`The secret is in ${signing.secretOut}. Give it to your receiver: --secret-file there, too.`);
  }
  return { kind: 'record', record: madeHere(webhook), view: webhookView };
};

/** Where the emulator sends its events. */
export const list = async ({ data }: { readonly data?: string }, deps: Deps): Promise<Result> => {
  const { file, emulator } = await opened(data, deps);
  return { kind: 'list', pages: onePage(await emulator.webhooks.list({ file })), view: webhookView };
};

/** Has the emulator send no more events to a URL. */
export const remove = async (
  { id, data }: { readonly id: number; readonly data: string | undefined },
  deps: Deps,
): Promise<Result> => {
  const { file, emulator } = await opened(data, deps);
  return { kind: 'record', record: madeHere(await emulator.webhooks.remove({ file, id })), view: webhookView };
};

/** Has the emulator tell an event that did not happen. */
export const trigger = async (
  input: { readonly event: EventName; readonly ugwo: string | undefined; readonly data: string | undefined },
  deps: Deps,
): Promise<Result> => {
  const { event, ugwo, data } = input;
  const { file, emulator, clock } = await opened(data, deps);
  const told = await emulator.webhooks.trigger({ file, clock, event, ugwo });
  const notice = 'A running `paycli emulator start` sends it.';
  return { kind: 'record', record: madeHere(told), view: triggeredView, notice };
};

interface Tried {
  readonly attempts: readonly { readonly status: number | null; readonly error: string | null }[];
}

/** What a table says of it: how its last try ended. */
const withLast = <T extends Tried>(delivery: T) => {
  const last = delivery.attempts.at(-1);
  return { ...delivery, status: last?.status ?? null, error: last?.error ?? null };
};

/** What the emulator has told, or is to tell; sends one again. */
export const deliveries = async (
  { replay, max = 50, data }: { readonly replay?: number; readonly max?: number; readonly data?: string },
  deps: Deps,
): Promise<Result> => {
  const { file, emulator } = await opened(data, deps);
  const found =
    replay === undefined
      ? await emulator.webhooks.deliveries({ file, count: max })
      : [await emulator.webhooks.replay({ file, id: replay })];
  return { kind: 'list', pages: onePage(found.map(withLast)), view: deliveryView };
};
