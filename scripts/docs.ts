/** Writes what the documents have from the program itself: the reference, a page a command, the commands for machines, and the picture of the README. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PICTURE, pictureNow, settled } from './picture/readme.ts';
import { REFERENCE, referencePages } from './reference.ts';
import { KEPT, schemaText } from './schema/document.ts';

rmSync(REFERENCE, { recursive: true, force: true });
mkdirSync(REFERENCE);
writeFileSync(KEPT, schemaText());
for (const [name, text] of referencePages()) writeFileSync(join(REFERENCE, name), text);
// It has new identifiers and times in each run, which alone are no reason for another picture.
const picture = await pictureNow();
if (settled(readFileSync(PICTURE, 'utf8')) !== settled(picture)) writeFileSync(PICTURE, picture);
