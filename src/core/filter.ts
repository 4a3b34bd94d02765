/** A filter of jq (--jq). What is wrong with it is a usage error; what stops it, `interrupted`. */
export interface Filter {
  /** Loads jq and compiles the filter; runs it on nothing. */
  check(): Promise<void>;
  /**
   * The filter over each of the JSON values in `text`, indented or a line each; what it prints is written as it comes, until
   * `write` says that nobody reads any more. Gives what it said on stderr.
   */
  run(text: string, isIndented: boolean, write: (text: string) => Promise<boolean>): Promise<string>;
}
