/**
 * Writes the generated documents: the reference, the picture of the README, and the list of manual
 * pages in package.json, which npm links into its prefix.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manuals } from './manuals.ts';
import { PICTURE, pictureNow, settled } from './picture/readme.ts';
import { REFERENCE, referencePages } from './reference.ts';

rmSync(REFERENCE, { recursive: true, force: true });
mkdirSync(REFERENCE);
for (const [name, text] of referencePages()) writeFileSync(join(REFERENCE, name), text);
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
manifest.man = [...(await manuals()).keys()].map((path) => `dist/${path}`);
writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
// Each run has new identifiers and times. Replace the picture only if something else changed.
const picture = await pictureNow();
if (settled(readFileSync(PICTURE, 'utf8')) !== settled(picture)) writeFileSync(PICTURE, picture);
