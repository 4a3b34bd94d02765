import { profileWithoutKey } from '../../compose/client.ts';
import { REFUND } from '../../core/charge.ts';
import { canBeName } from '../../core/ids.ts';
import { foldedName } from '../../core/text.ts';
import { type Entry, isInScope } from '../../ledger/entry.ts';
import { paymentIn } from '../../ledger/transitions.ts';
import { type Able, entriesBy, tellOnly } from '../names.ts';
import type { Run } from '../run.ts';

/** The id of the entry that a text means: itself, or the only one of a ref or an e-mail address. */
export const entryNamed = async (text: string, able: Able<Entry>, run: Run): Promise<string> => {
  const ledger = await run.ledger();
  if (!canBeName('ugw', text) || (await ledger.get(text)) !== undefined) return text;
  const fields = ['ref', 'email'] as const;
  const exact = (await Promise.all(fields.map((field) => entriesBy(field, text, ledger)))).flat();
  const hasName = ({ asked }: Entry): boolean =>
    fields.some((field) => foldedName(asked?.[field] ?? '') === foldedName(text));
  const found = exact.length > 0 ? exact : (await ledger.list({ anyCase: text, limit: -1 })).filter(hasName);
  // An error about an id suggests one that is near.
  if (found.length === 0) return text;
  const own = found.filter(isInScope((await profileWithoutKey(run)).scope));
  const refunds = own.flatMap(({ activity }) =>
    activity ? [ledger.list({ about: activity.uid, kind: REFUND, limit: -1 })] : [],
  );
  const all = new Map([...own, ...(await Promise.all(refunds)).flat()].map((entry) => [entry.id, entry]));
  const fieldsOf = (entry: Entry): object => ({
    ...entry.asked,
    uid: entry.id,
    medium: entry.medium,
    status: paymentIn(entry) ?? entry.refund?.state ?? entry.state,
  });
  return (await tellOnly(text, [...all.values()], able, fieldsOf, run)).id;
};
