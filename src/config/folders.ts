/** Absolute paths of the folders that the program keeps things in. */
export interface Folders {
  readonly config: string;
  readonly data: string;
}
