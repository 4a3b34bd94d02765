import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Sabotage, sabotaged } from '../faults/sabotage.ts';
import { newFolder, type RunOptions } from './program.ts';

/** A copy of the source with one edit, which Node runs as it is. */
export const changedProgram = (edit: Sabotage): NonNullable<RunOptions['program']> => {
  const folder = newFolder('changed');
  cpSync('src', join(folder, 'src'), { recursive: true });
  for (const name of ['node_modules', 'package.json', 'dist']) symlinkSync(resolve(name), join(folder, name));
  const file = join(folder, edit.file);
  writeFileSync(file, sabotaged(edit, readFileSync(file, 'utf8')));
  const start = join(folder, 'start.mjs');
  writeFileSync(start, "await (await import('./src/main.ts')).main();\n");
  return [process.execPath, start];
};
