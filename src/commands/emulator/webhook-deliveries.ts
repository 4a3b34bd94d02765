import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { onePage } from '../one-page.ts';
import { dataFile } from './data-file.ts';
import { deliveryView } from './view.ts';

interface Tried {
  readonly attempts: readonly { readonly status: number | null; readonly error: string | null }[];
}

/** What a table says of it: how its last try ended. */
const withLast = <T extends Tried>(delivery: T) => {
  const last = delivery.attempts.at(-1);
  return { ...delivery, status: last?.status ?? null, error: last?.error ?? null };
};

/** What the emulator has told, or is to tell; sends one again. */
export const run = async (
  { replay, max = 50, data }: { readonly replay?: number; readonly max?: number; readonly data?: string },
  deps: Deps,
): Promise<Result> => {
  const file = await dataFile(data, deps);
  const { webhooks } = await deps.emulator();
  const found =
    replay === undefined
      ? await webhooks.deliveries({ file, count: max })
      : [await webhooks.replay({ file, id: replay })];
  return { kind: 'list', pages: onePage(found.map(withLast)), view: deliveryView };
};
