/** Writes what the documents have from the program itself: the reference, a page a command, and the picture of the README. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PICTURE, pictureNow } from './picture/readme.ts';
import { REFERENCE, referencePages } from './reference.ts';

rmSync(REFERENCE, { recursive: true, force: true });
mkdirSync(REFERENCE);
for (const [name, text] of referencePages()) writeFileSync(join(REFERENCE, name), text);
writeFileSync(PICTURE, await pictureNow());
