import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { run as remove } from './remove.ts';

/** Removes the profile that a call would use now: there is no profile without a key. */
export const run = async (_input: unknown, deps: Deps): Promise<Result> => {
  const room = await deps.profiles();
  const { name } = room.show(room.chosen(deps.globals).name);
  const result = await remove({ name }, deps);
  if (deps.io.env['PAYCLI_SECRET_KEY'] !== undefined) {
    await deps.notice('PAYCLI_SECRET_KEY is still set: paycli keeps using that key');
  }
  return result;
};
