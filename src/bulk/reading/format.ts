/** How a file of rows is written. */
export type Format = 'csv' | 'ndjson';

/** The format that a file's name speaks of, if it does. */
export const formatOfName = (name: string): Format | undefined => {
  if (/\.(?:csv|tsv)$/i.test(name)) return 'csv';
  return /\.(?:ndjson|jsonl)$/i.test(name) ? 'ndjson' : undefined;
};
