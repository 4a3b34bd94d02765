import type { Line } from '../run/line.ts';
import type { Contender } from '../run/race.ts';

/** What a row's bench is given. */
export interface Scene {
  /** For whatever it leaves; goes with the run. */
  readonly folder: string;
  /** Also what takes many minutes. */
  readonly long: boolean;
}

export type Bench = (scene: Scene) => Promise<readonly Line[]>;

/** Takes part, unless something is missing for it. */
export const unless = (missing: string | undefined, run: () => number | Promise<number>): Contender =>
  missing === undefined ? run : { missing };
