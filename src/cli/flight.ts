import { EXIT_CODES } from '../core/exit.ts';
import type { Flight } from '../core/io.ts';

/** The exit code of a run that ends without being asked how: no code that invites a repeat while a write is open. */
export const abruptExit = ({ open, accepted }: Flight, otherwise: number): number => {
  if (accepted > 0) return EXIT_CODES.unrecorded;
  return open > 0 ? EXIT_CODES.unknown : otherwise;
};
