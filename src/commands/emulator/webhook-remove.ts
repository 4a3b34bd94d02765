import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { dataFile } from './data-file.ts';
import { webhookView } from './view.ts';

/** Has the emulator send no more events to a URL. */
export const run = async (
  { id, data }: { readonly id: number; readonly data: string | undefined },
  deps: Deps,
): Promise<Result> => {
  const file = await dataFile(data, deps);
  const { webhooks } = await deps.emulator();
  return { kind: 'record', record: madeHere(await webhooks.remove({ file, id })), view: webhookView };
};
