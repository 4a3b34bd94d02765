import type { Io } from './io.ts';

/** Who may be asked: the streams of a run, as far as they matter here. */
export type Asked = { readonly [K in 'stdin' | 'stderr']: Pick<Io[K], 'isTerminal'> };

/** Somebody is there to read a question and to answer it: a terminal on both sides, and no --no-input. */
export const canAsk = ({ stdin, stderr }: Asked, { input }: { readonly input: boolean }): boolean =>
  input && stdin.isTerminal && stderr.isTerminal;

/** Without the blanks and commas that people leave out. */
export const plain = (text: string): string => text.replaceAll(/[\s,]/g, '').toUpperCase();
