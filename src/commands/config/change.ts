import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { get, list, set } from './settings.ts';
import type { ConfigInput } from './spec.ts';

/** Shows or changes what a profile has settled. */
export const run = async (input: ConfigInput, deps: Deps): Promise<Result> => {
  if (input.what === 'list') return list(deps);
  if (input.what === 'get') return get(input.name, deps);
  return set(input.name, input.what === 'set' ? input.value : undefined, deps);
};
