import { profileWithoutKey } from '../../compose/client.ts';
import { REFUND } from '../../core/charge.ts';
import { type PayError, usageError } from '../../core/error.ts';
import { canBeName } from '../../core/ids.ts';
import { targetFlags } from '../../core/input.ts';
import { textLine } from '../../core/shell.ts';
import { didYouMean, foldedName } from '../../core/text.ts';
import { type Entry, isInScope } from '../../ledger/entry.ts';
import type { Job } from '../../ledger/job.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { isPlan } from '../../ledger/policy.ts';
import { paymentIn } from '../../ledger/transitions.ts';
import { type Able, entriesBy, tellOnly } from '../names.ts';
import type { Run } from '../run.ts';

/** Number of newest entries to search for a similar id. */
const NEWEST_SEARCHED = 100;

const noSuch = (what: 'charge' | 'job', id: string, newest: readonly string[], where: string): PayError => {
  const meant = didYouMean(id, newest);
  return usageError(`no ${what} ${JSON.stringify(id)} in the ledger`, {
    hint: meant === undefined ? where : `did you mean ${meant}?\n${where}`,
  });
};

/** True for the id of a job, false for a charge. */
export const namesJob = (id: string): boolean => id.startsWith('job-') || isPlan(id);

/** Finds a job by id. Throws a usage error if there is none. */
export const findJob = async ({ jobs }: Ledger, id: string): Promise<Job> => {
  const found = await jobs.get(id);
  if (found !== undefined) return found;
  const newest = (await jobs.list({ limit: NEWEST_SEARCHED })).map((job) => job.id);
  throw noSuch('job', id, newest, 'see them all: `paycli ledger jobs --all-profiles`');
};

/**
 * Finds the entry that a text means: the one with that id, or the only one of a ref or an e-mail address. Throws a usage
 * error if there is none, with the search for what else the text may be.
 */
export const entryNamed = async (text: string, able: Able<Entry>, run: Run): Promise<Entry> => {
  const ledger = await run.ledger();
  const itself = await ledger.get(text);
  if (itself !== undefined) return itself;
  const fields = ['ref', 'email'] as const;
  const hasName = ({ asked }: Entry): boolean =>
    fields.some((field) => foldedName(asked?.[field] ?? '') === foldedName(text));
  const find = async (): Promise<readonly Entry[]> => {
    if (!canBeName('ugw', text)) return [];
    const exact = (await Promise.all(fields.map((field) => entriesBy(field, text, ledger)))).flat();
    return exact.length > 0 ? exact : (await ledger.list({ anyCase: text, limit: -1 })).filter(hasName);
  };
  const found = await find();
  if (found.length === 0) {
    const newest = (await ledger.list({ limit: NEWEST_SEARCHED })).map(({ id }) => id);
    throw noSuch(
      'charge',
      text,
      newest,
      `look for it: \`${textLine(['paycli', 'find'], text, ['--all-profiles', ...targetFlags(run.globals)])}\``,
    );
  }
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
  return tellOnly(text, [...all.values()], able, fieldsOf, run);
};
