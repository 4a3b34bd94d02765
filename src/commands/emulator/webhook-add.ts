import { resolve } from 'node:path';
import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { dataFile } from './data-file.ts';
import { webhookView } from './view.ts';
import type { AddInput } from './webhook-spec.ts';

const NONE = { files: [], commands: [] };

const signingOf = async (signing: AddInput['signing'], deps: Deps) => {
  if (signing === 'unsigned') return signing;
  if ('secretOut' in signing) return { file: resolve(signing.secretOut) };
  const { all } = await deps.webhookSecrets({ main: { files: [signing.secretFile], commands: [] }, sandbox: NONE });
  return { secret: all[0] ?? '' };
};

/** Has the emulator send its events to a URL. */
export const run = async ({ url, events, signing, allowRemote, data }: AddInput, deps: Deps): Promise<Result> => {
  const file = await dataFile(data, deps);
  const signed = await signingOf(signing, deps);
  const emulator = await deps.emulator();
  const webhook = await emulator.webhooks.add({ file, url, events, allowRemote, signing: signed });
  if (signing !== 'unsigned' && 'secretOut' in signing) {
    await deps.notice(`The secret is in ${signing.secretOut}. Give it to your receiver: --secret-file there, too.`);
  }
  return { kind: 'record', record: madeHere(webhook), view: webhookView };
};
