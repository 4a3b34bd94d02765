import { EXIT_CODES } from '../core/exit.ts';
import type { Flight } from './io.ts';

/** The exit code of a run that ends without being asked how: no code that invites a repeat while a write is open. */
export const abruptExit = ({ state }: Flight, otherwise: number): number =>
  ({ idle: otherwise, sent: EXIT_CODES.unknown, accepted: EXIT_CODES.unrecorded })[state];
