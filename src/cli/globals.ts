import type { Format } from '../output/view.ts';

/** The global options, parsed. Durations in milliseconds. */
export interface Globals {
  readonly profile: string | undefined;
  readonly local: boolean;
  readonly baseUrl: string | undefined;
  /** undefined: a table on a terminal, tsv in a pipe. */
  readonly format: Format | undefined;
  readonly columns: readonly string[] | undefined;
  readonly rawCsv: boolean;
  readonly color: 'auto' | 'always' | 'never';
  readonly quiet: boolean;
  readonly debug: boolean;
  readonly timeout: number;
  readonly input: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly asCurl: boolean;
  readonly validate: boolean;
}
