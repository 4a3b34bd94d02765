import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Sabotage, sabotaged } from '../faults/sabotage.ts';
import { newFolder, type RunOptions } from './program.ts';

/** A copy of the source with these edits. */
export const changedFolder = (...edits: readonly Sabotage[]): string => {
  const folder = newFolder('changed');
  cpSync('src', join(folder, 'src'), { recursive: true });
  for (const name of ['node_modules', 'package.json', 'dist']) symlinkSync(resolve(name), join(folder, name));
  for (const edit of edits) {
    const file = join(folder, edit.file);
    writeFileSync(file, sabotaged(edit, readFileSync(file, 'utf8')));
  }
  return folder;
};

/** A copy of the source with these edits, which Node runs as it is; later starts reuse the code that one has compiled. */
export const changedProgram = (...edits: readonly Sabotage[]): NonNullable<RunOptions['program']> => {
  const folder = changedFolder(...edits);
  const start = join(folder, 'start.mjs');
  const compiled = JSON.stringify(join(folder, 'compiled'));
  writeFileSync(
    start,
    `(await import('node:module')).enableCompileCache(${compiled});\nawait (await import('./src/main.ts')).main();\n`,
  );
  return [process.execPath, start];
};
