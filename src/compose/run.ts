import type { Globals } from '../cli/globals.ts';
import type { Deps } from '../commands/deps.ts';
import type { Io } from '../core/io.ts';
import type { StatusLine } from '../output/status-line.ts';

/** One run: what it was asked for, and what it must let go of at its end. */
export interface RunContext {
  readonly io: Io;
  readonly globals: Globals;
  readonly version: string;
  readonly closing: (() => Promise<void>)[];
  readonly notice: Deps['notice'];
  /** The line that says how far it is, where there is one. */
  readonly status: Status;
}

export interface Status {
  line?: StatusLine;
  /** Another one, which says that a request takes long. */
  waiting?: StatusLine;
}
