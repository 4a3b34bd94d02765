/**
 * Writes the SBOM of the built program (CycloneDX) to FILE or stdout. --standalone adds Bun, which standalone programs
 * contain. The npm package includes its SBOM as dist/sbom.cdx.json.
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
