/**
 * Bundles src/main.ts and all it loads into dist/, and keeps an account of what went where in dist/meta.json. Beside the
 * bundle: the licences of what is in it, the same as a list for machines, the contract as an OpenAPI document, and the manual pages.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { overviewOf } from '../src/cli/help/overview.ts';
import { commandTree } from '../src/cli/tree.ts';
import { allSpecs, NOUNS } from '../src/commands/all.ts';
import { builtins } from './builtins.ts';
import { bundledPackages } from './bundled.ts';
import { chunkOf } from './chunks.ts';
import { sbomOf } from './cyclonedx.ts';
import { licencesOf } from './licences.ts';
import { manuals } from './manuals.ts';
import { openapi } from './openapi.ts';
import { schemaDocument } from './schema/document.ts';
import { topics } from './topics.ts';

const MAIN = resolve('src/main.ts');

/** What a package asks for and never uses here, or hardly, and what takes its place: each of them costs a start its time. */
const WITHOUT = [
  { source: /^ajv(-formats$|\/)/, importer: 'conf', instead: 'ajv' },
  // conf encrypts only with a key, and compares versions only to migrate: paycli does neither.
  { source: /^(node:crypto|semver)$/, importer: 'conf', instead: 'nothing' },
  // conf is told its folder; this would ask for a home when it is loaded, which a user of a container may not have.
  { source: /^env-paths$/, importer: 'conf', instead: 'nothing' },
  // commander starts programs only for commands that are files of their own.
  { source: /^node:child_process$/, importer: 'commander', instead: 'nothing' },
  { source: /^node:util$/, importer: 'commander', instead: 'util' },
  { source: /^node:http$/, importer: 'undici', instead: 'http' },
  // The password is ours to find; there is no other way to a socket.
  { source: /^(pgpass|pg-cloudflare)$/, importer: 'pg', instead: 'absent' },
  { source: /^node:assert$/, importer: 'undici', instead: 'assert' },
  { source: /\/parser-h1\.js$/, importer: 'undici', instead: 'parser' },
  // paycli speaks HTTP/1.1 only, and sends texts.
  { source: /\/(client-h2|web\/fetch\/body)\.js$/, importer: 'undici', instead: 'absent' },
];

const without: Plugin = {
  name: 'without',
  resolveId: (source, from = '') => {
    const path = from.replaceAll('\\', '/');
    const found = WITHOUT.find((one) => one.source.test(source) && path.includes(`/node_modules/${one.importer}/`));
    return found === undefined ? undefined : resolve('scripts/without', `${found.instead}.ts`);
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

/** What jq prints goes to our worker as it comes; jq-wasm would keep all of it, and trim it. */
const jqStdout: Plugin = {
  name: 'stdout of jq',
  transform: (code, id) => {
    if (!/\/jq-wasm\/dist\/index\.mjs$/.test(id.replaceAll('\\', '/'))) return undefined;
    const parts = code.split('const stdoutSink = createByteSink(1024);');
    if (parts.length !== 2) throw new Error(`${id}: nothing to put the worker's stdout in place of`);
    return parts.join('const stdoutSink = globalThis.jqStdout;');
  },
};

/** A file that is imported with `?raw` becomes a text in the bundle, as the tests' bundler has it. */
const raw: Plugin = {
  name: 'raw',
  resolveId: (source, from = '') => (source.endsWith('?raw') ? resolve(dirname(from), source) : undefined),
  load: (id) =>
    id.endsWith('?raw')
      ? { code: `export default ${JSON.stringify(readFileSync(id.slice(0, -4), 'utf8'))};`, moduleType: 'js' }
      : undefined,
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
      {
        entry: chunk.isEntry && chunk.fileName === 'main.js',
        imports: chunk.imports,
        dynamicImports: chunk.dynamicImports,
        inputs: inputsOf(chunk),
      },
    ]),
  );

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
// Before the bundle, which holds them: the imports that package.json names.
writeFileSync('dist/openapi.json', `${JSON.stringify(openapi(), null, 2)}\n`);
writeFileSync('dist/schema.json', JSON.stringify(schemaDocument()));
writeFileSync('dist/overview.json', JSON.stringify(overviewOf(commandTree(await allSpecs(), NOUNS))));
writeFileSync('dist/topics.json', JSON.stringify(topics()));
mkdirSync('dist/man/man1', { recursive: true });
for (const [path, page] of await manuals()) writeFileSync(`dist/${path}`, page);
const HOW = {
  platform: 'node',
  // A linked node_modules is taken for what it stands for, or its path would be in the names of the chunks.
  resolve: { symlinks: false },
  transform: { target: 'node22.19' },
} as const;
const WRITTEN = {
  dir: 'dist',
  format: 'esm',
  // Names stay: a stack that is shown with --debug is to be read.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  // The notices that there are stay where they are; whole licences go into a file of their own.
  comments: { legal: true, annotation: false, jsdoc: false },
} as const;
const bundle = await rolldown({
  ...HOW,
  input: MAIN,
  preserveEntrySignatures: 'allow-extension',
  plugins: [without, nothingDropped, raw, builtins],
});
const { output } = await bundle.write({
  ...WRITTEN,
  chunkFileNames: 'chunks/[name]-[hash].js',
  codeSplitting: { includeDependenciesRecursively: false, groups: [{ debugName: 'rooms', name: chunkOf(MAIN) }] },
});
await bundle.close();
const jq = await rolldown({
  ...HOW,
  input: { 'jq/worker': resolve('src/jq/worker.ts') },
  plugins: [jqStdout, builtins],
});
const worker = await jq.write(WRITTEN);
await jq.close();
copyFileSync('node_modules/jq-wasm/dist/build/jq.wasm', 'dist/jq/jq.wasm');
const chunks = [...output, ...worker.output].filter((one) => one.type === 'chunk');
writeFileSync('dist/meta.json', JSON.stringify(accountOf(chunks)));
const packages = bundledPackages();
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licencesOf(packages));
writeFileSync('dist/sbom.cdx.json', sbomOf(packages));
