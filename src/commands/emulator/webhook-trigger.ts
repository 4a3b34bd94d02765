import type { EventName } from '../../core/event.ts';
import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { dataFile } from './data-file.ts';
import { triggeredView } from './view.ts';

/** Has the emulator tell an event that did not happen. */
export const run = async (
  {
    event,
    ugwo,
    data,
  }: { readonly event: EventName; readonly ugwo: string | undefined; readonly data: string | undefined },
  deps: Deps,
): Promise<Result> => {
  const file = await dataFile(data, deps);
  const { webhooks } = await deps.emulator();
  const told = await webhooks.trigger({ file, clock: deps.io.clock, event, ugwo });
  const notice = 'A running `paycli emulator start` sends it.';
  return { kind: 'record', record: madeHere(told), view: triggeredView, notice };
};
