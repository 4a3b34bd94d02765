import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CANARY } from './canary.ts';

/** Files under a folder that hold the key, but for the one file that is there to hold it. */
export const holding = (folder: string, key: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'config.json')
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = readFileSync(file);
      return [key, encodeURIComponent(key), Buffer.from(key).toString('base64').slice(0, -4)].some((form) =>
        bytes.includes(form),
      );
    });

/** One folder for all that a run writes; afterwards the search that fails the run. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'paycli-test-'));
  process.env['PAYCLI_TEST_RUN'] = folder;
  return () => {
    const found = holding(folder, CANARY);
    if (found.length > 0)
      throw new Error(`the secret key was written to ${found.map((file) => basename(file)).join(', ')} in ${folder}`);
    rmSync(folder, { recursive: true, force: true });
  };
}
