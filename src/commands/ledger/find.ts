import type { PayError } from '../../core/error.ts';
import { usageError } from '../../core/error.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { Charge, Ledger } from '../../ledger/ledger.ts';

/** So many of the newest charges are looked through for one that was meant. */
const NEWEST = 100;

const noSuch = async (ledger: Ledger, id: string): Promise<PayError> => {
  const newest = await ledger.list({ limit: NEWEST });
  const meant = didYouMean(
    id,
    newest.map((charge) => charge.id),
  );
  const where = '`paycli ledger list` shows what there is';
  return usageError(`there is no charge ${JSON.stringify(id)} in the ledger`, {
    hint: meant === undefined ? where : `did you mean ${meant}?\n${where}`,
  });
};

/** The charge of that name; a usage error when there is none. */
export const find = async (ledger: Ledger, id: string): Promise<Charge> => {
  const found = await ledger.get(id);
  if (found === undefined) throw await noSuch(ledger, id);
  return found;
};
