/**
 * Bundles src/main.ts and all it loads into dist/, one chunk a room, and keeps the bundler's account of it. Beside the
 * bundle: the licences of what is in it, and the same as a list for machines.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { bundledPackages } from './bundled.ts';
import { sbomOf } from './cyclonedx.ts';
import { licencesOf } from './licences.ts';

rmSync('dist', { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  minifySyntax: true,
  minifyWhitespace: true,
  // The one that there is, at the end of its chunk; whole licences go into a file of their own.
  legalComments: 'eof',
  // A linked node_modules is taken for what it stands for, or its path would be in the names of the chunks.
  preserveSymlinks: true,
  chunkNames: 'chunks/[name]-[hash]',
  metafile: true,
  // Bundled CommonJS packages ask for Node's own modules through require.
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
  // conf validates with ajv only when it is given a schema; paycli checks the file with zod.
  alias: { 'ajv/dist/2020.js': './scripts/no-ajv.ts', 'ajv-formats': './scripts/no-ajv.ts' },
});
mkdirSync('dist', { recursive: true });
writeFileSync('dist/meta.json', JSON.stringify(metafile));
const packages = bundledPackages();
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licencesOf(packages));
writeFileSync('dist/sbom.cdx.json', sbomOf(packages));
