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

/** A copy of the source with these edits, which Node runs as it is. */
export const changedProgram = (...edits: readonly Sabotage[]): NonNullable<RunOptions['program']> => {
  const start = join(changedFolder(...edits), 'start.mjs');
  writeFileSync(start, "await (await import('./src/main.ts')).main();\n");
  return [process.execPath, start];
};
