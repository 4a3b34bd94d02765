import { readFileSync } from 'node:fs';
import { parseSync } from 'rolldown/utils';
import { expect, it } from 'vitest';
import { sourceFiles } from './imports.ts';

/** Words that say less than the field's own: deps, serviceTime, cursor, queue, snapshot, clock, dead, stop, events, … */
const RETIRED = /^(?:world|told|teller|lane|sight|mark|gone|halt|news|wake|standing|begun)$/i;

/** Fields that earlier ledgers hold under these names, and the folder that reads them. */
const STORED = { names: ['begun', 'told', 'mark'], folder: 'src/ledger/' };

/** The identifiers of a text, in any position. */
const identifiersIn = (file: string): string[] => {
  const found = new Set<string>();
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('type' in node && node.type === 'Identifier' && 'name' in node) found.add(String(node.name));
    for (const child of Object.values(node)) walk(child);
  };
  walk(parseSync(file, readFileSync(file, 'utf8'), { lang: 'ts' }).program);
  return [...found];
};

it('the source has no identifier that is a retired word', () => {
  const wrong = sourceFiles('src').flatMap((file) =>
    identifiersIn(file)
      .filter((name) => RETIRED.test(name))
      .filter((name) => !(file.startsWith(STORED.folder) && STORED.names.includes(name)))
      .map((name) => `${file}: ${name}`),
  );
  expect(wrong).toEqual([]);
});
