import { grouped } from '../core/bounds.ts';
import { CHARGE, textAt } from '../core/charge.ts';
import type { NamedPrefix } from '../core/ids.ts';
import { type ApiRecord, type Named, PAGE_MAX } from '../core/record.ts';
import type { Run } from './run.ts';

/** Pages of the service's list to look through. */
export const PAGES_SEARCHED = 20;
const READS_AT_ONCE = 8;

const KINDS = {
  ugw: { field: 'ref', list: 'ugwo.list', get: 'ugwo.get', some: 'newest', records: 'payment requests' },
  ony: { field: 'email', list: 'onye.list', get: 'onye.get', some: 'first', records: 'customers' },
} as const;

/**
 * Finds the records with these names, which the service gives to one record each: in the ledger, then in the first pages
 * of the service's list. A record that the ledger names is read, since its name may have changed. Many names are looked
 * for in the list first, where a page shows a hundred.
 */
export const findNamed = async (prefix: NamedPrefix, names: readonly string[], run: Run): Promise<Named> => {
  const { field, list, get, some, records: what } = KINDS[prefix];
  const folded = (name: string): string => (prefix === 'ony' ? name.trim().toLowerCase() : name);
  const found = new Map<string, ApiRecord[]>(names.map((name) => [folded(name), []]));
  const client = await run.client('read');
  let [count, isWhole] = [0, false];
  run.state.status.doing = () => (count === 0 ? undefined : `${grouped(count)} read`);
  const missing = (): readonly string[] => names.filter((name) => found.get(folded(name))?.length === 0);
  const take = (record: ApiRecord): void => {
    const same = found.get(folded(textAt(record.value, field)));
    if (same?.every(({ value }) => textAt(value, 'uid') !== textAt(record.value, 'uid'))) same.push(record);
  };
  const lookInLedger = async (): Promise<void> => {
    const [ledger, { service, workspace }] = [await run.ledger(), await run.target()];
    const look = async (name: string): Promise<void> => {
      const by = prefix === 'ony' ? { email: name.trim() } : { ref: name };
      const charges = await ledger.list({ ...by, kind: CHARGE, service, workspace, limit: PAGE_MAX });
      const uids = new Set(charges.map(({ about, asked }) => (prefix === 'ony' ? asked?.customer : about)));
      for (const uid of uids) {
        const record = uid === undefined ? undefined : await client.look(get, { params: { uid } });
        if (record !== undefined) take(record);
      }
    };
    const names = missing();
    for (let at = 0; at < names.length; at += READS_AT_ONCE) {
      await Promise.all(names.slice(at, at + READS_AT_ONCE).map(look));
    }
  };
  const lookInList = async (): Promise<void> => {
    for await (const page of client.pages(list, { query: { limit: String(PAGE_MAX) } }, { pages: PAGES_SEARCHED })) {
      count += page.records.length;
      isWhole = page.nextCursor === null;
      for (const record of page.records) take(record);
      if (missing().length === 0) return;
    }
  };
  for (const look of names.length > PAGES_SEARCHED ? [lookInList, lookInLedger] : [lookInLedger, lookInList]) {
    if (missing().length > 0) await look();
  }
  delete run.state.status.doing;
  return {
    found: new Map(names.map((name) => [name, found.get(folded(name)) ?? []])),
    looked: `in the ledger, and through ${isWhole ? 'all' : `the ${some}`} ${grouped(count)} ${what} of the service`,
    isWhole,
  };
};
