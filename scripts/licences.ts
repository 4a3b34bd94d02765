/** Full licence texts of the bundled packages, which must be shipped with the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Bundled } from './bundled.ts';

/** Licences that require only their text. A person decides about any other. */
const ALLOWED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

const LICENCE = /^(?:licen[cs]e|copying)/i;
const NOTICE = /^notice/i;

/** Third-party code inside a package without its licence text: the package and folder, and our copy of the text. */
const KEPT: Readonly<Record<string, string>> = {
  'undici/lib/llhttp': 'scripts/licences/llhttp.txt',
  // The source of its WebAssembly.
  'jq-wasm/dist': 'scripts/licences/jq.txt',
  // Its copy of the XML parser of another package.
  'read-excel-file/modules/saxen': 'scripts/licences/saxen.txt',
  // Copied from its README.
  'pg-types': 'scripts/licences/pg-types.txt',
};

const RULE = '='.repeat(80);

const textOf = (file: string): string => readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim();

/** A folder and its parents, up to the package's folder. */
const upwards = (folder: string, top: string): string[] =>
  folder === top ? [top] : [folder, ...upwards(dirname(folder), top)];

/** Licence texts of the package, then of bundled third-party folders inside it. */
const textsOf = ({ name, version, folder, sources }: Bundled): string[] => {
  const own = readdirSync(folder).filter((file) => LICENCE.test(file));
  if (own.length === 0 && KEPT[name] === undefined)
    throw new Error(`${name}@${version} is bundled and has no licence text`);
  const folders = new Set(sources.flatMap((source) => upwards(source, folder)));
  return [...folders].sort().flatMap((at) => {
    const found = readdirSync(at).filter((file) => LICENCE.test(file) || NOTICE.test(file));
    const kept = KEPT[join(name, relative(folder, at)).replaceAll('\\', '/').replace(/\/$/, '')];
    const files = [...found.sort().map((file) => join(at, file)), ...(kept === undefined ? [] : [kept])];
    return files.map((file) => (at === folder ? textOf(file) : `${relative(folder, at)}:\n\n${textOf(file)}`));
  });
};

const sectionOf = (bundled: Bundled): string => {
  const { name, version, license } = bundled;
  if (!ALLOWED.includes(license))
    throw new Error(`${name}@${version} is bundled under "${license}", which is not one of ${ALLOWED.join(', ')}`);
  return [RULE, `${name} ${version} (${license})`, RULE, '', textsOf(bundled).join('\n\n')].join('\n');
};

/** All texts together. Throws if a package has no licence text, or a licence that is not allowed. */
export const licencesOf = (packages: readonly Bundled[]): string =>
  `${['paycli is one program with these packages in it, each under its own licence.', ...packages.map(sectionOf)].join('\n\n')}\n`;
