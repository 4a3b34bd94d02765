import { declined } from './interrupt.ts';
import type { Input, Io } from './io.ts';

/** Who may be asked: the streams of a run, as far as they matter here. */
export type Asked = { readonly [K in 'stdin' | 'stderr']: Pick<Io[K], 'isTerminal'> };

/** Somebody is there to read a question and to answer it: a terminal on both sides, and no --no-input. */
export const canAsk = ({ stdin, stderr }: Asked, { input }: { readonly input: boolean }): boolean =>
  input && stdin.isTerminal && stderr.isTerminal;

/** Without the blanks and commas that people leave out. */
export const plain = (text: string): string => text.replaceAll(/[\s,]/g, '').toUpperCase();

/** What a person types at a question, without blanks around it. Throws `interrupted` at the end of input and for an empty line. */
export const ask = async (stdin: Pick<Input, 'line'>, prompt: string, hidden = false): Promise<string> => {
  const answer = (await stdin.line(prompt, { hidden }))?.trim() ?? '';
  if (answer === '') throw declined();
  return answer;
};
