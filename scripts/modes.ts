/**
 * Makes the published files readable for everyone. npm packs the files' current modes, which depend on the umask.
 * Called by `npm pack` and `npm publish` after the build.
 */
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: readonly string[] };

const readable = (path: string): void => {
  const { mode } = statSync(path);
  chmodSync(path, mode | 0o044 | ((mode & 0o100) === 0 ? 0 : 0o011));
};

for (const name of ['package.json', ...files.filter((file) => !file.startsWith('!'))]) {
  readable(name);
  if (!statSync(name).isDirectory()) continue;
  for (const inside of readdirSync(name, { recursive: true, encoding: 'utf8' })) readable(join(name, inside));
}
