/**
 * Bundles src/main.ts and all it loads into dist/, and keeps an account of what went where in dist/meta.json. Beside the
 * bundle: the licences of what is in it, and the same as a list for machines.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { OutputChunk, Plugin } from 'rolldown';
import { rolldown } from 'rolldown';
import { builtins } from './builtins.ts';
import { bundledPackages } from './bundled.ts';
import { chunkOf } from './chunks.ts';
import { sbomOf } from './cyclonedx.ts';
import { licencesOf } from './licences.ts';

const MAIN = resolve('src/main.ts');

/** What a package loads and never uses here, and what takes its place. */
const WITHOUT = [
  { source: /^ajv(-formats$|\/)/, importer: /\/node_modules\/conf\//, instead: 'scripts/no-ajv.ts' },
  { source: /^node:child_process$/, importer: /\/node_modules\/commander\//, instead: 'scripts/no-child-process.ts' },
];

const without: Plugin = {
  name: 'without',
  resolveId: (source, from = '') => {
    const found = WITHOUT.find((one) => one.source.test(source) && one.importer.test(from.replaceAll('\\', '/')));
    return found === undefined ? undefined : resolve(found.instead);
  },
};

/** The bundler takes such a statement for one without effect and drops it; but a text that is malformed makes it throw. */
const DROPPED = /^\s*(?:de|en)codeURI(?:Component)?\(.*\);$/m;

const nothingDropped: Plugin = {
  name: 'nothing dropped',
  transform: (code, id) => {
    const [found] = DROPPED.exec(code) ?? [];
    if (found !== undefined) throw new Error(`${id}: the bundler would drop "${found.trim()}": use its result`);
  },
};

const inputsOf = ({ modules }: OutputChunk): object =>
  Object.fromEntries(
    Object.entries(modules).map(([id, { renderedLength }]) => [
      relative('.', id).replaceAll('\\', '/'),
      { bytes: renderedLength },
    ]),
  );

/** Which files are in which chunk, and which chunks each one loads. */
const accountOf = (chunks: readonly OutputChunk[]): object =>
  Object.fromEntries(
    chunks.map((chunk) => [
      chunk.fileName,
      { entry: chunk.isEntry, imports: chunk.imports, dynamicImports: chunk.dynamicImports, inputs: inputsOf(chunk) },
    ]),
  );

rmSync('dist', { recursive: true, force: true });
const bundle = await rolldown({
  input: MAIN,
  platform: 'node',
  // A linked node_modules is taken for what it stands for, or its path would be in the names of the chunks.
  resolve: { symlinks: false },
  preserveEntrySignatures: 'allow-extension',
  transform: { target: 'node22.19' },
  plugins: [without, nothingDropped, builtins],
});
const { output } = await bundle.write({
  dir: 'dist',
  format: 'esm',
  // Names stay: a stack that is shown with --debug is to be read.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  // The notices that there are stay where they are; whole licences go into a file of their own.
  comments: { legal: true, annotation: false, jsdoc: false },
  chunkFileNames: 'chunks/[name]-[hash].js',
  codeSplitting: { includeDependenciesRecursively: false, groups: [{ debugName: 'rooms', name: chunkOf(MAIN) }] },
});
await bundle.close();
const chunks = output.filter((one) => one.type === 'chunk');
writeFileSync('dist/meta.json', JSON.stringify(accountOf(chunks)));
const packages = bundledPackages();
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licencesOf(packages));
writeFileSync('dist/sbom.cdx.json', sbomOf(packages));
