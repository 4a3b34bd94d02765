/**
 * Bundles src/main.ts into dist/, and records in dist/meta.json which file went into which chunk. Also writes the
 * licences of the bundled packages, an SBOM, the OpenAPI document and the manual pages.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
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

/** Stand-ins for modules that a package imports and paycli never uses. Each module would cost start-up time. */
const WITHOUT = [
  { source: /^ajv(-formats$|\/)/, importer: 'conf', instead: 'ajv' },
  // conf needs these for encryption and migrations, which paycli doesn't use.
  { source: /^(node:crypto|semver)$/, importer: 'conf', instead: 'nothing' },
  // paycli gives conf its folder. This module would fail for a user without a home, as in a container.
  { source: /^env-paths$/, importer: 'conf', instead: 'nothing' },
  // commander starts child processes only for commands in separate files.
  { source: /^node:child_process$/, importer: 'commander', instead: 'nothing' },
  { source: /^node:util$/, importer: 'commander', instead: 'util' },
  { source: /^node:http$/, importer: 'undici', instead: 'http' },
  // paycli finds the password itself and opens its own sockets.
  { source: /^(pgpass|pg-cloudflare)$/, importer: 'pg', instead: 'absent' },
  { source: /^node:assert$/, importer: 'undici', instead: 'assert' },
  { source: /\/parser-h1\.js$/, importer: 'undici', instead: 'parser' },
  // paycli asks a person to accept or decline, with no form to validate.
  { source: /^@modelcontextprotocol\/server\/_shims$/, importer: '@modelcontextprotocol/server', instead: 'mcp' },
  // paycli unpacks workbooks itself, within limits; the build for Node starts threads for that.
  { source: /^fflate$/, importer: 'read-excel-file', instead: 'fflate' },
  // paycli uses HTTP/1.1 only, with text bodies.
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

/** Bundles the name and version alone: each start reads all that is bundled. */
const manifest: Plugin = {
  name: 'manifest',
  transform: (code, id) => {
    if (id !== resolve('package.json')) return undefined;
    const { name, version } = JSON.parse(code) as Readonly<Record<string, string>>;
    return JSON.stringify({ name, version });
  },
};

/** Gives jq its input, output and messages as they come; jq-wasm would keep all of them. */
const jqStreams: Plugin = {
  name: 'streams of jq',
  transform: (code, id) => {
    if (!/\/jq-wasm\/dist\/index\.mjs$/.test(id.replaceAll('\\', '/'))) return undefined;
    return [
      // The other devices with input are the random ones, which jq has no use for.
      ['result = input();', 'result = globalThis.jqStdin(bytesRead);'],
      ['const stdoutSink = createByteSink(1024);', 'const stdoutSink = globalThis.jqStdout;'],
      ['const stderrSink = createByteSink(256);', 'const stderrSink = globalThis.jqStderr;'],
    ].reduce((text, [theirs = '', ours = '']) => {
      if (text.split(theirs).length !== 2) throw new Error(`${id}: nothing to put the worker's streams in place of`);
      return text.replace(theirs, ours);
    }, code);
  },
};

const COPY = '?mcp';

/** Gives the MCP server a copy of zod: it uses more of it than the schemas, which load with every write. */
const ownZod: Plugin = {
  name: 'own zod',
  resolveId: {
    order: 'pre',
    async handler(source, from = '') {
      const isCopied = from.endsWith(COPY) || (/^zod\b/.test(source) && /\/@modelcontextprotocol\//.test(from));
      const found = isCopied ? await this.resolve(source, from.replace(COPY, ''), { skipSelf: true }) : null;
      return found && { id: `${found.id}${COPY}`, moduleSideEffects: false };
    },
  },
  load: (id) =>
    id.endsWith(COPY) ? { code: readFileSync(id.slice(0, -COPY.length), 'utf8'), moduleType: 'js' } : null,
};

const inputsOf = ({ modules }: OutputChunk): object =>
  Object.fromEntries(
    Object.entries(modules).map(([id, { renderedLength }]) => [
      relative('.', id).replaceAll('\\', '/'),
      { bytes: renderedLength },
    ]),
  );

/** The files of each chunk, and the chunks that it loads. */
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
// Written before the bundle, because it includes them: the `imports` of package.json.
writeFileSync('dist/openapi.json', `${JSON.stringify(openapi(), null, 2)}\n`);
writeFileSync('dist/schema.json', JSON.stringify(schemaDocument()));
writeFileSync('dist/overview.json', JSON.stringify(overviewOf(commandTree(await allSpecs(), NOUNS))));
writeFileSync('dist/topics.json', JSON.stringify(topics()));
mkdirSync('dist/man/man1', { recursive: true });
for (const [path, page] of await manuals()) writeFileSync(`dist/${path}`, page);
const HOW = {
  platform: 'node',
  // Keep symbolic links: the real path of a linked node_modules would change the names of the chunks.
  resolve: { symlinks: false },
  transform: { target: 'node22.19' },
} as const;
const WRITTEN = {
  dir: 'dist',
  format: 'esm',
  // Keep names readable in the stack traces of --debug.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  // Node reads ASCII faster, and keeps a string of one byte per character.
  charset: 'ascii',
  // Short notices stay in the code; full licences go into THIRD-PARTY-LICENSES.txt.
  comments: { legal: true, annotation: false, jsdoc: false },
} as const;
const bundle = await rolldown({
  ...HOW,
  input: MAIN,
  preserveEntrySignatures: 'allow-extension',
  plugins: [without, ownZod, manifest, builtins],
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
  plugins: [jqStreams, builtins],
});
const worker = await jq.write(WRITTEN);
await jq.close();
copyFileSync('node_modules/jq-wasm/dist/build/jq.wasm', 'dist/jq/jq.wasm');
const chunks = [...output, ...worker.output].filter((one) => one.type === 'chunk');
writeFileSync('dist/meta.json', JSON.stringify(accountOf(chunks)));
const packages = bundledPackages();
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licencesOf(packages));
writeFileSync('dist/sbom.cdx.json', sbomOf(packages));
