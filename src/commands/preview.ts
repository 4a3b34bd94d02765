import type { Called, CallInput } from '../client/client.ts';
import type { Result } from '../core/result.ts';
import type { Deps } from './deps.ts';

/** The request that --dry-run or --as-curl shows in place of sending it. */
export const previewCall = async (operation: Called, call: CallInput, deps: Deps): Promise<Result> =>
  deps.preview((await deps.client('preview')).preview(operation, call));
