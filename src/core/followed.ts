import type { Standing } from './charge.ts';
import type { PayError } from './error.ts';
import type { Received } from './received.ts';

/** How following an activity ended. */
export interface Followed<T = unknown> {
  /** The last reading; undefined where none succeeded and none was known before. */
  readonly record: Received<T> | undefined;
  readonly standing: Standing;
  /** Why the last read failed, where it did and the wait ended open. */
  readonly fault?: PayError;
  /** A signal ended the wait: what the run ends with, once the record is shown. */
  readonly interrupted?: PayError;
}
