/** What `paycli help` says besides commands: each is a document of docs/. */
export const TOPICS = ['charging', 'files', 'safety', 'output', 'exit-codes', 'profiles', 'environment'] as const;
export type Topic = (typeof TOPICS)[number];

/** What help is asked for. */
export interface HelpWanted {
  /** A command, a noun or a topic; none for the first page. */
  readonly words: readonly string[];
  /** What is rarely wanted, too. */
  readonly all: boolean;
  /** The manual page in its place. */
  readonly man: boolean;
}
