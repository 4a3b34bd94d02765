/**
 * Writes what the built program is made of as CycloneDX: into FILE, or on stdout. --standalone adds the Bun that a
 * standalone program brings along. The npm package has its own inside, as dist/sbom.cdx.json.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { bundledPackages } from './bundled.ts';
import { sbomOf } from './cyclonedx.ts';
import { BUN } from './pinned.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { standalone: { type: 'boolean', default: false } },
});
const text = sbomOf(bundledPackages(), values.standalone ? BUN : undefined);
const [file] = positionals;
if (file === undefined) process.stdout.write(text);
else writeFileSync(file, text);
