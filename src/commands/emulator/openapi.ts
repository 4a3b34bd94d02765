import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';

/** Prints the contract. */
export const run = async (_input: unknown, deps: Deps): Promise<Result> => {
  const emulator = await deps.emulator();
  return { kind: 'text', text: await emulator.openapi() };
};
