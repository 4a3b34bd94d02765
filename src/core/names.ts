import { textAt } from './charge.ts';
import { type NamedPrefix, wordsFor } from './ids.ts';
import { formatMoney } from './money.ts';
import type { Named } from './record.ts';
import { statusWord } from './status.ts';

const WORDS = { ugw: 'ref', ony: 'e-mail address' } as const;

/** Describes a record in one line: its id, and what tells a person which one it is. */
export const recordLine = (record: unknown): string => {
  const text = (path: string): string => textAt(record, path);
  const [amount, status] = [text('amount'), statusWord(text('status'))];
  const money = amount === '' ? '' : formatMoney(amount, text('currency'));
  const name = [text('first_name'), text('last_name')].filter(Boolean).join(' ');
  const parts = [money, name, text('onye.email') || text('onye') || text('email'), status].filter(Boolean);
  return `${text('uid')}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
};

/** The id of the record that has a name, or the reason why none is meant, with the ids of those that may be. */
export const idNamed = (
  prefix: NamedPrefix,
  name: string,
  { found, looked }: Named,
): { readonly id: string } | { readonly problem: string; readonly ids: readonly string[] } => {
  const ids = (found.get(name) ?? []).map(({ value }) => textAt(value, 'uid'));
  const [id, ...others] = ids;
  if (id !== undefined && others.length === 0) return { id };
  const [[one], what] = [wordsFor(prefix), `the ${WORDS[prefix]} ${JSON.stringify(name)}`];
  const problem = id === undefined ? `no ${one} with ${what} (looked ${looked})` : `${ids.length} ${one}s have ${what}`;
  return { problem, ids };
};
