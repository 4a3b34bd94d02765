import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { onePage } from '../one-page.ts';
import { dataFile } from './data-file.ts';
import { webhookView } from './view.ts';

/** Where the emulator sends its events. */
export const run = async ({ data }: { readonly data?: string }, deps: Deps): Promise<Result> => {
  const file = await dataFile(data, deps);
  const { webhooks } = await deps.emulator();
  return { kind: 'list', pages: onePage(await webhooks.list({ file })), view: webhookView };
};
