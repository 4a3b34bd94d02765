import type { Env } from '../core/io.ts';
import type { QrWhen } from '../core/result.ts';
import type { Styles } from './style.ts';

/** What people's formats are drawn on. */
export interface Surface {
  /** Columns to fit into; Infinity where nothing is to be fitted (a pipe). */
  readonly width: number;
  readonly styles: Styles;
  /** Milliseconds since the epoch: what "in 12 min" is counted from. */
  readonly now: number;
  readonly env: Env;
  /** `auto` where nothing is said. */
  readonly qr?: QrWhen | undefined;
}
